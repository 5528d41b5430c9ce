// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/profile/ncu.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "gpu/profile/micro_cases.hpp"
#include "gpu/profile/runner.hpp"
#include "kernels/plan.hpp"
#include "properties/case/case.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::profile {
namespace {

namespace fs = std::filesystem;
using simt::LineCounters;

/// Which counters belong together: requests, wavefronts and conflicts of one kind of access.
struct Group {
  std::size_t requests, wavefronts, conflicts;
  const char* bytes;            ///< ncu's count of distinct bytes, from the addresses
  const char* wavefronts_sass;  ///< ncu's count of wavefronts, from the addresses
  simt::SharedCounters LineCounters::*machine;
};
constexpr std::size_t first_shared = 6;
const Group groups[] = {
    {first_shared, first_shared + 1, first_shared + 2, "smsp__sass_data_bytes_mem_shared_op_ld.sum",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", &LineCounters::shared_load},
    {first_shared + 3, first_shared + 4, first_shared + 5,
     "smsp__sass_data_bytes_mem_shared_op_st.sum",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", &LineCounters::shared_store},
};

/// Atomics that no instruction of a GPU does.
bool expanded(const std::string& entry) { return entry == "atomic_add_u64"; }

std::uint64_t metric(const NcuLaunch& launch, const char* name) {
  const auto found = launch.metrics.find(std::string_view(name));
  if (found == launch.metrics.end()) {
    throw NcuError(launch.entry + ": ncu did not read " + name + "; record with ci/gpu-ncu");
  }
  return found->second;
}
std::optional<std::uint64_t> if_read(const NcuLaunch& launch, const char* name) {
  const auto found = launch.metrics.find(std::string_view(name));
  if (found == launch.metrics.end()) return {};
  return found->second;
}

Rule rule_for(std::size_t counter, const ComparedLaunch& c, const NcuLaunch& gpu) {
  if (expanded(c.entry) && counter >= first_shared) return Rule::loop;
  for (const auto& g : groups) {
    if (counter != g.requests && counter != g.wavefronts && counter != g.conflicts) continue;
    const auto& machine = c.machine.*g.machine;
    if (c.gpu[g.requests] < machine.requests && c.gpu[g.wavefronts] <= machine.wavefronts &&
        c.gpu[g.conflicts] <= machine.conflicts) {
      constexpr std::uint64_t words_of_a_warp = 32 * 4;
      const auto saved = machine.requests - c.gpu[g.requests];
      const auto bytes = if_read(gpu, g.bytes);
      if (bytes == machine.bytes) return Rule::merged;
      if (&g == &groups[0] && bytes > machine.bytes &&
          *bytes - machine.bytes <= saved * words_of_a_warp) {
        return Rule::hoisted;
      }
    }
    if (c.gpu[g.requests] == machine.requests && c.gpu[g.wavefronts] > machine.wavefronts &&
        if_read(gpu, g.wavefronts_sass) == machine.wavefronts) {
      return Rule::extra_passes;
    }
  }
  return Rule::none;
}

std::string content(const fs::path& path) {
  auto text = os::read_file(path);
  if (!text) throw NcuError(path.string() + ": cannot be read");
  return *std::move(text);
}

/// "KEY=VALUE" lines.
std::map<std::string, std::string> facts_of(const fs::path& path) {
  std::map<std::string, std::string> facts;
  std::istringstream in(content(path));
  for (std::string line; std::getline(in, line);) {
    const auto at = line.find('=');
    if (at != std::string::npos) facts[line.substr(0, at)] = line.substr(at + 1);
  }
  for (const auto* needed : {"device", "driver", "ncu", "date"}) {
    if (!facts.contains(needed)) throw NcuError(path.string() + ": no line " + needed + "=...");
  }
  return facts;
}

/// The machine's counters of a micro-case or case line, launch by launch.
class Machine {
 public:
  Machine() : runner_(simt_runner()), executor_(simt::make_executor({.profile = &profile_})) {
    for (auto& m : micro_cases()) micro_.emplace(m.name, m.call);
  }
  std::vector<LineCounters> count(const std::string& name) {
    std::vector<LineCounters> result;
    if (const auto found = micro_.find(name); found != micro_.end()) {
      result.push_back(runner_->run(found->second).profile.total);
      return result;
    }
    profile_.launches.clear();
    (void)kernels::run(*executor_, parse_case(name));
    for (const auto& l : profile_.launches) result.push_back(l.total);
    return result;
  }

 private:
  std::unique_ptr<Runner> runner_;
  simt::Profile profile_;
  std::unique_ptr<Executor> executor_;
  std::map<std::string, Call> micro_;
};

}  // namespace

const std::vector<Counter>& compared_counters() {
#define COUNTER(WHAT, FIELD, METRIC, METRIC2)                               \
  {                                                                         \
#WHAT "." #FIELD, METRIC, METRIC2,                                      \
        [](const LineCounters& c) -> std::uint64_t { return c.WHAT.FIELD; } \
  }
#define GLOBAL(WHAT, FIELD, OP) \
  COUNTER(WHAT, FIELD, "l1tex__t_" #FIELD "_pipe_lsu_mem_global_op_" OP ".sum", nullptr)
#define ATOMIC(FIELD)                                                                 \
  COUNTER(global_atomic, FIELD, "l1tex__t_" #FIELD "_pipe_lsu_mem_global_op_red.sum", \
          "l1tex__t_" #FIELD "_pipe_lsu_mem_global_op_atom.sum")
#define SHARED(WHAT, OP)                                                                       \
  COUNTER(WHAT, requests, "smsp__inst_executed_op_shared_" OP "_pred_on_any.sum", nullptr),    \
      COUNTER(WHAT, wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" OP ".sum",    \
              nullptr),                                                                        \
      COUNTER(WHAT, conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" OP ".sum", \
              nullptr)
  static const std::vector<Counter> all{GLOBAL(global_load, requests, "ld"),
                                        GLOBAL(global_load, sectors, "ld"),
                                        GLOBAL(global_store, requests, "st"),
                                        GLOBAL(global_store, sectors, "st"),
                                        ATOMIC(requests),
                                        ATOMIC(sectors),
                                        SHARED(shared_load, "ld"),
                                        SHARED(shared_store, "st"),
                                        SHARED(shared_atomic, "atom")};
#undef SHARED
#undef ATOMIC
#undef GLOBAL
#undef COUNTER
  return all;
}

std::string_view describe(Rule rule) {
  switch (rule) {
    case Rule::merged:
      return "ptxas made one wide access of several narrow ones: the GPU makes fewer requests for "
             "the same bytes";
    case Rule::hoisted:
      return "ptxas moved a load of words out of a branch and merged it with the one before: fewer "
             "requests, and the bytes of lanes that PTX leaves out";
    case Rule::loop:
      return "no instruction does this atomic on shared memory: ptxas made a loop of loads and "
             "compare-and-swaps";
    case Rule::extra_passes:
      return "the memory stage took more passes than the addresses ask for; ncu's own count from "
             "the addresses (smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared) is the "
             "machine's";
    case Rule::none:
      break;
  }
  return "nothing explains it";
}

bool ComparedLaunch::micro() const {
  return name.starts_with("banks:") || name.starts_with("coalescing:");
}
double ComparedLaunch::warp_ratio() const {
  return static_cast<double>(gpu_warp_instructions) /
         static_cast<double>(std::max<std::uint64_t>(machine.warp_instructions, 1));
}
double ComparedLaunch::thread_ratio() const {
  return static_cast<double>(gpu_thread_instructions) /
         static_cast<double>(std::max<std::uint64_t>(machine.thread_instructions, 1));
}

std::size_t NcuComparison::counters() const { return launches.size() * compared_counters().size(); }
std::size_t NcuComparison::differing(Rule rule) const {
  std::size_t count = 0;
  for (const auto& l : launches) {
    count += static_cast<std::size_t>(
        std::count_if(l.differences.begin(), l.differences.end(),
                      [=](const Difference& d) { return d.rule == rule; }));
  }
  return count;
}
std::size_t NcuComparison::outside_margin() const {
  const auto outside = [](double ratio) { return ratio < least_ratio || ratio > most_ratio; };
  return static_cast<std::size_t>(
      std::count_if(launches.begin(), launches.end(), [&](const ComparedLaunch& l) {
        return outside(l.warp_ratio()) || outside(l.thread_ratio());
      }));
}

ComparedLaunch compare(std::string name, std::uint32_t index, const NcuLaunch& gpu,
                       const LineCounters& machine) {
  ComparedLaunch c;
  c.name = std::move(name);
  c.index = index;
  c.entry = gpu.entry;
  c.machine = machine;
  c.gpu_warp_instructions = metric(gpu, "smsp__inst_executed.sum");
  c.gpu_thread_instructions = metric(gpu, "smsp__thread_inst_executed.sum");
  const auto& counters = compared_counters();
  for (const auto& counter : counters) {
    c.gpu.push_back(metric(gpu, counter.metric) +
                    (counter.metric2 != nullptr ? metric(gpu, counter.metric2) : 0));
  }
  for (std::size_t k = 0; k < counters.size(); ++k) {
    if (c.gpu[k] != counters[k].machine(machine)) {
      c.differences.push_back({k, rule_for(k, c, gpu)});
    }
  }
  return c;
}

NcuComparison compare_recording(const std::string& folder) {
  NcuComparison result;
  result.facts = facts_of(fs::path(folder) / "facts.txt");
  std::set<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".csv") parts.insert(entry.path());
  }
  if (parts.empty()) throw NcuError(folder + ": no .csv file; record with ci/gpu-ncu");
  Machine machine;
  for (const auto& csv : parts) {
    const auto launches = parse_ncu(content(csv), csv.string());
    auto launch = launches.begin();
    std::istringstream ran(content(fs::path(csv).replace_extension(".txt")));
    for (std::string line; std::getline(ran, line);) {
      const auto tab = line.find('\t');
      if (tab == std::string::npos) continue;  // ncu's remarks
      const auto name = line.substr(tab + 1);
      const auto expected = parse_number<std::size_t>(std::string_view(line).substr(0, tab));
      if (!expected) {
        throw NcuError(csv.string() + ": beside it: no number of launches before `" + name + "`");
      }
      const auto counted = machine.count(name);
      if (counted.size() != *expected) {
        throw NcuError(name + ": " + std::to_string(counted.size()) +
                       " launches here and another number there: record with this program");
      }
      for (std::uint32_t k = 0; k < counted.size(); ++k) {
        if (launch == launches.end()) throw NcuError(csv.string() + ": ends before " + name);
        result.launches.push_back(compare(name, k, *launch++, counted[k]));
      }
    }
    if (launch != launches.end()) throw NcuError(csv.string() + ": a launch that no line names");
  }
  return result;
}

}  // namespace gauntlet::profile
