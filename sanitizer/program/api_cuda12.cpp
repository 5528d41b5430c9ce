// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of libcudart.so.12 that are other functions than those of the same name in CUDA 13
// (cudart12.txt names them): CUDA 13 took its later forms, NAME_v2, for the only ones.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "base/numbers.hpp"
#include "sanitizer/program/device.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

/// cudaDeviceProp as CUDA 12 lays it out: CUDA 13's with some members between.
class Properties12 {
 public:
  Properties12() { bytes_.fill(std::byte{0}); }
  /// All members from one to another.
  template <class First, class Last>
  void add(const First& first, const Last& last) {
    const auto* const from = reinterpret_cast<const std::byte*>(&first);
    const auto bytes = reinterpret_cast<const std::byte*>(&last + 1) - from;
    at_ = round_up(at_, alignof(First));
    std::copy_n(from, bytes, bytes_.data() + at_);
    at_ += static_cast<std::size_t>(bytes);
  }
  void add(int one) { add(one, one); }
  void copy_to(void* out) const { std::memcpy(out, bytes_.data(), bytes_.size()); }

 private:
  std::array<std::byte, 1032> bytes_;
  std::size_t at_ = 0;
};

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceProperties_12(void* out, int device) {
  return entry([&](State& s) {
    refuse_if(out == nullptr);
    refuse_if(device != 0, cudaErrorInvalidDevice);
    const auto gone = [&](cudaDeviceAttr which) {
      int value = 0;
      refuse_if(!attribute(s.options.arch, which, value), cudaErrorUnknown);
      return value;
    };
    const cudaDeviceProp p = properties(s.options.arch);
    Properties12 q;
    q.add(p.name, p.maxGridSize);
    q.add(gone(cudaDevAttrClockRate));
    q.add(p.totalConstMem, p.texturePitchAlignment);
    q.add(gone(cudaDevAttrGpuOverlap));
    q.add(p.multiProcessorCount);
    q.add(gone(cudaDevAttrKernelExecTimeout));
    q.add(p.integrated, p.canMapHostMemory);
    q.add(gone(cudaDevAttrComputeMode));
    q.add(p.maxTexture1D, p.maxTexture1DMipmap);
    q.add(0);  // maxTexture1DLinear
    q.add(p.maxTexture2D, p.maxSurfaceCubemapLayered);
    q.add(p.surfaceAlignment, p.unifiedAddressing);
    q.add(gone(cudaDevAttrMemoryClockRate));
    q.add(p.memoryBusWidth, p.localL1CacheSupported);
    q.add(p.sharedMemPerMultiprocessor, p.hostNativeAtomicSupported);
    q.add(gone(cudaDevAttrSingleToDoublePrecisionPerfRatio));
    q.add(p.pageableMemoryAccess, p.cooperativeLaunch);
    q.add(0);  // cooperativeMultiDeviceLaunch
    q.add(p.sharedMemPerBlockOptin, p.unifiedFunctionPointers);
    q.copy_to(out);
  });
}

GAUNTLET_ENTRY(cudaRuntimeGetVersion_12, (int* version), give(version, 12090))

// A place in memory was a device's number.
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
