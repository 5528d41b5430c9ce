// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What each thread of a block knows of others beyond epochs.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "machine/races/causes.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt::races {

/// What a fence has made ready for the strong writes behind it to publish: the thread's
/// knowledge, and its own past, up to the fence. It is put together when it is asked for.
struct ReleaseSet {
  Known clock{};
  Known base{};
  Clock at;
  bool due = false;  ///< `clock` has to be made of `base` and `at`
  [[nodiscard]] bool ready() const { return due || clock != Known::nothing; }
  bool operator==(const ReleaseSet&) const = default;
};
/// What is ordered before a thread's next instruction beyond epochs, its acquire set (what strong
/// reads brought, until a fence of that scope acquires it) and its release sets.
struct ThreadState {
  Known clock{};
  bool flag_due = false;  // no strong write or atomic since the last fence that releases
  bool block_fenced = false, device_fenced = false;     // ... nor anything else, but accesses
  bool handed_release = false, handed_acquire = false;  // by a barrier, of other threads
  Known acquire_block{}, acquire_device{};  // by strong reads, until a fence of that scope
  Known last_acquired{};                    // by such a fence
  ReleaseSet release_block, release_device;
  std::uint32_t releases = 0, acquires = 0;  // of what a barrier joins: who brought something
  bool operator==(const ThreadState&) const = default;
};
/// Those of a block. Lanes of a warp mostly have the same, which then stands for all of them, but
/// for those that have their own.
class ThreadStates {
 public:
  void reset(std::uint32_t threads) {
    const std::uint32_t warps = (threads + warp_size - 1) / warp_size;
    common_.assign(warps, {});
    own_.assign(warps, 0);
    each_.resize(threads);
  }
  [[nodiscard]] const ThreadState& operator[](std::uint32_t thread) const {
    const std::uint32_t warp = thread / warp_size;
    return (own_[warp] >> thread % warp_size & 1) != 0 ? each_[thread] : common_[warp];
  }
  /// That of a thread, which is to be changed.
  [[nodiscard]] ThreadState& own(std::uint32_t thread) {
    const std::uint32_t warp = thread / warp_size, bit = 1U << thread % warp_size;
    if ((own_[warp] & bit) == 0) each_[thread] = common_[warp];
    own_[warp] |= bit;
    return each_[thread];
  }
  /// The same of these lanes of a warp; returns that of its first thread.
  [[nodiscard]] ThreadState* own(std::uint32_t warp, std::uint32_t lanes) {
    for (const unsigned l : lanes_of(lanes & ~own_[warp]))
      each_[warp * warp_size + l] = common_[warp];
    own_[warp] |= lanes;
    return &each_[std::size_t{warp} * warp_size];
  }
  /// The states of these lanes, to be looked at: each with the lanes whose it is.
  template <class Visit>
  void look_at(std::uint32_t warp, std::uint32_t lanes, Visit visit) const {
    const std::uint32_t own = own_[warp];
    if ((lanes & ~own) != 0) visit(common_[warp], lanes & ~own);
    for (const unsigned l : lanes_of(lanes & own)) visit(each_[warp * warp_size + l], 1U << l);
  }
  /// The same, to be changed. `live`: lanes that have not exited.
  template <class Visit>
  void change(std::uint32_t warp, std::uint32_t lanes, std::uint32_t live, Visit visit) {
    const std::uint32_t own = own_[warp], common = lanes & ~own;
    if ((live & ~own & ~lanes) == 0 && common != 0) {
      visit(common_[warp], common);
    } else {
      for (const unsigned l : lanes_of(common)) visit(this->own(warp * warp_size + l), 1U << l);
    }
    for (const unsigned l : lanes_of(lanes & own)) visit(each_[warp * warp_size + l], 1U << l);
  }
  /// Those of these lanes that have the same are common again.
  void unite(std::uint32_t warp, std::uint32_t lanes, std::uint32_t live) {
    const std::uint32_t own = own_[warp] & lanes, first = warp * warp_size;
    if (own == 0) return;
    if ((live & ~own_[warp]) == 0) {
      common_[warp] = each_[first + static_cast<std::uint32_t>(std::countr_zero(own))];
    }
    for (const unsigned l : lanes_of(own)) {
      if (each_[first + l] == common_[warp]) own_[warp] &= ~(1U << l);
    }
  }
  /// All that are somebody's.
  template <class Visit>
  void each(Visit visit) {
    for (std::uint32_t w = 0; w < own_.size(); ++w) {
      visit(common_[w]);
      for (const unsigned l : lanes_of(own_[w])) visit(each_[w * warp_size + l]);
    }
  }

 private:
  std::vector<ThreadState> common_;  // by warp
  std::vector<std::uint32_t> own_;   // lanes of each warp that have their own
  std::vector<ThreadState> each_;    // these, by thread
};

}  // namespace gauntlet::simt::races
