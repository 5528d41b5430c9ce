// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of one launch on several threads.
//
// A launch begins on one thread, block by block, unless it has so many that it is long for sure.
// Has it taken a while, and nothing was found, then the blocks that are left are cut into pieces,
// and threads run them side by side, each with an engine and a race detector of its own. That this
// makes no difference is not assumed, but seen afterwards: no byte that a thread wrote was accessed
// by another, or by the blocks before. Then each block has read what it reads when blocks run one
// behind the other, and no two of different threads race. Otherwise, or if anything at all was
// found, what was written is taken back, and the blocks run one behind the other. So findings are
// always those of one thread.
//
// An undefined value that is stored keeps the number of its origin. A thread numbers those that are
// new to it itself; each must have the number that it has where blocks run one behind the other.
//
// Atomic operations whose results nobody reads (sums, histograms) are kept, and performed at the
// end in the order of one thread: floating-point sums have its bits. Those of integers, which have
// the same in any order, are added up by each thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/counters.hpp"
#include "machine/code/code.hpp"
#include "machine/engine/access.hpp"
#include "machine/engine/machine.hpp"
#include "machine/engine/reports.hpp"
#include "machine/engine/split.hpp"
#include "machine/races/access_map.hpp"

namespace gauntlet::simt {

/// A launch whose blocks are cut into pieces, runs of neighbours, which threads take one by one.
struct Split {
  /// An atomic operation on an array whose result nobody reads: it is performed when the pieces
  /// have ended, in the order in which they stand in the grid.
  struct Atomic {
    Address address = 0;
    std::uint64_t operand = 0, compare = 0;
    std::uint32_t inst = 0;
  };
  struct Piece {
    std::uint32_t first_block = 0, blocks = 0;
    std::vector<Atomic> deferred;
  };
  struct Thread {
    Thread(WrittenPages& written, MemoryLimit* limit) : combined(limit), pages(written) {}
    CombinedAtomics combined;
    WrittenPages::Writer pages;
    Counters counters;
    std::vector<Origin> origins;  ///< with those known before
  };

  Split(const Kernel& kernel, MemoryLimit* limit);
  std::vector<Piece> pieces;
  std::vector<bool> unread;  ///< by instruction: its result is not read
  /// Nothing is deferred but what can be combined, by threads: operations like that of this
  /// instruction.
  std::optional<std::uint32_t> combines;
  WrittenPages written;
  std::vector<Thread> threads;
  std::atomic<std::uint32_t> next{0};
  std::atomic<bool> failed{false};
  /// A block had used up its turn: then another one might have started before it ended.
  std::atomic<bool> turns{false};
  /// It failed since this array needs a place for origins, which no thread can make.
  std::atomic<const Allocation*> without_origins{nullptr};
};

/// What an engine has to do with it: the one of the launch asks others for help, and those take
/// pieces.
class SideBySide {
 public:
  /// `alone`: not these blocks, whatever the kernel.
  SideBySide(const Kernel& kernel, ModuleState& state, const LaunchConfig& config, bool alone);
  /// Blocks may still run side by side, or do.
  [[nodiscard]] bool possible() const { return possible_; }
  /// Blocks of the launch are `done`, in so many warp instructions: whether others shall help with
  /// those that are `left`.
  [[nodiscard]] bool pays(std::uint32_t done, std::uint32_t left, std::uint64_t spent) const;
  /// Runs pieces: makes an engine for that.
  using Help = std::function<void(const LaunchConfig& config, Split& of, Split::Thread& thread)>;
  /// Runs blocks from `first` on, on several threads. False: memory is as before, and they have to
  /// run one behind the other. `before`: what the blocks before have accessed; what these access
  /// and count, and where undefined values come from, is added.
  bool run(std::uint32_t first, std::uint32_t blocks, AccessMap& before, Counters& counters,
           Origins& origins, const Help& help);
  /// Blocks that ran beside others.
  [[nodiscard]] std::uint32_t blocks() const { return blocks_; }

  /// From here on an engine runs pieces, this is its thread.
  void join(Split& split, Split::Thread& thread);
  [[nodiscard]] bool joined() const { return split_ != nullptr; }
  /// nullptr: none is left, or one of all has failed.
  [[nodiscard]] const Split::Piece* next_piece();
  [[nodiscard]] bool failed() const { return joined() && split_->failed; }
  /// Something was met that depends on the order of blocks.
  void fail();
  void turn_ended() {
    if (joined()) split_->turns = true;
  }
  /// Lanes are about to access the array.
  void before(const Access& a, const Allocation& array, std::uint32_t mask);
  /// The same of a load or store of all bytes of a run, or of some.
  void before(const MemoryOp& op, const Allocation& array, std::uint64_t offset,
              std::uint64_t bytes);
  /// An engine that has joined comes to an atomic operation on an array: it is put off.
  void defer(const Access& a, std::uint32_t mask);
  /// It stores poison with this origin, numbered as in memory: whether it shall be kept in words of
  /// the array. [at, at + bytes) becomes as many as are the thread's own.
  bool keeps_origin(const Allocation& array, std::uint64_t& at, std::uint64_t& bytes,
                    std::uint32_t origin);

 private:
  /// run, once. `wanted`: an array that needs a place for origins; then it is to be tried again.
  bool run_once(std::uint32_t first, std::uint32_t blocks, AccessMap& before, Counters& counters,
                Origins& origins, const Help& help, const Allocation*& wanted);
  [[nodiscard]] bool independent(Split& split, AccessMap& before, std::vector<AccessMap>& accesses,
                                 Origins& origins) const;
  /// False: on what nobody has written.
  [[nodiscard]] bool perform(const Split::Atomic& deferred, WrittenPages::Writer& pages) const;

  const Kernel& kernel_;
  ModuleState& state_;
  const LaunchConfig& config_;
  bool possible_;
  std::uint32_t blocks_ = 0;
  Split* split_ = nullptr;           ///< of the pieces that this engine runs
  Split::Piece* piece_ = nullptr;    ///< of which it runs this one
  Split::Thread* thread_ = nullptr;  ///< on this thread
};

}  // namespace gauntlet::simt
