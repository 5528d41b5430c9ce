// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/schedules/recording.hpp"

#include <utility>

namespace gauntlet::simt {
namespace {

bool same(const Choice& a, const Choice& b) {
  return a.resident == b.resident && a.warp == b.warp && a.subwarp == b.subwarp &&
         a.lanes == b.lanes && a.until_visible == b.until_visible && a.reconverge == b.reconverge;
}

}  // namespace

Recording::Recording(Scheduler& inner, LaunchSchedule base)
    : inner_(inner), recorded_(std::move(base)) {
  recorded_.preemptions.clear();
  recorded_.residents = inner.resident_blocks();
  base_ = make_base(recorded_);
}

bool Recording::choose(const ResidentBlocks& residents, Choice& choice) {
  if (!inner_.choose(residents, choice)) return false;
  Choice proposal;
  if (base_->choose(residents, proposal) && same(proposal, choice)) {
    ++gap_;
    return true;
  }
  const Block& block = *residents.blocks[choice.resident];
  const auto subwarp = block.warps[choice.warp].subwarps[choice.subwarp].lanes;
  Preemption d;
  d.gap = std::exchange(gap_, 0);
  d.block = block.linear;
  d.warp = choice.warp;
  d.whole = choice.lanes == subwarp;
  d.lanes = d.whole ? subwarp & (~subwarp + 1) : choice.lanes;
  d.far = !choice.until_visible;
  d.reconverge = choice.reconverge;
  if (!recorded_.preemptions.empty() && d.gap == 0) {
    // Once more the same lanes: those that were split off are a whole subwarp from then on.
    auto& last = recorded_.preemptions.back();
    const bool lanes = last.whole ? d.whole && d.lanes == last.lanes : choice.lanes == last.lanes;
    if (lanes && last.block == d.block && last.warp == d.warp && last.far == d.far &&
        last.reconverge == d.reconverge) {
      ++last.times;
      return true;
    }
  }
  recorded_.preemptions.push_back(d);
  return true;
}

}  // namespace gauntlet::simt
