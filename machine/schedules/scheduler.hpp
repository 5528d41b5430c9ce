// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Who goes next. A scheduler sees the resident blocks and picks a subwarp, which of its lanes, and
// how far they run. Every legal interleaving can be expressed; each scheduler has a file of its
// own. Spellings: base/schedule.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/schedule.hpp"
#include "machine/code/code.hpp"
#include "machine/state/block.hpp"

namespace gauntlet::simt {

struct Choice {
  std::uint32_t resident = 0;  ///< index into ResidentBlocks::blocks
  std::uint32_t warp = 0;
  std::uint32_t subwarp = 0;
  std::uint32_t lanes = 0;     ///< a subset of the subwarp's lanes: the rest stays where it is
  bool until_visible = false;  ///< come back before the next access that others can see
  bool reconverge = false;     ///< stop where another subwarp of the warp waits to be joined
  /// Lanes of the subwarp that come next, one by one in this order, once `lanes`, one lane, waits.
  std::uint32_t followers = 0;
};

/// What a scheduler may look at.
struct ResidentBlocks {
  const Kernel* kernel = nullptr;
  std::vector<Block*> blocks;  ///< in the order they were started
  std::uint64_t quantum = 0;   ///< a subwarp that spent as much must be passed over
  /// Another number each time that subwarps become ready which are not of the warp that ran last:
  /// a barrier ends, blocks come or go, everybody gets a new turn.
  std::uint64_t wakes = 0;

  [[nodiscard]] bool ready(const Subwarp& f) const {
    return f.state == Subwarp::State::runnable && f.spent < quantum;
  }
  /// True when the subwarp's next instruction touches what other threads can see.
  [[nodiscard]] bool at_visible(const Subwarp& f) const { return kernel->code[f.pc].visible; }

  /// Calls f(resident, warp index, warp) for the warps of all blocks, in ascending order, until it
  /// gives true. Gives what the last call gave.
  template <class F>
  bool any_warp(F f) const {
    for (std::uint32_t r = 0; r < blocks.size(); ++r) {
      const auto& warps = blocks[r]->warps;
      for (std::uint32_t w = 0; w < warps.size(); ++w) {
        if (f(r, w, warps[w])) return true;
      }
    }
    return false;
  }
  /// The warps before this place had nothing ready when it was found.
  struct Place {
    std::uint64_t wakes = ~std::uint64_t{0};
    std::uint32_t block = 0, warp = 0;  ///< warp: counted in the order of the walk
  };
  /// Like any_warp, from the first warp that may be ready: calls to the same `place` give the first
  /// warp for which f is true as long as only that one runs. `descending`: warps of a block.
  template <class F>
  bool first_warp(Place& place, bool descending, F f) const {
    if (place.wakes != wakes) place = {wakes, 0, 0};
    for (; place.block < blocks.size(); ++place.block, place.warp = 0) {
      const auto& warps = blocks[place.block]->warps;
      const auto count = static_cast<std::uint32_t>(warps.size());
      for (; place.warp < count; ++place.warp) {
        const std::uint32_t w = descending ? count - 1 - place.warp : place.warp;
        if (f(place.block, w, warps[w])) return true;
      }
    }
    return false;
  }
  /// The same with f(resident, warp index, subwarp index, subwarp) for the ready subwarps.
  template <class F>
  bool any_ready(F f) const {
    return any_warp([&](std::uint32_t r, std::uint32_t w, const Warp& warp) {
      return any_ready_of(warp, [&](std::uint32_t k) { return f(r, w, k, warp.subwarps[k]); });
    });
  }
  /// The same with f(subwarp index) for those of one warp.
  template <class F>
  bool any_ready_of(const Warp& warp, F f) const {
    // Behind the last runnable one there is none to be looked at.
    std::uint32_t left = warp.runnable();
    for (std::uint32_t k = 0; left != 0; ++k) {
      const Subwarp& subwarp = warp.subwarps[k];
      if ((subwarp.lanes & left) == 0) continue;
      left &= ~subwarp.lanes;
      if (subwarp.spent < quantum && f(k)) return true;
    }
    return false;
  }
  /// The ready subwarp of a warp that comes first by before(a, b); warp_size: none is ready.
  template <class Before>
  [[nodiscard]] std::uint32_t first_ready(const Warp& warp, Before before) const {
    std::uint32_t first = warp_size;
    any_ready_of(warp, [&](std::uint32_t k) {
      if (first == warp_size || before(warp.subwarps[k], warp.subwarps[first])) first = k;
      return false;
    });
    return first;
  }
  /// Likewise the one whose next instruction comes first in the code.
  [[nodiscard]] std::uint32_t lowest_pc(const Warp& warp) const {
    if (warp.subwarp_count <= 1) {
      return warp.subwarp_count == 1 && ready(warp.subwarps[0]) ? 0 : warp_size;
    }
    return first_ready(warp, [](const Subwarp& a, const Subwarp& b) { return a.pc < b.pc; });
  }
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Picks among ready subwarps. False: none is ready.
  virtual bool choose(const ResidentBlocks& residents, Choice& choice) = 0;
  /// Order in which blocks are started.
  [[nodiscard]] virtual bool blocks_descending() const { return false; }
  /// How many blocks are resident at once, as far as there are any left. A launch whose blocks all
  /// wait, and a cooperative one, has more.
  [[nodiscard]] virtual std::uint32_t resident_blocks() const { return 1; }
  /// The launch is over.
  virtual void end() {}
};

/// Makes the scheduler that `spelling` names; `launch` distinguishes the launches of one run.
/// Throws CaseError (one line) for a spelling that is not a schedule.
[[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(std::string_view spelling,
                                                        std::uint32_t launch);

/// A maker for each row of base/schedule.hpp; SEED distinguishes launches already.
#define GAUNTLET_SCHEDULE(name, parameters) \
  std::unique_ptr<Scheduler> make_##name(const Schedule& schedule, std::uint32_t launch);
GAUNTLET_SCHEDULES(GAUNTLET_SCHEDULE)
#undef GAUNTLET_SCHEDULE

std::unique_ptr<Scheduler> make_lockstep(bool warps_descending, bool blocks_descending);
std::unique_ptr<Scheduler> make_lane_order(bool descending);

}  // namespace gauntlet::simt
