// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A warp's part of a wgmma that is under way (PTX ISA 9.0, 9.7.15): its result, computed when it
// was begun. Until the wait its registers hold tokens instead, undefined ones: what a move has
// carried elsewhere is still known then, and what has been computed of one stays undefined.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/state/block.hpp"

namespace gauntlet::simt {

struct GroupProduct {
  const Block* block = nullptr;
  std::uint32_t warp = 0, inst = 0;
  std::uint32_t number =
      0;  ///< among those of its warp, from 1 on; its whole warpgroup counts alike
  std::uint32_t group = 0;  ///< 0: not committed
  bool landed = false;      ///< all warps have begun it, and one has waited for it
  /// Of D, by register and lane; an origin of 0: defined.
  std::vector<std::uint32_t> word, origin;
  std::vector<std::uint32_t> taken;  ///< by register: lanes that another product goes on from
  std::vector<std::uint32_t> a;      ///< what it found in the registers of A
  /// Of shared memory, what the instruction `load` stands for.
  struct Piece {
    std::uint32_t load = 0, bytes = 0;
    std::uint64_t address = 0;
  };
  std::vector<Piece> pieces;

  /// NaNs that no instruction gives: arithmetic makes another one of them.
  [[nodiscard]] std::uint32_t first_token() const { return 0xFFC0'0000U | (number % 1024) << 12; }
  [[nodiscard]] std::uint32_t token(std::size_t at) const {
    return first_token() + static_cast<std::uint32_t>(at);
  }
  /// The place in `word` that a lane's register stands for.
  [[nodiscard]] std::optional<std::size_t> place_of(std::uint32_t bits, std::uint32_t lane) const {
    const std::size_t at = bits - first_token();  // at most 128 registers of 32 lanes
    if (at >= word.size() || at % warp_size != lane) return std::nullopt;
    return at;
  }
};

}  // namespace gauntlet::simt
