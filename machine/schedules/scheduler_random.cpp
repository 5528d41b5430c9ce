// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// At every visible access: any ready subwarp of any resident block, all of its lanes or a random
// part of them. The seed is the replay.

#include "machine/schedules/scheduler.hpp"

namespace gauntlet::simt {
namespace {

class Random final : public Scheduler {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint32_t resident_blocks() const override { return 4; }

  bool choose(const ResidentBlocks& residents, Choice& choice) override {
    count(residents);
    if (ready_ == 0) return false;
    auto passed_over = static_cast<std::uint32_t>(next() % ready_);
    std::size_t k = 0;
    while (passed_over >= of_warp_[k]) passed_over -= of_warp_[k++];
    last_ = k;
    std::uint32_t resident = 0;
    while (k >= residents.blocks[resident]->warps.size()) {
      k -= residents.blocks[resident++]->warps.size();
    }
    const Warp& warp = residents.blocks[resident]->warps[k];
    std::uint32_t f = 0;
    residents.any_ready_of(warp, [&](std::uint32_t k) {
      f = k;
      return passed_over-- == 0;
    });
    const Subwarp& subwarp = warp.subwarps[f];
    // Lanes that are at one instruction again go on together: one by one they would take 32 times
    // as many instructions from the first loop on.
    choice = {resident, static_cast<std::uint32_t>(k), f, subwarp.lanes, true, true};
    if (residents.at_visible(subwarp) && next() % 4 == 0) {
      const auto part = choice.lanes & static_cast<std::uint32_t>(next());
      if (part != 0) choice.lanes = part;
    }
    return true;
  }

 private:
  /// How many subwarps are ready; of all warps, or of the one that ran where no other has changed.
  void count(const ResidentBlocks& residents) {
    const auto of = [&](const Warp& warp) {
      std::uint32_t ready = 0;
      residents.any_ready_of(warp, [&](std::uint32_t) {
        ++ready;
        return false;
      });
      return ready;
    };
    if (wakes_ == residents.wakes) {
      auto k = last_;
      auto block = residents.blocks.begin();
      for (; k >= (*block)->warps.size(); ++block) k -= (*block)->warps.size();
      ready_ -= of_warp_[last_];
      ready_ += of_warp_[last_] = of((*block)->warps[k]);
      return;
    }
    wakes_ = residents.wakes;
    of_warp_.clear();
    ready_ = 0;
    last_ = 0;
    residents.any_warp([&](std::uint32_t, std::uint32_t, const Warp& warp) {
      of_warp_.push_back(of(warp));
      ready_ += of_warp_.back();
      return false;
    });
  }

  // splitmix64 (Steele, Lea, Flood 2014).
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E37'79B9'7F4A'7C15;
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
  std::uint64_t wakes_ = ~std::uint64_t{0};  ///< ResidentBlocks::wakes when warps were counted
  std::vector<std::uint32_t> of_warp_;       ///< ready subwarps of each warp of all blocks
  std::uint64_t ready_ = 0;                  ///< of all
  std::size_t last_ = 0;                     ///< the warp that was chosen last
};

}  // namespace

std::unique_ptr<Scheduler> make_random(const Schedule& schedule, std::uint32_t) {
  return std::make_unique<Random>(schedule.seed);
}

}  // namespace gauntlet::simt
