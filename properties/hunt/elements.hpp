// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The input of a case as numbers, for properties that judge without the oracle.
#pragma once

#include <vector>

#include "properties/case/case.hpp"
#include "properties/hunt/value.hpp"

namespace gauntlet::properties {

/// More elements than a property looks at one by one.
inline constexpr std::uint64_t too_many = std::uint64_t{1} << 24;

/// The n elements in the input type, after Case::map. Throws std::length_error for too many.
[[nodiscard]] std::vector<Value> elements(const Case& c);

/// No order and no grouping of the elements can change the result: integers; minima and maxima;
/// float sums whose terms are multiples of a unit with sum of magnitudes below 2^p units (p: bits
/// of the accumulator's significand); float products of powers of two that stay in range.
/// Infinities and NaN are left out of the sum: the result is the same special value in any order.
/// Looks at the elements themselves.
[[nodiscard]] bool exact(const Case& c);

}  // namespace gauntlet::properties
