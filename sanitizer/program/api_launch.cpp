// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: launches, attributes of kernels, occupancy.

#include <algorithm>

#include "machine/code/code.hpp"
#include "machine/engine/module.hpp"
#include "sanitizer/program/device.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

Dim3 extent(dim3 d) { return {d.x, d.y, d.z}; }

cudaError_t launch(const void* function, const LaunchShape& shape, void** arguments,
                   bool unread = false) {
  return entry(
      [&](State& s) { return s.launch(s.known_kernel(function), shape, arguments, unread); },
      CallKind::launch);
}

LaunchShape plain(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
  LaunchShape shape;
  shape.grid = extent(grid);
  shape.block = extent(block);
  shape.shared_bytes = shared_bytes;
  shape.stream = stream;
  return shape;
}

/// Clusters that fit: of `blocks` blocks, on multiprocessors each of which takes `each` of them.
int active_clusters(int each, std::uint64_t blocks) {
  constexpr int groups = 8;  // of multiprocessors, among which a cluster's blocks are spread
  return groups * (static_cast<int>(multiprocessors) / groups * each / static_cast<int>(blocks));
}

/// With its decoded code; an entry ends where the machine cannot run it.
Kernel& decoded(State& s, const void* function) {
  Kernel& kernel = s.known_kernel(function);
  refuse_if(!s.decode(kernel), cudaErrorNotSupported);
  return kernel;
}

int most_dynamic_shared(const Kernel& kernel, const simt::Kernel& code) {
  return kernel.most_dynamic_shared >= 0
             ? kernel.most_dynamic_shared
             : static_cast<int>(shared_per_block -
                                std::min<std::uint64_t>(shared_per_block, code.shared_bytes));
}

}  // namespace

extern "C" {

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  return launch(kernel, plain(grid, block, shared_bytes, stream), arguments, true);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return launch(function, plain(grid, block, shared_bytes, stream), arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
  LaunchShape shape = plain(grid, block, shared_bytes, stream);
  shape.cooperative = true;
  return launch(function, shape, arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  LaunchShape shape =
      plain(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
  for (unsigned k = 0; k < config->numAttrs; ++k) {
    const cudaLaunchAttribute& attribute = config->attrs[k];
    // The others say how fast, not what: priorities, caches.
    if (attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization)
      shape.programmatic = attribute.val.programmaticStreamSerializationAllowed != 0;
    if (attribute.id == cudaLaunchAttributeCooperative)
      shape.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& d = attribute.val.clusterDim;
      shape.cluster = {d.x, d.y, d.z};
    }
  }
  return launch(function, shape, arguments);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return entry([&](State& s) {
    const Kernel& kernel = decoded(s, function);
    const simt::Kernel& code = *kernel.code;
    *attributes = {};
    attributes->sharedSizeBytes = code.shared_bytes;
    attributes->localSizeBytes = code.local_bytes;
    attributes->maxThreadsPerBlock =
        code.max_threads != 0 ? static_cast<int>(code.max_threads) : 1024;
    attributes->numRegs = 32;  // ptxas would know; programs divide by it
    attributes->ptxVersion = static_cast<int>(kernel.module->arch_of(kernel.symbol));
    attributes->binaryVersion = static_cast<int>(s.options.arch);
    attributes->maxDynamicSharedSizeBytes = most_dynamic_shared(kernel, code);
    attributes->preferredShmemCarveout = -1;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return entry([&](State& s) {
    Kernel& kernel = decoded(s, function);
    const auto most = architecture(s.options.arch).shared_per_block;
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize:
        refuse_if(value < 0 ||
                  static_cast<std::uint64_t>(value) + kernel.code->shared_bytes > most);
        kernel.most_dynamic_shared = value;
        break;
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        refuse_if(value < -1 || value > 100);
        break;
      case cudaFuncAttributeNonPortableClusterSizeAllowed:
        kernel.large_clusters = value != 0;
        break;
      case cudaFuncAttributeClusterSchedulingPolicyPreference:
        break;  // where blocks run, which nothing depends on
      default:
        require(s.refuse("sets the dimensions of clusters by cudaFuncSetAttribute"));
    }
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return entry([&](State& s) { (void)s.known_kernel(function); });
}

GAUNTLET_ENTRY(cudaFuncGetName, (const char** name, const void* function),
               give(name, s.known_kernel(function).symbol.c_str()))

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* size) {
  return entry([&](State& s) {
    const auto& layout = decoded(s, function).code->params;
    refuse_if(index >= layout.size());
    *offset = layout[index].offset;
    if (size != nullptr) *size = layout[index].bytes;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads, std::size_t shared,
                                                                   unsigned) {
  return entry([&](State& s) {
    const simt::Kernel& code = *decoded(s, function).code;
    refuse_if(threads <= 0);
    *blocks = static_cast<int>(
        resident_blocks(s.options.arch, code, static_cast<std::uint64_t>(threads), shared));
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                      int blocks, int) {
  return entry([&](State& s) {
    const simt::Kernel& code = *decoded(s, function).code;
    refuse_if(blocks <= 0);
    const profile::Architecture& of = architecture(s.options.arch);
    const std::size_t reserved = (of.major >= 8 ? 1024 : 0) + code.shared_bytes;
    const std::size_t each = of.shared / static_cast<unsigned>(blocks);
    *bytes = each < reserved
                 ? 0
                 : std::min<std::size_t>(each - reserved, of.shared_per_block - code.shared_bytes);
  });
}

GAUNTLET_ENTRY(cudaOccupancyMaxPotentialClusterSize,
               (int* blocks, const void* function, const cudaLaunchConfig_t*),
               give(blocks, s.known_kernel(function).large_clusters ? 16 : 8))
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  int each = 0;
  const dim3 block = config->blockDim;
  const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      &each, function, static_cast<int>(block.x * block.y * block.z), config->dynamicSmemBytes, 0);
  if (error != cudaSuccess) return error;
  std::uint64_t blocks = 1;
  for (unsigned k = 0; k < config->numAttrs; ++k) {
    if (config->attrs[k].id != cudaLaunchAttributeClusterDimension) continue;
    const auto& d = config->attrs[k].val.clusterDim;
    blocks = std::uint64_t{d.x} * d.y * d.z;
  }
  *clusters = active_clusters(each, std::max<std::uint64_t>(blocks, 1));
  return cudaSuccess;
}

}  // extern "C"

}  // namespace gauntlet::runtime
