// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the race detector knows of the threads of a block: how far each has come, what has been
// brought to it, and what it can publish.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/host_memory.hpp"
#include "machine/races/cells.hpp"
#include "machine/races/put_off.hpp"
#include "machine/races/room.hpp"
#include "machine/races/vector_clock.hpp"

namespace gauntlet::simt::races {

/// What a fence has made ready for the strong writes behind it to publish: the thread's
/// knowledge, and its own past, up to the fence. It is put together when it is asked for.
struct ReleaseSet {
  SharedClock clock;
  SharedClock base;
  Clock at;
  bool due = false;  ///< `clock` has to be made of `base` and `at`
  [[nodiscard]] bool ready() const { return due || clock != nullptr; }
};
/// What is ordered before a thread's next instruction beyond epochs, its acquire set (what strong
/// reads brought, until a fence of that scope acquires it) and its release sets.
struct ThreadState {
  SharedClock clock;
  SharedClock acquire_block, acquire_device;  // by strong reads, until a fence of that scope
  SharedClock last_acquired;                  // by such a fence
  ReleaseSet release_block, release_device;
  bool flag_due = false;  // no strong write or atomic since the last of these fences
  bool block_fenced = false, device_fenced = false;     // ... nor anything else, but accesses
  bool handed_release = false, handed_acquire = false;  // by a barrier, of other threads
  std::uint32_t releases = 0, acquires = 0;  // of what a barrier joins: who brought something
};
template <class Key, class T>
using Counted = VectorClock::Counted<std::pair<const Key, T>>;
/// What the strong writes to an address have published, and whom it reaches.
struct Variable {
  SharedClock device;
  std::map<std::uint32_t, SharedClock, std::less<>, Counted<std::uint32_t, SharedClock>> block;
  std::uint32_t writes = 0;  ///< strong ones
  [[nodiscard]] bool published() const { return device != nullptr || !block.empty(); }
};
using Variables =
    std::unordered_map<std::uint64_t, Variable, std::hash<std::uint64_t>, std::equal_to<>,
                       Counted<std::uint64_t, Variable>>;  // by address
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
struct NamedBarrier {
  VectorClock clock;
  ThreadState others;  // clock unused
  std::uint32_t arrived = 0;
};
struct BlockClock {
  std::uint32_t epoch = 0, first_epoch = 0;
  std::vector<std::uint32_t> warp_epoch;
  std::vector<std::uint32_t> sequence;  // per thread
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
  // Exact mode, per thread:
  std::vector<ThreadState> states;
  bool any_states = false;  // some thread has a vector clock
  std::vector<std::uint32_t> fence_sequence;
  std::array<NamedBarrier, 16> barrier;
  Room room;  // of the rows
  std::vector<Row> shared[2];
  PutOff put_off;
  Variables sync_shared;
  /// Of bulk copies that the block began, by the mbarrier that counts them: its number among
  /// these, and how many there were.
  struct Bulk {
    std::uint32_t party = 0, copies = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Bulk> bulk;
};

}  // namespace gauntlet::simt::races
