// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// shfl.sync, all modes, widths, lanes and deltas (PTX ISA 9.0, 9.7.9.6). What lane k is expected to
// read is worked out from CUDA's description of __shfl_*_sync with a width, not from the manual's
// formula that the machine uses.
#include <fmt/format.h>

#include <optional>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::opcode_shuffle {
namespace {

/// The lane that `lane` reads from; nothing: out of range, it keeps its own value.
std::optional<unsigned> source(const std::string& mode, unsigned lane, unsigned delta,
                               unsigned width) {
  const unsigned group = lane / width, position = lane % width;
  if (mode == "up") {
    if (position < delta) return {};
    return group * width + position - delta;
  }
  if (mode == "down") {
    if (position + delta >= width) return {};
    return group * width + position + delta;
  }
  if (mode == "idx") return group * width + delta % width;
  // bfly: lanes of earlier groups may be read, those of later ones not.
  const unsigned other = lane ^ delta;
  if (other / width > group) return {};
  return other;
}
/// The third operand as nvcc computes it from a width.
unsigned clamp(const std::string& mode, unsigned width) {
  return (32 - width) << 8 | (mode == "up" ? 0 : 0x1F);
}

/// value and predicate of every lane for deltas 0 to 31 at one width.
TEST(OpcodeShuffle, every_mode_width_lane_and_delta) {
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    Device device(kernel(
        ".param .u64 out, .param .u32 clamp",
        fmt::format(
            "ld.param.u64 %d0, [out]; ld.param.u32 %r1, [clamp]; mov.u32 %r0, %tid.x;"
            "mad.lo.u32 %r2, %r0, 3, 1000; mov.u32 %r3, 0;"
            "L: shfl.sync.{}.b32 %r4|%p0, %r2, %r3, %r1, 0xffffffff; selp.u32 %r5, 1, 0, %p0;"
            "mad.lo.u32 %r6, %r3, 32, %r0; mad.wide.u32 %d1, %r6, 8, %d0;"
            "st.global.v2.u32 [%d1], {{%r4, %r5}}; add.u32 %r3, %r3, 1;"
            "setp.lt.u32 %p1, %r3, 32; @%p1 bra L;",
            mode)));
    for (unsigned width = 1; width <= 32; width *= 2) {
      const auto out = device.output<std::uint64_t>("out", 1024);
      ASSERT_TRUE(silent(device.launch({}, out, clamp(mode, width))));
      const auto got = device.read<std::uint64_t>(out, 1024);
      for (unsigned delta = 0; delta < 32; ++delta) {
        for (unsigned lane = 0; lane < 32; ++lane) {
          const auto from = source(mode, lane, delta, width);
          const std::uint64_t want =
              (1000 + 3 * from.value_or(lane)) | std::uint64_t{from.has_value()} << 32;
          ASSERT_EQ(got[delta * 32 + lane], want)
              << mode << " width " << width << " delta " << delta << " lane " << lane;
        }
      }
    }
  }
}

TEST(OpcodeShuffle, only_the_low_five_bits_of_the_delta_count) {
  Device device(
      kernel(".param .u64 out",
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0x101;"
             "shfl.sync.idx.b32 %r2, %r0, 0x23, 0x1f, 0xffffffff;"
             "shfl.sync.down.b32 %r3|%p0, %r0, %r1, 0x1f, 0xffffffff;"
             "add.u32 %r2, %r2, %r3; mad.wide.u32 %d0, %r0, 4, %d0; st.global.u32 [%d0], %r2;"));
  const auto out = device.output<std::uint32_t>("out", 32);
  EXPECT_TRUE(silent(device.launch({}, out)));
  for (unsigned l = 0; l < 32; ++l) {
    EXPECT_EQ(device.read<std::uint32_t>(out, 32)[l], 3 + std::min(l + 1, 31U));
  }
}

TEST(OpcodeShuffle, lanes_may_bring_their_own_index_and_overwrite_their_source) {
  Device device(kernel(".param .u64 out",
                       "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r2, %r0;"
                       "mad.lo.u32 %r1, %r0, 5, 7; shfl.sync.idx.b32 %r2, %r2, %r1, 31, -1;"
                       "mad.wide.u32 %d0, %r0, 4, %d0; st.global.u32 [%d0], %r2;"));
  const auto out = device.output<std::uint32_t>("out", 32);
  EXPECT_TRUE(silent(device.launch({}, out)));
  for (unsigned l = 0; l < 32; ++l) {
    EXPECT_EQ(device.read<std::uint32_t>(out, 32)[l], (5 * l + 7) % 32);
  }
}

TEST(OpcodeShuffle, part_of_a_warp_exchanges_among_itself) {
  // Lanes 0 to 15 and 16 to 31 shuffle in different branches, each with its own mask.
  Device device(
      kernel(".param .u64 out",
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d0, %r0, 4, %d0;"
             "setp.lt.u32 %p0, %r0, 16; @%p0 bra A;"
             "shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffff0000; bra E;"
             "A: shfl.sync.bfly.b32 %r1, %r0, 2, 31, 0x0000ffff;"
             "E: st.global.u32 [%d0], %r1;"));
  for (const std::string schedule : {"lockstep", "low_lane_first", "high_lane_first", "random:1"}) {
    const auto out = device.output<std::uint32_t>("out", 32);
    Launch l;
    l.schedule = schedule;
    EXPECT_TRUE(silent(device.launch(l, out)));
    for (unsigned lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(device.read<std::uint32_t>(out, 32)[lane], lane ^ (lane < 16 ? 2 : 1));
    }
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_shuffle
