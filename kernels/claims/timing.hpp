// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The committed figures of `gauntlet time` (docs/json.md), for the statements about cost.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/profile/issue.hpp"
#include "gpu/timing/report/derive.hpp"
#include "kernels/claims/claim.hpp"

namespace gauntlet::claims {

/// The report that the build embedded; nothing where no results were committed yet.
[[nodiscard]] const std::optional<timing::Report>& committed_timing();

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

[[nodiscard]] Evidence judge_issue(const std::vector<IssueCount>& counts,
                                   const std::string& source);      // 12
[[nodiscard]] Evidence judge_ladder(const Report& timing);          // 16
[[nodiscard]] Evidence judge_vector_kernels(const Report& timing);  // 17
/// C's four kernels in C's own launches, or where those were not measured in blocks of 32.
[[nodiscard]] std::vector<SpeedUp> launches_of_c(const Report& timing);  // 17, 63
[[nodiscard]] Evidence judge_unrolling(const Report& timing);            // 18
[[nodiscard]] Evidence judge_many_elements(const Report& timing);        // 19
[[nodiscard]] Evidence judge_fat_blocks(const Report& timing);           // 20
[[nodiscard]] Evidence judge_memory_bound(const Report& timing);         // 36
[[nodiscard]] Evidence judge_dram_throughput(const Report& timing);      // 63

}  // namespace gauntlet::claims
