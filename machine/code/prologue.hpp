// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a warp knows by another one of its block when it begins (machine/isa/decode_prologue.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "machine/code/memory_op.hpp"

namespace gauntlet::simt {

/// The straight code that a kernel begins with, which each warp comes to once. What it computes of
/// %tid.x and of what all threads of a block have alike need not be computed by each warp: with the
/// addresses of one, those of the others of its block are known.
struct Prologue {
  struct Step {
    std::uint32_t inst = 0;
    bool follows = false;  ///< an access, whose address is known so
  };
  /// What has to be seen of a warp's operand before this instruction.
  struct Seen {
    enum class As : std::uint8_t {
      address,  ///< of elements side by side
      u32,      ///< as such a number it does not wrap within the block; and if the instruction is a
                ///< comparison, all threads have the same result
      s32,
      wide
    };
    std::uint32_t inst = 0;
    As as = As::address;
    Operand value;
  };
  std::uint32_t end = 0;                ///< where other code begins; 0: nothing is known
  std::vector<std::uint32_t> left_out;  ///< instructions that the other warps need not execute
  std::vector<Step> steps;              ///< those that they do
  std::vector<Seen> seen;               ///< in the order of instructions
  std::uint32_t last_access = ~0U;      ///< the last instruction among all that accesses memory
  bool specials = true;                 ///< special registers are read, if not by those left out
};

}  // namespace gauntlet::simt
