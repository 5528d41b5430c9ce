// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic, logic and bit instructions whose operands are plain values: which handler
// executes which opcode, modifiers and type, and what a proof may take it for.
#pragma once

#include <string>

#include "machine/code/code.hpp"
#include "machine/isa/rules.hpp"

namespace gauntlet::simt {

struct Arithmetic {
  Handler handler = nullptr;  ///< null: not known
  unsigned inputs = 0;
  unsigned bytes[3] = {};  ///< of the inputs
  unsigned result_bytes = 0;
  Rules rules = {};  ///< for proofs
};

/// What is not listed in full, with opcode, type, modifiers and number of operands, is refused:
/// nothing is ever approximated silently (docs/limits.md).
[[nodiscard]] Arithmetic find_arithmetic(const Operation& operation);
/// All rows, as docs/instructions.md has them.
[[nodiscard]] std::string arithmetic_table();

}  // namespace gauntlet::simt
