// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Barriers of a whole grid, as grid.sync() of cooperative groups makes them: each block adds to a
// cell and waits until the top bit is another one than in what it found. Nobody goes on before all
// have come, whatever their order, where the addends are no zeros and come to the top bit, and the
// other bits were zeros before: what some of them add leaves that bit as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace gauntlet::simt::symbolic {

class GridBarriers {
 public:
  /// What a thread of a block finds in the cell, and adds. Gives what depends on the schedule;
  /// empty: nothing. `blocks`: of the grid.
  std::string_view arrive(const std::byte* at, std::uint64_t blocks, std::uint32_t block,
                          std::uint32_t thread, std::uint32_t found, std::uint32_t addend);
  /// It looks whether all have come.
  std::string_view poll(const std::byte* at, std::uint32_t block, std::uint32_t thread);
  /// At every barrier all blocks have come.
  [[nodiscard]] bool complete() const;
  void clear() { cells_.clear(); }

 private:
  struct Member {
    std::uint32_t thread = 0;
    std::uint32_t phase = 0;  ///< that it came to
    bool let_go = true;       ///< and knows that all have come
  };
  struct Cell {
    std::uint32_t phase = 1;
    std::uint64_t sum = 0, arrived = 0;  ///< in this phase
    std::map<std::uint32_t, Member> members;
  };
  std::map<const std::byte*, Cell> cells_;
};

}  // namespace gauntlet::simt::symbolic
