// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What an instruction of the text does, by its row (machine/isa/instruction_rows.cpp,
// arithmetic.cpp), for who changes the text before it is decoded.
#pragma once

#include <cstdint>

#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

enum class Effect : std::uint8_t {
  other,        ///< more than the others, or there is no row
  computes,     ///< its first operand, of the others and of nothing else
  weak_load,    ///< the same, and of memory
  weak_store,   ///< no more than that
  accumulates,  ///< an atomic operation, whose result may be used
};
[[nodiscard]] Effect effect_of(const ptx::Instruction& i);

}  // namespace gauntlet::simt
