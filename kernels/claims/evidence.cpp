// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/claims/evidence.hpp"

#include <numeric>
#include <sstream>
#include <stdexcept>

#include "base/numbers.hpp"
#include "gpu/profile/embedded.hpp"
#include "kernels/claims/case_run.hpp"
#include "kernels/claims/embedded.hpp"

namespace gauntlet::claims {
namespace {

/// The text after the first `what` in `from`; empty where it is not there.
std::string_view after(std::string_view from, std::string_view what) {
  const auto at = from.find(what);
  return at == std::string_view::npos ? std::string_view{} : from.substr(at + what.size());
}

}  // namespace

Evidence judged_by(std::string number, std::initializer_list<Rule> rules, std::string_view source) {
  Evidence evidence{std::nullopt, std::move(number), std::string(source)};
  for (const Rule& rule : rules) {
    if (!rule.holds) continue;
    evidence.verdict = rule.verdict;
    break;
  }
  return evidence;
}

Outcome run_micro(const MicroLaunch& launch) {
  Call call(launch.module, launch.entry, {launch.blocks}, {launch.threads});
  call.schedule = launch.schedule;
  if (launch.ints != 0) {
    std::vector<std::int32_t> in(launch.ints);
    std::iota(in.begin(), in.end(), 1);
    call.in("in", in);
  }
  if (launch.out != 0) call.out<std::int32_t>("out", launch.out);
  return simt_runner()(call);
}

std::uint64_t occurrences(const std::vector<Finding>& findings, std::string_view word) {
  std::uint64_t count = 0;
  for (const Finding& finding : findings) {
    count += name(finding.kind).starts_with(word) ? finding.count : 0;
  }
  return count;
}

simt::LineCounters count_case(std::string_view line) { return run_case(line).profile.total(); }

std::vector<std::string> ptx_of(std::string_view module, std::string_view entry) {
  std::string_view text = profile::micro_kernels(module);
  text = after(text, ".entry " + std::string(entry) + "(");
  text = text.substr(0, text.find(".entry "));
  std::istringstream lines{std::string(text)};
  std::vector<std::string> instructions;
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string::npos || !line.ends_with(';') || line[first] == '.') continue;
    instructions.push_back(line.substr(first));
  }
  if (instructions.empty()) {
    throw std::runtime_error("no micro-kernel " + std::string(entry) + " in " +
                             std::string(module));
  }
  return instructions;
}

std::uint64_t count_opcode(const std::vector<std::string>& ptx, std::string_view opcode) {
  std::uint64_t count = 0;
  for (const std::string& line : ptx) {
    // A guard stands before the instruction.
    const auto at = line.starts_with('@') ? line.find_first_not_of(" \t", line.find_first_of(" \t"))
                                          : std::size_t{0};
    count += line.compare(at, opcode.size(), opcode) == 0 ? 1 : 0;
  }
  return count;
}

int registers_of(std::string_view entry) {
  auto text = after(after(embedded_file("registers.txt"), "'" + std::string(entry) + "'"), "Used ");
  const auto registers = take_number<int>(text);
  if (!registers) throw std::runtime_error("ptxas names no " + std::string(entry));
  return *registers;
}

std::string said_of_snippet(std::string_view name) {
  std::istringstream lines{std::string(embedded_file("compiled.txt"))};
  const std::string head = std::string(name) + ": ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(head)) return line.substr(head.size());
  }
  throw std::runtime_error("no snippet " + std::string(name));
}

const std::optional<timing::Report>& committed_timing() {
  static const std::optional<timing::Report> committed = []() -> std::optional<timing::Report> {
    const auto text = embedded_file("timing.json");
    if (text.empty()) return std::nullopt;
    return timing::report_from_json(parse_json(text));
  }();
  return committed;
}

Evidence from_committed(Evidence (*judge)(const timing::Report&)) {
  const auto& timing = committed_timing();
  if (!timing) return {std::nullopt, std::string(not_measured), ""};
  return judge(*timing);
}

std::string source_of(const timing::Report& report) {
  return report.device.name + ", " + report.date.substr(0, 10);
}

const timing::Measurement* time_of(const timing::Report& report, std::string_view variant,
                                   Type type, std::uint64_t n) {
  return timing::find(report, timing::Kind::kernel, type, type, n, variant);
}

const timing::Measurement* limit_of(const timing::Report& report, Type type, std::uint64_t n) {
  return timing::find(report, timing::Kind::limit, type, type, n);
}

std::vector<timing::SpeedUp> rows_of(const timing::Report& report, int statement) {
  auto rows = timing::speed_ups(report);
  std::erase_if(rows, [&](const timing::SpeedUp& row) { return row.statement != statement; });
  return rows;
}

}  // namespace gauntlet::claims
