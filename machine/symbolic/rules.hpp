// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which rule each data instruction follows: its operation's (machine/isa/rules.hpp), with types.
#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "machine/code/code.hpp"
#include "machine/isa/rules.hpp"

namespace gauntlet::simt::symbolic {

/// How a data instruction makes its result's term of its operands'.
struct Rule {
  using What = TermRule;
  What what = What::unknown;
  Op op = Op::sum;
  Type type = Type::u32, from = Type::u32;
  Relation relation = Relation::eq;
  std::uint8_t size = 4;  ///< bytes of the operands
  Rules known{};          ///< what the operation's row says
};

/// Of instruction `k`; `unknown` where it is no data instruction.
[[nodiscard]] Rule rule_of(const Kernel& kernel, std::uint32_t k);

}  // namespace gauntlet::simt::symbolic
