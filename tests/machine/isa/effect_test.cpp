// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What an instruction's row says that it does, against PTX ISA 9.0 read opcode by opcode: what
// accesses memory, transfers control, synchronises, exchanges values, or reads what time changes,
// does more than compute.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "machine/engine/module.hpp"
#include "machine/isa/instruction_rows.hpp"
#include "machine/isa/warp_rows.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test {
namespace {

const std::vector<std::string> computing = {
    "abs.s32 %r1, %r2;",
    "add.s32 %r1, %r2, %r3;",
    "add.rz.f32 %x1, %x2, %x3;",
    "add.u16x2 %r1, %r2, %r3;",
    "add.s16x2 %r1, %r2, %r3;",
    "and.b32 %r1, %r2, %r3;",
    "and.pred %p1, %p2, %p3;",
    "bfe.u32 %r1, %r2, 3, 4;",
    "bfi.b32 %r1, %r2, %r3, 3, 4;",
    "bfind.u32 %r1, %r2;",
    "bmsk.clamp.b32 %r1, %r2, %r3;",
    "brev.b32 %r1, %r2;",
    "clz.b32 %r1, %r2;",
    "cnot.b32 %r1, %r2;",
    "copysign.f32 %x1, %x2, %x3;",
    "cos.approx.f32 %x1, %x2;",
    "createpolicy.fractional.L2::evict_last.b64 %d1, 0f3F800000;",
    "cvt.rzi.s32.f32 %r1, %x2;",
    "cvt.rn.f16x2.f32 %r1, %x2, %x3;",
    "cvta.to.global.u64 %d1, %d2;",
    "div.rn.f32 %x1, %x2, %x3;",
    "dp2a.lo.s32.s32 %r1, %r2, %r3, %r4;",
    "dp4a.s32.s32 %r1, %r2, %r3, %r4;",
    "ex2.approx.f32 %x1, %x2;",
    "fma.rn.f32 %x1, %x2, %x3, %x4;",
    "fns.b32 %r1, %r2, %r3, %r4;",
    "isspacep.global %p1, %d1;",
    "lg2.approx.f32 %x1, %x2;",
    "lop3.b32 %r1, %r2, %r3, %r4, 0x1e;",
    "mad.lo.s32 %r1, %r2, %r3, %r4;",
    "mad24.lo.s32 %r1, %r2, %r3, %r4;",
    "max.f32 %x1, %x2, %x3;",
    "max.s16x2 %r1, %r2, %r3;",
    "max.u16x2 %r1, %r2, %r3;",
    "mbarrier.pending_count.b64 %r1, %d2;",
    "min.s32 %r1, %r2, %r3;",
    "min.u16x2 %r1, %r2, %r3;",
    "min.s16x2 %r1, %r2, %r3;",
    "mov.u32 %r1, %tid.x;",
    "mov.b64 %d1, {%r1, %r2};",
    "mov.b64 {%r1, %r2}, %d1;",
    "mov.pred %p1, %p2;",
    "mul.wide.u32 %d1, %r2, %r3;",
    "mul24.lo.s32 %r1, %r2, %r3;",
    "neg.s32 %r1, %r2;",
    "not.b32 %r1, %r2;",
    "not.pred %p1, %p2;",
    "or.b32 %r1, %r2, %r3;",
    "or.pred %p1, %p2, %p3;",
    "popc.b32 %r1, %r2;",
    "prmt.b32 %r1, %r2, %r3, 0x3210;",
    "rcp.rn.f32 %x1, %x2;",
    "rem.u32 %r1, %r2, %r3;",
    "rsqrt.approx.f32 %x1, %x2;",
    "sad.s32 %r1, %r2, %r3, %r4;",
    "selp.b32 %r1, %r2, %r3, %p1;",
    "set.lt.u32.s32 %r1, %r2, %r3;",
    "setp.lt.s32 %p1, %r2, %r3;",
    "setp.lt.and.s32 %p1|%p2, %r2, %r3, %p3;",
    "shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
    "shl.b32 %r1, %r2, 3;",
    "shr.u32 %r1, %r2, 3;",
    "sin.approx.f32 %x1, %x2;",
    "slct.b32.s32 %r1, %r2, %r3, %r4;",
    "sqrt.rn.f32 %x1, %x2;",
    "sub.s32 %r1, %r2, %r3;",
    "szext.wrap.u32 %r1, %r2, %r3;",
    "tanh.approx.f32 %x1, %x2;",
    "testp.finite.f32 %p1, %x2;",
    "vabsdiff4.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "xor.b32 %r1, %r2, %r3;",
    "xor.pred %p1, %p2, %p3;",
};
const std::vector<std::string> weak_loads = {
    "ld.global.u32 %r1, [%d1];",      "ld.u32 %r1, [%d1];",
    "ld.weak.global.u32 %r1, [%d1];", "ld.global.nc.v2.u32 {%r1, %r2}, [%d1];",
    "ld.shared.u32 %r1, [%r2];",      "ldu.global.u32 %r1, [%d1];",
};
const std::vector<std::string> weak_stores = {
    "st.global.u32 [%d1], %r1;", "st.local.u32 [%d1], %r1;", "st.weak.v2.u32 [%d1], {%r1, %r2};"};
const std::vector<std::string> atomics = {"atom.global.add.u32 %r1, [%d1], 1;",
                                          "red.global.add.u32 [%d1], 1;",
                                          "atom.acq_rel.gpu.global.cas.b32 %r1, [%d1], 2, 3;"};
/// These do more. In the order of Opcode; discard is no instruction of the machine, brx is none.
const std::vector<std::string> doing_more = {
    // The carry goes beside the operands.
    "add.cc.u32 %r1, %r2, %r3;", "addc.u32 %r1, %r2, %r3;", "mad.lo.cc.u32 %r1, %r2, %r3, %r4;",
    "madc.lo.u32 %r1, %r2, %r3, %r4;", "sub.cc.u32 %r1, %r2, %r3;", "subc.u32 %r1, %r2, %r3;",
    // Time.
    "mov.u32 %r1, %clock;", "mov.u64 %d1, %clock64;", "mov.u64 %d1, %globaltimer;",
    // Strong accesses, atomics, other ways to memory.
    "ld.volatile.global.u32 %r1, [%d1];", "ld.relaxed.gpu.global.u32 %r1, [%d1];",
    "ld.acquire.gpu.global.u32 %r1, [%d1];", "ld.mmio.relaxed.sys.global.u32 %r1, [%d1];",
    "st.volatile.global.u32 [%d1], %r1;", "st.release.gpu.global.u32 [%d1], %r1;",
    "st.relaxed.cta.shared.u32 [%d1], %r1;", "cp.async.ca.shared.global [%r1], [%d1], 4;",
    "cp.async.commit_group;", "cp.async.wait_group 0;", "cp.async.wait_all;",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], 16, [%r2];",
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, "
    "[%r3];",
    "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %d1;",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d1], "
    "[%r1], 128;",
    "fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;", "cp.async.bulk.commit_group;",
    "cp.async.mbarrier.arrive.shared.b64 [%d1];", "discard.global.L2 [%d1], 128;",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];",
    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1};", "prefetch.global.L1 [%d1];",
    "prefetchu.L1 [%d1];", "tex.2d.v4.f32.f32 {%x1, %x2, %x3, %x4}, [%d1, {%x5, %x6}];",
    "tld4.r.2d.v4.f32.f32 {%x1, %x2, %x3, %x4}, [%d1, {%x5, %x6}];",
    "suld.b.1d.b32.trap {%r1}, [%d1, {%r2}];", "sust.b.1d.b32.trap [%d1, {%r2}], {%r1};",
    "mapa.shared::cluster.u32 %r1, %r2, %r3;", "getctarank.shared::cluster.u32 %r1, %r2;",
    // Barriers and orders.
    "bar.sync 0;", "bar.warp.sync -1;", "barrier.sync 0;", "barrier.cluster.arrive.aligned;",
    "fence.acq_rel.gpu;", "fence.proxy.async;", "membar.gl;", "griddepcontrol.wait;",
    "mbarrier.init.shared.b64 [%d1], 1;", "mbarrier.inval.shared.b64 [%d1];",
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 4;",
    "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 4;",
    "mbarrier.arrive.shared.b64 %d2, [%r1];", "mbarrier.arrive_drop.shared.b64 %d2, [%r1];",
    "mbarrier.test_wait.shared.b64 %p1, [%r1], %d2;",
    "mbarrier.try_wait.shared.b64 %p1, [%r1], %d2;", "setmaxnreg.inc.sync.aligned.u32 40;",
    "nanosleep.u32 10;",
    // All lanes of the warp together.
    "activemask.b32 %r1;", "elect.sync %r1|%p1, -1;", "match.any.sync.b32 %r1, %r2, -1;",
    "redux.sync.add.s32 %r1, %r2, -1;", "shfl.sync.down.b32 %r1, %r2, 1, 31, -1;",
    "vote.sync.any.pred %p1, %p2, -1;", "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%y1, %y2}, {%y3}, {%y4}, {%y5, %y6};",
    "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%d1];",
    "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%y1}, {%y2}, {%y3}, {%y4};",
    "wmma.store.d.sync.aligned.row.m16n16k16.f32 [%d1], {%x1};", "wgmma.fence.sync.aligned;",
    "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%x1}, %d1, %d2, 1, 1, 1, 0, 0;",
    // Control, and what ends.
    "bra on;", "brkpt;", "call g;", "exit;", "ret;", "trap;"};

ptx::Module parsed(const std::string& text) { return ptx::parse(kernel("", text), "t.ptx"); }
const ptx::Instruction& instruction_of(const ptx::Module& m) {
  return m.functions.front().body.front();
}

TEST(Effect, of_each_instruction_is_what_ptx_says) {
  for (const auto& [effect, all] :
       {std::pair(Effect::computes, computing), std::pair(Effect::weak_load, weak_loads),
        std::pair(Effect::weak_store, weak_stores), std::pair(Effect::accumulates, atomics),
        std::pair(Effect::other, doing_more)}) {
    for (const auto& text : all) {
      const auto module = parsed(text);
      EXPECT_EQ(effect_of(instruction_of(module)), effect) << text;
    }
  }
}

TEST(Effect, is_judged_here_of_every_opcode_and_every_row) {
  std::set<Opcode> seen;
  std::set<const InstructionRow*> rows;
  std::set<std::string_view> of_a_warp;
  for (const auto* all : {&computing, &weak_loads, &weak_stores, &atomics, &doing_more}) {
    for (const auto& text : *all) {
      const auto module = parsed(text);
      seen.insert(opcode_named(instruction_of(module).opcode));
      rows.insert(row_of(instruction_of(module)));
      const auto known = opcode_named(instruction_of(module).opcode);
      of_a_warp.insert(known == Opcode::none ? "" : name(known));
    }
  }
  seen.insert(Opcode::pragma);  // a directive, of which the parser leaves nothing
  for (std::size_t k = 0; k < static_cast<std::size_t>(Opcode::none); ++k) {
    EXPECT_TRUE(seen.contains(static_cast<Opcode>(k))) << name(static_cast<Opcode>(k));
  }
  for (const InstructionRow& row : instruction_rows()) {
    EXPECT_TRUE(rows.contains(&row)) << name(row.opcode) << " " << row.word;
  }
  for (const WarpRow& row : warp_rows()) EXPECT_TRUE(of_a_warp.contains(row.opcode)) << row.opcode;
}

// The decoder by itself: what computes is data instructions alone, and no carry register.
TEST(Effect, computing_is_what_the_decoder_makes_data_instructions_of) {
  for (const auto* all : {&computing, &weak_loads, &weak_stores, &atomics, &doing_more}) {
    for (const auto& text : *all) {
      const auto module = parsed(text);
      if (effect_of(instruction_of(module)) != Effect::computes) continue;
      const auto loaded = load_module(kernel("", text), "t.ptx");
      const Kernel* const made = loaded->find("f");
      ASSERT_NE(made, nullptr) << text;
      ASSERT_GE(made->code.size(), 2U) << text;
      for (std::size_t k = 0; k + 1 < made->code.size(); ++k) {
        EXPECT_EQ(made->code[k].kind, Kind::data) << text;
      }
      EXPECT_TRUE(made->memory_ops.empty() && made->warp_ops.empty()) << text;
    }
  }
}

}  // namespace
}  // namespace gauntlet::simt::test
