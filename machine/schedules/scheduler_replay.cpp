// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Follows a recorded schedule: the base's choices, and between them the recorded preemptions.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "machine/schedules/recording.hpp"

namespace gauntlet::simt {
namespace {

/// The base, asked again before every visible access.
class Stepped final : public Scheduler {
 public:
  explicit Stepped(std::unique_ptr<Scheduler> base) : base_(std::move(base)) {}
  bool choose(const ResidentBlocks& residents, Choice& choice) override {
    if (!base_->choose(residents, choice)) return false;
    choice.until_visible = true;
    return true;
  }
  [[nodiscard]] bool blocks_descending() const override { return base_->blocks_descending(); }

 private:
  std::unique_ptr<Scheduler> base_;
};

class Replay final : public Scheduler {
 public:
  Replay(LaunchSchedule schedule, bool strict)
      : schedule_(std::move(schedule)), base_(make_base(schedule_)), strict_(strict) {}

  [[nodiscard]] bool blocks_descending() const override { return base_->blocks_descending(); }
  [[nodiscard]] std::uint32_t resident_blocks() const override { return schedule_.residents; }

  bool choose(const ResidentBlocks& residents, Choice& choice) override {
    if (!base_->choose(residents, choice)) return false;
    while (at_ < schedule_.preemptions.size()) {
      const Preemption& d = schedule_.preemptions[at_];
      if (gap_ < d.gap) {
        ++gap_;
        return true;
      }
      const char* misfit = follow(d, residents, choice);
      if (misfit == nullptr) {
        if (++times_ == d.times) next();
        return true;
      }
      if (strict_) refuse(d, misfit);
      next();
    }
    return true;
  }

  void end() override {
    if (strict_ && at_ < schedule_.preemptions.size()) {
      refuse(schedule_.preemptions[at_], "the launch ended before it");
    }
  }

 private:
  void next() {
    ++at_;
    gap_ = times_ = 0;
  }

  /// Null, or why the preemption does not fit.
  static const char* follow(const Preemption& d, const ResidentBlocks& residents, Choice& choice) {
    const auto block = std::find_if(residents.blocks.begin(), residents.blocks.end(),
                                    [&](const Block* b) { return b->linear == d.block; });
    if (block == residents.blocks.end()) return "the block is not resident";
    if (d.warp >= (*block)->warps.size()) return "the block has fewer warps";
    const Warp& warp = (*block)->warps[d.warp];
    for (std::uint32_t f = 0; f < warp.subwarp_count; ++f) {
      const Subwarp& subwarp = warp.subwarps[f];
      if ((subwarp.lanes & d.lanes) == 0) continue;
      if ((d.lanes & ~subwarp.lanes) != 0) return "the lanes are at different places";
      if (!residents.ready(subwarp)) return "the lanes wait";
      choice = {static_cast<std::uint32_t>(block - residents.blocks.begin()),
                d.warp,
                f,
                d.whole ? subwarp.lanes : d.lanes,
                !d.far,
                d.reconverge};
      return nullptr;
    }
    return "the lanes have exited";
  }

  [[noreturn]] void refuse(const Preemption& d, const char* why) const {
    throw CaseError(fmt::format(
        "the replay string does not fit this case and code: preemption {} of {} (block {}, warp "
        "{}, "
        "lane {}): {}; record it again",
        at_ + 1, schedule_.preemptions.size(), d.block, d.warp, std::countr_zero(d.lanes), why));
  }

  LaunchSchedule schedule_;
  std::unique_ptr<Scheduler> base_;
  bool strict_;
  std::size_t at_ = 0;
  std::uint64_t gap_ = 0, times_ = 0;
};

std::unique_ptr<Scheduler> coarse_base(LaunchSchedule::Base base) {
  using Base = LaunchSchedule::Base;
  switch (base) {
    case Base::lockstep:
      return make_lockstep(false, false);
    case Base::warps:
      return make_lockstep(true, false);
    case Base::blocks:
      return make_lockstep(false, true);
    case Base::up:
      return make_lane_order(false);
    case Base::down:
      break;
  }
  return make_lane_order(true);
}

}  // namespace

std::unique_ptr<Scheduler> make_base(const LaunchSchedule& schedule) {
  auto base = coarse_base(schedule.base);
  if (schedule.coarse) return base;
  return std::make_unique<Stepped>(std::move(base));
}

std::unique_ptr<Scheduler> make_replay(LaunchSchedule schedule, bool strict) {
  return std::make_unique<Replay>(std::move(schedule), strict);
}

std::unique_ptr<Scheduler> make_replay(const Schedule& schedule, std::uint32_t launch) {
  return make_replay(launch_schedule(parse_launch_schedules(schedule.recorded), launch), true);
}

}  // namespace gauntlet::simt
