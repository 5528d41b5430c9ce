// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What most measurements of statements are made of: rules that make a verdict of figures, launches
// of micro-kernels, and the texts that the compiler left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/members.hpp"
#include "gpu/profile/runner.hpp"
#include "gpu/timing/report/derive.hpp"
#include "kernels/claims/claim.hpp"
#include "machine/counters/counters.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::claims {

/// If `holds`, the statement deserves `verdict`.
struct Rule {
  bool holds = false;
  Verdict verdict = Verdict::is_true;
};
/// The verdict of the first rule that holds; none where none does.
[[nodiscard]] Evidence judged_by(std::string number, std::initializer_list<Rule> rules,
                                 std::string_view source = on_machine);

/// The same of a statement, whose figures take these values.
template <class... Values>
[[nodiscard]] Evidence judged_from(std::string_view source, const Claim& claim,
                                   std::initializer_list<Rule> rules, const Values&... values) {
  return judged_by(fmt::format(fmt::runtime(claim.figures), values...), rules, source);
}
template <class... Values>
[[nodiscard]] Evidence judged_by(const Claim& claim, std::initializer_list<Rule> rules,
                                 const Values&... values) {
  return judged_from(on_machine, claim, rules, values...);
}

/// A launch of gpu/profile/kernels/MODULE.cu on the SIMT machine: `threads` threads in each of
/// `blocks` blocks. With `ints` the kernel takes an array "in" of so many ints, 1, 2, 3 ...; after
/// it, or without it alone, an array "out" of `out` ints.
struct MicroLaunch {
  std::string module, entry;
  std::uint32_t threads = 32, blocks = 1;
  std::size_t ints = 0, out = 0;
  std::string schedule = "lockstep";
};
[[nodiscard]] Outcome run_micro(const MicroLaunch& launch);

/// Occurrences of findings of kinds whose name starts with that word.
[[nodiscard]] std::uint64_t occurrences(const std::vector<Finding>& findings,
                                        std::string_view word);

/// The counters of all launches of a case of the catalogue.
[[nodiscard]] simt::LineCounters count_case(std::string_view line);

/// The instructions of an entry of a micro-kernel file, as nvcc wrote them, one a line.
[[nodiscard]] std::vector<std::string> ptx_of(std::string_view module, std::string_view entry);
/// How many of them start with `opcode` ("rem.").
[[nodiscard]] std::uint64_t count_opcode(const std::vector<std::string>& ptx,
                                         std::string_view opcode);

/// Registers of a thread of an entry of loops.cu, by ptxas for sm_90. Throws std::runtime_error for
/// an entry that ptxas did not name.
[[nodiscard]] int registers_of(std::string_view entry);

/// What nvcc said of kernels/claims/snippets/NAME.cu: "compiles", or its first error. Throws
/// std::runtime_error where there is no such snippet.
[[nodiscard]] std::string said_of_snippet(std::string_view name);

/// 12500000 is "12,500,000".
[[nodiscard]] inline std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

// The committed figures of `gauntlet time` (docs/json.md), for the statements about cost.

/// The report that the build embedded; nothing where no results were committed yet.
[[nodiscard]] const std::optional<timing::Report>& committed_timing();
/// What it says; not measured where there is none.
[[nodiscard]] Evidence from_committed(Evidence (*judge)(const timing::Report&));

/// "NVIDIA H100 80GB HBM3, 2026-11-21"
[[nodiscard]] std::string source_of(const timing::Report& report);

/// The fixed form of a variant, and what reading alone takes: n elements of a type, accumulated in
/// the same. Null where it was not measured.
[[nodiscard]] const timing::Measurement* time_of(const timing::Report& report,
                                                 std::string_view variant, Type type,
                                                 std::uint64_t n);
[[nodiscard]] const timing::Measurement* limit_of(const timing::Report& report, Type type,
                                                  std::uint64_t n);

/// Rows of one statement, in the order of the document.
[[nodiscard]] std::vector<timing::SpeedUp> rows_of(const timing::Report& report, int statement);

// What committed figures of a GPU say about statements 12, 16 to 20, 36 and 63. Evidence without a
// verdict: the figures that a statement is about are not among them.

using timing::Measurement, timing::Report, timing::SpeedUp;

/// What ncu counted in one of issue_cases() (gpu/profile/micro_cases.hpp): shared loads and stores.
struct IssueCount {
  Case c;
  std::uint64_t requests = 0;      ///< by warp
  std::uint64_t conflicts = 0;     ///< as ncu calls them
  std::uint64_t wavefronts = 0;    ///< passes of the memory stage
  std::uint64_t of_addresses = 0;  ///< passes that the addresses ask for

  /// Conflicts that the addresses do not account for.
  [[nodiscard]] std::uint64_t beyond_addresses() const {
    return wavefronts - std::min(wavefronts, of_addresses);
  }
};
constexpr auto fields(const IssueCount*) {
  using T = IssueCount;
  return std::tuple{field("case", &T::c),
                    GAUNTLET_MEMBERS(T, requests, conflicts, wavefronts, of_addresses)};
}
/// ci/gpu-issue writes it.
struct IssueRecording {
  std::string source;  ///< "NVIDIA H100 80GB HBM3, 2026-11-22"
  std::vector<IssueCount> launches;
};
GAUNTLET_FIELDS(IssueRecording, source, launches)

[[nodiscard]] Evidence judge_issue(const IssueRecording& recording);  // 12
[[nodiscard]] Evidence judge_ladder(const Report& timing);            // 16
[[nodiscard]] Evidence judge_vector_kernels(const Report& timing);    // 17
/// C's four kernels in C's own launches, or where those were not measured in blocks of 32.
[[nodiscard]] std::vector<SpeedUp> launches_of_c(const Report& timing);  // 17, 63
[[nodiscard]] Evidence judge_unrolling(const Report& timing);            // 18
[[nodiscard]] Evidence judge_many_elements(const Report& timing);        // 19
[[nodiscard]] Evidence judge_fat_blocks(const Report& timing);           // 20
[[nodiscard]] Evidence judge_memory_bound(const Report& timing);         // 36
[[nodiscard]] Evidence judge_dram_throughput(const Report& timing);      // 63

// Statement 13: resident blocks with int elements in shared memory and with int4.
/// Over blocks of 8 to 1024 threads and all architectures of the toolkit.
struct Residency {
  struct Counts {
    int configurations = 0;
    int lowered = 0;  ///< in which fewer int4 blocks are resident than int ones
    int scalar_blocks = 0, staged_blocks = 0;  ///< on sm_89, the document's device, with B = 32
  };
  bool fourfold = true;        ///< int4 takes exactly four times the shared memory
  Counts as_needed, smallest;  ///< by carve-out
};
[[nodiscard]] Residency residency();

}  // namespace gauntlet::claims
