// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>

#include "sanitizer/machine/causes.hpp"
#include "sanitizer/machine/excerpt.hpp"
#include "sanitizer/machine/report.hpp"
#include "simt/ptx/source_names.hpp"
#include "text/json_file.hpp"
#include "text/table.hpp"
#include "text/text.hpp"

namespace gauntlet::runtime {
namespace {

/// "cudaMalloc" of "cudaMalloc#3": what was allocated at another time is another array, and the
/// same mistake.
std::string_view family(std::string_view array) { return array.substr(0, array.find('#')); }

auto identity(const Finding& f) {
  const auto place = [](const Party& p) { return std::tuple(p.file, p.line); };
  return std::tuple(f.kernel, f.kind, f.severity, place(f.at), place(f.other.value_or(Party{})),
                    family(f.array));
}

/// The same mistake by the same code; of arrays that leak, called by the same code too.
bool same(const Mistake& a, const Mistake& b) {
  const bool leaks = a.kind == MistakeKind::leak && b.kind == MistakeKind::leak;
  if (leaks) return a.call == b.call && a.stack == b.stack;
  const auto place = [](const Mistake& m) {
    return m.stack.empty()
               ? std::tuple(std::string{}, std::string{}, 0U)
               : std::tuple(m.stack.front().function, m.stack.front().file, m.stack.front().line);
  };
  return a.kind == b.kind && a.call == b.call && place(a) == place(b) &&
         (!a.stack.empty() || a.detail == b.detail);
}

/// Names of templates have thousands of characters; --json has them all.
std::string shown(std::string_view signature, std::size_t longest = 120) {
  const std::string name = ptx::short_name(signature);
  return name.size() <= longest ? name : name.substr(0, longest - 3) + "...";
}
/// The same of a call that may be a launch.
std::string shown_call(const std::string& call) {
  const auto shape = std::min(call.find(" <<<"), call.size());
  return shape == call.size() ? call : shown(call.substr(0, shape)) + call.substr(shape);
}

std::string place(const Frame& frame) {
  const std::string function = shown(frame.function);
  if (frame.line == 0) {
    return function.empty() ? frame.module : fmt::format("{} of {}", function, frame.module);
  }
  return function.empty() ? fmt::format("{}:{}", frame.file, frame.line)
                          : fmt::format("{}:{} in {}", frame.file, frame.line, function);
}

std::string wrapped(std::string_view line) {
  return "  " + wrap(without_controls(line), 4, 2) + "\n";
}

/// Lines that say where host code was.
std::string called_from(const std::vector<Frame>& stack, std::string_view first) {
  std::string text;
  for (const Frame& frame : stack) {
    text += wrapped(
        fmt::format("{} {}", &frame == &stack.front() ? first : "called from", place(frame)));
  }
  return text;
}

std::string told(const Mistake& mistake, const Style& style) {
  std::string text =
      style.bold(fmt::format("gauntlet run: host code, {}", shown_call(mistake.call))) + "\n" +
      (mistake.severity == Severity::note ? "note" : style.bad(name(mistake.severity))) +
      fmt::format(": {}\n", name(mistake.kind)) + wrapped(mistake.detail) +
      called_from(mistake.stack, "at");
  if (!mistake.stack.empty() && mistake.stack.front().line != 0) {
    const Frame& frame = mistake.stack.front();
    for (const std::string& line :
         sanitize::excerpt(frame.file, {{frame.line, 0, "here"}}, columns)) {
      text += line + "\n";
    }
  }
  for (const std::string& note : mistake.notes) text += wrapped(note);
  return text;
}

std::string extent(const Dim3& d) {
  return d.y == 1 && d.z == 1 ? fmt::format("{}", d.x) : fmt::format("({},{},{})", d.x, d.y, d.z);
}

std::vector<sanitize::Cause> causes_of(const ProcessReport& process) {
  std::vector<const Finding*> findings;
  for (const KernelFinding& one : process.findings) findings.push_back(&one.finding);
  return sanitize::causes(findings);
}

}  // namespace

std::size_t ProcessReport::count(Severity severity) const {
  const auto all = causes_of(*this);
  return static_cast<std::size_t>(
      std::ranges::count(all, severity, [](const auto& cause) { return cause.shown().severity; }) +
      std::ranges::count(mistakes, severity, &Mistake::severity));
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

std::string launch_text(std::string_view kernel, const Dim3& grid, const Dim3& block) {
  return fmt::format("{} <<<{}, {}>>>", kernel, extent(grid), extent(block));
}

Report::Report(std::filesystem::path folder, std::vector<Ignored> ignored)
    : ignored_(std::move(ignored)), folder_(std::move(folder)) {
  std::error_code failed;
  process.program = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  process.process = getpid();
}

bool Report::knows(const Finding& finding) const {
  return std::ranges::any_of(process.findings, [&](const KernelFinding& one) {
    return identity(one.finding) == identity(finding);
  });
}

void Report::add(std::size_t kernel, std::vector<KernelFinding> findings) {
  const std::size_t before = process.findings.size();
  for (KernelFinding& one : findings) {
    const auto known = std::ranges::find_if(process.findings, [&](const KernelFinding& other) {
      return identity(other.finding) == identity(one.finding);
    });
    if (known != process.findings.end()) {
      known->finding.count += one.finding.count;
      ++known->launches;
      continue;
    }
    process.findings.push_back(std::move(one));
  }
  if (process.findings.size() == before) return;
  KernelCount& count = process.kernels.at(kernel);
  count.findings = 0;
  for (const sanitize::Cause& cause : causes_of(process)) {
    const Finding& shown = cause.shown();
    if (shown.kernel == count.name && shown.severity != Severity::note) ++count.findings;
  }
  std::vector<const KernelFinding*> fresh;
  for (std::size_t k = before; k < process.findings.size(); ++k) {
    fresh.push_back(&process.findings[k]);
  }
  tell(fresh);
  write();
}

void Report::tell(const std::vector<const KernelFinding*>& fresh) const {
  const Style style = Style::of(STDERR_FILENO);
  const KernelFinding& first = *fresh.front();
  std::string text =
      style.bold(fmt::format("gauntlet run: {}, launch {}",
                             launch_text(shown(first.finding.kernel), first.grid, first.block),
                             first.launch)) +
      "\n" + called_from(first.stack, "launched at");
  std::vector<const Finding*> findings;
  for (const KernelFinding* one : fresh) findings.push_back(&one->finding);
  for (const sanitize::Cause& cause : sanitize::causes(findings)) {
    text += sanitize::told(cause, style);
    for (const KernelFinding* one : fresh) {
      if (&one->finding != &cause.shown()) continue;
      for (const std::string& note : one->notes) text += wrapped(note);
    }
  }
  to_standard_error(text);
}

void Report::add(Mistake mistake) {
  if (leaves_out(mistake)) return;
  const auto known = std::ranges::find_if(
      process.mistakes, [&](const Mistake& other) { return same(mistake, other); });
  if (known != process.mistakes.end()) {
    known->count += mistake.count;
    if (known->bytes) {  // a leak at an earlier reset of the device
      *known->bytes += mistake.bytes.value_or(0);
      known->detail = Leaked{known->count, *known->bytes}.text() + ", were not freed";
    }
    return;
  }
  to_standard_error(told(mistake, Style::of(STDERR_FILENO)));
  process.mistakes.push_back(std::move(mistake));
  write();
}

void Report::refuse(std::string sentence) {
  if (std::ranges::count(process.unsupported, sentence) != 0) return;
  say(sentence);
  process.unsupported.push_back(std::move(sentence));
  write();
}

void Report::say(std::string_view text) {
  to_standard_error(fmt::format("gauntlet run: {}\n", without_controls(text)));
}

void Report::write_at_times() {
  if (std::chrono::steady_clock::now() - written_ > std::chrono::seconds(1)) write();
}

void Report::write() {
  if (folder_.empty()) return;
  written_ = std::chrono::steady_clock::now();
  Json json;
  add_fields(json, process);
  try {
    JsonFile((folder_ / fmt::format("{}.json", getpid())).string()).write_text(json_text(json));
  } catch (const std::exception&) {
    // `gauntlet run` has ended before this process: nobody reads it.
  }
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
      all.launches += kernel.launches - kernel.unchecked;
    }
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

std::string summary(const std::vector<ProcessReport>& reports, bool whole) {
  if (reports.empty()) {
    return "gauntlet run: the program made no call of the CUDA runtime; nothing was checked\n";
  }
  const Style style = Style::of(STDERR_FILENO);
  std::vector<KernelCount> kernels;
  std::uint64_t launches = 0, instructions = 0, unchecked = 0, ignored = 0;
  std::size_t errors = 0, warnings = 0, notes = 0, refused = 0, host = 0;
  std::set<std::string> unsupported;
  for (const ProcessReport& report : reports) {
    errors += report.count(Severity::error);
    warnings += report.count(Severity::warning);
    notes += report.count(Severity::note);
    host += report.mistakes.size();
    whole &= report.ended.empty();
    unsupported.insert(report.unsupported.begin(), report.unsupported.end());
    ignored += report.ignored;
    for (const KernelCount& one : report.kernels) {
      launches += one.launches;
      instructions += one.warp_instructions;
      unchecked += one.unchecked;
      const auto known = std::ranges::find(kernels, one.name, &KernelCount::name);
      if (known == kernels.end()) {
        kernels.push_back(one);
        refused += one.refused.empty() ? 0 : 1;
        continue;
      }
      known->launches += one.launches;
      known->warp_instructions += one.warp_instructions;
      known->findings += one.findings;
    }
  }
  std::string text;
  if (!kernels.empty()) {
    Table table({"launches", "warp instructions", "findings", "kernel"});
    for (const KernelCount& one : kernels) {
      table.row({fmt::format("{}", one.launches), fmt::format("{}", one.warp_instructions),
                 one.refused.empty() ? fmt::format("{}", one.findings) : "not run",
                 without_controls(shown(one.name, 40))});
    }
    text += table.text(2, style);
  }
  std::size_t findings = 0, with_lines = 0;
  for (const ProcessReport& report : reports) {
    findings += report.findings.size();
    for (const KernelFinding& one : report.findings) with_lines += !one.finding.at.file.empty();
  }
  if (findings != 0 && with_lines == 0)
    text += "hint: built with nvcc -lineinfo, kernels have source lines in findings\n";
  text += ignore_lines(reports);
  if (const Leaked left = leaked(reports); left.arrays != 0) {
    text += fmt::format("gauntlet run: not freed: {}, from {}\n", left.text(),
                        left.calls == 1 ? "one place" : fmt::format("{} places", left.calls));
  }
  std::string verdict;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count != 0)
      verdict += fmt::format("{}{}", verdict.empty() ? "" : ", ", counted(count, what));
  };
  add(errors, "error");
  add(warnings, "warning");
  const bool nothing_ran = launches == unchecked && refused == 0;
  if (verdict.empty()) {
    verdict = !whole                              ? "nothing found until it ended"
              : refused + unsupported.size() != 0 ? "nothing found"
                                                  : "clean";
  }
  add(notes, "note");
  if (refused != 0) verdict += fmt::format(", {} not run", counted(refused, "kernel"));
  if (!unsupported.empty()) {
    verdict += fmt::format(", {} not supported", counted(unsupported.size(), "call"));
  }
  std::string left_alone;
  if (unchecked != 0) left_alone += fmt::format("; {} of the launches not checked", unchecked);
  if (ignored != 0) {
    left_alone += fmt::format("; {} left out by --ignore", counted(ignored, "finding"));
  }
  const bool good = whole && !nothing_ran && errors + warnings + refused + unsupported.size() == 0;
  text +=
      wrap(fmt::format("gauntlet run: {} ({}, {}, {}{}{}){}",
                       good ? style.good(verdict) : style.bad(verdict),
                       counted(kernels.size(), "kernel"),
                       launches == 1 ? "1 launch" : fmt::format("{} launches", launches),
                       counted(instructions, "warp instruction"),
                       host == 0 ? "" : fmt::format("; {} by host code", counted(host, "finding")),
                       left_alone,
                       !nothing_ran    ? ""
                       : launches == 0 ? "; no kernel was launched"
                                       : "; no launch was checked"),
           2, 0) +
      "\n";
  return text;
}

}  // namespace gauntlet::runtime
