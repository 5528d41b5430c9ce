// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/device.hpp"

#include <cuda.h>
#include <fmt/format.h>

#include <cstring>

#include "base/host_memory.hpp"

namespace gauntlet::runtime {

const profile::Architecture& architecture(std::uint32_t arch) {
  const profile::Architecture* best = &profile::architectures().front();
  for (const profile::Architecture& one : profile::architectures()) {
    if (static_cast<std::uint32_t>(one.major * 10 + one.minor) <= arch) best = &one;
  }
  return *best;
}

std::uint32_t resident_blocks(std::uint32_t arch, const simt::Kernel& kernel, std::uint64_t threads,
                              std::uint64_t dynamic_shared) {
  const profile::Architecture& of = architecture(arch);
  const std::uint64_t shared = kernel.shared_bytes + dynamic_shared;
  if (threads == 0 || threads > 1024 || shared > of.shared_per_block ||
      (kernel.max_threads != 0 && threads > kernel.max_threads)) {
    return 0;
  }
  if (blocks_per_multiprocessor) return *blocks_per_multiprocessor;
  return static_cast<std::uint32_t>(profile::resident_blocks(of, static_cast<int>(threads), shared,
                                                             profile::CarveOut::as_needed));
}

std::uint64_t device_bytes() {
  // A byte of the device takes two of the host. Asked for once: programs divide by it.
  static const std::uint64_t bytes = [] {
    constexpr std::uint64_t gib = 1ULL << 30;
    const std::uint64_t available = memory_available();
    return available == 0 ? gib : (available / 2 / gib + 1) * gib;
  }();
  return bytes;
}

cudaDeviceProp properties(std::uint32_t arch) {
  const profile::Architecture& of = architecture(arch);
  cudaDeviceProp p{};
  const auto name = fmt::format("Gauntlet SIMT machine, sm_{}", arch);
  name.copy(p.name, sizeof p.name - 1);
  std::memcpy(p.uuid.bytes, "gauntlet run cpu", sizeof p.uuid.bytes);
  p.major = static_cast<int>(arch / 10);
  p.minor = static_cast<int>(arch % 10);
  p.totalGlobalMem = device_bytes();
  p.sharedMemPerBlock = shared_per_block;
  p.sharedMemPerBlockOptin = of.shared_per_block;
  p.sharedMemPerMultiprocessor = of.shared;
  p.reservedSharedMemPerBlock = of.major >= 8 ? 1024 : 0;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.memPitch = 0x7FFF'FFFF;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7FFF'FFFF;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.maxThreadsPerMultiProcessor = of.threads;
  p.maxBlocksPerMultiProcessor = profile::resident_blocks(of, 32, 0, profile::CarveOut::as_needed);
  p.multiProcessorCount = static_cast<int>(multiprocessors);
  p.totalConstMem = 65536;
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory = 1;
  p.asyncEngineCount = 3;
  p.memoryBusWidth = 5120;
  p.l2CacheSize = 50 << 20;
  p.persistingL2CacheMaxSize = 30 << 20;
  p.accessPolicyMaxWindowSize = 128 << 20;
  p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.computePreemptionSupported = p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = p.hostRegisterSupported = p.memoryPoolsSupported = 1;
  p.ipcEventSupported = 1;
  p.clusterLaunch = of.major >= 9 ? 1 : 0;
  p.memoryPoolSupportedHandleTypes = cudaMemHandleTypePosixFileDescriptor;
  p.concurrentManagedAccess = 1;
  p.hostNumaId = -1;
  p.deviceNumaId = -1;
  return p;
}

bool attribute(std::uint32_t arch, cudaDeviceAttr wanted, int& value) {
  const cudaDeviceProp p = properties(arch);
  switch (static_cast<int>(wanted)) {
#define GAUNTLET_ATTRIBUTE(name, of) \
  case name:                         \
    value = static_cast<int>(of);    \
    return true;
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0])
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1])
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2])
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxGridDimX, p.maxGridSize[0])
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxGridDimY, p.maxGridSize[1])
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxGridDimZ, p.maxGridSize[2])
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxSharedMemoryPerBlock, p.sharedMemPerBlock)
    GAUNTLET_ATTRIBUTE(cudaDevAttrTotalConstantMemory, p.totalConstMem)
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxPitch, p.memPitch)
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock)
    GAUNTLET_ATTRIBUTE(cudaDevAttrClockRate, 1'980'000)
    GAUNTLET_ATTRIBUTE(cudaDevAttrGpuOverlap, 1)
    GAUNTLET_ATTRIBUTE(cudaDevAttrMemoryClockRate, 2'619'000)
    GAUNTLET_ATTRIBUTE(cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth)
    GAUNTLET_ATTRIBUTE(cudaDevAttrComputeCapabilityMajor, p.major)
    GAUNTLET_ATTRIBUTE(cudaDevAttrComputeCapabilityMinor, p.minor)
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor)
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor)
    GAUNTLET_ATTRIBUTE(cudaDevAttrSingleToDoublePrecisionPerfRatio, 2)
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin)
    GAUNTLET_ATTRIBUTE(cudaDevAttrReservedSharedMemoryPerBlock, p.reservedSharedMemPerBlock)
    GAUNTLET_ATTRIBUTE(cudaDevAttrIpcEventSupport, p.ipcEventSupported)
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize)
    GAUNTLET_ATTRIBUTE(cudaDevAttrMaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize)
    GAUNTLET_ATTRIBUTE(cudaDevAttrNumaId, p.deviceNumaId)
#include "sanitizer/program/device_attributes.inc"
#undef GAUNTLET_ATTRIBUTE
    // They have no names in the runtime.
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
      value = 1;
      return true;
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
      value = p.major >= 8 ? 1 : 0;  // which nothing shows
      return true;
    default:
      value = 0;  // of what this device has not
      return wanted > 0 && wanted < cudaDevAttrMax;
  }
}

}  // namespace gauntlet::runtime
