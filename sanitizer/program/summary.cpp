// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `gauntlet run` makes of the reports of all processes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/table.hpp"
#include "base/text/text.hpp"
#include "sanitizer/kernel/told.hpp"
#include "sanitizer/program/report.hpp"

namespace gauntlet::runtime {

void KernelCount::add(const KernelCount& other) {
  for (const auto count : {&KernelCount::launches, &KernelCount::warp_instructions,
                           &KernelCount::unchecked, &KernelCount::unsampled, &KernelCount::repeated,
                           &KernelCount::in_part, &KernelCount::findings}) {
    this->*count += other.*count;
  }
}

std::string Leaked::text() const {
  return fmt::format("{}, {}", counted(arrays, "array"), counted(bytes, "byte"));
}

Leaked leaked(const std::vector<ProcessReport>& reports) {
  Leaked all;
  for (const ProcessReport& report : reports) {
    for (const Mistake& mistake : report.mistakes) {
      if (mistake.kind != MistakeKind::leak) continue;
      all.arrays += mistake.count;
      all.bytes += mistake.bytes.value_or(0);
      ++all.calls;
    }
  }
  return all;
}

std::vector<ProcessReport> read_reports(const std::filesystem::path& folder) {
  std::vector<ProcessReport> reports;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "options.json") continue;
    reports.push_back(from_json<ProcessReport>(read_json("gauntlet run", entry.path().string())));
  }
  std::ranges::sort(reports, {}, &ProcessReport::process);
  return reports;
}

Outcome outcome(const std::vector<ProcessReport>& reports) {
  Outcome all;
  for (const ProcessReport& report : reports) {
    all.findings += report.count(Severity::error) + report.count(Severity::warning);
    all.refused += static_cast<std::size_t>(std::ranges::count_if(
        report.kernels, [](const KernelCount& kernel) { return !kernel.refused.empty(); }));
    for (const KernelCount& kernel : report.kernels) {
      all.checked += kernel.launches - kernel.unchecked;
    }
    all.checked += report.library_calls;
    all.refused += report.unsupported.size();
  }
  return all;
}

namespace {
/// What would leave the errors and warnings out, to be pasted.
std::string ignore_lines(const std::vector<ProcessReport>& reports) {
  std::vector<std::string> all;
  const auto add = [&](std::string line) {
    if (std::ranges::find(all, line) == all.end()) all.push_back(std::move(line));
  };
  for (const ProcessReport& report : reports) {
    for (const sanitize::Cause& cause : causes_of(report)) {
      if (cause.shown().severity == Severity::note) continue;
      for (const KernelFinding& one : report.findings) {
        if (&one.finding == &cause.shown()) add(ignore_line(one));
      }
    }
    for (const Mistake& one : report.mistakes) {
      if (one.severity != Severity::note) add(ignore_line(one));
    }
  }
  if (all.empty()) return {};
  constexpr std::size_t most = 5;
  std::string text = "to leave these out: --ignore FILE, with the lines\n";
  for (std::size_t k = 0; k < std::min(all.size(), most); ++k) {
    text += "  " + without_controls(all[k]) + "\n";
  }
  if (all.size() > most) {
    text += fmt::format("  and {} more, which --json has\n", all.size() - most);
  }
  return text;
}
}  // namespace

std::string sampling_hint(const std::vector<ProcessReport>& reports, double seconds) {
  constexpr double long_run = 30;
  constexpr std::uint64_t every = 100, often = 2 * every;
  std::uint64_t of_repeated = 0, all = 0;
  for (const ProcessReport& report : reports) {
    for (const KernelCount& one : report.kernels) {
      if (one.unsampled != 0) return {};
      all += one.warp_instructions;
      if (one.launches - one.unchecked - one.repeated >= often)
        of_repeated += one.warp_instructions;
    }
  }
  if (seconds <= long_run || of_repeated <= all / 2) return {};
  return fmt::format(
      "hint: --sample {0} looks for races in each {0}th launch only of those that repeat {0} "
      "launches without a finding (docs/run.md)\n",
      every);
}

std::string summary(const std::vector<ProcessReport>& reports, const os::ProcessEnd& end) {
  if (reports.empty()) {
    return "gauntlet run: the program made no call of the CUDA runtime; nothing was checked\n";
  }
  const Style style = Style::of(STDERR_FILENO);
  bool whole = !end.signalled;
  std::vector<KernelCount> kernels;
  KernelCount all;
  std::uint64_t ignored = 0, products = 0;
  std::size_t errors = 0, warnings = 0, notes = 0, host = 0, findings = 0, with_lines = 0,
              of_numba = 0;
  std::set<std::string> unsupported;
  for (const ProcessReport& report : reports) {
    errors += report.count(Severity::error);
    warnings += report.count(Severity::warning);
    notes += report.count(Severity::note);
    host += report.mistakes.size();
    whole &= report.ended.empty();
    unsupported.insert(report.unsupported.begin(), report.unsupported.end());
    ignored += report.ignored;
    products += report.library_calls;
    for (const KernelCount& one : report.kernels) {
      all.add(one);
      const auto known = std::ranges::find(kernels, one.name, &KernelCount::name);
      known == kernels.end() ? kernels.push_back(one) : known->add(one);
    }
    findings += report.findings.size();
    for (const KernelFinding& one : report.findings) {
      with_lines += !one.finding.at.file.empty();
      of_numba += one.finding.kernel.starts_with("cudapy::");
    }
  }
  const auto refused = static_cast<std::size_t>(
      std::ranges::count_if(kernels, [](const KernelCount& one) { return !one.refused.empty(); }));
  std::string text;
  if (!kernels.empty()) {
    Table table({"launches", "warp instructions", "findings", "kernel"});
    for (const KernelCount& one : kernels) {
      table.row({fmt::to_string(one.launches), fmt::to_string(one.warp_instructions),
                 one.refused.empty() ? fmt::to_string(one.findings) : "not run",
                 without_controls(shown(one.name, 40))});
    }
    text += table.text(2, style);
  }
  if (findings != 0 && with_lines == 0) {
    text += fmt::format("hint: built with {}, kernels have source lines in findings\n",
                        of_numba == findings ? "@cuda.jit(lineinfo=True)" : "nvcc -lineinfo");
  }
  text += ignore_lines(reports);
  if (const Leaked left = leaked(reports); left.arrays != 0) {
    text += fmt::format("gauntlet run: not freed: {}, from {}\n", left.text(),
                        left.calls == 1 ? "one place" : fmt::format("{} places", left.calls));
  }
  const bool nothing_ran = all.launches == all.unchecked && products == 0 && refused == 0;
  std::vector<std::string> verdict;
  const auto add = [&](std::size_t count, std::string_view what, std::string_view behind = "") {
    if (count != 0) verdict.push_back(counted(count, what) + std::string(behind));
  };
  add(errors, "error");
  add(warnings, "warning");
  if (verdict.empty()) {
    verdict.emplace_back(!whole                              ? "nothing found until it ended"
                         : refused + unsupported.size() != 0 ? "nothing found"
                                                             : "clean");
  }
  add(notes, "note");
  add(refused, "kernel", " not run");
  add(unsupported.size(), "call", " not supported");
  std::vector<std::string> over{
      counted(kernels.size(), "kernel"),
      all.launches == 1 ? "1 launch" : fmt::format("{} launches", all.launches),
      counted(all.warp_instructions, "warp instruction")};
  const auto beside = [&](std::uint64_t count, const std::string& what) {
    if (count != 0) over.back() += "; " + what;
  };
  beside(host, counted(host, "finding") + " by host code");
  beside(products, counted(products, "product") + " by cuBLAS");
  beside(all.unchecked, fmt::format("{} of the launches not checked", all.unchecked));
  beside(all.unsampled, fmt::format("{} of the launches checked for races, by --sample",
                                    all.launches - all.unchecked - all.unsampled));
  beside(all.repeated, fmt::format("{} of the launches had the data of one before", all.repeated));
  beside(all.in_part,
         fmt::format("{} of the launches checked for races in the beginning only: memory ran out",
                     all.in_part));
  beside(ignored, counted(ignored, "finding") + " left out by --ignore");
  const bool good = whole && all.in_part == 0 && !nothing_ran &&
                    errors + warnings + refused + unsupported.size() == 0;
  const std::string told = fmt::format("{}", fmt::join(verdict, ", "));
  const std::string_view nothing = end.signalled && end.number == SIGKILL
                                       ? "; what it launched in its last second is not counted"
                                   : !nothing_ran      ? ""
                                   : all.launches == 0 ? "; no kernel was launched"
                                                       : "; no launch was checked";
  return text +
         wrap(fmt::format("gauntlet run: {} ({}){}", good ? style.good(told) : style.bad(told),
                          fmt::join(over, ", "), nothing),
              2, 0) +
         "\n";
}

}  // namespace gauntlet::runtime
