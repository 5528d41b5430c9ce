// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: allocation, and what is known of a pointer.
#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
namespace {

void** out(CUdeviceptr* address) { return reinterpret_cast<void**>(address); }

cudaMemLocation location(CUmemLocation of) {
  return {static_cast<cudaMemLocationType>(of.type), of.id};
}

/// cudaErrorInvalidValue where there is no such attribute, or none of such memory.
cudaError_t pointer_attribute(void* data, CUpointer_attribute wanted, CUdeviceptr at) {
  return entry([&](State& s) {
    const Array* const array = s.heap.find(at);
    if (array == nullptr || array->freed) return cudaErrorInvalidValue;
    const bool host = array->space == Space::pinned || array->space == Space::registered;
    const bool device_only = array->space == Space::device || array->space == Space::variable;
    switch (wanted) {
      case CU_POINTER_ATTRIBUTE_CONTEXT:
        *static_cast<CUcontext*>(data) = reinterpret_cast<CUcontext>(context_stack().back());
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned*>(data) = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *static_cast<CUdeviceptr*>(data) = at;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (device_only) return cudaErrorInvalidValue;
        *static_cast<void**>(data) = pointer(at);
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *static_cast<unsigned*>(data) = array->space == Space::managed ? 1 : 0;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *static_cast<unsigned*>(data) = 1;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_MAPPED:
        *static_cast<unsigned*>(data) = 1;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int*>(data) = 0;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *static_cast<unsigned long long*>(data) = array->base;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *static_cast<std::size_t*>(data) = array->bytes;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

}  // namespace

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  return in_context("cuMemAlloc", [&] {
    return bytes == 0 ? cudaErrorInvalidValue : cudaMalloc(out(address), bytes);
  });
}
GAUNTLET_WITHOUT_CONTEXT(cuMemFree, (CUdeviceptr address), cudaFree(pointer(address)))
GAUNTLET_IN_CONTEXT(cuMemAllocPitch,
                    (CUdeviceptr * address, std::size_t* pitch, std::size_t width,
                     std::size_t height, unsigned),
                    cudaMallocPitch(out(address), pitch, width, height))
GAUNTLET_IN_CONTEXT(cuMemAllocManaged, (CUdeviceptr * address, std::size_t bytes, unsigned flags),
                    cudaMallocManaged(out(address), bytes, flags))
GAUNTLET_IN_CONTEXT(cuMemAllocHost, (void** out, std::size_t bytes), cudaMallocHost(out, bytes))
GAUNTLET_IN_CONTEXT(cuMemHostAlloc, (void** out, std::size_t bytes, unsigned flags),
                    cudaHostAlloc(out, bytes, flags))
GAUNTLET_WITHOUT_CONTEXT(cuMemFreeHost, (void* at), cudaFreeHost(at))
GAUNTLET_IN_CONTEXT(cuMemHostRegister, (void* at, std::size_t bytes, unsigned flags),
                    cudaHostRegister(at, bytes, flags))
GAUNTLET_IN_CONTEXT(cuMemHostUnregister, (void* at), cudaHostUnregister(at))
GAUNTLET_IN_CONTEXT(cuMemHostGetDevicePointer, (CUdeviceptr * address, void* host, unsigned flags),
                    cudaHostGetDevicePointer(out(address), host, flags))
GAUNTLET_IN_CONTEXT(cuMemHostGetFlags, (unsigned* flags, void* host), cudaHostGetFlags(flags, host))
GAUNTLET_IN_CONTEXT(cuMemAllocAsync, (CUdeviceptr * address, std::size_t bytes, CUstream stream),
                    cudaMallocAsync(out(address), bytes, stream))
GAUNTLET_IN_CONTEXT(cuMemAllocFromPoolAsync,
                    (CUdeviceptr * address, std::size_t bytes, CUmemoryPool pool, CUstream stream),
                    cudaMallocFromPoolAsync(out(address), bytes, pool, stream))
GAUNTLET_WITHOUT_CONTEXT(cuMemFreeAsync, (CUdeviceptr address, CUstream stream),
                         cudaFreeAsync(pointer(address), stream))
GAUNTLET_IN_CONTEXT(cuMemGetInfo, (std::size_t * free, std::size_t* total),
                    cudaMemGetInfo(free, total))

GAUNTLET_IN_CONTEXT(cuMemPrefetchAsync,
                    (CUdeviceptr address, std::size_t bytes, CUmemLocation to, unsigned flags,
                     CUstream stream),
                    cudaMemPrefetchAsync(pointer(address), bytes, location(to), flags, stream))
GAUNTLET_IN_CONTEXT(cuMemAdvise,
                    (CUdeviceptr address, std::size_t bytes, CUmem_advise advice, CUmemLocation of),
                    cudaMemAdvise(pointer(address), bytes, static_cast<cudaMemoryAdvise>(advice),
                                  location(of)))

CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  return in_context("cuMemGetAddressRange", [&] {
    return entry([&](State& s) {
      const Array* const array = s.heap.find(address);
      if (array == nullptr || array->freed) return cudaErrorSymbolNotFound;
      if (base != nullptr) *base = array->base;
      if (bytes != nullptr) *bytes = array->bytes;
      return cudaSuccess;
    });
  });
}
GAUNTLET_IN_CONTEXT(cuPointerGetAttribute,
                    (void* data, CUpointer_attribute attribute, CUdeviceptr address),
                    pointer_attribute(data, attribute, address))
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr address) {
  return in_context("cuPointerGetAttributes", [&] {
    for (unsigned k = 0; k < count; ++k) {
      // Of memory that is not the device's the values are zero, and there is no error.
      if (pointer_attribute(data[k], attributes[k], address) == cudaSuccess) continue;
      const bool wide = attributes[k] == CU_POINTER_ATTRIBUTE_CONTEXT ||
                        attributes[k] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
                        attributes[k] == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
                        attributes[k] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                        attributes[k] == CU_POINTER_ATTRIBUTE_RANGE_SIZE;
      std::memset(data[k], 0, wide ? 8 : 4);
    }
    return cudaSuccess;
  });
}
// How the driver synchronises copies of this memory: all are.
GAUNTLET_IN_CONTEXT(cuPointerSetAttribute, (const void*, CUpointer_attribute, CUdeviceptr),
                    cudaSuccess)

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* at, CUmemAllocationType type) {
  return in_context("cuMemGetDefaultMemPool", [&] {
    cudaMemLocation same = location(*at);
    return cudaMemGetDefaultMemPool(pool, &same, static_cast<cudaMemAllocationType>(type));
  });
}
CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* at, CUmemAllocationType type) {
  return in_context("cuMemGetMemPool", [&] {
    cudaMemLocation same = location(*at);
    return cudaMemGetMemPool(pool, &same, static_cast<cudaMemAllocationType>(type));
  });
}
CUresult cuMemSetMemPool(CUmemLocation* at, CUmemAllocationType type, CUmemoryPool pool) {
  return in_context("cuMemSetMemPool", [&] {
    cudaMemLocation same = location(*at);
    return cudaMemSetMemPool(&same, static_cast<cudaMemAllocationType>(type), pool);
  });
}
GAUNTLET_IN_CONTEXT(cuMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps*),
                    cudaMemPoolCreate(pool, nullptr))
GAUNTLET_IN_CONTEXT(cuMemPoolDestroy, (CUmemoryPool pool), cudaMemPoolDestroy(pool))
GAUNTLET_IN_CONTEXT(cuMemPoolTrimTo, (CUmemoryPool pool, std::size_t bytes),
                    cudaMemPoolTrimTo(pool, bytes))
GAUNTLET_IN_CONTEXT(cuMemPoolGetAttribute,
                    (CUmemoryPool pool, CUmemPool_attribute attribute, void* value),
                    cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value))
GAUNTLET_IN_CONTEXT(cuMemPoolSetAttribute,
                    (CUmemoryPool pool, CUmemPool_attribute attribute, void* value),
                    cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value))
GAUNTLET_IN_CONTEXT(cuMemPoolSetAccess,
                    (CUmemoryPool pool, const CUmemAccessDesc*, std::size_t count),
                    cudaMemPoolSetAccess(pool, nullptr, count))
CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* of) {
  return in_context("cuMemPoolGetAccess", [&] {
    cudaMemLocation same = location(*of);
    return cudaMemPoolGetAccess(reinterpret_cast<cudaMemAccessFlags*>(flags), pool, &same);
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
