// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads of 32 words side by side, each by many threads, as a stencil, a convolution or a product of
// matrices without tiles makes them: row upon row of lanes, shifted by a word or not. Reads do not
// race with one another, so that none is compared: each row of lanes is noted as it came, and a
// word's are gathered, in the order in which they came, when something else than a read comes to
// it. What would change nothing then is not noted.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "machine/races/room.hpp"
#include "machine/races/vector_clock.hpp"

namespace gauntlet::simt::races {

class Reads {
 public:
  /// By lanes of a warp, at one clock, each of the words that follow one another. Small: there are
  /// several for each word.
  struct Run {
    std::uint32_t cells = 0;                   ///< a bit each
    std::uint32_t block = 0, other_block = 0;  ///< other: with block_step
    Clock clock;
    std::int16_t thread = 0;       ///< as Row::Entry's
    std::uint16_t by = 0;          ///< the instruction's number among those of the row
    std::uint16_t before = 0;      ///< the one before of the same instruction; from 1 on
    std::uint16_t block_step = 0;  ///< as CellAccess's
    std::uint8_t warp = 0;
    std::int8_t shift = 0;  ///< as Row::Entry's
    [[nodiscard]] std::uint32_t last_block() const { return block_step == 0 ? block : other_block; }
  };

  /// apart: each thread is kept apart; else one entry of a word stands for all that execute the
  /// instruction.
  Reads(Room& room, bool apart) : apart_(apart), runs_(&room), insts_(&room) {}
  /// Those that somebody has read.
  [[nodiscard]] std::uint32_t cells() const { return cells_; }
  /// Notes a read by an instruction, of a running block. Returns the cells of which it cannot be
  /// noted here.
  [[nodiscard]] std::uint32_t add(Run run, std::uint32_t inst);
  /// Visits the reads of a cell, each with its instruction, in their order, and forgets them.
  template <class Visit>
  void take(std::uint32_t cell, Visit visit) {
    const std::uint32_t bit = 1U << cell;
    for (Run& run : (cells_ & bit) != 0 ? std::span<Run>(runs_) : std::span<Run>()) {
      if ((run.cells & bit) == 0) continue;
      visit(run, insts_[run.by].inst);
      run.cells &= ~bit;
    }
    forget(bit);
  }
  /// One more takes more memory.
  [[nodiscard]] bool is_full() const { return runs_.size() == runs_.capacity(); }
  /// Has a function change them, which returns how many of the first are left; in any order.
  template <class Change>
  void change(Change change) {
    runs_.resize(change(std::span<Run>(runs_)));
    link();
  }

 private:
  struct Inst {
    std::uint32_t inst = 0, cells = 0;
    std::uint32_t many = 0;  ///< cells of which one entry stands for many blocks
    std::uint32_t last = 0;  ///< of its runs; from 1 on
  };
  /// Of cells that an instruction reads again.
  struct Past {
    std::uint32_t none = 0;      ///< nothing changes
    std::uint32_t replaced = 0;  ///< the read takes the place of those before
    std::uint32_t many = 0;      ///< it is the first one by another block
  };
  static constexpr std::size_t first_runs = 7, most_runs = 1792;

  [[nodiscard]] std::uint16_t number_of(std::uint32_t inst);
  [[nodiscard]] bool is_of_thread(const Run& e, const Run& run) const {
    return e.thread == run.thread && e.block == run.block;
  }
  [[nodiscard]] Past past(const Run& run, std::uint32_t again) const;
  void replace(Run run, std::uint32_t cells);
  [[nodiscard]] bool has_room();
  void count(std::uint32_t cells, std::int8_t shift);
  void link();
  void forget(std::uint32_t cell);

  const bool apart_;
  bool full_ = false;
  std::uint32_t cells_ = 0;
  std::uint32_t latest_ = 0;  ///< the instruction that came last
  std::pmr::vector<Run> runs_;
  std::pmr::vector<Inst> insts_;
  /// Of each cell the number of the entries that it would have, a bit in each of these, until its
  /// entries would be crowds: where one entry stands for many threads those that crowds have do
  /// not.
  std::array<std::uint32_t, 5> counts_{};
  std::uint32_t crowded_ = 0;
};

}  // namespace gauntlet::simt::races
