// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of simt_benchmark: kernels whose threads synchronise through memory.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ci/benchmarks/launches.hpp"

namespace gauntlet::simt {
namespace {

/// What threads of blocks of 256 synchronise by, through memory: %r1 is the thread, %r2 its number
/// in the grid; each body is executed 64 times, with %r3 from 0 on.
struct Exchange {
  const char *before, *body;
  std::uint32_t blocks = 8;
};
/// A block copies a tile asynchronously, which an mbarrier counts, and all of its threads read it:
/// those of four lanes one word, and all of them one.
constexpr Exchange tiles_by_mbarrier{
    "mov.u32 %r4, tile;\nmov.u32 %r5, 256;\nshl.b32 %r6, %r1, 4;\nadd.u32 %r6, %r4, %r6;\n"
    "and.b32 %r7, %r1, 0xFC;\nshl.b32 %r7, %r7, 2;\nadd.u32 %r7, %r4, %r7;\n"
    "mul.wide.u32 %rd3, %r2, 16;\nadd.u64 %rd3, %rd1, %rd3;\nsetp.eq.u32 %p, %r1, 0;\n"
    "@%p mbarrier.init.shared.b64 [bar], %r5;\nbar.sync 0;\n",
    "cp.async.cg.shared.global [%r6], [%rd3], 16;\ncp.async.mbarrier.arrive.shared.b64 [bar];\n"
    "mbarrier.arrive.shared.b64 %rd4, [bar];\nand.b32 %r8, %r3, 1;\n"
    "wait: mbarrier.try_wait.parity.shared.b64 %p, [bar], %r8;\n@!%p bra wait;\n"
    "ld.shared.v4.u32 {%r9, %r10, %r11, %r12}, [%r7];\nld.shared.u32 %r9, [%r4+64];\n"
    "ld.shared.v4.u32 {%r9, %r10, %r11, %r12}, [%r7+1024];\nld.shared.u32 %r9, [%r4+128];\n"
    "bar.sync 0;\n"};
/// Each block copies the same tiles asynchronously, one behind the other, as the blocks of a
/// product of matrices do that have rows in common, and a thread reads what another one has copied.
constexpr Exchange tiles_of_many{
    "mov.u32 %r4, tile;\nshl.b32 %r6, %r1, 4;\nadd.u32 %r6, %r4, %r6;\n"
    "xor.b32 %r7, %r1, 64;\nshl.b32 %r7, %r7, 4;\nadd.u32 %r7, %r4, %r7;\n",
    "mad.lo.u32 %r8, %r3, 256, %r1;\nmul.wide.u32 %rd3, %r8, 16;\nadd.u64 %rd3, %rd1, %rd3;\n"
    "cp.async.cg.shared.global [%r6], [%rd3], 16;\ncp.async.commit_group;\n"
    "cp.async.wait_group 0;\nbar.sync 0;\nld.shared.u32 %r9, [%r7];\nbar.sync 0;\n",
    64};
/// The first warp of a block writes tiles of a ring of two, all others read them: full and empty
/// ones are told by mbarriers alone.
constexpr Exchange ring_by_mbarriers{
    "mov.u32 %r4, tile;\nmov.u32 %r5, 32;\nmov.u32 %r12, 224;\nsetp.eq.u32 %p, %r1, 0;\n"
    "@%p mbarrier.init.shared.b64 [full], %r5;\n@%p mbarrier.init.shared.b64 [full+8], %r5;\n"
    "@%p mbarrier.init.shared.b64 [free], %r12;\n@%p mbarrier.init.shared.b64 [free+8], %r12;\n"
    "and.b32 %r13, %r1, 31;\nmad.lo.u32 %r4, %r13, 4, %r4;\nbar.sync 0;\n",
    "and.b32 %r6, %r3, 1;\nshl.b32 %r6, %r6, 3;\nmov.u32 %r7, full;\nadd.u32 %r7, %r7, %r6;\n"
    "mov.u32 %r8, free;\nadd.u32 %r8, %r8, %r6;\nshl.b32 %r11, %r6, 5;\n"
    "add.u32 %r11, %r11, %r4;\nshr.u32 %r9, %r3, 1;\nand.b32 %r9, %r9, 1;\n"
    "xor.b32 %r10, %r9, 1;\nsetp.ge.u32 %p, %r1, 32;\n@%p bra reads;\n"
    "is_free: mbarrier.try_wait.parity.shared.b64 %p, [%r8], %r10;\n@!%p bra is_free;\n"
    "st.shared.u32 [%r11], %r3;\nmbarrier.arrive.shared.b64 _, [%r7];\nbra.uni behind;\n"
    "reads: mbarrier.try_wait.parity.shared.b64 %p, [%r7], %r9;\n@!%p bra reads;\n"
    "ld.shared.u32 %r13, [%r11];\nmbarrier.arrive.shared.b64 _, [%r8];\nbehind:\n"};
/// Each thread writes what is its own and publishes it by a counter of 64, with what it has read.
constexpr Exchange acquires{
    "mul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd3, %rd1, %rd3;\n",
    "st.global.u32 [%rd3], %r3;\nadd.u32 %r4, %r2, %r3;\nand.b32 %r4, %r4, 63;\n"
    "mul.wide.u32 %rd4, %r4, 4;\nadd.u64 %rd4, %rd2, %rd4;\n"
    "atom.acq_rel.gpu.global.add.u32 %r5, [%rd4], 1;\n"};
/// The first thread of each warp takes a ticket, and its warp goes on behind that.
constexpr Exchange tickets{
    "and.b32 %r4, %r1, 31;\nmul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd3, %rd1, %rd3;\n",
    "st.global.u32 [%rd3], %r3;\nbar.warp.sync 0xffffffff;\nsetp.ne.u32 %p, %r4, 0;\n"
    "@%p bra behind;\nmembar.gl;\natom.global.add.u32 %r5, [%rd2], 1;\nmembar.gl;\n"
    "behind: bar.warp.sync 0xffffffff;\nld.global.u32 %r5, [%rd3];\n"};
/// Each thread writes what is its own; a barrier of all blocks, counted by an atomic and polled;
/// then it reads what a thread of the next block has written. Two halves, one behind the other.
constexpr Exchange grid_barrier{
    "setp.ne.u32 %p, %r1, 0;\n",
    "and.b32 %r4, %r3, 1;\nmad.lo.u32 %r5, %r4, 2048, %r2;\nmul.wide.u32 %rd3, %r5, 4;\n"
    "add.u64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3], %r3;\nbar.sync 0;\n@%p bra behind;\n"
    "atom.release.gpu.global.add.u32 %r5, [%rd2], 1;\nand.b32 %r5, %r5, 0xFFFFFFF8;\n"
    "add.u32 %r5, %r5, 8;\nwait: ld.acquire.gpu.global.u32 %r6, [%rd2];\n"
    "sub.u32 %r6, %r6, %r5;\nsetp.lt.s32 %q, %r6, 0;\n@%q bra wait;\nbehind: bar.sync 0;\n"
    "add.u32 %r5, %r2, 256;\nand.b32 %r5, %r5, 2047;\nmad.lo.u32 %r5, %r4, 2048, %r5;\n"
    "mul.wide.u32 %rd4, %r5, 4;\nadd.u64 %rd4, %rd1, %rd4;\nld.global.u32 %r5, [%rd4];\n"};
void BM_Exchange(benchmark::State& state, const Exchange& exchange) {
  const std::string text = fmt::format(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry exchange(.param .u64 data, .param .u64 counts)\n{{\n"
      ".shared .align 16 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n"
      ".shared .align 8 .b64 full[2];\n.shared .align 8 .b64 free[2];\n"
      ".reg .pred %p;\n.reg .pred %q;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n"
      "ld.param.u64 %rd1, [data];\nld.param.u64 %rd2, [counts];\nmov.u32 %r1, %tid.x;\n"
      "mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r2, %r2, 256, %r1;\n{}mov.u32 %r3, 0;\n"
      "next:\n{}add.u32 %r3, %r3, 1;\nsetp.lt.u32 %q, %r3, 64;\n@%q bra next;\nret;\n}}\n",
      exchange.before, exchange.body);
  const std::uint32_t blocks = exchange.blocks;
  Launches launches(load_module(text, "exchange.ptx"), "exchange", blocks, 256);
  launches.set_checks(state.range(0));
  launches.array("data", std::vector<std::uint32_t>(std::size_t{blocks} * 256 * 4));
  launches.array("counts", std::vector<std::uint32_t>(64));
  launches.run_all(state);
}
BENCHMARK_CAPTURE(BM_Exchange, tiles_by_mbarrier, tiles_by_mbarrier)->Apply(checked);
BENCHMARK_CAPTURE(BM_Exchange, ring_by_mbarriers, ring_by_mbarriers)->Apply(checked);
BENCHMARK_CAPTURE(BM_Exchange, tiles_of_many, tiles_of_many)->Apply(checked);
BENCHMARK_CAPTURE(BM_Exchange, acquires, acquires)->Apply(checked);
BENCHMARK_CAPTURE(BM_Exchange, tickets, tickets)->Apply(checked);
BENCHMARK_CAPTURE(BM_Exchange, grid_barrier, grid_barrier)->Apply(checked);

}  // namespace
}  // namespace gauntlet::simt
