// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// `result by ./program`: a program of the user says what the arrays must hold.
//
// It is started as `program n=33 block=64 grid=1`: every size of the spec in its order, then block
// and grid where they are none. On its standard input lies the content of each array that has one
// before the launch, in the order of the declarations, as it lies in memory (row-major,
// little-endian), with nothing between. On its standard output it writes, in the same form, what
// each `out` and `inout` array that no other result names must hold. Exit code 0.
#pragma once

#include <cstddef>
#include <vector>

#include "properties/case/plan.hpp"
#include "properties/language/evaluate.hpp"

namespace gauntlet::spec {

/// The arrays that the program judges, by index.
[[nodiscard]] std::vector<std::size_t> judged_by_program(const Spec& spec);

/// What it writes for the arrays of this plan, in that order. The program runs once for all
/// schedules of the same arrays. Throws UsageError, one line, where it cannot be started, fails,
/// writes nothing for a minute or writes another number of bytes.
[[nodiscard]] std::vector<std::vector<std::byte>> contents_by_program(const Program& program,
                                                                      Evaluator& evaluator,
                                                                      const Plan& plan);

}  // namespace gauntlet::spec
