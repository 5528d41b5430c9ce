// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One PTX text on the SIMT machine and on the GPU: an entry k of arrays of 64-bit words, one word a
// thread, the last of them the result.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine/engine/machine.hpp"
#include "tests/gpu/executor/gpu.hpp"

namespace gauntlet::cuda {

using Words = std::vector<std::uint64_t>;
inline constexpr unsigned block = 256, blocks = 512, count = block * blocks;

inline Words on_machine(const std::string& text, const std::vector<Words>& in) {
  const auto module = simt::load_module(text, "opcode.ptx");
  simt::GlobalMemory memory;
  simt::ModuleState state(module, memory);
  simt::LaunchConfig config;
  config.entry = "k";
  config.grid = {blocks};
  config.block = {block};
  const auto bytes = std::uint64_t{count} * 8;
  simt::GlobalMemory::Options options;
  options.bytes = bytes;
  for (const auto& words : in) {
    const auto at = memory.allocate(options);
    memory.write(at, std::as_bytes(std::span(words)));
    config.add(at);
  }
  const auto out = memory.allocate(options);
  memory.fill(out, std::byte{0}, bytes);
  config.add(out);
  const auto report = simt::launch(state, config);
  EXPECT_TRUE(report.completed && report.findings.empty());
  Words result(count);
  memory.read(out, std::as_writable_bytes(std::span(result)));
  return result;
}

inline void check(cudaError_t error, const std::string& what) {
  if (error != cudaSuccess) throw std::runtime_error(what + ": " + cudaGetErrorName(error));
}

inline Words on_gpu(const std::string& text, const std::vector<Words>& in) {
  check(cudaSetDevice(static_cast<int>(gpu_number())), "device");
  cudaLibrary_t library;
  check(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        text);
  cudaKernel_t kernel;
  check(cudaLibraryGetKernel(&kernel, library, "k"), "kernel");
  std::vector<void*> arrays(in.size() + 1), pointers;
  const auto bytes = std::size_t{count} * 8;
  for (auto& array : arrays) {
    check(cudaMalloc(&array, bytes), "memory");
    pointers.push_back(&array);
  }
  for (std::size_t k = 0; k < in.size(); ++k) {
    check(cudaMemcpy(arrays[k], in[k].data(), bytes, cudaMemcpyHostToDevice), "copy");
  }
  check(cudaMemset(arrays.back(), 0, bytes), "memset");
  cudaLaunchConfig_t config{};
  config.gridDim = {blocks, 1, 1};
  config.blockDim = {block, 1, 1};
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers.data()),
        "launch");
  check(cudaDeviceSynchronize(), text);
  Words result(count);
  check(cudaMemcpy(result.data(), arrays.back(), bytes, cudaMemcpyDeviceToHost), "copy");
  for (void* array : arrays) (void)cudaFree(array);
  (void)cudaLibraryUnload(library);
  return result;
}

}  // namespace gauntlet::cuda
