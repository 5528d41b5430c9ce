// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Straight-line code is executed run by run (Inst::run), and what warps begin with is known by one
// of them: which instructions that are.
#include "machine/engine/module.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_straight {
namespace {

/// Some lanes jump into the middle of straight-line code, in which a guarded instruction stands.
const std::string meeting =
    kernel(".param .u64 out",
           "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d0, %r0, 4, %d0;"
           "mov.u32 %r1, 0; setp.lt.u32 %p0, %r0, 7;"
           "@%p0 bra MIDDLE; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1;"
           "MIDDLE: add.u32 %r1, %r1, 10; mul.lo.u32 %r1, %r1, 3;"
           "@%p0 add.u32 %r1, %r1, 1000; add.u32 %r1, %r1, 100; st.global.u32 [%d0], %r1;");

TEST(StraightLine, runs_hold_what_has_no_guard_up_to_what_neither_computes_nor_accesses_memory) {
  const auto module = load_module(meeting, "t.ptx");
  const auto& code = module->kernels.front().code;
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (code[k].has_guard) continue;
    const auto goes_on = [&](const Inst& i) {
      return (i.kind == Kind::data || i.kind == Kind::memory) && !i.has_guard;
    };
    std::uint32_t run = 0;
    while (goes_on(code[k + run])) ++run;
    EXPECT_EQ(code[k].run, run) << "instruction " << k;
  }
}

/// How many instructions the other warps of a block leave out, of c = a + b of 20 instructions with
/// `more` behind the index, this store, and `last` behind all.
std::size_t left_out(const std::string& more = "",
                     const std::string& store = "st.global.u32 [%d7], %r7;",
                     const std::string& last = "ret;") {
  const auto ptx = kernel(
      ".param .u64 c, .param .u64 a, .param .u64 b, .param .u32 n",
      "ld.param.u64 %d0, [c]; ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u32 %r4, [n];"
      "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;"
      "mad.lo.s32 %r3, %r0, %r1, %r2;" +
          more +
          "setp.ge.s32 %p0, %r3, %r4; @%p0 bra END; cvta.to.global.u64 %d3, %d1;"
          "mul.wide.s32 %d4, %r3, 4; add.s64 %d5, %d3, %d4; add.s64 %d6, %d2, %d4;"
          "ld.global.u32 %r5, [%d5]; ld.global.u32 %r6, [%d6]; add.u32 %r7, %r5, %r6;"
          "add.s64 %d7, %d0, %d4;" +
          store + "END: " + last);
  return load_module(ptx, "t.ptx")->find("f")->prologue.left_out.size();
}

TEST(Prologue, leaves_out_what_is_known_by_another_warp) { EXPECT_EQ(left_out(), 15U); }
TEST(Prologue, keeps_what_is_needed_elsewhere) {
  // The last address, and what it is computed of; not the condition, nor the other addresses.
  EXPECT_EQ(left_out("", "st.global.u64 [%d7], %d7;"), 8U);
}
TEST(Prologue, ends_where_a_loop_begins) {
  EXPECT_EQ(left_out("LOOP:", "st.global.u32 [%d7], %r7;", "bra LOOP;"), 0U);
}
TEST(Prologue, knows_no_other_warp_where_addresses_do_not_grow_evenly) {
  EXPECT_EQ(left_out("mul.lo.s32 %r3, %r2, %r2;"), 0U);
  EXPECT_EQ(left_out("mov.u32 %r8, %laneid; add.s32 %r3, %r3, %r8;"), 0U);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_straight
