// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A programmatic dependent launch: whether the launch before has run, and what is noted of both
// (machine/races/launch_order.hpp).
#pragma once

#include <cstdint>

#include "machine/code/code.hpp"
#include "machine/engine/access.hpp"
#include "machine/engine/machine.hpp"
#include "machine/races/launch_order.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {

class DependentLaunch {
 public:
  DependentLaunch(const LaunchConfig& config, RaceDetector* races);

  /// The launch before has not run yet.
  [[nodiscard]] bool is_due() const { return config_.launch_before && !ran_; }
  [[nodiscard]] bool holds_up(const Inst& i) const { return i.wait == Wait::launch && is_due(); }
  /// Runs the launch before. False: it did not come to its end.
  [[nodiscard]] bool run() {
    ran_ = true;
    return config_.launch_before();
  }
  /// griddepcontrol by lanes that need not wait any more.
  void control(Block& b, const Warp& w, const Inst& i, std::uint32_t lanes);
  void note_end(const Block& b) {
    // A block that ends lets the next launch begin, too.
    if (steps_ != nullptr && !b.triggered && b.waited) steps_->begins_next_at_once = false;
  }
  /// It is asked which accesses come before the wait.
  [[nodiscard]] bool overlaps() const { return overlaps_; }
  /// Accesses by these lanes are noted: behind the wait only for those who compare launches here.
  [[nodiscard]] bool notes(const Block& b, const Warp& w, std::uint32_t lanes) const {
    return overlaps_ &&
           (config_.ordering != nullptr || races_->behind_launch_wait(b, w, lanes) != lanes);
  }
  /// Those of the lanes that come behind the launch's wait; 0 where it overlaps no other.
  [[nodiscard]] std::uint32_t behind_wait(const Access& a, std::uint32_t mask) const;
  void note(const Access& a, const Allocation& allocation, std::uint32_t mask);

 private:
  const LaunchConfig& config_;
  RaceDetector* const races_;
  const bool overlaps_;
  LaunchSteps* const steps_;  ///< what it says of the launches beside it, if asked
  bool ran_ = false;
};

}  // namespace gauntlet::simt
