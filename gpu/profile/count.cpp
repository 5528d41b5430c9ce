// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/profile/count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "base/os/temporary_folder.hpp"
#include "base/os/toolkit.hpp"
#include "base/spelling.hpp"
#include "base/usage_error.hpp"
#include "kernels/images.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::profile {
namespace {

/// Of a compiled kernel, or of a PTX file that a path names.
std::string ptx_of(const std::string& module) {
  if (module.starts_with('/')) {
    if (auto text = os::read_file(module)) return *std::move(text);
  }
  std::string ptx(kernels::ptx_of(module));
  if (ptx.empty()) throw UsageError(fmt::format("no kernel module named {}", module));
  return ptx;
}

/// The number in ptxas -v's "Used N registers"; 0 where there is none.
int used_registers(std::string_view says) {
  constexpr std::string_view before = "Used ", after = " registers";
  const auto at = says.find(before);
  if (at == std::string_view::npos) return 0;
  says.remove_prefix(at + before.size());
  const auto count = take_number<int>(says);
  return count && says.starts_with(after) ? *count : 0;
}

/// Assembles the entry of a module (Launch::module) for `architecture` ("sm_90") with the ptxas of
/// the CUDA toolkit. Throws UsageError, in one line, where there is no ptxas or it refuses.
int registers_by_ptxas(const std::string& module, const std::string& entry,
                       std::string_view architecture) {
  const os::Toolkit toolkit;
  const auto ptxas = toolkit.find("ptxas");
  if (ptxas.empty()) {
    throw UsageError(fmt::format(
        "--registers ptxas: not found: looked in {}; install the CUDA toolkit or set CUDA_HOME",
        toolkit.looked_in()));
  }
  const std::string ptx = ptx_of(module);
  const std::string name = module.substr(module.rfind('/') + 1);
  const os::TemporaryFolder folder;
  const auto file = (folder.path() / (name + ".ptx")).string();
  std::ofstream(file, std::ios::binary) << ptx;
  constexpr double patience = 120;  // seconds; an entry takes well under one
  const auto result = os::run({ptxas, "-v", fmt::format("-arch={}", architecture), "--entry", entry,
                               file, "-o", (folder.path() / "cubin").string()},
                              "", patience);
  const auto said = result.out + result.err;
  const int registers = used_registers(said);
  if (result.end.code() != 0 || registers == 0) {
    auto line = said.substr(0, said.find('\n'));
    const auto at = line.find(file);
    if (at != std::string::npos) line.replace(at, file.size(), name + ".ptx");
    throw UsageError(fmt::format(
        "--registers ptxas: {}",
        line.empty() ? fmt::format("ptxas ended with code {}", result.end.code()) : line));
  }
  return registers;
}

using simt::GlobalCounters;
using simt::LineCounters;
using simt::SharedCounters;

double mean(std::uint64_t sum, std::uint64_t count) {
  return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
}

/// "request" of one.
std::string_view unit(std::uint64_t count, std::string_view plural) {
  return plural.substr(0, plural.size() - (count == 1 ? 1 : 0));
}

std::string row(std::string_view what, const GlobalCounters& g) {
  if (g.requests == 0) return {};
  return fmt::format("    {:<16}{:>10} {:<8}{:>10} {:<7}{:>9.2f} a request\n", what, g.requests,
                     unit(g.requests, "requests"), g.sectors, unit(g.sectors, "sectors"),
                     mean(g.sectors, g.requests));
}
std::string row(std::string_view what, const SharedCounters& s) {
  if (s.requests == 0) return {};
  return fmt::format("    {:<16}{:>10} {:<8}{:>10} {:<10}{:>8} {}\n", what, s.requests,
                     unit(s.requests, "requests"), s.wavefronts, unit(s.wavefronts, "wavefronts"),
                     s.conflicts, unit(s.conflicts, "conflicts"));
}
std::string row(std::string_view what, std::uint64_t value) {
  return value == 0 ? std::string{} : fmt::format("    {:<24}{:>10}\n", what, value);
}

std::string totals(const LineCounters& c) {
  std::string text = row("warp instructions", c.warp_instructions);
  text += row("thread instructions", c.thread_instructions);
  text += fmt::format("    {:<24}{:>10.2f}\n", "active lanes, mean", c.active_lanes());
  text += row("branches", c.branches);
  text += fmt::format("    {:<24}{:>10}\n", "divergent branches", c.divergent_branches);
  text += row("block barriers, by warp", c.barriers);
  text += row("warp barriers", c.warp_barriers);
  text += row("shuffles", c.shuffles);
  text += row("votes, match, redux", c.votes);
  text += row("atomics, by lane", c.atomics);
  text += row("global loads", c.global_load) + row("global stores", c.global_store) +
          row("global atomics", c.global_atomic);
  text += row("shared loads", c.shared_load) + row("shared stores", c.shared_store) +
          row("shared atomics", c.shared_atomic);
  return text;
}

GlobalCounters global(const LineCounters& c) {
  GlobalCounters sum = c.global_load;
  return (sum += c.global_store) += c.global_atomic;
}

SharedCounters shared(const LineCounters& c) {
  SharedCounters sum = c.shared_load;
  return (sum += c.shared_store) += c.shared_atomic;
}

/// 80 columns: what, instructions, lanes, divergent, global, shared.
std::string heading(std::string_view first) {
  return fmt::format(
      "    {:<22} {:>7} {:>6} {:>6}  {:>6}  {:>7} {:>6} {:>6}\n"
      "    {:<22} {:>7} {:>6} {:>6}  {:>6}  {:>7} {:>6} {:>6}\n",
      "", "warp", "active", "diver-", "global", "shared", "con-", "of one", first, "instr.",
      "lanes", "gent", "sector", "request", "flicts", "bank");
}
std::string cell(std::uint64_t value, bool shown) {
  return shown ? fmt::format("{}", value) : std::string("-");
}
std::string line(std::string_view first, const LineCounters& c) {
  const auto g = global(c);
  const auto s = shared(c);
  return fmt::format("    {:<22} {:>7} {:>6.2f} {:>6}  {:>6}  {:>7} {:>6} {:>6}\n", first,
                     c.warp_instructions, c.active_lanes(),
                     cell(c.divergent_branches, c.branches != 0), cell(g.sectors, g.requests != 0),
                     cell(s.requests, s.requests != 0), cell(s.conflicts, s.requests != 0),
                     cell(s.degree, s.requests != 0));
}

std::string by_line(const simt::KernelProfile& launch) {
  std::string text = heading("line");
  for (const auto& l : launch.lines) {
    const auto slash = l.file.find_last_of('/');
    const auto file = slash == std::string::npos ? l.file : l.file.substr(slash + 1);
    text += line(l.line == 0 ? "(no line)" : fmt::format("{}:{}", file, l.line), l.counters);
  }
  return text;
}

/// An interval is what lies between two block barriers; its lanes are those that touch shared
/// memory.
std::string by_interval(const simt::KernelProfile& launch) {
  std::string text = fmt::format(
      "    {:>6}  {:>9} {:>9}  {:>9}  {:>8} {:>9} {:>9} {:>7}\n"
      "    {:>6}  {:>9} {:>9}  {:>9}  {:>8} {:>9} {:>9} {:>7}\n",
      "inter-", "warp", "divergent", "lanes of", "shared", "wave-", "con-", "of one", "val",
      "instr.", "branches", "a request", "requests", "fronts", "flicts", "bank");
  for (std::size_t k = 0; k < launch.intervals.size(); ++k) {
    const auto& c = launch.intervals[k].total;
    const auto s = shared(c);
    text += fmt::format("    {:>6}  {:>9} {:>9}  {:>9.2f}  {:>8} {:>9} {:>9} {:>7}\n", k,
                        c.warp_instructions, c.divergent_branches, mean(s.lanes, s.requests),
                        s.requests, s.wavefronts, s.conflicts, s.degree);
  }
  return text;
}

std::string spell(const Dim3& d) {
  if (d.y == 1 && d.z == 1) return fmt::format("{}", d.x);
  return fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

}  // namespace

Count count(const Case& c, const Plan& plan,
            const std::function<std::string(const std::string&)>& kernel_name) {
  Count count;
  count.c = resolved(c, plan);
  const auto executor = simt::make_executor({.profile = &count.profile});
  const Observation seen = executor->run(count.c, plan);
  count.refused = seen.refused;
  count.completed = seen.completed;
  count.findings = seen.findings.size();
  for (auto& launch : count.profile.launches) {
    if (kernel_name) launch.entry = kernel_name(launch.entry);
  }
  return count;
}

const Architecture* architecture_named(const std::string& name) {
  if (name.empty()) return nullptr;
  std::vector<std::string_view> known;
  for (const auto& a : architectures()) {
    if (a.name == name) return &a;
    known.push_back(a.name);
  }
  throw UsageError(unknown_word("architecture", name, known));
}

void fill_registers(Count& count, const std::string& by) {
  const auto number = parse_number<int>(by);
  for (const auto& launch : count.profile.launches) {
    count.registers.push_back(
        number ? *number
               : registers_by_ptxas(launch.module, launch.entry, count.architecture->name));
  }
}

int resident(const Count& count, std::size_t index) {
  const auto& launch = count.profile.launches.at(index);
  return resident_blocks(*count.architecture, static_cast<int>(launch.block.count()),
                         launch.static_shared + launch.dynamic_shared, CarveOut::as_needed,
                         count.registers.empty() ? 0 : count.registers.at(index));
}

std::string text(const Count& count, By by, const Style& style) {
  std::string text = style.bold("case") + "\n";
  text += fmt::format("    {}\n", wrap(short_line(count.c), 4, 4));
  if (!count.refused.empty()) {
    return text + labelled("verdict", "refused before launch: " + count.refused);
  }
  for (std::size_t k = 0; k < count.profile.launches.size(); ++k) {
    const auto& launch = count.profile.launches[k];
    text += style.bold(fmt::format("launch {} of {}", k + 1, count.profile.launches.size())) + "\n";
    text += labelled("entry", launch.entry);
    text += labelled("shape", fmt::format("grid {}, {} threads a block", spell(launch.grid),
                                          spell(launch.block)));
    text += labelled("shared", fmt::format("{} bytes for each block ({} static, {} dynamic)",
                                           launch.static_shared + launch.dynamic_shared,
                                           launch.static_shared, launch.dynamic_shared));
    if (count.architecture != nullptr) {
      text += labelled(
          "resident",
          fmt::format(
              "{} on a multiprocessor of {}, {}",
              counted(static_cast<std::size_t>(resident(count, k)), "block"),
              count.architecture->name,
              count.registers.empty()
                  ? std::string(
                        "by shared memory and threads only: PTX has no registers (see --registers)")
                  : fmt::format("with {} registers a thread", count.registers[k])));
    }
    text += totals(launch.total);
    if (by == By::line) text += by_line(launch);
    if (by == By::interval) text += by_interval(launch);
  }
  if (!count.completed) text += labelled("verdict", "the run did not come to its end");
  if (count.findings != 0) {
    text += labelled("findings", fmt::format("{}; gauntlet repro shows them",
                                             counted(count.findings, "finding")));
  }
  return text;
}

Json to_json(const Count& count) {
  Json json = json_head("count");
  json["case"] = count.c;
  json["refused"] = count.refused;
  if (!count.refused.empty()) return json;
  json["completed"] = count.completed;
  json["findings"] = count.findings;
  json["launches"] = Json::array();
  for (std::size_t k = 0; k < count.profile.launches.size(); ++k) {
    const auto& launch = count.profile.launches[k];
    Json l{{"module", launch.module},
           {"entry", launch.entry},
           {"grid", launch.grid},
           {"block", launch.block},
           {"static_shared", launch.static_shared},
           {"dynamic_shared", launch.dynamic_shared}};
    if (count.architecture != nullptr) {
      l["resident"] = {{"architecture", count.architecture->name},
                       {"registers", count.registers.empty() ? 0 : count.registers[k]},
                       {"blocks", resident(count, k)}};
    }
    l["total"] = launch.total;
    l["lines"] = launch.lines;
    l["intervals"] = launch.intervals;
    json["launches"].push_back(std::move(l));
  }
  return json;
}

}  // namespace gauntlet::profile
