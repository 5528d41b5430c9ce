// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010).
// Every thread gets a random priority; the ready thread with the highest one runs, alone. At
// DEPTH-1 steps drawn beforehand, the thread that runs falls below all others. A bug that takes
// DEPTH ordering constraints among n threads and k steps shows with probability of at least
// 1 / (n k^(DEPTH-1)). A step is an access that other threads can see.
//
// The steps of a launch are not known beforehand. k is taken as n times the visible instructions of
// the kernel, which no run of straight code exceeds; eightfold where the code has a loop.
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "machine/schedules/scheduler.hpp"

namespace gauntlet::simt {
namespace {

class Pct final : public Scheduler {
 public:
  Pct(std::uint32_t depth, std::uint64_t seed) : depth_(std::max(depth, 1U)), seed_(seed) {}

  [[nodiscard]] std::uint32_t resident_blocks() const override { return 4; }

  bool choose(const ResidentBlocks& residents, Choice& choice) override {
    bool any = false;
    std::uint64_t best = 0;
    const bool free_step = residents.any_ready(
        [&](std::uint32_t r, std::uint32_t w, std::uint32_t f, const Subwarp& subwarp) {
          if (std::popcount(subwarp.lanes) > 1 && !residents.at_visible(subwarp)) {
            // Up to the first visible access the order of lanes cannot matter.
            choice = {r, w, f, subwarp.lanes, true, false};
            return true;
          }
          for (const unsigned lane : lanes_of(subwarp.lanes)) {
            const auto p = priority(thread(*residents.blocks[r], w, lane));
            if (any && p <= best) continue;
            any = true;
            best = p;
            choice = {r, w, f, 1U << lane, true, false};
          }
          return false;
        });
    if (free_step) return true;
    if (!any) return false;
    const Block& block = *residents.blocks[choice.resident];
    if (residents.at_visible(block.warps[choice.warp].subwarps[choice.subwarp])) {
      if (step_ == 0) draw_changes(residents);
      const auto change = std::find(changes_.begin(), changes_.end(), ++step_);
      if (change != changes_.end()) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(choice.lanes));
        lowered_[thread(block, choice.warp, lane)] =
            1 + static_cast<std::uint64_t>(change - changes_.begin());
        *change = 0;
        return choose(residents, choice);
      }
    }
    return true;
  }

 private:
  static std::uint64_t thread(const Block& block, std::uint32_t warp, std::uint32_t lane) {
    return std::uint64_t{block.linear} << 32 | (warp * warp_size + lane);
  }
  [[nodiscard]] std::uint64_t priority(std::uint64_t thread) const {
    if (const auto it = lowered_.find(thread); it != lowered_.end()) return it->second;
    return scramble(seed_ ^ scramble(thread)) | std::uint64_t{1} << 63;
  }
  void draw_changes(const ResidentBlocks& residents) {
    std::uint64_t threads = 0, visible = 0;
    for (const Block* b : residents.blocks) threads += b->live();
    bool loop = false;
    const auto& code = residents.kernel->code;
    for (std::size_t k = 0; k < code.size(); ++k) {
      visible += code[k].visible;
      loop |= code[k].kind == Kind::branch && code[k].target <= k;
    }
    const auto steps = std::max<std::uint64_t>(1, threads * visible * (loop ? 8 : 1));
    for (std::uint32_t k = 1; k < depth_ && k < 64; ++k) {
      changes_.push_back(1 + scramble(seed_ + scramble(k)) % steps);
    }
  }
  // The output function of splitmix64 (Steele, Lea, Flood 2014).
  static std::uint64_t scramble(std::uint64_t z) {
    z += 0x9E37'79B9'7F4A'7C15;
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
    return z ^ (z >> 31);
  }

  std::uint32_t depth_;
  std::uint64_t seed_;
  std::uint64_t step_ = 0;
  std::vector<std::uint64_t> changes_;  // steps; 0: done
  std::unordered_map<std::uint64_t, std::uint64_t> lowered_;
};

}  // namespace

std::unique_ptr<Scheduler> make_pct(const Schedule& schedule, std::uint32_t) {
  return std::make_unique<Pct>(schedule.depth, schedule.seed);
}

}  // namespace gauntlet::simt
