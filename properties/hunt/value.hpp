// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers read from an observation, as the relations between runs compare them. What is compared is
// independent of the oracle on purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "properties/case/case.hpp"
#include "properties/case/executor.hpp"

namespace gauntlet::properties {

/// A number of a type: integers as their bits (sign-extended for signed types), floats exactly.
struct Value {
  Type type = Type::f32;
  std::uint64_t bits = 0;  ///< integers
  double real = 0;         ///< floats
};

[[nodiscard]] Value from_bits(Type type, std::uint64_t bits);
/// To an accumulator type of the same family (integers, floats) that holds the value.
[[nodiscard]] Value converted(const Value& value, Type to);
[[nodiscard]] Value identity(Type type, Op op);

/// Integers wrap in their width; floats in double, so only the sums of exact data are exact.
[[nodiscard]] Value combine(Op op, const Value& a, const Value& b);

/// Integers modulo 2^width.
[[nodiscard]] Value negated(const Value& value);
/// Times 2^k; k >= 0 for integers.
[[nodiscard]] Value scaled(const Value& value, int k);

/// The same number: all NaNs are one, and so are the two zeros.
[[nodiscard]] bool same_number(const Value& a, const Value& b);
[[nodiscard]] bool less(const Value& a, const Value& b);
[[nodiscard]] std::string to_string(const Value& value);

/// A cell of a buffer.
[[nodiscard]] Value cell(const ObservedBuffer& buffer, std::size_t index);

/// The first cell that two runs of one plan leave different: other bits, or one of them none.
struct Difference {
  const ObservedBuffer& mine;
  const ObservedBuffer& theirs;
  std::size_t cell = 0;
};
[[nodiscard]] std::optional<Difference> first_difference(const Observation& a,
                                                         const Observation& b);

/// All cells of the first observed buffer combined: what the host's finish of partials gives.
[[nodiscard]] Value total(const Observation& observation, Op op);

// The input of a case as numbers, for properties that judge without the oracle.

/// More elements than a property looks at one by one.
inline constexpr std::uint64_t too_many = std::uint64_t{1} << 24;

/// The n elements in the input type, after Case::map. Throws std::length_error for too many.
[[nodiscard]] std::vector<Value> elements(const Case& c);

/// No order and no grouping of the elements can change the result: integers; minima and maxima;
/// float sums and products whose reference is exact (SliceReference::exact). Infinities and NaN
/// give the same special value in any order.
[[nodiscard]] bool exact(const Case& c);

}  // namespace gauntlet::properties
