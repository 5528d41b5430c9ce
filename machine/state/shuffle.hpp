// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which lane a shuffle reads (PTX ISA 9.0, 9.7.9.6).
#pragma once

#include <cstdint>

#include "machine/code/code.hpp"

namespace gauntlet::simt {

struct ShuffleSource {
  std::uint32_t lane;  ///< the own one where the other is out of range
  bool in_range;
};

/// `b` and `c` are the instruction's operands in lane `l`.
inline ShuffleSource shuffle_source(WarpOp::What what, std::uint32_t l, std::uint32_t b,
                                    std::uint32_t c) {
  const std::uint32_t bval = b & 31, cval = c & 31, segment = c >> 8 & 31;
  const std::uint32_t max = (l & segment) | (cval & ~segment & 31), min = l & segment;
  std::uint32_t j = l;
  bool p = false;
  switch (what) {
    case WarpOp::What::shfl_up:
      p = l >= bval && l - bval >= max;
      j = l - bval;
      break;
    case WarpOp::What::shfl_down:
      j = l + bval;
      p = j <= max;
      break;
    case WarpOp::What::shfl_bfly:
      j = l ^ bval;
      p = j <= max;
      break;
    default:
      j = min | (bval & ~segment & 31);
      p = j <= max;
      break;
  }
  return {p ? j : l, p};
}

}  // namespace gauntlet::simt
