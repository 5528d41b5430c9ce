// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions that no assembler takes: refused when loaded, never taken for something similar.
#include <fmt/format.h>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test::opcode_hostile {
namespace {

std::string refusal(const std::string& statement, const std::string& variables = "") {
  return load_error(kernel(".param .u64 out", statement, variables));
}
void expect_refused(std::initializer_list<const char*> statements) {
  for (const char* s : statements) EXPECT_NE(refusal(s), "") << s;
}
void expect_accepted(std::initializer_list<const char*> statements) {
  for (const char* s : statements) EXPECT_EQ(refusal(s), "") << s;
}

TEST(OpcodeHostile, a_modifier_of_a_warp_instruction_is_not_taken_for_a_default) {
  expect_refused({"redux.sync.foo.u32 %r1, %r2, -1;",
                  "redux.sync.mul.s32 %r1, %r2, -1;",
                  "redux.sync.u32 %r1, %r2, -1;",
                  "redux.sync.add.b32 %r1, %r2, -1;",
                  "redux.sync.and.u32 %r1, %r2, -1;",
                  "redux.sync.add.min.u32 %r1, %r2, -1;",
                  "redux.add.u32 %r1, %r2, -1;",
                  "shfl.sync.sideways.b32 %r1, %r2, 1, 31, -1;",
                  "shfl.sync.b32 %r1, %r2, 1, 31, -1;",
                  "shfl.sync.up.u32 %r1, %r2, 1, 31, -1;",
                  "shfl.sync.up.down.b32 %r1, %r2, 1, 31, -1;",
                  "shfl.sync.up.b32.b32 %r1, %r2, 1, 31, -1;",
                  "vote.sync.most.pred %p1, %p2, -1;",
                  "vote.sync.pred %p1, %p2, -1;",
                  "vote.sync.ballot.pred %p1, %p2, -1;",
                  "vote.sync.all.b32 %r1, %p2, -1;",
                  "match.sync.b32 %r1, %r2, -1;",
                  "match.some.sync.b32 %r1, %r2, -1;",
                  "match.any.sync.u32 %r1, %r2, -1;",
                  "match.any.b32 %r1, %r2, -1;",
                  "elect.sync.b32 %r1|%p1, -1;",
                  "elect %r1|%p1, -1;",
                  "bar.warp.arrive -1;",
                  "bar.warp -1;",
                  "barrier.warp.sync -1;",
                  "activemask.u32 %r1;",
                  "activemask %r1;"});
  expect_accepted({"redux.sync.add.u32 %r1, %r2, -1;", "redux.sync.max.s32 %r1, %r2, -1;",
                   "redux.sync.xor.b32 %r1, %r2, -1;", "shfl.sync.idx.b32 %r1, %r2, 1, 31, -1;",
                   "vote.sync.uni.pred %p1, %p2, -1;", "vote.sync.ballot.b32 %r1, !%p2, -1;",
                   "match.all.sync.b64 %r1|%p1, %d2, -1;", "elect.sync %r1|%p1, -1;",
                   "bar.warp.sync -1;", "activemask.b32 %r1;"});
}

TEST(OpcodeHostile, a_modifier_of_a_barrier_is_not_ignored) {
  expect_refused({"bar.sync.never 0;", "bar.sync.aligned 0;", "bar.sync.arrive 0, 32;",
                  "barrier.sync.twice 0;", "bar.red.popc.s32 %r1, 0, %p1;",
                  "bar.red.xor.pred %p1, 0, %p2;", "bar.red.and.or.pred %p1, 0, %p2;", "bar 0;",
                  "bar.sync 0, 32, 32;", "bar.arrive 0;", "bar.red.popc.u32 %r1, %p1;"});
  expect_accepted({"bar.sync 0;", "bar.cta.sync 1, 32;", "barrier.sync 0;",
                   "barrier.cta.sync.aligned 0;", "bar.arrive 1, 64;",
                   "bar.red.popc.u32 %r1, 0, %p1;", "barrier.red.or.aligned.pred %p1, 1, 64, !%p2;",
                   "barrier.red.and.pred %p1, 1, %p2;"});
}

TEST(OpcodeHostile, a_fence_between_proxies_is_one_of_those_that_order_nothing_else) {
  expect_refused({"fence.proxy;", "fence.proxy.texture;", "fence.proxy.async.local;",
                  "fence.proxy.async.gpu;", "fence.proxy.alias 0;", "membar.proxy.async;",
                  "fence.async;"});
  expect_accepted({"fence.proxy.alias;", "fence.proxy.async;", "fence.proxy.async.global;",
                   "fence.proxy.async.shared::cta;", "fence.proxy.async.shared::cluster;"});
}

TEST(OpcodeHostile, a_block_has_sixteen_barriers) {
  EXPECT_EQ(refusal("bar.sync 16;"), "t.ptx:3: a block has the barriers 0 to 15: `bar.sync 16;`");
  EXPECT_NE(refusal("bar.arrive -1, 32;"), "");
  EXPECT_EQ(refusal("bar.sync 15;"), "");
  // The number in a register is known when it runs.
  Device device(kernel(".param .u32 n", "ld.param.u32 %r1, [n]; bar.sync %r1;"));
  EXPECT_TRUE(silent(device.launch({}, std::uint32_t{15})));
  const auto report = device.launch({}, std::uint32_t{16});
  ASSERT_TRUE(only(report, FindingKind::trap));
  EXPECT_EQ(report.findings[0].detail, "barrier 16 does not exist: a block has 0 to 15");
  EXPECT_FALSE(report.completed);
}

TEST(OpcodeHostile, an_undefined_barrier_number_or_count_is_reported) {
  for (const char* statement : {"bar.sync %r1;", "bar.sync 1, %r1;", "bar.arrive 1, %r1;"}) {
    const auto report = Device(kernel("", statement)).launch({});
    ASSERT_FALSE(report.findings.empty()) << statement;
    EXPECT_EQ(report.findings[0].kind, FindingKind::poison_mask) << text(report);
    const std::string defined = statement == std::string("bar.sync %r1;") ? "2" : "32";
    EXPECT_TRUE(silent(Device(kernel("", "mov.u32 %r1, " + defined + ";" + statement)).launch({})))
        << statement;
  }
}

TEST(OpcodeHostile, predicates_lie_in_no_memory_and_in_no_bit_field) {
  expect_refused({"ld.shared.pred %p1, [0];",
                  "ld.shared.v4.pred {%p1,%p2,%p3,%p4}, [0];",
                  "ld.global.pred %p1, [%d1];",
                  "st.global.pred [%d1], %p1;",
                  "atom.global.exch.pred %p1, [%d1], %p2;",
                  "red.global.or.pred [%d1], %p2;",
                  "ld.param.pred %p1, [out];",
                  "bfi.pred %p15, %r1, %r2, 0, 8;",
                  "bfi.u8 %r1, %r1, %r2, 0, 8;",
                  "bfi.f64 %d1, %d1, %d2, 0, 8;",
                  "bfi.u32 %r1, %r1, %r2, 0, 8;",
                  "prmt.b64 %d1, %d2, %d3, %r1;",
                  "prmt.u32 %r1, %r2, %r3, %r4;",
                  "prmt.b32.f4e.b4e %r1, %r2, %r3, %r4;",
                  "selp.pred %p1, 1, 0, %p2;",
                  "selp.u8 %r1, 1, 0, %p2;",
                  "cvt.u32.pred %r1, %p1;",
                  "cvt.pred.u32 %p1, %r1;",
                  "lop3.pred %p1, %p2, %p3, %p4, 3;",
                  "popc.pred %r1, %p1;",
                  "shl.pred %p1, %p2, 1;",
                  "ld.global.u32 %r1, [%p1];",
                  "ld.global.u32 %r1, [%h1];",
                  "mov.pred {%p1, %p2}, %r1;"});
  expect_accepted({"bfi.b64 %d1, %d1, %d2, 0, 8;", "prmt.b32.f4e %r1, %r2, %r3, %r4;"});
}

TEST(OpcodeHostile, an_operand_means_what_it_says) {
  EXPECT_EQ(refusal("mov.u32 %r2, %r1+100;"),
            "t.ptx:3: register %r1 with an offset: `mov.u32 %r2, %r1+100;`");
  expect_refused({"mov.u32 %r2, !%r1;",
                  "mov.u32 %r2, -%r1;",
                  "add.s32 %r3, %r1, -%r2;",
                  "mov.u32 %r2, %tid.x+1;",
                  "mov.u32 !%r2, %r1;",
                  "add.s32 %r1+4, %r2, %r3;",
                  "selp.u32 %r1, 1, 0, !%p1;",
                  "selp.u32 %r1, 1, 0, -%p1;",
                  "and.pred %p1, %p2, -%p3;",
                  "and.pred %p1, %p2, %p3+1;",
                  "vote.sync.all.pred %p1, -%p2, -1;",
                  "mov.b32 {%h1}, %r1;",
                  "mov.b32 %r1, {%h1};",
                  "mov.b64 {%r1}, %d1;",
                  "mov.u8 %h1, 1;",
                  "add.f64 %y1, %y2, 0f3F800000;",
                  "add.f16 %h1, %h2, 0f3F800000;",
                  "activemask.b32;",
                  "bra;",
                  "bra !%p1;",
                  "ret %r1;",
                  "exit 3;",
                  "trap 1;",
                  "ret.never;",
                  "trap.now;"});
  expect_accepted({"and.pred %p1, %p2, !%p3;", "mov.u32 %r1, -5;", "mov.b64 {%r1, _}, %d1;",
                   "mov.b64 {%h1, %h2, %h3, %h4}, %d1;", "add.f64 %y1, %y2, 0d3FF0000000000000;"});
}

TEST(OpcodeHostile, a_guard_is_a_predicate) {
  EXPECT_EQ(refusal("@%r1 ret;"), "t.ptx:3: the guard is not a predicate: `@%r1 ret;`");
  EXPECT_NE(refusal("@!%d1 mov.u32 %r1, 1;"), "");
  EXPECT_NE(refusal("@%h1 bra L; L: ret;"), "");
  EXPECT_EQ(refusal("@%p1 ret;"), "");
}

TEST(OpcodeHostile, one_modifier_of_a_kind_is_allowed) {
  expect_refused({"add.u32.s32 %r1, %r2, %r3;",
                  "ld.global.shared.u32 %r1, [%d1];",
                  "ld.global.u32.u32 %r1, [%d1];",
                  "ld.global.v2.v4.u32 {%r1,%r2,%r3,%r4}, [%d1];",
                  "ld.volatile.relaxed.gpu.global.u32 %r1, [%d1];",
                  "ld.relaxed.gpu.sys.global.u32 %r1, [%d1];",
                  "ld.release.gpu.global.u32 %r1, [%d1];",
                  "st.acquire.gpu.global.u32 [%d1], %r1;",
                  "st.acq_rel.gpu.global.u32 [%d1], %r1;",
                  "setp.lt.gt.u32 %p1, %r1, %r2;",
                  "setp.lt.and.or.u32 %p1, %r1, %r2, %p2;",
                  "cvt.rni.rzi.s32.f32 %r1, %x1;",
                  "cvt.rzi.f16x2.f32 %r1, %x1, %x2;",
                  "cvta.foo.shared.u64 %d1, %d2;",
                  "cvta.to.to.shared.u64 %d1, %d2;",
                  "cvta.global.shared.u64 %d1, %d2;",
                  "isspacep.global.shared %p1, %d1;",
                  "fence.cta.gpu;",
                  "fence.sc.acq_rel.gpu;",
                  "fence;",
                  "fence.sc;",
                  "membar;",
                  "membar.sc.gl;",
                  "fence.acq_rel.gl;"});
  expect_accepted({"ld.mmio.relaxed.sys.global.u32 %r1, [%d1];", "cvta.to.shared.u64 %d1, %d2;",
                   "isspacep.shared::cta %p1, %d1;", "fence.sc.gpu;", "fence.acq_rel.sys;",
                   "membar.gl;", "cvt.rn.f16x2.f32 %r1, %x1, %x2;", "cvt.rzi.s32.f32 %r1, %x1;"});
}

TEST(OpcodeHostile, an_address_fits_its_state_space) {
  const std::string variables = ".shared .align 4 .b8 s[16]; .global .align 4 .b8 g[16];";
  EXPECT_NE(refusal("ld.global.u32 %r1, [s];", variables), "");
  EXPECT_NE(refusal("ld.shared.u32 %r1, [g];", variables), "");
  EXPECT_NE(refusal("ld.shared.u32 %r1, [out];", variables), "");
  EXPECT_NE(refusal("mov.u32 %r1, g;", variables), "");
  EXPECT_NE(refusal("mov.u16 %h1, s;", variables), "");
  EXPECT_EQ(refusal("mov.u32 %r1, s; mov.u64 %d1, g; ld.u32 %r1, [s]; ld.u32 %r1, [g];", variables),
            "");
}

TEST(OpcodeHostile, narrow_immediates_leave_no_bits_above) {
  // Seen through a conversion and a comparison that read the whole slot of a 16-bit register.
  Device device(kernel(".param .u64 out",
                       "ld.param.u64 %d0, [out]; mov.u16 %h1, -2; mov.b32 %r1, {%h1, %h1};"
                       "cvt.u32.u16 %r2, %h1; setp.eq.u16 %p1, %h1, 65534; selp.b32 %r3, 1, 0, %p1;"
                       "setp.lt.u16 %p1, %h1, -1; selp.b32 %r4, 1, 0, %p1;"
                       "st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4};"));
  const auto out = device.output<std::uint32_t>("out", 4);
  EXPECT_TRUE(silent(device.launch({.block = {1}}, out)));
  EXPECT_EQ(device.read<std::uint32_t>(out, 4),
            (std::vector<std::uint32_t>{0xFFFE'FFFE, 0xFFFE, 1, 1}));
  expect("selp.b16 %q0, -1, -2, %a;", "b16", {predicate({0, 1})},
         [](auto* v) { return v[0] != 0 ? 0xFFFF : 0xFFFE; });
}

TEST(OpcodeHostile, addresses_in_shared_and_local_memory_have32_bits) {
  const auto report =
      Device(kernel("", "ld.shared.u32 %r1, [s+4294967292];", ".shared .align 4 .b8 s[16];"))
          .launch({.block = {1}});
  ASSERT_TRUE(only(report, FindingKind::out_of_bounds_read));
  EXPECT_EQ(report.findings[0].array, "s");
  EXPECT_EQ(report.findings[0].index, -1);
  EXPECT_EQ(report.findings[0].detail, "shared array s has 16 bytes, 4 elements of this size");
}

TEST(OpcodeHostile, a_store_to_the_parameters_is_a_write) {
  for (const char* statement : {"st.param.u64 [out], 1;", "st.param.u64 [out+64], 1;"}) {
    const auto report = Device(kernel(".param .u64 out", statement)).launch({}, std::uint64_t{0});
    EXPECT_TRUE(only(report, FindingKind::out_of_bounds_write)) << statement;
  }
  EXPECT_TRUE(only(
      Device(kernel(".param .u64 out", "ld.param.u64 %d1, [out+64];")).launch({}, std::uint64_t{0}),
      FindingKind::out_of_bounds_read));
}

TEST(OpcodeHostile, an_initial_value_names_something) {
  EXPECT_EQ(refusal("ret;", "\n.global .u64 g = nothing;\n"),
            "t.ptx:3: unknown name nothing in an initial value: `.global .u64 g = nothing;`");
  EXPECT_EQ(refusal("ret;", ".global .u64 g = later; .global .u64 later;"), "");
  EXPECT_EQ(refusal("ret;", ".func later(); .global .u64 g[2] = {0, later};"), "");
}

TEST(OpcodeHostile, a_long_refused_instruction_is_cut) {
  std::string operands = "%r1";
  for (int k = 0; k < 100'000; ++k) operands += ", %r1";
  const auto error = refusal("ex2.approx.f32 " + operands + ";");
  EXPECT_TRUE(error.starts_with("t.ptx:3: instruction not known to the machine: `ex2.approx"));
  EXPECT_LT(error.size(), 300U);
  EXPECT_LT(refusal("mov.u32 %r1, " + std::string(100'000, 'x') + ";").size(), 500U);
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_hostile
