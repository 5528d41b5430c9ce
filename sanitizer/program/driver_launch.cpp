// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: launches, what kernels are, occupancy.
#include <algorithm>
#include <optional>
#include <vector>

#include "machine/code/code.hpp"
#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
namespace {

/// The address of each argument in one buffer, which is laid out as PTX lays out parameters;
/// std::nullopt: not all are given.
std::optional<std::vector<void*>> arguments(CUfunction function, void** extra) {
  std::vector<void*> all;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  Kernel* const kernel = s.kernel(function);
  if (kernel == nullptr || !s.decode(*kernel)) return all;  // the launch says why
  const auto& layout = kernel->code->params;
  if (layout.empty()) return all;
  if (extra == nullptr) return std::nullopt;
  std::byte* buffer = nullptr;
  std::size_t bytes = 0;
  for (std::size_t k = 0; extra[k] != CU_LAUNCH_PARAM_END; k += 2) {
    if (extra[k] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<std::byte*>(extra[k + 1]);
    if (extra[k] == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<std::size_t*>(extra[k + 1]);
  }
  if (buffer == nullptr || bytes < kernel->code->param_bytes) return std::nullopt;
  for (const simt::Param& one : layout) all.push_back(buffer + one.offset);
  return all;
}
/// Launches with arguments that are given in one of the two ways.
template <class F>
cudaError_t with_arguments(CUfunction function, void** params, void** extra, F&& launch) {
  if (params != nullptr) return launch(params);
  auto in_buffer = arguments(function, extra);
  return in_buffer ? launch(in_buffer->data()) : cudaErrorInvalidValue;
}

cudaFuncAttributes attributes_of(CUfunction function, cudaError_t& error) {
  cudaFuncAttributes attributes{};
  error = cudaFuncGetAttributes(&attributes, function);
  return attributes;
}

cudaError_t attribute(int* value, CUfunction_attribute wanted, CUfunction function) {
  cudaError_t error{};
  const cudaFuncAttributes of = attributes_of(function, error);
  if (error != cudaSuccess) return error;
  switch (wanted) {
#define GAUNTLET_ATTRIBUTE(name, member)  \
  case CU_FUNC_ATTRIBUTE_##name:          \
    *value = static_cast<int>(of.member); \
    return cudaSuccess;
    GAUNTLET_ATTRIBUTE(MAX_THREADS_PER_BLOCK, maxThreadsPerBlock)
    GAUNTLET_ATTRIBUTE(SHARED_SIZE_BYTES, sharedSizeBytes)
    GAUNTLET_ATTRIBUTE(CONST_SIZE_BYTES, constSizeBytes)
    GAUNTLET_ATTRIBUTE(LOCAL_SIZE_BYTES, localSizeBytes)
    GAUNTLET_ATTRIBUTE(NUM_REGS, numRegs)
    GAUNTLET_ATTRIBUTE(PTX_VERSION, ptxVersion)
    GAUNTLET_ATTRIBUTE(BINARY_VERSION, binaryVersion)
    GAUNTLET_ATTRIBUTE(MAX_DYNAMIC_SHARED_SIZE_BYTES, maxDynamicSharedSizeBytes)
    GAUNTLET_ATTRIBUTE(PREFERRED_SHARED_MEMORY_CARVEOUT, preferredShmemCarveout)
#undef GAUNTLET_ATTRIBUTE
    default:
      *value = 0;  // of clusters
      return wanted < CU_FUNC_ATTRIBUTE_MAX ? cudaSuccess : cudaErrorInvalidValue;
  }
}

cudaLaunchConfig_t of_runtime(const CUlaunchConfig& config) {
  static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
  return {dim3(config.gridDimX, config.gridDimY, config.gridDimZ),
          dim3(config.blockDimX, config.blockDimY, config.blockDimZ),
          config.sharedMemBytes,
          config.hStream,
          reinterpret_cast<cudaLaunchAttribute*>(config.attrs),
          config.numAttrs};
}

/// The block of most threads on a multiprocessor; of several the largest.
cudaError_t best_block(int* blocks, int* threads, CUfunction function, CUoccupancyB2DSize shared_of,
                       std::size_t shared, int limit) {
  cudaError_t error{};
  const int most = attributes_of(function, error).maxThreadsPerBlock;
  if (error != cudaSuccess) return error;
  int best = 0;
  for (int n = limit == 0 ? most : std::min(limit, most); n > 0; n -= n % 32 == 0 ? 32 : n % 32) {
    int resident = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &resident, function, n, shared_of == nullptr ? shared : shared_of(n), 0);
    if (error != cudaSuccess) return error;
    if (resident * n <= best) continue;
    best = resident * n;
    *threads = n;
    int processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    *blocks = resident * processors;
  }
  return cudaSuccess;
}

CUfunction function(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

}  // namespace

extern "C" {

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream, void** params,
                        void** extra) {
  return driver_entry("cuLaunchKernel", [&] {
    return with_arguments(f, params, extra, [&](void** given) {
      return cudaLaunchKernel(f, dim3(gx, gy, gz), dim3(bx, by, bz), given, shared, stream);
    });
  });
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                   void** params) {
  return in_context("cuLaunchCooperativeKernel", [&] {
    return with_arguments(f, params, nullptr, [&](void** given) {
      return cudaLaunchCooperativeKernel(f, dim3(gx, gy, gz), dim3(bx, by, bz), given, shared,
                                         stream);
    });
  });
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** params, void** extra) {
  return in_context("cuLaunchKernelEx", [&] {
    const cudaLaunchConfig_t same = of_runtime(*config);
    return with_arguments(f, params, extra,
                          [&](void** given) { return cudaLaunchKernelExC(&same, f, given); });
  });
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction f, const CUlaunchConfig* config) {
  return in_context("cuOccupancyMaxActiveClusters", [&] {
    const cudaLaunchConfig_t same = of_runtime(*config);
    return cudaOccupancyMaxActiveClusters(clusters, f, &same);
  });
}
CUresult cuOccupancyMaxPotentialClusterSize(int* blocks, CUfunction f,
                                            const CUlaunchConfig* config) {
  return in_context("cuOccupancyMaxPotentialClusterSize", [&] {
    const cudaLaunchConfig_t same = of_runtime(*config);
    return cudaOccupancyMaxPotentialClusterSize(blocks, f, &same);
  });
}

GAUNTLET_IN_CONTEXT(cuFuncGetAttribute, (int* value, CUfunction_attribute wanted, CUfunction f),
                    attribute(value, wanted, f))
GAUNTLET_FORWARD(3, in_context, cuFuncSetAttribute, cudaFuncSetAttribute)
GAUNTLET_FORWARD(2, in_context, cuFuncSetCacheConfig, cudaFuncSetCacheConfig)
GAUNTLET_IN_CONTEXT(cuFuncSetSharedMemConfig, (CUfunction f, CUsharedconfig config),
                    forward(cudaFuncSetCacheConfig, f, config))
GAUNTLET_FORWARD(2, in_context, cuFuncGetName, cudaFuncGetName)
GAUNTLET_FORWARDS(4, in_context, FuncGetParamInfo, OccupancyAvailableDynamicSMemPerBlock)
// Of use to cuLaunchGrid alone, which is gone from what is compiled today.
CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z) {
  return in_context("cuFuncSetBlockShape", [&](State& s) -> cudaError_t {
    if (s.kernel(f) == nullptr) return cudaErrorInvalidDeviceFunction;
    return x > 0 && y > 0 && z > 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}
GAUNTLET_DRIVER(in_context, cuFuncGetModule, (CUmodule * module, CUfunction f),
                give(module, reinterpret_cast<CUmodule>(s.known_kernel(f).module)))
GAUNTLET_IN_CONTEXT(cuFuncIsLoaded, (CUfunctionLoadingState * loaded, CUfunction),
                    (*loaded = CU_FUNCTION_LOADING_STATE_LOADED, cudaSuccess))
GAUNTLET_IN_CONTEXT(cuFuncLoad, (CUfunction), cudaSuccess)

GAUNTLET_IN_CONTEXT(cuKernelGetFunction, (CUfunction * f, CUkernel kernel),
                    (*f = function(kernel), cudaSuccess))
GAUNTLET_FORWARD(2, driver_entry, cuKernelGetName, cudaFuncGetName)
GAUNTLET_FORWARD(4, driver_entry, cuKernelGetParamInfo, cudaFuncGetParamInfo)
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute wanted, CUkernel kernel, CUdevice) {
  return driver_entry("cuKernelGetAttribute",
                      [&] { return attribute(value, wanted, function(kernel)); });
}
CUresult cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel kernel, CUdevice) {
  return driver_entry("cuKernelSetAttribute", [&] {
    return cudaFuncSetAttribute(kernel, static_cast<cudaFuncAttribute>(which), value);
  });
}
GAUNTLET_FORWARD(3, driver_entry, cuKernelSetCacheConfig, cudaFuncSetCacheConfig)

GAUNTLET_FORWARD(5, in_context, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                 cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
GAUNTLET_IN_CONTEXT(cuOccupancyMaxPotentialBlockSize,
                    (int* blocks, int* threads, CUfunction f, CUoccupancyB2DSize shared_of,
                     std::size_t shared, int limit),
                    best_block(blocks, threads, f, shared_of, shared, limit))

}  // extern "C"

// Entries of the driver: streams, events and graphs, whose handles are the runtime's.
namespace {

cudaKernelNodeParams of_runtime(const CUDA_KERNEL_NODE_PARAMS& of) {
  return {of.func != nullptr ? static_cast<void*>(of.func) : static_cast<void*>(of.kern),
          dim3(of.gridDimX, of.gridDimY, of.gridDimZ),
          dim3(of.blockDimX, of.blockDimY, of.blockDimZ),
          of.sharedMemBytes,
          of.kernelParams,
          of.extra};
}

// These are one thing under two names.
static_assert(sizeof(cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS));
static_assert(sizeof(cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS));
static_assert(sizeof(cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS));
static_assert(sizeof(cudaStreamAttrValue) == sizeof(CUstreamAttrValue));

}  // namespace

extern "C" {

GAUNTLET_FORWARD(2, in_context, cuStreamCreate, cudaStreamCreateWithFlags)
GAUNTLET_FORWARDS(3, in_context, StreamCreateWithPriority, StreamWaitEvent, LaunchHostFunc,
                  StreamSetAttribute, StreamGetAttribute, EventRecordWithFlags, EventElapsedTime,
                  GraphGetNodes, GraphGetRootNodes, GraphInstantiateWithParams,
                  DeviceGetGraphMemAttribute, DeviceSetGraphMemAttribute)
GAUNTLET_FORWARDS(1, driver_entry, StreamDestroy, StreamQuery, ThreadExchangeStreamCaptureMode,
                  EventDestroy, EventQuery)
GAUNTLET_FORWARDS(1, in_context, StreamSynchronize, EventSynchronize, GraphDestroy,
                  GraphDestroyNode, DeviceGraphMemTrim, GraphExecDestroy)
GAUNTLET_FORWARDS(4, in_context, StreamAddCallback, StreamAttachMemAsync, GraphAddEmptyNode)
GAUNTLET_FORWARDS(2, in_context, StreamGetFlags, StreamGetPriority, StreamCopyAttributes,
                  StreamGetId, StreamGetDevice, StreamBeginCapture, StreamEndCapture,
                  StreamIsCapturing, GraphClone, GraphNodeGetType, GraphUpload, GraphLaunch)
#undef cuStreamGetCtx
CUresult cuStreamGetCtx(CUstream, CUcontext* context) { return cuCtxGetCurrent(context); }
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx(stream, context);
}

GAUNTLET_FORWARD(2, in_context, cuEventCreate, cudaEventCreateWithFlags)
GAUNTLET_FORWARD(2, driver_entry, cuEventRecord, cudaEventRecord)

GAUNTLET_FORWARD(2, driver_entry, cuGraphCreate, cudaGraphCreate)
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* behind,
                              std::size_t count, const CUDA_KERNEL_NODE_PARAMS* of) {
  return in_context("cuGraphAddKernelNode", [&] {
    const cudaKernelNodeParams params = of_runtime(*of);
    return cudaGraphAddKernelNode(node, graph, behind, count, &params);
  });
}
GAUNTLET_FORWARD(6, in_context, cuGraphAddMemsetNode, cudaGraphAddMemsetNode)
GAUNTLET_FORWARDS(5, in_context, GraphAddHostNode, GraphAddMemAllocNode, GraphAddMemFreeNode,
                  GraphAddChildGraphNode)
GAUNTLET_FORWARD(3, in_context, cuGraphInstantiateWithFlags, cudaGraphInstantiate)
static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS));

}  // extern "C"

}  // namespace gauntlet::runtime
