// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of simt_benchmark: kernels that read each word of an array in global memory by many threads,
// by rows of lanes that are shorter than a warp.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ci/benchmarks/launches.hpp"

namespace gauntlet::simt {
namespace {

/// %r1, %r2, %r3: the thread's place in the grid; %rd1: what it reads, %rd3: what else.
struct Readers {
  std::string body;  ///< %f1 is stored at the thread's element, whose number is %r4
  Dim3 grid, block;
  std::size_t elements;
};

/// Of 5 x 5 words around each of an image, whose edge goes on outside, by a filter in memory.
Readers convolution() {
  constexpr int width = 320, height = 240;
  std::string body = fmt::format("mad.lo.u32 %r4, %r2, {}, %r1;\n", width);
  for (int k = 0; k < 25; ++k) {
    body += fmt::format(
        "add.s32 %r5, %r1, {};\nmax.s32 %r5, %r5, 0;\nmin.s32 %r5, %r5, {};\n"
        "add.s32 %r6, %r2, {};\nmax.s32 %r6, %r6, 0;\nmin.s32 %r6, %r6, {};\n"
        "mad.lo.u32 %r5, %r6, {}, %r5;\nmul.wide.u32 %rd4, %r5, 4;\nadd.u64 %rd4, %rd1, %rd4;\n"
        "ld.global.f32 %f2, [%rd4];\nld.global.f32 %f3, [%rd3+{}];\nfma.rn.f32 %f1, %f2, %f3, "
        "%f1;\n",
        k % 5 - 2, width - 1, k / 5 - 2, height - 1, width, 4 * k);
  }
  return {body, {width / 16, height / 16, 1}, {16, 16, 1}, width * height};
}
/// Of an element and its six neighbours in a cube, inside.
Readers stencil_3d() {
  constexpr int side = 48;
  std::string body = fmt::format(
      "mad.lo.u32 %r4, %r3, {0}, %r2;\nmad.lo.u32 %r4, %r4, {0}, %r1;\n"
      "mul.wide.u32 %rd4, %r4, 4;\nadd.u64 %rd4, %rd1, %rd4;\n",
      side);
  for (const char* const r : {"%r1", "%r2", "%r3"}) {
    body += fmt::format("setp.eq.u32 %p, {0}, 0;\n@%p ret;\nsetp.eq.u32 %p, {0}, {1};\n@%p ret;\n",
                        r, side - 1);
  }
  for (const int step : {0, -1, 1, -side, side, -side * side, side * side}) {
    body += fmt::format("ld.global.f32 %f2, [%rd4+{}];\nadd.f32 %f1, %f1, %f2;\n", 4 * step);
  }
  return {body, {side / 8, side / 8, side / 8}, {8, 8, 8}, side * side * side};
}
/// A product of matrices without tiles: a row is read by all lanes of half a warp, a column by
/// all warps.
Readers product() {
  constexpr int side = 128;
  return {fmt::format("mad.lo.u32 %r4, %r2, {0}, %r1;\nmul.lo.u32 %r5, %r2, {1};\n"
                      "cvt.u64.u32 %rd4, %r5;\nadd.u64 %rd4, %rd1, %rd4;\n"
                      "mul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd5, %rd3, %rd5;\nmov.u32 %r6, 0;\n"
                      "next:\nld.global.f32 %f2, [%rd4];\nld.global.f32 %f3, [%rd5];\n"
                      "fma.rn.f32 %f1, %f2, %f3, %f1;\nadd.u64 %rd4, %rd4, 4;\n"
                      "add.u64 %rd5, %rd5, {1};\nadd.u32 %r6, %r6, 1;\n"
                      "setp.lt.u32 %p, %r6, {0};\n@%p bra next;\n",
                      side, 4 * side),
          {side / 16, side / 16, 1},
          {16, 16, 1},
          side * side};
}
void BM_Readers(benchmark::State& state, const Readers& readers) {
  const std::string text = fmt::format(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry readers(.param .u64 in, .param .u64 out, .param .u64 other)\n{{\n"
      ".reg .pred %p;\n.reg .f32 %f<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
      "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nld.param.u64 %rd3, [other];\n"
      "mov.u32 %r1, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmov.u32 %r6, %tid.x;\n"
      "mad.lo.u32 %r1, %r1, %r5, %r6;\n"
      "mov.u32 %r2, %ctaid.y;\nmov.u32 %r5, %ntid.y;\nmov.u32 %r6, %tid.y;\n"
      "mad.lo.u32 %r2, %r2, %r5, %r6;\n"
      "mov.u32 %r3, %ctaid.z;\nmov.u32 %r5, %ntid.z;\nmov.u32 %r6, %tid.z;\n"
      "mad.lo.u32 %r3, %r3, %r5, %r6;\nmov.f32 %f1, 0f00000000;\n{}"
      "mul.wide.u32 %rd4, %r4, 4;\nadd.u64 %rd4, %rd2, %rd4;\nst.global.f32 [%rd4], %f1;\n"
      "ret;\n}}\n",
      readers.body);
  Launches launches(load_module(text, "readers.ptx"), "readers", 1, 1);
  launches.config.grid = readers.grid;
  launches.config.block = readers.block;
  launches.set_checks(state.range(0));
  for (const char* const name : {"in", "out", "other"}) {
    launches.array(name, std::vector<float>(readers.elements));
  }
  launches.run_all(state);
}
BENCHMARK_CAPTURE(BM_Readers, convolution, convolution())->Apply(checked);
BENCHMARK_CAPTURE(BM_Readers, stencil_3d, stencil_3d())->Apply(checked);
BENCHMARK_CAPTURE(BM_Readers, product, product())->Apply(checked);

}  // namespace
}  // namespace gauntlet::simt
