// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/limits.md has the table of what is refused, each with its message. GAUNTLET_APPROVE=1 writes
// it there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "machine/code/refusal.hpp"
#include "machine/engine/module.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::refused_page {
namespace {

/// What a user would call it, an instruction of that kind, and a word of what the message has to
/// say; where that is empty the instruction itself says it all.
struct Refused {
  const char *what, *statement, *named;
};
constexpr Refused all[] = {
    {"tensor cores: single bits",
     "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r0, %r1}, {%r2}, {%r3}, {%r4, "
     "%r5};",
     "tensor cores"},
    {"tensor cores: sparse factors of `mma`",
     "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%x0, %x1, %x2, %x3}, "
     "{%r0, %r1}, {%r2, %r3}, {%x4, %x5, %x6, %x7}, %r4, 0x0;",
     "tensor cores"},
    {"tensor cores: f16 with m8n8k4",
     "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}, "
     "{%r0, %r1}, {%r2, %r3}, {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7};",
     "tensor cores"},
    {"tensor cores of sm_120: fp4, fp6 and scales by blocks",
     "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 {%x0, %x1, %x2, %x3}, {%r0, "
     "%r1, %r2, %r3}, {%r4, %r5}, {%x0, %x1, %x2, %x3};",
     "tensor cores"},
    {"tensor cores of sm_100", "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 32;",
     "tensor cores"},
    {"matrices of bytes to and from shared memory (sm_100)",
     "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%r2];", "tensor cores"},
    {"TMA: pixels by `im2col::w` (sm_100)",
     "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%r0], "
     "[%d1, {%r2, %r3, %r4}], [%r4], {%h0, %h1};",
     "bulk copies"},
    {"TMA: gather and scatter (sm_100)",
     "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r0], "
     "[%d1, {%r1, %r2, %r3, %r4, %r5}], [%r6];",
     "bulk copies"},
    {"TMA: masks of bytes (sm_100)",
     "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d0], [%r0], 16, %h0;", "bulk copies"},
    {"zeros by bulk copies (sm_100)", "st.bulk.weak.shared::cta [%d0], %d1, 0;", "bulk copies"},
    {"tensor maps: interleaved",
     "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%d0], 1;", "a tensor map"},
    {"tensor maps: swizzles of chunks of other than 16 bytes (sm_100)",
     "tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [%d0], 1;", "a tensor map"},
    {"`st.async` to global memory (sm_100)", "st.async.mmio.release.sys.global.b32 [%d0], %r0;",
     "a store to memory of other blocks"},
    {"`red.async` to global memory (sm_100)",
     "red.async.mmio.release.sys.global.add.u32 [%d0], %r0;",
     "a reduction in memory of other blocks"},
    {"multicast memory of several devices",
     "multimem.ld_reduce.relaxed.gpu.global.add.u32 %r0, [%d0];", "multicast memory"},
    {"blocks that take over another cluster's (sm_100)",
     "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r0], "
     "[%r1];",
     "thread block clusters"},
    {"textures: gradients",
     "tex.grad.2d.v4.f32.f32 {%x0, %x1, %x2, %x3}, [%d0, {%x4, %x5}], {%x0, %x1}, {%x2, %x3};",
     "a texture"},
    {"textures: several samples",
     "tex.2dms.v4.f32.s32 {%x0, %x1, %x2, %x3}, [%d0, {%r0, %r1, %r2, %r3}];", "a texture"},
    {"textures: four texels of a cube map",
     "tld4.r.cube.v4.f32.f32 {%x0, %x1, %x2, %x3}, [%d0, {%x4, %x5, %x6, %x7}];", "a texture"},
    {"textures: questions about one", "txq.width.b32 %r0, [%d0];", "a texture"},
    {"surfaces: formatted stores", "sust.p.2d.v2.b32.trap [%d0, {%r1, %r2}], {%r3, %r4};",
     "a surface"},
    {"surfaces: reductions", "sured.b.add.2d.u32.trap [%d0, {%r0, %r1}], %r2;", "a surface"},
    {"surfaces: questions about one", "suq.width.b32 %r0, [%d0];", "a surface"},
    {"video instructions but `dp4a dp2a vabsdiff4`", "vadd.s32.s32.s32 %r1, %r2, %r3;",
     "a video instruction"},
    {"values of 16 bytes in one register, atomics of them too",
     "atom.global.cas.b128 %q0, [%d0], %q1, %q2;", "a 16-byte value"},
    {"fp4 (sm_100)", "cvt.rn.satfinite.e2m1x2.f32 %b1, %x1, %x2;", "fp4"},
    {"fp6 (sm_100)", "cvt.rn.satfinite.e3m2x2.f32 %h1, %x1, %x2;", "fp6"},
    {"scales of blocks (sm_100)", "cvt.rp.satfinite.ue8m0x2.f32 %h1, %x1, %x2;", "ue8m0"},
    {"rounding by random bits (sm_100)", "cvt.rs.f16x2.f32 %r0, %x0, %x1, %r1;",
     "stochastic rounding"},
    {"sums of f32 and narrow floats (sm_100)", "add.rn.f32.f16 %x0, %h0, %x1;", ""},
    {"minima and maxima of three floats (sm_100)", "min.f32 %x0, %x1, %x2, %x3;", ""},
    {"four integers packed into a register", "cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;", ""},
    {"`fma` that knows what lies outside", "fma.rn.oob.f16 %h0, %h1, %h2, %h3;", ""},
    {"`lop3` with a predicate", "lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x80, %p0;", ""},
    {"stacks of run-time size", "alloca.u64 %d1, %d2;", "an array on the stack of run-time size"},
    {"lines of a cache that are thrown away, whose values nobody knows then",
     "discard.global.L2 [%d0], 128;", "memory whose values are given up"},
    {"priorities of lines of a cache", "applypriority.global.L2::evict_normal [%d0], 128;",
     "cache lines"},
    {"fences of mbarriers alone", "fence.acquire.sync_restrict::shared::cluster.cluster;",
     "a fence of mbarriers alone"},
    {"`shfl` and `vote` without `.sync`", "shfl.down.b32 %r1, %r2, 1, 31;", "without .sync"},
    {"a function that has no body in the module (`gauntlet run` links units first)",
     "call missing;", "no body in this module"},
    {"launches in kernels, outside of `gauntlet run`", "call cudaLaunchDeviceV2, (%d1);",
     "a launch inside a kernel"},
    {"a function of the device runtime beyond the launches",
     "call.uni (%r1), __cuda_syscall_cnpv2EventRecord, (%d1);", "a function of the device runtime"},
};

/// The message behind file and line.
std::string refusal(const char* statement) {
  const auto error = load_error(std::string(module_header) +
                                ".visible .entry k() {\n.reg .b8 %b<4>; .reg .b16 %h<4>; .reg .b32 "
                                "%r<9>; .reg .b64 %d<9>; .reg .f32 %x<9>; .reg .pred %p<4>; .reg "
                                ".b128 %q<4>;\n" +
                                statement + "\nret;\n}\n");
  return error.substr(std::min(error.find(": ") + 2, error.size()));
}

/// What is said of most, which the page has above its table.
constexpr std::string_view usual = "instruction not known to the machine: ";

std::string table() {
  std::string text;
  for (const auto& [what, statement, named] : all) {
    auto said = refusal(statement);
    // Operands are left out.
    const auto quote = said.find('`');
    const auto blank = said.find_first_of(" ;", quote), end = said.find('`', quote + 1);
    if (quote != said.npos && blank < end) said.erase(blank, end - blank);
    if (said.starts_with(usual)) said.erase(0, usual.size());
    text += fmt::format("| {} | {} |\n", what, said);
  }
  return text;
}

TEST(RefusedPage, has_what_is_refused_and_how_it_is_named) {
  for (const auto& [what, statement, named] : all) {
    const auto said = refusal(statement);
    EXPECT_NE(said, "") << what << " is not refused";
    EXPECT_NE(said.find(named), said.npos) << what << ": " << said;
  }
  const std::string path = GAUNTLET_DOCS "/limits.md";
  std::ifstream file(path);
  std::string page{std::istreambuf_iterator<char>(file), {}};
  const auto head = page.find("| refused | what it says |");
  ASSERT_NE(head, page.npos);
  const auto begin = page.find('\n', page.find('\n', head) + 1) + 1;
  const auto size = page.find("\n\n", begin) + 1 - begin;
  if (std::getenv("GAUNTLET_APPROVE") != nullptr) {
    page.replace(begin, size, table());
    std::ofstream(path) << page;
  } else {
    EXPECT_EQ(page.substr(begin, size), table()) << "GAUNTLET_APPROVE=1 writes it anew";
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::refused_page
