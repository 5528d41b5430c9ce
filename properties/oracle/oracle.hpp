// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with the values of an Observation where the kernel reduces tiles of its input
// (`tile`; the formulas of other specs are judged by properties/language/judge.cpp). Each cell of
// each observed buffer is judged against the elements it must reduce
// (properties/oracle/reference.hpp says when a value is right), then the host's combination of
// them, which needs no rounding here and so is right when its cells are.
#pragma once

#include <cstdint>

#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"
#include "properties/oracle/verdict.hpp"

namespace gauntlet {

/// Judges the defined cells of `observation` (an undefined one is the executor's finding). An
/// observation that was refused or did not complete is ok with no cell judged: what stopped it is a
/// finding of its own.
[[nodiscard]] Verdict judge(const Case& c, const Plan& plan, const Observation& observation);

/// From this many elements on, one thread would take minutes: judge() shares them out.
inline constexpr std::uint64_t large_from = std::uint64_t{1} << 25;

/// As judge(), by so many threads (0: one per core), without a diagnosis of wrong values and
/// without Kahan's sum; a float product and a window of blocks are judged by one thread, as by
/// judge(). The reference of all elements is kept for the next call about the same elements.
[[nodiscard]] Verdict judge_shared(const Case& c, const Plan& plan, const Observation& observation,
                                   unsigned threads = 0);

}  // namespace gauntlet
