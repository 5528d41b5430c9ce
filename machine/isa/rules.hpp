// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a proof may take an operation for. Each rule is a column of the operation's row
// (arithmetic.cpp; rules.cpp for what other files decode), so that it holds for the very operation
// that is executed; without one the operation is unknown.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "base/names.hpp"
#include "base/types.hpp"
#include "machine/code/operation.hpp"

namespace gauntlet::simt {

/// A set of types.
using Types = std::uint32_t;
constexpr Types types_in(std::initializer_list<ptx::ScalarType> types) {
  Types bits = 0;
  for (const auto t : types) bits |= 1U << static_cast<unsigned>(t);
  return bits;
}
constexpr bool in(Types types, ptx::ScalarType type) {
  return (types >> static_cast<unsigned>(type) & 1) != 0;
}

/// How an operation makes its result's term of its operands' (machine/symbolic).
enum class TermRule : std::uint8_t {
  unknown,  ///< opaque where an operand has a term
  move,
  combine,
  combine_three,  ///< the minimum or maximum of three
  combine_pair,   ///< two halves of a type
  fma_bf16,
  multiply_add,  ///< a * b + c: of floats with one rounding
  convert_float,
  convert_integer,
  compare,
  select,
  and_pred,
  or_pred,
  and_bits,
  or_bits,
  shift_left,
  shift_right,
  shift_right_signed,
  multiply_wide,
  insert_field,
  extract_field,
  permute,
  count_ones,  ///< of the predicates of a vote their sum
  // Of a part of a mov:
  pack,
  part,
  insert
};

/// How its result grows with its operands (machine/symbolic/strides.hpp).
enum class StrideRule : std::uint8_t {
  unknown,
  copy,
  add,
  subtract,
  multiply,
  multiply_add,
  negate,
  invert,
  shift_left,
  shift_right,
  and_bits,
  or_bits,
  convert,
  compare,
  select,
  and_pred,
  or_pred,
  minimum,
  maximum
};

/// As docs/instructions.md has them.
constexpr auto names(const StrideRule*) {
  return names_of("", "copy", "a + b", "a - b", "a * b", "a * b + c", "-a", "~a", "a << b",
                  "a >> b", "a & b", "a | b", "conversion", "comparison", "choice", "a && b",
                  "a || b", "min", "max");
}

struct Rules {
  TermRule term = TermRule::unknown;
  StrideRule stride = StrideRule::unknown;
  Op op = Op::sum;                   ///< of combine, combine_three, combine_pair
  Relation relation = Relation::eq;  ///< of compare
  // What every operation has, known or not.
  std::array<std::uint8_t, 4> bytes{4, 4, 4, 4};  ///< of its operands' registers; 0: a predicate
  std::uint8_t result_bytes = 0;                  ///< 0: of no number
  bool carried = false;                           ///< reads the carry
};

/// Those of a whole operation that is named in full: opcode, types, modifiers, number of operands.
[[nodiscard]] Rules rules_of(const Operation& operation);

/// An operation with these modifiers, and none else but .ftz where that may be.
struct RuleRow {
  Opcode opcode;
  unsigned inputs;
  Modifiers how;
  Types types;  ///< that its type may be
  Types from;   ///< another type behind it; 0: it names but one
  Rules rules;
  Types strides;  ///< types that have the stride rule
};
/// Goes before all rows. None but a test gives one: the prover with a wrong rule.
inline const RuleRow* mutant_row = nullptr;

}  // namespace gauntlet::simt
