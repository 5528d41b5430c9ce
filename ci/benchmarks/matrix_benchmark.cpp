// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of simt_benchmark: matrices by tensor cores, from global memory to global memory.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ci/benchmarks/launches.hpp"

namespace gauntlet::simt {
namespace {

/// How 16 bytes come from [%rd3+G] to [%r4+S], and when all have come.
struct Filling {
  const char *copy, *end;
};
constexpr Filling stored{
    "ld.global.v4.u32 {{%r5, %r6, %r7, %r8}}, [%rd3+{0}];\n"
    "st.shared.v4.u32 [%r4+{1}], {{%r5, %r6, %r7, %r8}};\n",
    ""};
constexpr Filling copied{
    "cp.async.cg.shared.global [%r4+{1}], [%rd3+{0}], 16;\ncp.async.commit_group;\n",
    "cp.async.wait_group 0;\n"};
/// Of wmma: shape and types, the registers of A, B and D and their bits; a word of a number.
struct Factors {
  const char *shape, *type, *sum, *bits, *sum_bits;
  unsigned of_a, of_b, of_d, bytes;
  std::uint32_t number;
};
constexpr Factors bf16{"m16n16k16", "bf16", "f32", "b32", "f32", 4, 4, 8, 2, 0x3F80'4000};
constexpr Factors tf32{"m16n16k8", "tf32", "f32", "b32", "f32", 4, 4, 8, 4, 0x3F80'0000};
constexpr Factors f64{"m8n8k4", "f64", "f64", "f64", "f64", 1, 1, 2, 8, 0x3FF0'0000};

/// A block of 8 warps that fills a tile of 128 rows of 288 bytes, of which 256 are used, and behind
/// a barrier multiplies: two tiles of factors are loaded for each product, eight times a filling.
/// The sums are stored at last.
void BM_Tiles(benchmark::State& state, const Filling& filling, const Factors& f) {
  const auto list = [](const char* name, unsigned count) {
    std::vector<std::string> all;
    for (unsigned k = 0; k < count; ++k) all.push_back(fmt::format("%{}{}", name, k));
    return fmt::format("{{{}}}", fmt::join(all, ", "));
  };
  constexpr unsigned row_bytes = 288, rounds = 16, products = 8;
  std::string text = fmt::format(
      ".version 8.4\n.target sm_90\n.address_size 64\n"
      ".visible .entry tiles(.param .u64 from, .param .u64 to)\n{{\n"
      ".shared .align 128 .b8 tile[36864];\n.reg .pred %p;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n"
      ".reg .{} %a<8>, %b<8>;\n.reg .{} %d<8>;\n"
      "ld.param.u64 %rd1, [from];\nld.param.u64 %rd2, [to];\nmov.u32 %r1, %tid.x;\n"
      "mov.u32 %r2, tile;\nshr.u32 %r3, %r1, 4;\nand.b32 %r4, %r1, 15;\nshl.b32 %r4, %r4, 4;\n"
      "add.u32 %r4, %r4, %r2;\nmad.lo.u32 %r4, %r3, {}, %r4;\n"
      "mul.wide.u32 %rd3, %r1, 16;\nadd.u64 %rd3, %rd1, %rd3;\n"
      "shr.u32 %r9, %r1, 6;\nmad.lo.u32 %r9, %r9, {}, %r2;\nmov.u32 %r10, 0;\n",
      f.bits, f.sum_bits, row_bytes, 16 * row_bytes);
  for (unsigned k = 0; k < f.of_d; ++k) text += fmt::format("mov.{} %d{}, 0;\n", f.sum_bits, k);
  text += "next:\n";
  for (unsigned k = 0; k < 8; ++k) {
    text += fmt::format(fmt::runtime(filling.copy), 4096 * k, 16 * row_bytes * k);
  }
  text += fmt::format("{}bar.sync 0;\n", filling.end);
  const std::string a = list("a", f.of_a), b = list("b", f.of_b), d = list("d", f.of_d);
  const unsigned stride = row_bytes / f.bytes;
  for (unsigned k = 0; k < products; ++k) {
    text += fmt::format(
        "wmma.load.a.sync.aligned.row.{0}.shared.{1} {2}, [%r9+{3}], {4};\n"
        "wmma.load.b.sync.aligned.col.{0}.shared.{1} {5}, [%r9+{6}], {4};\n",
        f.shape, f.type, a, 32 * k, stride, b, 64 * row_bytes + 32 * k);
    text += fmt::format("wmma.mma.sync.aligned.row.col.{}.{}.{}.{}.{} {}, {}, {}, {};\n", f.shape,
                        f.sum, f.type, f.type, f.sum, d, a, b, d);
  }
  text += fmt::format(
      "bar.sync 0;\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p, %r10, {};\n@%p bra next;\n"
      "shr.u32 %r9, %r1, 5;\nmul.wide.u32 %rd4, %r9, 1024;\nadd.u64 %rd4, %rd2, %rd4;\n"
      "wmma.store.d.sync.aligned.row.{}.global.{} [%rd4], {}, 16;\nret;\n}}\n",
      rounds, f.shape, f.sum, d);
  Launches launches(load_module(text, "tiles.ptx"), "tiles", 1, 256);
  launches.set_checks(state.range(0));
  launches.array("from", std::vector<std::uint32_t>(8192, f.number));
  launches.array("to", std::vector<std::uint32_t>(2048));
  launches.run_all(state);
  state.counters["tiles/s"] =
      benchmark::Counter(8.0 * products * rounds, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(BM_Tiles, bf16_stored, stored, bf16)->Apply(checked);
BENCHMARK_CAPTURE(BM_Tiles, bf16_copied, copied, bf16)->Apply(checked);
BENCHMARK_CAPTURE(BM_Tiles, tf32_copied, copied, tf32)->Apply(checked);
BENCHMARK_CAPTURE(BM_Tiles, f64_copied, copied, f64)->Apply(checked);

}  // namespace
}  // namespace gauntlet::simt
