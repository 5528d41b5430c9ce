// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The oracle for so many elements that one thread would take minutes: the same references, made by
// all cores, piece by piece.
#pragma once

#include <cstdint>

#include "oracle/oracle.hpp"

namespace gauntlet {

/// From this many elements on, judge() leaves the work to judge_large().
inline constexpr std::uint64_t large_from = std::uint64_t{1} << 25;

/// Does judge_large() know how? Not float products, nor a window of blocks.
[[nodiscard]] bool can_judge_large(const Case& c);

/// As judge(), without a diagnosis of wrong values and without Kahan's sum. The reference of all
/// elements is kept for the next call about the same elements. threads = 0: one per core.
[[nodiscard]] Verdict judge_large(const Case& c, const Plan& plan, const Observation& observation,
                                  unsigned threads = 0);

}  // namespace gauntlet
