// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Is the result of a timed launch right?
#pragma once

#include <string>

#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet::timing {

/// The data of every timed case: whole numbers of which every order of summation is exact, so that
/// a right result has exactly one value (properties/oracle/data.hpp).
inline constexpr Data timed_data = Data::small_integers;

/// Nothing, or in one line what is wrong. Up to 2^20 elements every cell is judged, beyond only
/// the total, which the host adds up exactly where a kernel leaves partial results; its reference
/// is made once for all cases with the same elements (properties/oracle/oracle.hpp).
[[nodiscard]] std::string wrong(const Case& c, const Plan& plan, const Observation& seen);

/// A plan that says of a case no more than that out[0] holds its total.
[[nodiscard]] Plan total_only(const Plan& plan);

}  // namespace gauntlet::timing
