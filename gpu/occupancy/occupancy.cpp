// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/occupancy/occupancy.hpp"

#include <cuda_occupancy.h>

#include <stdexcept>
#include <string>

namespace gauntlet::profile {

std::span<const Architecture> architectures() {
  static constexpr std::size_t ki_b = 1024;
  static const Architecture all[] = {
      {"sm_75", 7, 5, 1024, 64 * ki_b, 64 * ki_b},
      {"sm_80", 8, 0, 2048, 164 * ki_b, 163 * ki_b},
      {"sm_86", 8, 6, 1536, 100 * ki_b, 99 * ki_b},
      {"sm_89", 8, 9, 1536, 100 * ki_b, 99 * ki_b},
      {"sm_90", 9, 0, 2048, 228 * ki_b, 227 * ki_b},
      {"sm_100", 10, 0, 2048, 228 * ki_b, 227 * ki_b},
      {"sm_120", 12, 0, 1536, 100 * ki_b, 99 * ki_b},
  };
  return all;
}

int resident_blocks(const Architecture& architecture, int threads, std::size_t shared,
                    CarveOut carve_out, int registers) {
  cudaOccDeviceProp device{};
  device.computeMajor = architecture.major;
  device.computeMinor = architecture.minor;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = architecture.threads;
  device.regsPerBlock = device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.sharedMemPerBlock = 48 << 10;
  device.sharedMemPerMultiprocessor = architecture.shared;
  device.sharedMemPerBlockOptin = architecture.shared_per_block;
  device.reservedSharedMemPerBlock = architecture.major >= 8 ? 1024 : 0;
  device.numSms = 1;
  cudaOccFuncAttributes kernel{};
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = registers > 0 ? registers : 16;  // 16: so few that they limit nothing
  kernel.maxDynamicSharedSizeBytes = architecture.shared_per_block;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.numBlockBarriers = 1;
  cudaOccDeviceState state{};
  state.carveoutConfig =
      carve_out == CarveOut::smallest ? SHAREDMEM_CARVEOUT_MAX_L1 : SHAREDMEM_CARVEOUT_DEFAULT;
  cudaOccResult result{};
  const cudaOccError error =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, shared);
  if (error != CUDA_OCC_SUCCESS) {
    throw std::runtime_error("cuda_occupancy.h refuses " + std::string(architecture.name) + ": " +
                             std::to_string(error));
  }
  return result.activeBlocksPerMultiprocessor;
}

}  // namespace gauntlet::profile
