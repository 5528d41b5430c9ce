// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// At every visible access: any ready subwarp of any resident block, all of its lanes or a random
// part of them. The seed is the replay.
#include <bit>

#include "simt/schedulers/scheduler.hpp"

namespace gauntlet::simt {
namespace {

class Random final : public Scheduler {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  bool choose(const ResidentBlocks& residents, Choice& choice) override {
    std::uint64_t ready = 0;
    residents.any_ready([&](std::uint32_t, std::uint32_t, std::uint32_t, const Subwarp&) {
      ++ready;
      return false;
    });
    if (ready == 0) return false;
    auto passed_over = next() % ready;
    residents.any_ready([&](std::uint32_t r, std::uint32_t w, std::uint32_t f, const Subwarp& of) {
      if (passed_over-- != 0) return false;
      choice = {r, w, f, of.lanes, true, false};
      return true;
    });
    const auto& subwarp =
        residents.blocks[choice.resident]->warps[choice.warp].subwarps[choice.subwarp];
    if (residents.at_visible(subwarp) && next() % 4 == 0) {
      const auto part = choice.lanes & static_cast<std::uint32_t>(next());
      if (part != 0) choice.lanes = part;
    }
    return true;
  }

 private:
  // splitmix64 (Steele, Lea, Flood 2014).
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E37'79B9'7F4A'7C15;
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace

std::unique_ptr<Scheduler> make_random(std::uint64_t seed) {
  return std::make_unique<Random>(seed);
}

}  // namespace gauntlet::simt
