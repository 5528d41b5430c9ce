// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the race detector knows of the threads of a block: how far each has come, what has been
// brought to it, and what it can publish.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/host_memory.hpp"
#include "machine/races/causes.hpp"
#include "machine/races/cells.hpp"
#include "machine/races/mbarrier_operations.hpp"
#include "machine/races/put_off.hpp"
#include "machine/races/room.hpp"
#include "machine/races/thread_states.hpp"
#include "machine/races/variables.hpp"
#include "machine/races/vector_clock.hpp"

namespace gauntlet::simt::races {

/// What vector clocks take of a limit, a MiB at a time.
class ClockRoom {
 public:
  explicit ClockRoom(MemoryLimit* limit) : limit_(limit) {}
  ClockRoom(const ClockRoom&) = delete;
  ClockRoom& operator=(const ClockRoom&) = delete;
  ~ClockRoom() {
    if (limit_ != nullptr) limit_->give_back(static_cast<std::uint64_t>(told_));
  }
  void tell() {
    const std::int64_t more = VectorClock::bytes() - before_ - told_;
    if (limit_ == nullptr || more < step) return;
    limit_->take(static_cast<std::uint64_t>(more));
    told_ += more;
  }

 private:
  static constexpr std::int64_t step = 1 << 20;
  MemoryLimit* limit_;
  std::int64_t before_ = VectorClock::bytes(), told_ = 0;
};
/// The strong writes of a synchronisation variable that a strong read has seen: those before
/// what the thread does next. variable 0: none.
struct Observed {
  std::uint64_t variable = 0;
  std::uint32_t writes = 0;
  bool is_new = false;  ///< the thread cannot have seen so many before
  Known after{};        ///< what a thread that releases knows with them; nothing: not said yet
  /// It comes behind the strong writes of the variable from this number on; ~0: not known.
  std::uint32_t in_turn_since = ~0U;
};
/// What all accesses of a thread by an instruction have in common.
struct At {
  CopyStep copy;
  const Allocation* array;  ///< nullptr: in shared memory
  bool begins_anew, together;
  std::uint32_t in_turn_since = ~0U;  ///< as Observed's
};
struct NamedBarrier {
  Known clock{};
  ThreadState others;  // clock unused
  std::uint32_t arrived = 0;
};
/// What the barrier of a cluster brings to those who leave it, and what those who came bring.
struct ClusterClock {
  Known arriving{}, complete{};
};
/// Of a thread that exited before a barrier of others: that orders nothing of what it did since its
/// own last one, which may be a warp barrier with lanes that came to the block's.
struct EarlyExit {
  Clock clock;
  bool warp_stayed = false;
};
struct BlockClock {
  std::uint32_t epoch = 0, first_epoch = 0;
  std::vector<std::uint32_t> warp_epoch;
  std::vector<std::uint32_t> sequence;  // per thread, and lane without one
  struct Exited {
    std::uint32_t block_epoch, warp_epoch;
  };
  std::vector<Exited> exited;                            // per thread; its sequence stays
  std::vector<std::uint32_t> exited_lanes, early_lanes;  // per warp
  struct Accessed {
    std::uint32_t epoch, lanes;
  };
  std::vector<Accessed> accessed;  // per warp: who, in that block epoch
  bool any_exited = false;
  bool any_early = false;  // a thread exited before a block barrier of the others
  /// Per warp: the lanes behind a wait for the launch before; empty: none are. Exact mode has it
  /// in their states.
  std::vector<std::uint32_t> waited;
  // Exact mode, per thread:
  ThreadStates states;
  bool any_states = false;  // some thread has a vector clock
  Known all_know{};         // all threads that are left, since the latest barrier of the block
  /// By block, before which of its epochs all threads of this one know all.
  std::shared_ptr<const Causes::Epochs> known_epochs;
  std::uint64_t known_number = 0;  ///< another one for each that a block has known
  [[nodiscard]] std::uint32_t known_epoch(std::uint32_t block) const {
    return known_epochs != nullptr && block < known_epochs->size() ? (*known_epochs)[block] : 0;
  }
  std::vector<std::uint32_t> fence_sequence;
  std::array<NamedBarrier, 16> barrier;
  Room room;  // of the rows
  std::vector<Row> shared[2];
  PutOff put_off;
  std::unordered_map<std::uint64_t, MbarrierOperations> operations;  ///< by half and first cell
  Variables sync_shared;
  /// Of bulk copies that the block began, by the mbarrier that counts them: its number among
  /// these, and how many there were.
  struct Bulk {
    std::uint32_t party = 0, copies = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Bulk> bulk;
};

/// Of all lanes of the mask; nullopt: they have several. `first`: one of them.
[[nodiscard]] std::optional<std::uint32_t> common_sequence(const Warp& w, std::uint32_t mask,
                                                           std::uint32_t first,
                                                           const BlockClock& c);

}  // namespace gauntlet::simt::races
