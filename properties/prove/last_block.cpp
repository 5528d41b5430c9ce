// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/last_block.hpp"

namespace gauntlet::prove {
namespace {

class LastBlock final : public simt::Scheduler {
 public:
  LastBlock(std::uint32_t last, std::uint32_t blocks) : last_(last), blocks_(blocks) {}

  [[nodiscard]] std::uint32_t resident_blocks() const override { return blocks_; }

  bool choose(const simt::ResidentBlocks& residents, simt::Choice& choice) override {
    return take(residents, choice, false) || take(residents, choice, true);
  }

 private:
  bool take(const simt::ResidentBlocks& residents, simt::Choice& choice, bool the_last) const {
    return residents.any_warp([&](std::uint32_t r, std::uint32_t w, const simt::Warp& warp) {
      if ((warp.block == last_) != the_last) return false;
      const auto best = residents.lowest_pc(warp);
      if (best == simt::warp_size) return false;
      choice = {r, w, best, warp.subwarps[best].lanes, false, true};
      return true;
    });
  }

  std::uint32_t last_, blocks_;
};

}  // namespace

std::unique_ptr<simt::Scheduler> make_last_block(std::uint32_t last, std::uint32_t blocks) {
  return std::make_unique<LastBlock>(last, blocks);
}

}  // namespace gauntlet::prove
