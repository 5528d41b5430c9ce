// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What committed figures of a GPU say about statements 12, 16 to 20, 36 and 63. Evidence without a
// verdict: the figures that a statement is about are not among them.
#pragma once

#include <string>
#include <vector>

#include "gpu/profile/issue.hpp"
#include "kernels/claims/claim.hpp"
#include "kernels/claims/timing.hpp"

namespace gauntlet::claims {

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
