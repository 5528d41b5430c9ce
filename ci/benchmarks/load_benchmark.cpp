// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How long modules take to load as libraries of templates make them: files with many kernels, and
// kernels of many instructions that were inlined from headers. Loading must be linear in both.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "machine/engine/machine.hpp"
#include "machine/engine/module.hpp"

namespace gauntlet::simt {
namespace {

constexpr const char* head = ".version 8.0\n.target sm_75\n.address_size 64\n";

/// `kernels` kernels, each with a variable, a shared array and a header of its own.
std::string many_kernels(std::int64_t kernels) {
  std::string text = head;
  for (std::int64_t k = 0; k < kernels; ++k) {
    fmt::format_to(std::back_inserter(text),
                   ".global .align 4 .u32 variable{0};\n"
                   ".visible .entry kernel{0}(.param .u64 out)\n{{\n"
                   ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.shared .align 4 .u32 array;\n"
                   ".loc {1} 7 0\n"
                   "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nst.shared.u32 [array], %r1;\n"
                   "ld.global.u32 %r2, [variable{0}];\nst.global.u32 [%rd1], %r2;\nret;\n}}\n",
                   k, k + 1);
  }
  for (std::int64_t k = 0; k < kernels; ++k) {
    fmt::format_to(std::back_inserter(text), ".file {} \"/project/header{}.cuh\"\n", k + 1, k);
  }
  return text;
}

/// One kernel of `instructions` instructions, each inlined from a header of the toolkit at the line
/// of the one before.
std::string inlined_lines(std::int64_t instructions) {
  std::string text = head;
  text +=
      ".visible .entry kernel(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
      ".loc 1 1 0\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n";
  for (std::int64_t k = 0; k < instructions; ++k) {
    fmt::format_to(std::back_inserter(text),
                   ".loc 2 {} 0, function_name $L, inlined_at {} {} 0\nadd.u32 %r1, %r1, {};\n",
                   k + 2, k == 0 ? 1 : 2, k + 1, k);
  }
  text +=
      "st.global.u32 [%rd1], %r1;\nret;\n}\n"
      ".file 1 \"/project/kernel.cu\"\n.file 2 \"/usr/local/cuda/targets/x/include/deep.cuh\"\n";
  return text;
}

/// `whole`: every kernel is decoded with the file; otherwise one after the other, as `gauntlet run`
/// does, and the variables are placed.
void load(benchmark::State& state, const std::string& text, bool whole) {
  for (auto _ : state) {
    if (whole) {
      benchmark::DoNotOptimize(load_module(text, "library.ptx"));
      continue;
    }
    const auto module = parse_module(text, "library.ptx");
    GlobalMemory memory;
    const ModuleState loaded(module, memory);
    for (const auto& function : module->ast.functions) decode_entry(*module, function.name);
  }
  state.SetComplexityN(state.range(1));
}

void BM_LoadKernels(benchmark::State& state) {
  load(state, many_kernels(state.range(1)), state.range(0) != 0);
}
BENCHMARK(BM_LoadKernels)
    ->ArgNames({"whole", "kernels"})
    ->ArgsProduct({{1}, {1250, 5000, 20000}})
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);
BENCHMARK(BM_LoadKernels)
    ->ArgNames({"whole", "kernels"})
    ->ArgsProduct({{0}, {1250, 5000, 20000}})
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

void BM_LoadInlinedLines(benchmark::State& state) {
  load(state, inlined_lines(state.range(1)), state.range(0) != 0);
}
BENCHMARK(BM_LoadInlinedLines)
    ->ArgNames({"whole", "instructions"})
    ->ArgsProduct({{1}, {6250, 25000, 100000}})
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

}  // namespace
}  // namespace gauntlet::simt

BENCHMARK_MAIN();
