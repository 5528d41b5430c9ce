// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How far a launch has come, for who wants to be told now and then.
#pragma once

#include <cstdint>
#include <utility>

#include "machine/engine/machine.hpp"

namespace gauntlet::simt {

class Progress {
 public:
  void block_ended() { ++blocks_; }
  /// A subwarp has had a turn, of a few instructions to 65,536.
  void turn(LaunchProgress& to, std::uint64_t warp_instructions) {
    constexpr std::uint32_t turns = 1024;
    if (++turns_ % turns != 0) return;
    to.blocks += std::exchange(blocks_, 0);
    to.warp_instructions += warp_instructions - std::exchange(told_, warp_instructions);
    to.tell();
  }

 private:
  std::uint32_t turns_ = 0, blocks_ = 0;
  std::uint64_t told_ = 0;
};

}  // namespace gauntlet::simt
