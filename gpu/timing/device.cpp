// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/device.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <array>

#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/pool.hpp"

namespace gauntlet::timing {
namespace {

int attribute(cudaDeviceAttr which, int gpu) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, which, gpu));
  return value;
}

}  // namespace

DeviceFacts device_facts(int gpu) {
  const cuda::Hello hello = cuda::open_gpu(static_cast<unsigned>(gpu))->hello();
  if (!hello.unusable.empty()) throw cuda::Unavailable(hello.unusable);
  DeviceFacts facts;
  facts.name = hello.device;
  facts.compute_capability = fmt::format("{}.{}", hello.major, hello.minor);
  facts.driver = fmt::format("{}.{}", hello.driver / 1000, hello.driver % 1000 / 10);
  facts.runtime = fmt::format("{}.{}", hello.runtime / 1000, hello.runtime % 1000 / 10);
  facts.multiprocessors = hello.multiprocessors;
  facts.memory_bytes = hello.memory;
  facts.l2_bytes = static_cast<std::uint64_t>(attribute(cudaDevAttrL2CacheSize, gpu));
  // Two transfers in each cycle of the memory clock, which is given in kHz; the bus in bits.
  facts.peak_gb_per_s = 2.0 * attribute(cudaDevAttrMemoryClockRate, gpu) *
                        attribute(cudaDevAttrGlobalMemoryBusWidth, gpu) / 8 / 1e6;
  return facts;
}

std::string bus_id(int gpu) {
  std::array<char, 32> text{};
  cuda::check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), gpu));
  return text.data();
}

}  // namespace gauntlet::timing
