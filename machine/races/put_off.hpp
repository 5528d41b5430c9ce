// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads from a block's shared memory that the race detector has not looked at yet: what nobody
// writes until the next barrier of the block races with none of them, and most of what is loaded
// is of that kind.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/code/memory_op.hpp"
#include "machine/state/region.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

struct Block;

namespace races {

struct PutOff {
  static constexpr std::size_t most = 4096;
  struct Load {
    const Block* block;
    const Warp* warp;
    const MemoryOp* op;
    const Region* region;
    std::uint32_t inst, width, mask;
    std::uint32_t warp_epoch, sequence;  ///< of the lanes, at the time
    std::array<std::uint32_t, warp_size> at;
  };
  /// Of a row of 32 cells those that were loaded from, in that epoch of the block.
  struct Row {
    std::uint32_t epoch = 0, cells = 0;
  };
  std::vector<Load> loads;
  std::vector<Row> rows[2];  ///< of the static and of the dynamic shared memory

  /// Whether some of the cells [first, last] are among those.
  [[nodiscard]] bool has(unsigned half, std::uint32_t epoch, std::uint64_t first,
                         std::uint64_t last) const {
    for (std::uint64_t k = first / 32; k <= last / 32 && k < rows[half].size(); ++k) {
      const std::uint32_t from = k == first / 32 ? ~0U << first % 32 : ~0U;
      const std::uint32_t to = k == last / 32 ? ~0U >> (31 - last % 32) : ~0U;
      const Row& row = rows[half][k];
      if (row.epoch == epoch && (row.cells & from & to) != 0) return true;
    }
    return false;
  }
};

}  // namespace races
}  // namespace gauntlet::simt
