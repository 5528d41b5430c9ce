// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: launches, attributes of kernels, occupancy.
#include <fmt/format.h>

#include <algorithm>

#include "machine/engine/module.hpp"
#include "sanitizer/program/device.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

Dim3 extent(dim3 d) { return {d.x, d.y, d.z}; }

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared_bytes, cudaStream_t stream, bool cooperative,
                   bool unread = false, bool programmatic = false) {
  const PythonCall python(CallKind::launch);
  return entry([&](State& s) {
    Kernel* const kernel = s.kernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    return s.launch(*kernel,
                    {extent(grid), extent(block), shared_bytes, cooperative, stream, programmatic},
                    arguments, unread);
  });
}

/// The decoded code, or nullptr where the machine cannot run it.
const simt::Kernel* code_of(State& s, Kernel& kernel) {
  return s.decode(kernel) ? kernel.module->code->find(kernel.symbol) : nullptr;
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
  return launch(kernel, grid, block, arguments, shared_bytes, stream, false, true);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared_bytes, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared_bytes, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  bool cooperative = false, programmatic = false;
  for (unsigned k = 0; k < config->numAttrs; ++k) {
    const cudaLaunchAttribute& attribute = config->attrs[k];
    // The others say how fast, not what: priorities, caches.
    if (attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization)
      programmatic = attribute.val.programmaticStreamSerializationAllowed != 0;
    if (attribute.id == cudaLaunchAttributeCooperative)
      cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& d = attribute.val.clusterDim;
      if (d.x * d.y * d.z > 1) {
        return entry([](State& s) { return s.refuse("launches clusters of blocks"); });
      }
    }
  }
  return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                config->stream, cooperative, false, programmatic);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return entry([&](State& s) {
    Kernel* const kernel = s.kernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    const simt::Kernel* const code = code_of(s, *kernel);
    if (code == nullptr) return cudaErrorNotSupported;
    *attributes = {};
    attributes->sharedSizeBytes = code->shared_bytes;
    attributes->localSizeBytes = code->local_bytes;
    attributes->maxThreadsPerBlock =
        code->max_threads != 0 ? static_cast<int>(code->max_threads) : 1024;
    attributes->numRegs = 32;  // ptxas would know; programs divide by it
    attributes->ptxVersion = static_cast<int>(kernel->module->ptx_arch);
    attributes->binaryVersion = static_cast<int>(s.options.arch);
    attributes->maxDynamicSharedSizeBytes = most_dynamic_shared(*kernel, *code);
    attributes->preferredShmemCarveout = -1;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return entry([&](State& s) {
    Kernel* const kernel = s.kernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    const simt::Kernel* const code = code_of(s, *kernel);
    if (code == nullptr) return cudaErrorNotSupported;
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize: {
        const auto most = architecture(s.options.arch).shared_per_block;
        if (value < 0 || static_cast<std::uint64_t>(value) + code->shared_bytes > most) {
          return cudaErrorInvalidValue;
        }
        kernel->most_dynamic_shared = value;
        return cudaSuccess;
      }
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        return value < -1 || value > 100 ? cudaErrorInvalidValue : cudaSuccess;
      default:
        return s.refuse("asks for clusters of blocks");
    }
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return entry([&](State& s) {
    return s.kernel(function) == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
  });
}
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone);
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return entry([&](State& s) {
    const Kernel* const kernel = s.kernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    *name = kernel->symbol.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* size) {
  return entry([&](State& s) {
    Kernel* const kernel = s.kernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (!s.decode(*kernel)) return cudaErrorNotSupported;
    const auto layout = s.parameters(*kernel);
    if (index >= layout.size()) return cudaErrorInvalidValue;
    *offset = layout[index].offset;
    if (size != nullptr) *size = layout[index].bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads, std::size_t shared,
                                                                   unsigned) {
  return entry([&](State& s) {
    Kernel* const kernel = s.kernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    const simt::Kernel* const code = code_of(s, *kernel);
    if (code == nullptr) return cudaErrorNotSupported;
    if (threads <= 0) return cudaErrorInvalidValue;
    *blocks = static_cast<int>(
        resident_blocks(s.options.arch, *code, static_cast<std::uint64_t>(threads), shared));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                      int blocks, int) {
  return entry([&](State& s) {
    Kernel* const kernel = s.kernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    const simt::Kernel* const code = code_of(s, *kernel);
    if (code == nullptr) return cudaErrorNotSupported;
    if (blocks <= 0) return cudaErrorInvalidValue;
    const profile::Architecture& of = architecture(s.options.arch);
    const std::size_t reserved = (of.major >= 8 ? 1024 : 0) + code->shared_bytes;
    const std::size_t each = of.shared / static_cast<unsigned>(blocks);
    *bytes = each < reserved
                 ? 0
                 : std::min<std::size_t>(each - reserved, of.shared_per_block - code->shared_bytes);
    return cudaSuccess;
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
