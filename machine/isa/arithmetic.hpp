// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic, logic and bit instructions whose operands are plain values: which handler
// executes which opcode, modifiers and type.
#pragma once

#include <string_view>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

struct Arithmetic {
  Handler handler = nullptr;  ///< null: not known
  unsigned inputs = 0;
  unsigned bytes[3] = {};  ///< of the inputs
  unsigned result_bytes = 0;
};

/// `modifiers` are the suffixes beside the type: "wide", "rn", "ftz". What is not listed for this
/// opcode and type is refused: nothing is ever approximated silently (docs/limits.md).
[[nodiscard]] Arithmetic find_arithmetic(std::string_view opcode,
                                         std::vector<std::string_view> modifiers,
                                         ptx::ScalarType type);
/// The same for .f32x2, two floats in a 64-bit register: add, sub, mul, fma.
[[nodiscard]] Arithmetic find_float_pair(std::string_view opcode,
                                         std::vector<std::string_view> modifiers);

}  // namespace gauntlet::simt
