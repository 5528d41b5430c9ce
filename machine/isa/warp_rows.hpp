// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A table row for each form of an instruction that the lanes of a warp execute together (PTX
// ISA 9.0, 9.7.9.6 and 9.7.13.1-4): how it is spelt, its operands, and what it makes of what all
// lanes bring.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "machine/code/code.hpp"

namespace gauntlet::simt {

struct WarpRow {
  std::string_view opcode;
  std::string_view form;  ///< its suffixes
  /// One letter each, in their order. Given: d a number, p a predicate, q a number and perhaps a
  /// predicate behind it (d|p), e both, of which the number may be the sink. Brought: a and A a
  /// number of 32 and 64 bits, v a predicate, b and c which lane a shuffle reads, m the mask,
  /// without which it is all lanes.
  std::string_view operands;
  Counted counted;
  WarpOp::What what;
  Fold fold = nullptr;
  bool is_signed = false;
};
[[nodiscard]] std::span<const WarpRow> warp_rows();
/// All rows, as docs/instructions.md has them.
[[nodiscard]] std::string warp_table();

}  // namespace gauntlet::simt
