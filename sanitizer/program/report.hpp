// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What was found in a program, and how it is told: each finding once, with a count, on standard
// error when it is first met; all of them in a file for `gauntlet run` to read.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "base/members.hpp"
#include "base/names.hpp"
#include "base/os/process.hpp"
#include "sanitizer/program/options.hpp"

namespace gauntlet::sanitize {
struct Cause;
}
namespace gauntlet::runtime {

/// When a finding was met, for the first and the last time, by numbers that grow.
struct Met {
  std::uint64_t first = 0, last = 0;
};

/// What host code can do wrong.
enum class MistakeKind : std::uint8_t {
  invalid_free,       ///< of an address that no allocation begins at
  double_free,        ///< of what was freed already
  use_after_free,     ///< a copy or a fill of memory that was freed
  out_of_bounds,      ///< a copy or a fill beyond an array
  wrong_space,        ///< host memory where the device's is wanted, or the other way round
  undefined_copy,     ///< memory that nobody wrote is copied to the host
  undefined_operand,  ///< a library's function computes with values that nobody defined
  undefined_left,     ///< values that a kernel computed from such memory are in an array that ends
  unread_error,       ///< a launch failed, and nobody asked for its error
  leak,               ///< arrays of one call that were not freed
  // Two operations of streams, or one and the host, that nothing orders (stream_order.hpp), in the
  // order of the calls; race_atomic: one of them is an atomic, the other one is not.
  race_write_write,
  race_write_read,
  race_read_write,
  race_atomic
};
constexpr auto names(const MistakeKind*) {
  return names_of("invalid_free", "double_free", "use_after_free", "out_of_bounds", "wrong_space",
                  "undefined_copy", "undefined_operand", "undefined_left", "unread_error", "leak",
                  "race_write_write", "race_write_read", "race_read_write", "race_atomic");
}

/// A place in host code: "sum.cu:41 in main".
struct Frame {
  std::string function, file;
  std::uint32_t line = 0;  ///< 0: no debug information
  std::string module;      ///< the program or library
  bool operator==(const Frame&) const = default;
};
GAUNTLET_FIELDS(Frame, function, file, line, module)

struct Mistake {
  MistakeKind kind{};
  Severity severity = Severity::error;
  std::string call;                         ///< "cudaMemcpy"
  std::optional<std::string> other_call{};  ///< of a race between streams: the first of the two
  std::string detail;                       ///< one sentence, no full stop
  std::vector<Frame> stack;                 ///< of the call, the user's innermost frame first
  std::vector<std::string> notes;
  std::uint64_t count = 1;               ///< of a leak: its arrays
  std::optional<std::uint64_t> bytes{};  ///< of a leak: of all of them
  Met met{};
};
constexpr auto fields(const Mistake*) {
  using T = Mistake;
  return std::tuple{GAUNTLET_MEMBERS(T, kind, severity, call),
                    field("other_call", &T::other_call, Empty::left_out),
                    GAUNTLET_MEMBERS(T, detail, stack, notes, count),
                    field("bytes", &T::bytes, Empty::left_out),
                    derived("ignore", [](const Mistake& m) { return ignore_line(m); })};
}

/// What a kernel did wrong, and the first launch that showed it.
struct KernelFinding {
  Finding finding;
  std::uint64_t launch = 0;  ///< number in the process, from 1
  Dim3 grid, block;
  std::vector<Frame> stack;        ///< of that launch
  std::vector<std::string> notes;  ///< where its arrays come from
  std::uint64_t launches = 1;      ///< that showed it
  Met met;
};
constexpr auto fields(const KernelFinding*) {
  using T = KernelFinding;
  return std::tuple{GAUNTLET_MEMBERS(T, finding, launch, grid, block, stack, notes, launches),
                    derived("ignore", [](const KernelFinding& f) { return ignore_line(f); })};
}

struct KernelCount {
  std::string name;  ///< its signature
  std::uint64_t launches = 0, warp_instructions = 0;
  std::uint64_t unchecked = 0;  ///< launches that were to be left alone (RunOptions)
  std::uint64_t unsampled = 0;  ///< launches in which no races were looked for (RunOptions::sample)
  std::uint64_t repeated = 0;  ///< launches that did what an earlier one did, and were not executed
  std::uint64_t in_part = 0;   ///< launches in which they were looked for until memory ran out
  std::uint64_t findings = 0;  ///< causes of its findings, notes not counted
  std::string refused;         ///< why the machine cannot run it; empty: it can

  void add(const KernelCount& other);  ///< counts and findings
};
GAUNTLET_FIELDS(KernelCount, name, launches, unchecked, unsampled, repeated, in_part,
                warp_instructions, findings, refused)

struct ProcessReport {
  std::string program;
  std::int64_t process = 0;
  std::vector<KernelCount> kernels;  ///< those that were launched, in the order of first launches
  std::vector<KernelFinding> findings;
  std::vector<Mistake> mistakes;
  std::vector<std::string> unsupported;  ///< what the program did that is not, a sentence for each
  std::string ended;                     ///< why the library ended the process; empty: it did not
  std::uint64_t ignored = 0;             ///< different findings that were left out
  std::uint64_t library_calls = 0;       ///< products by cuBLAS, which were checked as kernels are

  /// Mistakes, and causes of findings (sanitizer/kernel/told.hpp), of that severity.
  [[nodiscard]] std::size_t count(Severity severity) const;
};
GAUNTLET_FIELDS(ProcessReport, program, process, kernels, findings, mistakes, unsupported, ended,
                ignored, library_calls)

/// The report of this process as it grows.
class Report {
 public:
  /// `folder`: where the report is written; empty: nowhere. `ignored`: what is left out.
  explicit Report(std::filesystem::path folder, std::vector<Ignored> ignored = {});

  [[nodiscard]] bool may_leave_out() const { return !ignored_.empty(); }
  /// It is to be left out, which is counted.
  template <class T>
  [[nodiscard]] bool leaves_out(const T& finding) {
    if (!ignores(ignored_, finding)) return false;
    left_out_.insert(ignore_line(finding));
    process.ignored = left_out_.size();
    return true;
  }

  /// It was told before.
  [[nodiscard]] bool knows(const Finding& finding) const;
  /// Those of a launch. `kernel`: index into ProcessReport::kernels. What is new is told.
  void add(std::size_t kernel, std::vector<KernelFinding> findings);
  void add(Mistake mistake);
  /// What the program did that is not supported: told once.
  void refuse(std::string sentence);
  /// One line on standard error, "gauntlet run: TEXT".
  static void say(std::string_view text);
  /// Writes the file, whole or not at all.
  void write();
  /// The same where the last time was a second ago: what is there if the program is killed.
  void write_at_times();

  /// A moment, for the two below.
  [[nodiscard]] std::uint64_t mark() const { return met_; }
  /// Errors and warnings that were met since, for the first time or again, a text for each.
  [[nodiscard]] std::vector<std::string> told_since(std::uint64_t mark) const;
  /// What was first met since was expected: it is taken out.
  void forget(std::uint64_t mark);

  ProcessReport process;

 private:
  static void tell(const std::vector<const KernelFinding*>& fresh);
  void count_findings(KernelCount& of) const;

  std::uint64_t met_ = 0;

  std::vector<Ignored> ignored_;
  std::set<std::string> left_out_;  // by the lines that would do so
  std::filesystem::path folder_;
  std::time_t written_ = 0;
};

/// A kernel as people read it: names of templates have thousands of characters; --json has them
/// all.
[[nodiscard]] std::string shown(std::string_view signature, std::size_t longest = 120);

/// Of what its kernels did wrong.
[[nodiscard]] std::vector<sanitize::Cause> causes_of(const ProcessReport& process);

/// "sum(int*) <<<2, 256>>>".
[[nodiscard]] std::string launch_text(std::string_view kernel, const Dim3& grid, const Dim3& block);

/// "sum(int*)" of that, which is no part of the kernel's name; what is no launch as it is.
[[nodiscard]] inline std::string kernel_of(const std::string& call) {
  return call.substr(0, call.find(" <<<"));
}

/// The reports in a folder, by process. Throws JsonShapeError.
[[nodiscard]] std::vector<ProcessReport> read_reports(const std::filesystem::path& folder);

/// Errors and warnings, kernels and calls that were not run, and launches and products that were
/// checked, of all processes.
struct Outcome {
  std::size_t findings = 0, refused = 0;
  std::uint64_t checked = 0;
};
[[nodiscard]] Outcome outcome(const std::vector<ProcessReport>& reports);

/// Arrays that were not freed, of all processes.
struct Leaked {
  std::uint64_t arrays = 0, bytes = 0, calls = 0;  ///< calls: places in host code
  [[nodiscard]] std::string text() const;          ///< "3 arrays, 700 bytes"
};
GAUNTLET_FIELDS(Leaked, arrays, bytes, calls)
[[nodiscard]] Leaked leaked(const std::vector<ProcessReport>& reports);

/// A table of kernels and one line: what was found, over how much; or that nobody called the
/// runtime. `end`: how the program ended.
[[nodiscard]] std::string summary(const std::vector<ProcessReport>& reports,
                                  const os::ProcessEnd& end);

/// What would make a program faster that ran for `seconds`: one line, where that was more than half
/// a minute, races were looked for in all launches, and most of the warp instructions are of
/// kernels that were launched again and again. Empty: nothing.
[[nodiscard]] std::string sampling_hint(const std::vector<ProcessReport>& reports, double seconds);

}  // namespace gauntlet::runtime
