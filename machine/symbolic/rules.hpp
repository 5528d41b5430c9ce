// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which rule each data instruction follows, read off the operation's text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "machine/code/code.hpp"
#include "machine/symbolic/terms.hpp"

namespace gauntlet::simt::symbolic {

/// How a data instruction makes its result's term of its operands'.
struct Rule {
  enum class What : std::uint8_t {
    unknown,  ///< opaque where an operand has a term
    move,
    combine,
    combine_pair,  ///< two halves of `type`
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
    pack,
    part,
    insert
  } what = What::unknown;
  Op op = Op::sum;
  Type type = Type::u32, from = Type::u32;
  Relation relation = Relation::eq;
  std::uint8_t size = 4;  ///< bytes of the operands
};

/// The parts of an operation's text: "add", "rn", "f32".
[[nodiscard]] std::vector<std::string_view> words(std::string_view operation);
/// The type that such a part names, of bits ("b32") the unsigned one; null for all that hold no
/// single number ("f16x2", "pred").
[[nodiscard]] std::optional<Type> type_named(std::string_view word);

/// Of instruction `k`; `unknown` where it is no data instruction.
[[nodiscard]] Rule rule_of(const Kernel& kernel, std::uint32_t k);

}  // namespace gauntlet::simt::symbolic
