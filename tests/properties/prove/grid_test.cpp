// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule grid: where blocks wait for one another, and how little has to change for them not to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "machine/symbolic/barriers.hpp"
#include "tests/properties/prove/hand_written.hpp"

namespace gauntlet::prove::test {
namespace {

/// Each block leaves its element, waits for the grid, and block 0 adds up.
struct GridSum {
  std::string bias = "-2147483647";  ///< less the number of blocks: what block 0 adds
  std::string other = "1";           ///< what the others add
  std::string add = "atom.add.release.gpu.global.u32", look = "ld.acquire.gpu.global.u32";
  std::string until = "setp.gt.s32 %p2, %r6, -1;\n";
  std::string behind;
  [[nodiscard]] std::string barrier() const {
    return "mov.u32 %r3, %nctaid.x;\nsub.s32 %r3, " + bias +
           ", %r3;\nsetp.eq.s32 %p1, %r2, 0;\nselp.b32 %r3, %r3, " + other + ", %p1;\n" + add +
           " %r4, [%rd3], %r3;\nwait:\n" + look + " %r5, [%rd3];\nxor.b32 %r6, %r5, %r4;\n" +
           until + "@%p2 bra wait;\n";
  }
  [[nodiscard]] std::string text() const {
    std::string all = element_of_block +
                      "mul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd6, %rd3, %rd6;\n"
                      "st.global.f32 [%rd6+8], %f1;\n";
    return all + barrier() + behind +
           "setp.ne.s32 %p9, %r2, 0;\n@%p9 bra done;\nld.global.f32 %f1, [%rd3+8];\n"
           "ld.global.f32 %f2, [%rd3+12];\nld.global.f32 %f3, [%rd3+16];\n"
           "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\nst.global.f32 [%rd2], %f1;\n";
  }
};
TEST(Grid, blocks_wait_for_all_of_them) {
  const auto proof = prove_ptx(GridSum{}.text(), blocks(3));
  ASSERT_TRUE(proof.proved()) << text(proof);
  EXPECT_TRUE(needs(proof, "grid"));
  EXPECT_EQ(proof.depth.most, 2U);
  EXPECT_EQ(std::count(proof.assumed.begin(), proof.assumed.end(), "fair"), 1);
  EXPECT_TRUE(prove_ptx(GridSum{}.text(), blocks(3, Fill::identity, 2)).proved());
}
TEST(Grid, a_barrier_that_lets_go_too_early_or_orders_nothing_is_not_proved) {
  const auto proved = [](const GridSum& how) { return prove_ptx(how.text(), blocks(3)).proved(); };
  EXPECT_FALSE(proved({.bias = "-2147483646"}));
  EXPECT_FALSE(proved({.other = "2"}));
  EXPECT_FALSE(proved({.add = "atom.add.relaxed.gpu.global.u32"}));
  EXPECT_FALSE(proved({.add = "atom.add.release.cta.global.u32"}));
  EXPECT_FALSE(proved({.look = "ld.relaxed.gpu.global.u32"}));
  EXPECT_FALSE(proved({.look = "ld.acquire.cta.global.u32"}));
  EXPECT_FALSE(proved({.until = "setp.eq.s32 %p2, %r5, 0;\n"}));
  EXPECT_FALSE(proved({.until = "setp.gt.s32 %p2, %r6, -2;\n"}));
}
TEST(Grid, a_barrier_is_told_by_what_is_added_and_who_comes) {
  const std::byte cell{};
  const auto comes = [&](std::uint32_t found, std::uint32_t first, std::uint32_t second,
                         std::uint32_t block = 1) {
    simt::symbolic::GridBarriers barriers;
    const bool at_first = barriers.arrive(&cell, 2, 0, 0, found, first).empty();
    return at_first && barriers.arrive(&cell, 2, block, 0, found + first, second).empty() &&
           barriers.complete();
  };
  EXPECT_TRUE(comes(0, 1, 0x7FFF'FFFF));
  EXPECT_TRUE(comes(0x8000'0000, 1, 0x7FFF'FFFF));
  EXPECT_FALSE(comes(0, 0, 0x8000'0000));  // the second one alone lets go
  EXPECT_FALSE(comes(0, 0x8000'0000, 0));
  EXPECT_FALSE(comes(1, 1, 0x7FFF'FFFF));
  EXPECT_FALSE(comes(0, 1, 0x7FFF'FFFE));
  EXPECT_FALSE(comes(0, 1, 0x7FFF'FFFF, 0));  // the same block, which has not been let go
}
TEST(Grid, what_was_found_at_a_barrier_is_nobody_elses) {
  EXPECT_FALSE(
      prove_ptx(GridSum{.behind = "setp.eq.s32 %p3, %r4, 0;\n@%p3 st.global.u32 [%rd3+28], "
                                  "%r2;\n"}
                    .text(),
                blocks(3))
          .proved());
  EXPECT_FALSE(
      prove_ptx(GridSum{.behind = "st.global.u32 [%rd6+20], %r5;\n"}.text(), blocks(3)).proved());
  EXPECT_FALSE(
      prove_ptx(GridSum{.behind = "red.add.relaxed.gpu.global.u32 [%rd3], 2;\n"}.text(), blocks(3))
          .proved());
}

}  // namespace
}  // namespace gauntlet::prove::test
