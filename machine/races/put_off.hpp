// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Accesses to a block's shared memory that the race detector has not looked at yet. What nobody
// writes until the next barrier of the block races with no load, and most of what is loaded is of
// that kind; of the rest, most words are those of one thread alone until then.
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

/// What a detector puts off, by what has become of that.
struct PutsOff {
  bool loads = false, stores = true;
  bool owners = false;  ///< of loads the threads are known, too
  bool runs = false;    ///< and of elements side by side, since others come to these
  std::uint64_t looked_at = 0, with_stores = 0, forgotten = 0;
  /// Where what is put off is looked at as a rule nothing is gained. A block begins in another way
  /// than it goes on.
  [[nodiscard]] bool gains(std::uint64_t lost) const { return lost < 1024 || lost < forgotten / 2; }
};

struct PutOff {
  static constexpr std::size_t most = 4096;
  struct Load {
    const Block* block;
    const Warp* warp;
    const MemoryOp* op;
    const Region* region;
    std::uint32_t inst, width, mask;
    std::uint32_t undefined;             ///< lanes that have stored something undefined
    std::uint32_t warp_epoch, sequence;  ///< of the lanes, at the time
    /// Of a tile: that many loads follow one another, and `at` is where each four lanes' elements
    /// begin, load by load. 0: one access, `at` by lane.
    std::uint32_t of_tile;
    std::array<std::uint32_t, warp_size> at;
  };
  using Words = std::array<std::uint32_t, warp_size>;
  /// Of a row of 32 cells those that were accessed, and stored to, in that round. Of those that one
  /// warp alone has accessed (`owned`), by whom they were since its last barrier that came before
  /// such an access: `owner` is the thread, or one of several lanes, who only load then, and
  /// `stored_now` that it has stored. What was done before that is ordered for the whole warp. The
  /// others are only loaded, by several warps, or it is not known by whom.
  struct Row {
    std::uint32_t round = 0, cells = 0, stored = 0, owned = 0, stored_now = 0;
  };
  /// Apart, since of most rows nobody asks for it.
  struct Owners {
    std::array<std::uint16_t, 32> owner;
    std::array<std::uint32_t, 32> epoch;  ///< of the warp
  };
  static constexpr std::uint16_t several_lanes = 0x8000;
  std::vector<Load> loads;    ///< stores among them
  std::vector<Words> stored;  ///< by those stores, as many for each as a lane stores words
  std::vector<Row> rows[2];   ///< of the static and of the dynamic shared memory
  std::vector<Owners> owners[2];
  std::uint32_t round = 1;  ///< until all are looked at, or forgotten

  [[nodiscard]] Row& row_of(unsigned half, std::uint32_t row) {
    Row& r = rows[half][row];
    if (r.round != round) {
      r.round = round;
      r.cells = r.stored = r.owned = r.stored_now = 0;
    }
    return r;
  }
  /// Whether some of the cells [first, last] are among those.
  [[nodiscard]] bool has(unsigned half, std::uint64_t first, std::uint64_t last) const {
    for (std::uint64_t k = first / 32; k <= last / 32 && k < rows[half].size(); ++k) {
      const std::uint32_t from = k == first / 32 ? ~0U << first % 32 : ~0U;
      const std::uint32_t to = k == last / 32 ? ~0U >> (31 - last % 32) : ~0U;
      const Row& row = rows[half][k];
      if (row.round == round && (row.cells & from & to) != 0) return true;
    }
    return false;
  }
  void forget() {
    loads.clear();
    stored.clear();
    ++round;
  }
};

}  // namespace races
}  // namespace gauntlet::simt
