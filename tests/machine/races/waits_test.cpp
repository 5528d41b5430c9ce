// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which strong loads are made to synchronise, told from code alone: a flag that is polled or
// tested is, a partial sum that is added is not.
#include <gtest/gtest.h>

#include <string>

#include "machine/engine/module.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::waits {
namespace {

using Decides = MemoryOp::Decides;

/// What the value of the first strong load or atomic in `body` decides. %d0 is its address.
Decides decided(const std::string& body) {
  const auto module = load_module(
      kernel(".param .u64 a", "ld.param.u64 %d0, [a];\n" + body, ".global .u32 g;"), "t.ptx");
  for (const auto& op : module->find("f")->memory_ops) {
    if (op.is_volatile || op.order != Order::weak) return op.decides;
  }
  ADD_FAILURE() << "no strong access in " << body;
  return Decides::nothing;
}

const std::string load = "ld.volatile.global.u32 %r1, [%d0];";

TEST(Waits, a_load_that_leaves_its_loop_is_one) {
  EXPECT_EQ(decided("L: " + load + "setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"), Decides::loop);
  EXPECT_EQ(decided("L: " + load + "setp.ne.u32 %p1, %r1, 0; @%p1 exit; bra L;"), Decides::loop);
  EXPECT_EQ(decided("L: ld.relaxed.gpu.global.u32 %r1, [%d0]; setp.eq.u32 %p1, %r1, 0;"
                    "@%p1 bra L;"),
            Decides::loop);
  EXPECT_EQ(
      decided("L: atom.global.cas.b32 %r1, [%d0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;"),
      Decides::loop);
}

TEST(Waits, a_value_is_followed_through_arithmetic_and_votes) {
  EXPECT_EQ(decided("L: " + load +
                    "and.b32 %r2, %r1, 255; shr.u32 %r3, %r2, 1;"
                    "setp.lt.u32 %p1, %r3, 4; vote.sync.any.pred %p2, %p1, -1; @%p2 bra L;"),
            Decides::loop);
  EXPECT_EQ(decided("L: " + load +
                    "setp.eq.u32 %p1, %r1, 0; bar.red.or.pred %p2, 0, %p1;"
                    "@%p2 bra L;"),
            Decides::loop);
}

TEST(Waits, a_poll_inside_another_loop_is_one) {
  EXPECT_EQ(
      decided("mov.u32 %r5, 0; O: L: " + load +
              "setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"
              "add.u32 %r5, %r5, 1; add.u64 %d0, %d0, 4; setp.lt.u32 %p2, %r5, 4; @%p2 bra O;"),
      Decides::loop);
}

TEST(Waits, the_first_turn_that_the_compiler_took_out_of_a_loop_is_one) {
  const std::string peeled = load +
                             "setp.ne.u32 %p1, %r1, 0; @%p1 bra E; L: membar.gl;"
                             "ld.volatile.global.u32 %r2, [%d0]; setp.eq.u32 %p2, %r2, 0;"
                             "@%p2 bra L; E: membar.gl;";
  EXPECT_EQ(decided(peeled), Decides::loop);
  // Of another address it is a test like any other.
  EXPECT_EQ(decided(load + "setp.ne.u32 %p1, %r1, 0; @%p1 bra E; L: membar.gl;"
                           "ld.volatile.global.u32 %r2, [%d0+4]; setp.eq.u32 %p2, %r2, 0;"
                           "@%p2 bra L; E: membar.gl;"),
            Decides::acquire);
}

TEST(Waits, the_first_turn_of_a_look_back_is_one_whose_value_the_loop_takes_up) {
  const auto look_back = [](const std::string& between, const std::string& polled) {
    return decided(load + "setp.eq.u32 %p1, %r1, 2; @%p1 bra E;" + between +
                   "L: add.u64 %d1, %d1, 4; ld.volatile.global.u32 " + polled +
                   ", [%d1]; setp.ne.u32 %p2, " + polled + ", 2; @%p2 bra L; E: exit;");
  };
  // The test before the loop counts as a use behind it.
  EXPECT_EQ(look_back("mov.u64 %d1, %d0;", "%r1"), Decides::arrival);
  EXPECT_EQ(look_back("mov.u64 %d1, %d0; mov.u32 %r3, %r1;", "%r3"), Decides::loop);
  // A test before another loop, which begins without the value.
  EXPECT_EQ(look_back("mov.u64 %d1, %d0;", "%r3"), Decides::nothing);
  EXPECT_EQ(look_back("mov.u64 %d1, %d0; add.u32 %r3, %r1, 1;", "%r3"), Decides::nothing);
}

TEST(Waits, a_word_that_is_waited_for_and_then_used_is_told) {
  const std::string test = "setp.eq.u32 %p1, %r1, 0; @%p1 bra L;", use = "st.global.u32 [g], %r1;";
  EXPECT_EQ(decided("L: " + load + test + use), Decides::arrival);
  EXPECT_EQ(
      decided("L: membar.cta;" + load + test + "and.b32 %r2, %r1, 255; add.u32 %r3, %r3, %r2;"),
      Decides::arrival);
  // The look-back: the loop around it ends by the value, too.
  EXPECT_EQ(decided("mov.u32 %r5, 0; O: L: membar.cta;" + load + test +
                    "add.u32 %r5, %r5, %r1; sub.u64 %d0, %d0, 4; setp.lt.s32 %p2, %r1, 0;"
                    "@!%p2 bra O; st.global.u32 [g], %r5;"),
            Decides::arrival);
  const std::string peeled = load +
                             "setp.ne.u32 %p1, %r1, 0; @%p1 bra E; L: membar.gl;"
                             "ld.volatile.global.u32 %r1, [%d0]; setp.eq.u32 %p2, %r1, 0;"
                             "@%p2 bra L; E: st.global.u32 [g], %r1;";
  EXPECT_EQ(decided(peeled), Decides::arrival);
}

TEST(Waits, a_loop_that_does_more_than_wait_is_none_for_its_word) {
  const std::string test = "setp.eq.u32 %p1, %r1, 0; @%p1 bra L;", use = "st.global.u32 [g], %r1;";
  EXPECT_EQ(decided("L: " + load + "st.volatile.global.u32 [%d0], 1;" + test + use), Decides::loop);
  EXPECT_EQ(decided("L: " + load + "bar.sync 0;" + test + use), Decides::loop);
  EXPECT_EQ(decided("L: " + load + "atom.global.add.u32 %r2, [%d0], 1;" + test + use),
            Decides::loop);
  EXPECT_EQ(decided("L: atom.global.cas.b32 %r1, [%d0], 0, 1;" + test + use), Decides::loop);
  // Nobody uses the value: what the flag stands for lies elsewhere.
  EXPECT_EQ(decided("L: " + load + test + "ld.global.u32 %r2, [%d0+4]; st.global.u32 [g], %r2;"),
            Decides::loop);
}

TEST(Waits, a_load_that_is_added_is_none) {
  // The loop ends by its counter, however often the sum goes round.
  EXPECT_EQ(decided("mov.u32 %r5, 0; L: " + load +
                    "add.u32 %r6, %r6, %r1; add.u32 %r5, %r5, 1;"
                    "add.u64 %d0, %d0, 4; setp.lt.u32 %p2, %r5, 4; @%p2 bra L; membar.gl;"),
            Decides::nothing);
  EXPECT_EQ(decided(load + "membar.gl; st.global.u32 [%d0], %r1;"), Decides::nothing);
}

TEST(Waits, a_load_whose_test_leads_to_an_acquiring_fence_is_told) {
  EXPECT_EQ(decided(load + "setp.eq.u32 %p1, %r1, 0; @%p1 bra E; membar.gl;"
                           "ld.global.u32 %r2, [%d0+4]; E:"),
            Decides::acquire);
  EXPECT_EQ(decided(load + "setp.eq.u32 %p1, %r1, 0; @%p1 bra E; add.u32 %r2, %r1, 1; bar.sync 0;"
                           "fence.acquire.gpu; E:"),
            Decides::acquire);
}

TEST(Waits, a_load_whose_test_leads_elsewhere_is_none) {
  // Data are read before the fence; the fence only releases; the value only is selected.
  EXPECT_EQ(decided(load + "setp.eq.u32 %p1, %r1, 0; @%p1 bra E; ld.global.u32 %r2, [%d0+4];"
                           "membar.gl; E: ret;"),
            Decides::nothing);
  EXPECT_EQ(decided(load + "setp.eq.u32 %p1, %r1, 0; @%p1 bra E; fence.release.gpu; E: ret;"),
            Decides::nothing);
  EXPECT_EQ(decided(load + "setp.eq.u32 %p1, %r1, 0; selp.u32 %r2, 1, 2, %p1; membar.gl;"
                           "st.global.u32 [%d0], %r2;"),
            Decides::nothing);
}

}  // namespace
}  // namespace gauntlet::simt::test::waits
