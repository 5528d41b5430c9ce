// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast the SIMT machine executes: warp instructions and lanes a second on one core, with all
// checks and without. `launch` alone is timed; memory is laid out once, as an executor that keeps
// its buffers would.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/file.hpp"
#include "ci/benchmarks/launches.hpp"
#include "kernels/images.hpp"

namespace gauntlet::simt {
namespace {

template <class T>
std::vector<T> ones(std::size_t count) {
  return std::vector<T>(count, T{1});
}

struct Setup {
  const char* module;
  const char* entry;
  std::uint32_t grid, block, shared;
  std::uint64_t n;
  bool races = false;
};

void run(benchmark::State& state, const Setup& s) {
  std::shared_ptr<const Module> module;
  for (const auto& image : kernels::images()) {
    if (image.module == s.module) module = load_module(std::string(image.ptx), s.module);
  }
  Launches launches(module, s.entry, s.grid, s.block);
  launches.config.shared_bytes = s.shared;
  launches.set_checks(state.range(0));
  launches.races = s.races;
  launches.array("in", ones<float>(s.n));
  launches.array("out", std::vector<float>(s.grid));
  launches.config.add(s.n);
  launches.run_all(state);
}

constexpr Setup volatile_tail{
    "volatile_warp_tail", "volatile_warp_tail__fixed__f32_f32_sum", 2, 256, 1024, 1000};
constexpr Setup racing_tail{"volatile_warp_tail",
                            "volatile_warp_tail__documented__f32_f32_sum__b256",
                            64,
                            256,
                            1024,
                            32768,
                            true};
constexpr Setup block_1024{
    "syncwarp_tail", "syncwarp_tail__fixed__f32_f32_sum", 1, 1024, 4096, 1000};

void BM_VolatileTail(benchmark::State& s) { run(s, volatile_tail); }
/// Each lane of the last warp races with others at each of its steps.
void BM_RacingTail(benchmark::State& s) { run(s, racing_tail); }
void BM_Block1024(benchmark::State& s) { run(s, block_1024); }
BENCHMARK(BM_VolatileTail)->ArgName("checks")->Arg(2)->Arg(1)->Arg(0);
BENCHMARK(BM_RacingTail)->Apply(checked);
BENCHMARK(BM_Block1024)->ArgName("checks")->Arg(2)->Arg(1)->Arg(0);

/// A grid-stride sum; the time per element must not depend on n.
void BM_GridStride(benchmark::State& s) {
  run(s, {"grid_stride", "grid_stride__fixed__f32_f32_sum", 8, 256, 1024,
          static_cast<std::uint64_t>(s.range(1))});
  s.SetComplexityN(s.range(1));
}
BENCHMARK(BM_GridStride)
    ->ArgNames({"checks", "n"})
    ->ArgsProduct({{2}, {1 << 16, 1 << 18, 1 << 20, 1 << 22}})
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);
BENCHMARK(BM_GridStride)
    ->ArgNames({"checks", "n"})
    ->Args({1, 1 << 20})
    ->Args({0, 1 << 20})
    ->Unit(benchmark::kMillisecond);

/// Every thread polls the flag of every block (polling.cu), which no block has set at first.
void BM_Polling(benchmark::State& state) {
  const auto module = load_module(os::read_file(GAUNTLET_POLLING_PTX).value_or(""), "polling.ptx");
  const auto grid = static_cast<std::uint32_t>(state.range(1));
  const auto block = static_cast<std::uint32_t>(state.range(2));
  const std::size_t n = std::size_t{grid} * block;
  const std::vector<int> unset(grid, 0);
  Launches launches(module, "polling", grid, block);
  launches.config.shared_bytes = block * 4;
  launches.set_checks(state.range(0));
  launches.array("in", ones<int>(n));
  launches.array("out", ones<int>(n));
  launches.array("partials", unset);
  const Address flags = launches.array("flags", unset);
  launches.config.add(static_cast<int>(n));
  launches.run_all(state, [&] { launches.write(flags, unset); });
}
BENCHMARK(BM_Polling)
    ->ArgNames({"checks", "grid", "block"})
    ->ArgsProduct({{2, 1}, {2}, {256}})
    ->ArgsProduct({{2, 1}, {4}, {512}})
    ->Unit(benchmark::kMillisecond);

/// c = a + b of 2^20 elements, each block once, one behind the other: of 4 bytes, or of one byte,
/// or one by each block's first thread alone, or of values that nobody defined.
std::string streaming(const char* type, unsigned bytes, bool one_a_block) {
  return fmt::format(
      ".version 8.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry add(.param .u64 c, .param .u64 a, .param .u64 b)\n{{\n"
      ".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<4>;\n"
      "ld.param.u64 %rd1, [c];\nld.param.u64 %rd2, [a];\nld.param.u64 %rd3, [b];\n"
      "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
      "{}mad.lo.u32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %rd4, %r4, {};\n"
      "add.u64 %rd1, %rd1, %rd4;\nadd.u64 %rd2, %rd2, %rd4;\nadd.u64 %rd3, %rd3, %rd4;\n"
      "ld.global.{} %r5, [%rd2];\nld.global.{} %r6, [%rd3];\nadd.u32 %r7, %r5, %r6;\n"
      "st.global.{} [%rd1], %r7;\nret;\n}}\n",
      one_a_block ? "setp.ne.u32 %p, %r3, 0;\n@%p exit;\n" : "", bytes, type, type, type);
}
Launches streaming_launches(const benchmark::State& state, const char* type, unsigned bytes,
                            bool one_a_block, std::uint32_t elements = 1U << 20,
                            bool written = true) {
  constexpr std::uint32_t threads = 256;
  Launches launches(load_module(streaming(type, bytes, one_a_block), "add.ptx"), "add",
                    elements / threads, threads);
  launches.set_checks(state.range(0));
  const std::vector<std::byte> zeros(std::size_t{elements} * bytes);
  for (const char* const name : {"c", "a", "b"}) {
    written ? launches.array(name, zeros) : launches.unwritten(name, zeros.size());
  }
  return launches;
}

void BM_Streaming(benchmark::State& state, const char* type, unsigned bytes, bool one_a_block) {
  streaming_launches(state, type, bytes, one_a_block).run_all(state);
}
BENCHMARK_CAPTURE(BM_Streaming, words, "u32", 4, false)->Apply(checked);
BENCHMARK_CAPTURE(BM_Streaming, bytes, "u8", 1, false)->Apply(checked);
BENCHMARK_CAPTURE(BM_Streaming, one_a_block, "u32", 4, true)->Apply(checked);
void BM_StreamingUndefined(benchmark::State& state) {
  streaming_launches(state, "u32", 4, false, 1U << 20, false).run_all(state);
}
BENCHMARK(BM_StreamingUndefined)->Apply(checked);

/// 64 rounds by 8 warps each: of reads of one word of a table by the lanes that a bit chooses, of
/// approximations, of a local array of 64 words, and of values that nobody defined.
void BM_Rounds(benchmark::State& state, const char* body) {
  const std::string text = fmt::format(
      ".version 8.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry rounds(.param .u64 table, .param .u64 unwritten, .param .u64 out)\n{{\n"
      ".local .align 4 .b8 own[256];\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<8>;\n"
      "ld.param.u64 %rd1, [table];\nld.param.u64 %rd2, [unwritten];\nld.param.u64 %rd3, [out];\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\nmul.wide.u32 %rd4, %r1, 4;\n"
      "add.u64 %rd2, %rd2, %rd4;\nadd.u64 %rd3, %rd3, %rd4;\ncvt.rn.f32.u32 %f1, %r1;\n"
      "next:\nmul.wide.u32 %rd5, %r2, 4;\nadd.u64 %rd5, %rd1, %rd5;\nmov.u64 %rd6, own;\n"
      "and.b32 %r4, %r2, 63;\nmul.wide.u32 %rd7, %r4, 4;\nadd.u64 %rd6, %rd6, %rd7;\n{}"
      "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 64;\n@%p1 bra next;\n"
      "st.global.u32 [%rd3], %r3;\nret;\n}}\n",
      body);
  Launches launches(load_module(text, "rounds.ptx"), "rounds", 1, 256);
  launches.set_checks(state.range(0));
  launches.array("table", std::vector<std::uint32_t>(64));
  launches.unwritten("unwritten", 1024);
  launches.array("out", std::vector<std::uint32_t>(256));
  launches.run_all(state);
}
BENCHMARK_CAPTURE(BM_Rounds, table,
                  "shr.u32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r2;\nand.b32 %r5, %r5, 1;\n"
                  "setp.eq.u32 %p2, %r5, 0;\n@%p2 bra skip;\nld.global.u32 %r6, [%rd5];\n"
                  "xor.b32 %r3, %r3, %r6;\nld.global.u32 %r7, [%rd5];\nskip:\n")
    ->Apply(checked);
BENCHMARK_CAPTURE(BM_Rounds, approximations,
                  "sin.approx.f32 %f2, %f1;\ncos.approx.f32 %f3, %f1;\nex2.approx.f32 %f4, %f2;\n"
                  "lg2.approx.f32 %f5, %f4;\nadd.f32 %f1, %f1, %f3;\n")
    ->Apply(checked);
BENCHMARK_CAPTURE(BM_Rounds, local,
                  "st.local.u32 [%rd6], %r2;\nld.local.u32 %r5, [%rd6];\nadd.u32 %r3, %r3, %r5;\n")
    ->Apply(checked);
BENCHMARK_CAPTURE(BM_Rounds, undefined,
                  "ld.global.u32 %r5, [%rd2];\nadd.u32 %r6, %r5, %r2;\nxor.b32 %r7, %r6, %r5;\n"
                  "mul.lo.u32 %r8, %r7, %r6;\nst.global.u32 [%rd3], %r8;\n")
    ->Apply(checked);

/// Bytes counted by 2^20 atomic operations on 256 words of global memory.
constexpr const char* histogram =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry histogram(.param .u64 counts, .param .u64 data, .param .u32 n)\n{\n"
    ".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [counts];\nld.param.u64 %rd2, [data];\nld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
    "mad.lo.u32 %r5, %r2, %r3, %r4;\nmov.u32 %r6, %nctaid.x;\nmul.lo.u32 %r6, %r6, %r3;\n"
    "next:\nsetp.ge.u32 %p, %r5, %r1;\n@%p exit;\n"
    "cvt.u64.u32 %rd3, %r5;\nadd.u64 %rd3, %rd2, %rd3;\nld.global.u8 %r7, [%rd3];\n"
    "mul.wide.u32 %rd4, %r7, 4;\nadd.u64 %rd4, %rd1, %rd4;\nred.global.add.u32 [%rd4], 1;\n"
    "add.u32 %r5, %r5, %r6;\nbra next;\n}\n";

void BM_Histogram(benchmark::State& state) {
  std::vector<std::byte> data(1U << 20);
  std::uint32_t random = 1;
  for (std::byte& byte : data) {
    random = random * 1664525 + 1013904223;
    byte = static_cast<std::byte>(random >> 24);
  }
  Launches launches(load_module(histogram, "histogram.ptx"), "histogram", 32, 256);
  launches.set_checks(state.range(0));
  launches.array("counts", std::vector<std::uint32_t>(256));
  launches.array("data", data);
  launches.config.add(static_cast<std::uint32_t>(data.size()));
  launches.run_all(state);
}
BENCHMARK(BM_Histogram)->Apply(checked);

/// Eight warps with 64 products each, of tensor cores: `registers` of A, B and of C and D. They
/// hold `usual`, which is no type's subnormal number, nor its largest, and `step` more in each.
void BM_Products(benchmark::State& state, const char* shape, const char* types, const char* bits,
                 std::array<unsigned, 3> registers, double elements,
                 std::uint64_t usual = 0x3C00'3C00, std::uint64_t step = 1) {
  const auto list = [](const char* name, unsigned count) {
    std::vector<std::string> all;
    for (unsigned k = 0; k < count; ++k) all.push_back(fmt::format("%{}{}", name, k));
    return fmt::format("{{{}}}", fmt::join(all, ", "));
  };
  std::string text = fmt::format(
      ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry products()\n{{\n"
      ".reg .pred %p;\n.reg .b32 %r;\n.reg .b{0} %a<8>;\n.reg .b{0} %b<8>;\n.reg .b{0} %c<8>;\n",
      bits);
  for (const char name : {'a', 'b', 'c'}) {
    for (unsigned k = 0; k < 8; ++k) {
      text += fmt::format("mov.b{0} %{1}{2}, {3};\n", bits, name, k,
                          usual + k * step + (bits == std::string_view("64") ? usual << 32 : 0));
    }
  }
  const std::string c = list("c", registers[2]);
  text += fmt::format(
      "mov.u32 %r, 0;\nnext:\nmma.sync.aligned.{}.row.col.{} {}, {}, {}, {};\n"
      "add.u32 %r, %r, 1;\nsetp.lt.u32 %p, %r, 64;\n@%p bra next;\nret;\n}}\n",
      shape, types, c, list("a", registers[0]), list("b", registers[1]), c);
  Launches(load_module(text, "products.ptx"), "products", 1, 256).run_all(state);
  state.counters["products/s"] =
      benchmark::Counter(512.0 * elements, benchmark::Counter::kIsIterationInvariantRate);
}
#define PRODUCTS(name, shape, types, bits, ...)                         \
  BENCHMARK_CAPTURE(BM_Products, name, shape, types, bits, __VA_ARGS__) \
      ->Unit(benchmark::kMillisecond)
PRODUCTS(f16, "m16n8k16", "f32.f16.f16.f32", "32", {4, 2, 4}, 16 * 8 * 16);
// Of few bits: their sums are exact.
PRODUCTS(f16_short, "m16n8k16", "f32.f16.f16.f32", "32", {4, 2, 4}, 16 * 8 * 16, 0x3C00'3C00, 0x80);
PRODUCTS(tf32_short, "m16n8k8", "f32.tf32.tf32.f32", "32", {4, 2, 4}, 16 * 8 * 8, 0x3F80'0000,
         0x10'0000);
PRODUCTS(bf16, "m16n8k16", "f32.bf16.bf16.f32", "32", {4, 2, 4}, 16 * 8 * 16);
PRODUCTS(tf32, "m16n8k8", "f32.tf32.tf32.f32", "32", {4, 2, 4}, 16 * 8 * 8);
PRODUCTS(e4m3, "m16n8k32", "f32.e4m3.e4m3.f32", "32", {4, 2, 4}, 16 * 8 * 32);
PRODUCTS(e5m2, "m16n8k32", "f32.e5m2.e5m2.f32", "32", {4, 2, 4}, 16 * 8 * 32);
PRODUCTS(s8, "m16n8k32", "s32.s8.s8.s32", "32", {4, 2, 4}, 16 * 8 * 32);
PRODUCTS(f64, "m8n8k4", "f64.f64.f64.f64", "64", {1, 1, 2}, 8 * 8 * 4);
#undef PRODUCTS

/// A block of 8 warps that store a tile of 64 rows of 144 bytes to shared memory, and behind a
/// barrier each read it as factors of tensor cores: four rows of 16 bytes by eight lanes each.
constexpr const char* tiles =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry tiles()\n{\n.shared .align 16 .b8 tile[9216];\n"
    ".reg .pred %p;\n.reg .b32 %r<16>;\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r3, %r2, %r3;\n"
    "and.b32 %r4, %r1, 31;\nmul.lo.u32 %r4, %r4, 144;\nadd.u32 %r4, %r2, %r4;\nmov.u32 %r5, 0;\n"
    "next:\nbar.sync 0;\n"
    "st.shared.u32 [%r3], %r5;\nst.shared.u32 [%r3+1024], %r5;\nst.shared.u32 [%r3+2048], %r5;\n"
    "st.shared.u32 [%r3+3072], %r5;\nst.shared.u32 [%r3+4096], %r5;\nst.shared.u32 [%r3+5120], "
    "%r5;\nst.shared.u32 [%r3+6144], %r5;\nst.shared.u32 [%r3+7168], %r5;\n"
    "st.shared.u32 [%r3+8192], %r5;\nbar.sync 0;\n"
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r4];\n"
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r4+16];\n"
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r4+4608];\n"
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r4+4624];\n"
    "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p, %r5, 32;\n@%p bra next;\nret;\n}\n";
void BM_SharedTiles(benchmark::State& state) {
  Launches launches(load_module(tiles, "tiles.ptx"), "tiles", 1, 256);
  launches.set_checks(state.range(0));
  launches.run_all(state);
}
BENCHMARK(BM_SharedTiles)->Apply(checked);

/// A block of 8 warps whose threads each store 7 pairs of their own to shared memory, one behind
/// the other, and behind a barrier each read those of another, as sorts and scans of many elements
/// a thread do.
void BM_BlockedPairs(benchmark::State& state) {
  std::string stores, loads;
  for (int k = 0; k < 7; ++k) {
    stores += fmt::format("st.shared.v2.u32 [%r3+{}], {{%r1, %r5}};\n", 8 * k);
    loads += fmt::format("ld.shared.v2.u32 {{%r8, %r9}}, [%r4+{}];\n", 8 * k);
  }
  const std::string text = fmt::format(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry pairs()\n{{\n.shared .align 16 .b8 tile[14336];\n"
      ".reg .pred %p;\n.reg .b32 %r<16>;\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\nmad.lo.u32 %r3, %r1, 56, %r2;\n"
      "mul.lo.u32 %r4, %r1, 73;\nand.b32 %r4, %r4, 255;\nmad.lo.u32 %r4, %r4, 56, %r2;\n"
      "mov.u32 %r5, 0;\n"
      "next:\n{}bar.sync 0;\n{}bar.sync 0;\n"
      "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p, %r5, 32;\n@%p bra next;\nret;\n}}\n",
      stores, loads);
  Launches launches(load_module(text, "pairs.ptx"), "pairs", 1, 256);
  launches.set_checks(state.range(0));
  launches.run_all(state);
}
BENCHMARK(BM_BlockedPairs)->Apply(checked);

/// 32 blocks of 8 warps, each of which exchanges 7 pairs a lane among its lanes, behind a barrier
/// of its own, and then ends, as kernels do that store many elements a thread.
void BM_WarpPairs(benchmark::State& state) {
  std::string stores, loads;
  for (int k = 0; k < 7; ++k) {
    stores += fmt::format("st.shared.v2.u32 [%r3+{}], {{%r1, %r5}};\n", 8 * k);
    loads += fmt::format("ld.shared.v2.u32 {{%r8, %r9}}, [%r4+{}];\n", 256 * k);
  }
  const std::string text = fmt::format(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry pairs()\n{{\n.shared .align 16 .b8 tile[14336];\n.reg .b32 %r<16>;\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\nmad.lo.u32 %r3, %r1, 56, %r2;\n"
      "and.b32 %r4, %r1, 31;\nsub.u32 %r5, %r1, %r4;\nmad.lo.u32 %r5, %r5, 56, %r2;\n"
      "mad.lo.u32 %r4, %r4, 8, %r5;\nbar.sync 0;\n{}bar.warp.sync 0xffffffff;\n{}ret;\n}}\n",
      stores, loads);
  Launches launches(load_module(text, "pairs.ptx"), "pairs", 32, 256);
  launches.set_checks(state.range(0));
  launches.run_all(state);
}
BENCHMARK(BM_WarpPairs)->Apply(checked);

/// Threads of all blocks add to words of one array from here and there, without any order: all of
/// their accesses race.
void BM_Races(benchmark::State& state) {
  constexpr const char* text =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry races(.param .u64 cells)\n{\n"
      ".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n"
      "ld.param.u64 %rd1, [cells];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
      "mad.lo.u32 %r3, %r2, 256, %r1;\nmov.u32 %r5, 0;\n"
      "next:\nmad.lo.u32 %r3, %r3, 1664525, 1013904223;\nshr.u32 %r4, %r3, 20;\n"
      "mul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"
      "ld.global.u32 %r6, [%rd2];\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd2], %r6;\n"
      "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p, %r5, 64;\n@%p bra next;\nret;\n}\n";
  Launches launches(load_module(text, "races.ptx"), "races", 16, 256);
  launches.set_checks(state.range(0));
  launches.array("cells", std::vector<std::uint32_t>(4096));
  launches.races = true;
  launches.run_all(state);
}
BENCHMARK(BM_Races)->Apply(checked);

/// c = a + b of 2^n words by two threads, in turns with one: the time of two, and how often that of
/// one it is; and the processor time of both threads by that of the one, which says the same where
/// others keep the processors busy: 2 by that is the ratio that a quiet machine gives. Of minima.
void BM_TwoThreads(benchmark::State& state) {
  Launches launches =
      streaming_launches(state, "u32", 4, false, 1U << static_cast<unsigned>(state.range(1)));
  std::array<double, 2> seconds, processor;
  seconds.fill(std::numeric_limits<double>::infinity());
  processor = seconds;
  for (auto _ : state) {
    double now = 0;
    for (const unsigned jobs : {1U, 2U}) {
      launches.config.jobs = jobs;
      const std::clock_t used = std::clock();
      const auto begin = std::chrono::steady_clock::now();
      const auto report = launches.run(state);
      now = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if ((jobs == 2) != (report.beside != 0)) state.SkipWithError("one thread for two");
      seconds[jobs - 1] = std::min(seconds[jobs - 1], now);
      processor[jobs - 1] = std::min(processor[jobs - 1], static_cast<double>(std::clock() - used));
    }
    state.SetIterationTime(now);
  }
  state.counters["ratio"] = seconds[0] / seconds[1];
  state.counters["work"] = processor[1] / processor[0];
}
BENCHMARK(BM_TwoThreads)
    ->ArgNames({"checks", "n"})
    ->ArgsProduct({{2, 1}, {20, 22, 24}})
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();

}  // namespace
}  // namespace gauntlet::simt

BENCHMARK_MAIN();
