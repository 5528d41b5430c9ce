// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of libcudart.so.12 that are other functions than those of the same name in CUDA 13
// (cudart12.txt names them): CUDA 13 took its later forms, NAME_v2, for the only ones.
#include <cstring>

#include "sanitizer/program/device.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

/// cudaDeviceProp as CUDA 12 lays it out.
struct Properties12 {
  char name[256], uuid[16], luid[8];
  unsigned luid_node_mask;
  std::size_t total_memory, shared_per_block;
  int registers_per_block, warp;
  std::size_t pitch;
  int threads_per_block, block[3], grid[3], clock_rate;
  std::size_t constant;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int overlap, multiprocessors, timeout, integrated, map_host, compute_mode;
  int textures[26], surfaces[14];
  std::size_t surface_alignment;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified;
  int memory_clock_rate, bus_width, l2, l2_persisting, threads_per_multiprocessor;
  int stream_priorities, global_l1, local_l1;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed, multi_gpu, multi_gpu_group, host_atomics;
  int double_ratio, pageable, concurrent_managed, preemption, host_registered, cooperative;
  int cooperative_multi;
  std::size_t shared_per_block_optin;
  int pageable_tables, direct_managed, blocks_per_multiprocessor, access_window;
  std::size_t shared_reserved;
  int host_register, sparse, register_read_only, timeline, pools, rdma;
  unsigned rdma_flush;
  int rdma_ordering;
  unsigned pool_handles;
  int deferred_arrays, ipc_events, clusters, unified_functions, reserved[63];
};
static_assert(sizeof(Properties12) == 1032);

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceProperties_12(Properties12* out, int device) {
  return entry([&](State& s) {
    if (out == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    const cudaDeviceProp p = properties(s.options.arch);
    Properties12& q = *out = {};
    std::memcpy(q.name, p.name, sizeof q.name);
    std::memcpy(q.uuid, p.uuid.bytes, sizeof q.uuid);
    q.total_memory = p.totalGlobalMem;
    q.shared_per_block = p.sharedMemPerBlock;
    q.registers_per_block = p.regsPerBlock;
    q.warp = p.warpSize;
    q.pitch = p.memPitch;
    q.threads_per_block = p.maxThreadsPerBlock;
    std::memcpy(q.block, p.maxThreadsDim, sizeof q.block);
    std::memcpy(q.grid, p.maxGridSize, sizeof q.grid);
    q.constant = p.totalConstMem;
    q.major = p.major;
    q.minor = p.minor;
    q.texture_alignment = p.textureAlignment;
    q.texture_pitch_alignment = p.texturePitchAlignment;
    q.overlap = 1;
    q.multiprocessors = p.multiProcessorCount;
    q.map_host = p.canMapHostMemory;
    q.surface_alignment = p.surfaceAlignment;
    q.concurrent_kernels = p.concurrentKernels;
    q.async_engines = p.asyncEngineCount;
    q.unified = p.unifiedAddressing;
    q.bus_width = p.memoryBusWidth;
    q.l2 = p.l2CacheSize;
    q.threads_per_multiprocessor = p.maxThreadsPerMultiProcessor;
    q.stream_priorities = p.streamPrioritiesSupported;
    q.global_l1 = p.globalL1CacheSupported;
    q.local_l1 = p.localL1CacheSupported;
    q.shared_per_multiprocessor = p.sharedMemPerMultiprocessor;
    q.registers_per_multiprocessor = p.regsPerMultiprocessor;
    q.managed = p.managedMemory;
    q.concurrent_managed = p.concurrentManagedAccess;
    q.preemption = p.computePreemptionSupported;
    q.host_registered = p.canUseHostPointerForRegisteredMem;
    q.cooperative = p.cooperativeLaunch;
    q.shared_per_block_optin = p.sharedMemPerBlockOptin;
    q.blocks_per_multiprocessor = p.maxBlocksPerMultiProcessor;
    q.shared_reserved = p.reservedSharedMemPerBlock;
    q.host_register = p.hostRegisterSupported;
    q.pools = p.memoryPoolsSupported;
    const bool rates =
        attribute(s.options.arch, cudaDevAttrClockRate, q.clock_rate) &&
        attribute(s.options.arch, cudaDevAttrMemoryClockRate, q.memory_clock_rate) &&
        attribute(s.options.arch, cudaDevAttrSingleToDoublePrecisionPerfRatio, q.double_ratio);
    return rates ? cudaSuccess : cudaErrorUnknown;
  });
}

cudaError_t cudaRuntimeGetVersion_12(int* version) {
  return entry([&](State&) { return give(version, 12090); });
}

// A place in memory was a device's number.
cudaError_t cudaMemPrefetchAsync_12(const void* at, std::size_t bytes, int device,
                                    cudaStream_t stream) {
  return cudaMemPrefetchAsync(at, bytes, {cudaMemLocationTypeDevice, device}, 0, stream);
}
cudaError_t cudaMemAdvise_12(const void* at, std::size_t bytes, cudaMemoryAdvise advice,
                             int device) {
  return cudaMemAdvise(at, bytes, advice, {cudaMemLocationTypeDevice, device});
}

// Graphs had no data of edges.
cudaError_t cudaStreamGetCaptureInfo_12(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id) {
  return cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
cudaError_t cudaStreamGetCaptureInfo_v2_12(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                           unsigned long long* id, cudaGraph_t* graph,
                                           const cudaGraphNode_t** dependencies,
                                           std::size_t* count) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, nullptr, count);
}
cudaError_t cudaGraphAddDependencies_12(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
cudaError_t cudaGraphAddNode_12(cudaGraphNode_t* node, cudaGraph_t graph,
                                const cudaGraphNode_t* dependencies, std::size_t count,
                                cudaGraphNodeParams* params) {
  return cudaGraphAddNode(node, graph, dependencies, nullptr, count, params);
}
cudaError_t cudaGraphNodeGetDependencies_12(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                            std::size_t* count) {
  return cudaGraphNodeGetDependencies(node, dependencies, nullptr, count);
}

}  // extern "C"

}  // namespace gauntlet::runtime
