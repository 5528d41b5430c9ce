// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Preemption-bounded search (Musuvathi and Qadeer, PLDI 2007): a depth-first walk over the points
// at which somebody else could go first.
#include "machine/schedules/explore.hpp"

#include <bit>
#include <chrono>
#include <vector>

#include "machine/schedules/recording.hpp"

namespace gauntlet::simt {
namespace {

/// Which of how many alternatives was taken, for each choice of a run.
struct Decision {
  std::uint32_t taken = 0, count = 1;
};

class Bounded final : public Scheduler {
 public:
  Bounded(const LaunchSchedule& base, unsigned preemptions, std::vector<Decision>& path)
      : base_(make_base(base)), residents_(base.residents), left_(preemptions), path_(path) {}

  [[nodiscard]] bool blocks_descending() const override { return base_->blocks_descending(); }
  [[nodiscard]] std::uint32_t resident_blocks() const override { return residents_; }

  bool choose(const ResidentBlocks& residents, Choice& choice) override {
    alternatives_.clear();
    Choice proposal;
    if (!base_->choose(residents, proposal)) return false;
    alternatives_.push_back(proposal);
    // Those who went first may go on at no cost.
    const bool goes_on = ahead_ && again(residents);
    if (left_ != 0) add_preemptions(residents, proposal);
    const auto taken = decide(static_cast<std::uint32_t>(alternatives_.size()));
    choice = alternatives_[taken];
    if (taken == 0) {
      ahead_ = false;
    } else if (!(goes_on && taken == 1)) {
      --left_;
      ahead_ = true;
      block_ = residents.blocks[choice.resident]->linear;
      warp_ = choice.warp;
      lanes_ = choice.lanes;
    }
    return true;
  }

 private:
  std::uint32_t decide(std::uint32_t count) {
    if (at_ == path_.size()) path_.push_back({0, count});
    return path_[at_++].taken;
  }

  /// The lanes that went first, if they can go on: as the first alternative to the proposal.
  bool again(const ResidentBlocks& residents) {
    for (std::uint32_t r = 0; r < residents.blocks.size(); ++r) {
      if (residents.blocks[r]->linear != block_) continue;
      const Warp& warp = residents.blocks[r]->warps[warp_];
      for (std::uint32_t f = 0; f < warp.subwarp_count; ++f) {
        const Subwarp& subwarp = warp.subwarps[f];
        if ((lanes_ & ~subwarp.lanes) != 0 || !residents.ready(subwarp)) continue;
        alternatives_.push_back({r, warp_, f, lanes_, true, false});
        return true;
      }
    }
    return false;
  }

  void add_preemptions(const ResidentBlocks& residents, const Choice& proposal) {
    residents.any_ready([&](std::uint32_t r, std::uint32_t w, std::uint32_t f,
                            const Subwarp& subwarp) {
      const bool proposed = r == proposal.resident && w == proposal.warp && f == proposal.subwarp;
      const auto block = residents.blocks[r]->linear;
      const auto add = [&](std::uint32_t lanes) {
        if (proposed && lanes == proposal.lanes) return;
        if (ahead_ && block == block_ && w == warp_ && lanes == lanes_) return;
        alternatives_.push_back({r, w, f, lanes, true, false});
      };
      if (!proposed && std::popcount(subwarp.lanes) > 1) add(subwarp.lanes);
      for (const int l : lanes_of(subwarp.lanes)) add(1U << l);
      return false;
    });
  }

  std::unique_ptr<Scheduler> base_;
  std::uint32_t residents_;
  unsigned left_;
  std::vector<Decision>& path_;
  std::size_t at_ = 0;
  std::vector<Choice> alternatives_;
  bool ahead_ = false;  // these lanes went before the base's proposal
  std::uint32_t block_ = 0, warp_ = 0, lanes_ = 0;
};

}  // namespace

Explored explore_bounded(const LaunchSchedule& base, unsigned preemptions,
                         const ExploreLimits& limits, const std::function<bool(Scheduler&)>& run) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(limits.seconds);
  Explored result;
  std::vector<Decision> path;
  while (result.runs < limits.runs && Clock::now() < end) {
    Bounded scheduler(base, preemptions, path);
    ++result.runs;
    if (!run(scheduler)) return result;
    while (!path.empty() && path.back().taken + 1 == path.back().count) path.pop_back();
    if (path.empty()) {
      result.complete = true;
      return result;
    }
    ++path.back().taken;
  }
  return result;
}

}  // namespace gauntlet::simt
