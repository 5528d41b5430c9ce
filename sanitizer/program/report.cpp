// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "machine/ptx/source_names.hpp"
#include "sanitizer/kernel/told.hpp"

namespace gauntlet::runtime {
namespace {

/// "cudaMalloc" of "cudaMalloc#3": what was allocated at another time is another array, and the
/// same mistake.
std::string_view family(std::string_view array) { return array.substr(0, array.find('#')); }

auto identity(const Finding& f) { return sanitize::identity(f, family(f.array)); }

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

/// The same of a call that may be a launch.
std::string shown_call(const std::string& call) {
  const std::string kernel = kernel_of(call);
  return kernel == call ? call : shown(kernel) + call.substr(kernel.size());
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
    for (const std::string& line : sanitize::excerpt(frame.file, {{frame.line, "here"}}, columns)) {
      text += line + "\n";
    }
  }
  for (const std::string& note : mistake.notes) text += wrapped(note);
  return text;
}

using KernelFindings = std::vector<const KernelFinding*>;

KernelFindings pointers(std::span<const KernelFinding> all) {
  KernelFindings each;
  for (const KernelFinding& one : all) each.push_back(&one);
  return each;
}

std::vector<sanitize::Cause> causes_among(const KernelFindings& all) {
  std::vector<const Finding*> findings;
  for (const KernelFinding* one : all) findings.push_back(&one->finding);
  return sanitize::causes(findings);
}

std::string extent(const Dim3& d) {
  return d.y == 1 && d.z == 1 ? fmt::format("{}", d.x) : fmt::format("({},{},{})", d.x, d.y, d.z);
}

}  // namespace

std::string shown(std::string_view signature, std::size_t longest) {
  const std::string name = ptx::short_name(signature);
  return name.size() <= longest ? name : name.substr(0, longest - 3) + "...";
}

std::vector<sanitize::Cause> causes_of(const ProcessReport& process) {
  return causes_among(pointers(process.findings));
}

std::size_t ProcessReport::count(Severity severity) const {
  const auto all = causes_of(*this);
  return static_cast<std::size_t>(
      std::ranges::count(all, severity, [](const auto& cause) { return cause.shown().severity; }) +
      std::ranges::count(mistakes, severity, &Mistake::severity));
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

void Report::count_findings(KernelCount& of) const {
  of.findings = 0;
  for (const sanitize::Cause& cause : causes_of(process)) {
    const Finding& shown = cause.shown();
    if (shown.kernel == of.name && shown.severity != Severity::note) ++of.findings;
  }
}

void Report::add(std::size_t kernel, std::vector<KernelFinding> findings) {
  const std::size_t before = process.findings.size();
  for (KernelFinding& one : findings) {
    const auto known = std::ranges::find_if(process.findings, [&](const KernelFinding& other) {
      return identity(other.finding) == identity(one.finding);
    });
    ++met_;
    if (known != process.findings.end()) {
      known->finding.count += one.finding.count;
      ++known->launches;
      known->met.last = met_;
      continue;
    }
    one.met = {met_, met_};
    process.findings.push_back(std::move(one));
  }
  if (process.findings.size() == before) return;
  count_findings(process.kernels.at(kernel));
  tell(pointers(std::span(process.findings).subspan(before)));
  write();
}

namespace {

std::string head(const KernelFinding& of, const Style& style) {
  return style.bold(fmt::format("gauntlet run: {}, launch {}",
                                launch_text(shown(of.finding.kernel), of.grid, of.block),
                                of.launch)) +
         "\n" + called_from(of.stack, "launched at");
}

const KernelFinding& shown_by(const sanitize::Cause& cause, const KernelFindings& among) {
  return **std::ranges::find(among, &cause.shown(),
                             [](const KernelFinding* one) { return &one->finding; });
}

std::string told(const sanitize::Cause& cause, const KernelFinding& shown, const Style& style) {
  std::string text = sanitize::told(cause, style);
  for (const std::string& note : shown.notes) text += wrapped(note);
  return text;
}

}  // namespace

void Report::tell(const std::vector<const KernelFinding*>& fresh) {
  const Style style = Style::of(STDERR_FILENO);
  std::string text = head(*fresh.front(), style);
  for (const sanitize::Cause& cause : causes_among(fresh)) {
    text += told(cause, shown_by(cause, fresh), style);
  }
  to_standard_error(text);
}

std::vector<std::string> Report::told_since(std::uint64_t mark) const {
  const Style plain(false);
  std::vector<std::string> all;
  KernelFindings findings;
  for (const KernelFinding& one : process.findings) {
    if (one.met.last > mark) findings.push_back(&one);
  }
  for (const sanitize::Cause& cause : causes_among(findings)) {
    if (cause.shown().severity == Severity::note) continue;
    const KernelFinding& shown = shown_by(cause, findings);
    all.push_back(head(shown, plain) + told(cause, shown, plain));
  }
  for (const Mistake& mistake : process.mistakes) {
    if (mistake.met.last <= mark || mistake.severity == Severity::note) continue;
    all.push_back(told(mistake, plain));
  }
  return all;
}

void Report::forget(std::uint64_t mark) {
  const auto is_new = [&](const auto& one) { return one.met.first > mark; };
  std::erase_if(process.findings, is_new);
  std::erase_if(process.mistakes, is_new);
  for (KernelCount& kernel : process.kernels) count_findings(kernel);
  write();
}

void Report::add(Mistake mistake) {
  if (leaves_out(mistake)) return;
  ++met_;
  const auto known = std::ranges::find_if(
      process.mistakes, [&](const Mistake& other) { return same(mistake, other); });
  if (known != process.mistakes.end()) {
    known->count += mistake.count;
    known->met.last = met_;
    if (known->bytes) {  // a leak at an earlier reset of the device
      *known->bytes += mistake.bytes.value_or(0);
      known->detail = Leaked{known->count, *known->bytes}.text() + ", were not freed";
    }
    return;
  }
  to_standard_error(told(mistake, Style::of(STDERR_FILENO)));
  mistake.met = {met_, met_};
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
  if (std::time(nullptr) - written_ > 1) write();
}

void Report::write() {
  if (folder_.empty()) return;
  written_ = std::time(nullptr);
  Json json;
  add_fields(json, process);
  try {
    JsonFile((folder_ / fmt::format("{}.json", getpid())).string()).write_text(json_text(json));
  } catch (const std::exception&) {
    // `gauntlet run` has ended before this process: nobody reads it.
  }
}

}  // namespace gauntlet::runtime
