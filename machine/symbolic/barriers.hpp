// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Barriers of a part of a block, and of a whole grid: whether they order in every schedule.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace gauntlet::simt::symbolic {

/// Barriers of a part of a block: whether the same warps meet at them in every schedule. They do
/// where those that ever come are as many threads as are waited for, and none comes once more
/// before it knows, by barriers, that it has been let go: bar.sync waits for that, bar.arrive does
/// not. Those of one block.
class NamedBarriers {
 public:
  /// A warp comes to barrier `id`, where `count` threads are waited for; 0: the whole block.
  /// `threads`: as how many it counts. Gives what depends on the schedule; empty: nothing.
  std::string_view arrive(std::uint32_t id, std::uint32_t warp, std::uint32_t threads,
                          std::uint32_t count);
  /// Who has come has been let go; `leave` is called for each warp that waited.
  void complete(std::uint32_t id);
  void leave(std::uint32_t id, std::uint32_t warp);

 private:
  /// Of each barrier, how often it is known to have let go.
  using Known = std::array<std::uint32_t, 16>;
  struct Barrier {
    std::uint32_t count = 0, interval = 0, threads = 0;
    bool open = false;                              ///< somebody has come
    std::uint32_t phase = 1;                        ///< the next one to be completed
    std::map<std::uint32_t, std::uint32_t> phases;  ///< by warp: the last one that it came to
    Known brought{}, left{};                        ///< by who has come; of the phase before
  };
  std::array<Barrier, 16> barriers_;
  std::map<std::uint32_t, Known> known_;  ///< by warp
  std::uint32_t interval_ = 0;            ///< barriers of the whole block so far
};

/// Barriers of a whole grid, as grid.sync() of cooperative groups makes them: each block adds to a
/// cell and waits until the top bit is another one than in what it found. Nobody goes on before all
/// have come, whatever their order, where the addends are no zeros and come to the top bit, and the
/// other bits were zeros before: what some of them add leaves that bit as it was.
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
