// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: allocation, and what is known of a pointer.
#include <algorithm>
#include <mutex>
#include <string>

#include "sanitizer/program/copies.hpp"
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
GAUNTLET_FORWARD(1, driver_entry, cuMemFree, cudaFree)
GAUNTLET_IN_CONTEXT(cuMemAllocPitch,
                    (CUdeviceptr * address, std::size_t* pitch, std::size_t width,
                     std::size_t height, unsigned),
                    cudaMallocPitch(out(address), pitch, width, height))
GAUNTLET_FORWARD(3, in_context, cuMemAllocManaged, cudaMallocManaged)
GAUNTLET_FORWARD(2, in_context, cuMemAllocHost, cudaMallocHost)
GAUNTLET_FORWARD(3, in_context, cuMemHostAlloc, cudaHostAlloc)
GAUNTLET_FORWARD(1, driver_entry, cuMemFreeHost, cudaFreeHost)
GAUNTLET_FORWARD(3, in_context, cuMemHostRegister, cudaHostRegister)
GAUNTLET_FORWARD(1, in_context, cuMemHostUnregister, cudaHostUnregister)
GAUNTLET_FORWARD(3, in_context, cuMemHostGetDevicePointer, cudaHostGetDevicePointer)
GAUNTLET_FORWARD(2, in_context, cuMemHostGetFlags, cudaHostGetFlags)
GAUNTLET_FORWARD(3, in_context, cuMemAllocAsync, cudaMallocAsync)
GAUNTLET_FORWARD(4, in_context, cuMemAllocFromPoolAsync, cudaMallocFromPoolAsync)
GAUNTLET_FORWARD(2, driver_entry, cuMemFreeAsync, cudaFreeAsync)
GAUNTLET_FORWARD(2, in_context, cuMemGetInfo, cudaMemGetInfo)

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
GAUNTLET_FORWARD(1, in_context, cuMemPoolDestroy, cudaMemPoolDestroy)
GAUNTLET_FORWARD(2, in_context, cuMemPoolTrimTo, cudaMemPoolTrimTo)
GAUNTLET_FORWARD(3, in_context, cuMemPoolGetAttribute, cudaMemPoolGetAttribute)
GAUNTLET_FORWARD(3, in_context, cuMemPoolSetAttribute, cudaMemPoolSetAttribute)
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

// Entries of the driver: copies and fills.

namespace {

/// Where one side of a copy of rows lies.
struct Rectangle {
  CUmemorytype type = CU_MEMORYTYPE_UNIFIED;
  const void* host = nullptr;
  CUdeviceptr device = 0;
  std::size_t x = 0, y = 0, z = 0, pitch = 0, height = 0;
  CUarray array = nullptr;
};
/// An array is memory whose rows lie as it wants; false: there is none such, or not so wide.
bool place_array(State& s, Rectangle& side, std::size_t width) {
  if (side.type != CU_MEMORYTYPE_ARRAY) return true;
  const DeviceArray* const array = s.textures.array(side.array);
  if (array == nullptr || side.x + width > array->row_bytes) return false;
  side.type = CU_MEMORYTYPE_DEVICE;
  side.device = array->base;
  side.pitch = array->row_bytes;
  side.height = std::max<std::size_t>(array->extent.height, 1);
  return true;
}
std::byte* first(const Rectangle& side) {
  const auto base = side.type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(side.host)
                                                    : static_cast<std::uintptr_t>(side.device);
  return reinterpret_cast<std::byte*>(base + side.z * side.height * side.pitch +
                                      side.y * side.pitch + side.x);
}
cudaMemcpyKind kind(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  if (to == CU_MEMORYTYPE_HOST) {
    return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
  }
  return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

cudaError_t copy(const Rectangle& to, const Rectangle& from, std::size_t width, std::size_t height,
                 std::size_t depth, CUstream stream, bool async) {
  Rectangle target = to, source = from;
  {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    if (!place_array(s, target, width) || !place_array(s, source, width)) {
      return cudaErrorInvalidValue;
    }
  }
  cudaMemcpy3DParms p{};
  // A pitch of 0 stands for rows without a gap.
  const auto pitch = [&](const Rectangle& side) { return side.pitch == 0 ? width : side.pitch; };
  const auto rows = [&](const Rectangle& side) { return side.height == 0 ? height : side.height; };
  for (Rectangle* const side : {&target, &source}) {
    side->pitch = pitch(*side);
    side->height = rows(*side);
  }
  p.dstPtr = {first(target), target.pitch, target.pitch, target.height};
  p.srcPtr = {first(source), source.pitch, source.pitch, source.height};
  p.extent = {width, height, depth};
  p.kind = kind(target.type, source.type);
  return async ? cudaMemcpy3DAsync(&p, stream) : cudaMemcpy3D(&p);
}

cudaError_t copy_2d(const CUDA_MEMCPY2D& c, CUstream stream, bool async) {
  return copy({c.dstMemoryType, c.dstHost, c.dstDevice, c.dstXInBytes, c.dstY, 0, c.dstPitch, 0,
               c.dstArray},
              {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcXInBytes, c.srcY, 0, c.srcPitch, 0,
               c.srcArray},
              c.WidthInBytes, c.Height, 1, stream, async);
}
cudaError_t copy_3d(const CUDA_MEMCPY3D& c, CUstream stream, bool async) {
  return copy({c.dstMemoryType, c.dstHost, c.dstDevice, c.dstXInBytes, c.dstY, c.dstZ, c.dstPitch,
               c.dstHeight, c.dstArray},
              {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcXInBytes, c.srcY, c.srcZ, c.srcPitch,
               c.srcHeight, c.srcArray},
              c.WidthInBytes, c.Height, c.Depth, stream, async);
}

template <class T>
cudaError_t fill(CUdeviceptr to, std::size_t pitch, T value, std::size_t width, std::size_t height,
                 CUstream stream, bool async) {
  if (to % sizeof(T) != 0 || pitch % sizeof(T) != 0) return cudaErrorInvalidValue;
  return entry([&](State& s) {
    const Rows rows{width * sizeof(T), height, 1, pitch, 0, 0, 0};
    return s.put(
        stream, fill_work(std::string(driver_call()), pointer(to), value, sizeof(T), rows, !async));
  });
}

void* host(CUdeviceptr at) { return pointer(at); }
void* host(void* at) { return at; }
const void* host(const void* at) { return at; }

}  // namespace

extern "C" {

#define GAUNTLET_COPY(where, name, type_to, to, type_from, from, direction)               \
  GAUNTLET_IN_CONTEXT(name, (type_to to, type_from from, std::size_t bytes),              \
                      cudaMemcpy(host(to), host(from), bytes, direction))                 \
  GAUNTLET_##where##_CONTEXT(name##Async,                                                 \
                             (type_to to, type_from from, std::size_t bytes, CUstream s), \
                             cudaMemcpyAsync(host(to), host(from), bytes, direction, s))
GAUNTLET_COPY(IN, cuMemcpy, CUdeviceptr, to, CUdeviceptr, from, cudaMemcpyDefault)
GAUNTLET_COPY(WITHOUT, cuMemcpyHtoD, CUdeviceptr, to, const void*, from, cudaMemcpyHostToDevice)
GAUNTLET_COPY(IN, cuMemcpyDtoH, void*, to, CUdeviceptr, from, cudaMemcpyDeviceToHost)
GAUNTLET_COPY(IN, cuMemcpyDtoD, CUdeviceptr, to, CUdeviceptr, from, cudaMemcpyDeviceToDevice)
#undef GAUNTLET_COPY

GAUNTLET_IN_CONTEXT(cuMemcpyPeer,
                    (CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes),
                    cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice))
GAUNTLET_IN_CONTEXT(cuMemcpyPeerAsync,
                    (CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes,
                     CUstream s),
                    cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, s))
GAUNTLET_IN_CONTEXT(cuMemcpy2D, (const CUDA_MEMCPY2D* c), copy_2d(*c, nullptr, false))
GAUNTLET_IN_CONTEXT(cuMemcpy2DUnaligned, (const CUDA_MEMCPY2D* c), copy_2d(*c, nullptr, false))
GAUNTLET_IN_CONTEXT(cuMemcpy2DAsync, (const CUDA_MEMCPY2D* c, CUstream s), copy_2d(*c, s, true))
GAUNTLET_IN_CONTEXT(cuMemcpy3D, (const CUDA_MEMCPY3D* c), copy_3d(*c, nullptr, false))
GAUNTLET_IN_CONTEXT(cuMemcpy3DAsync, (const CUDA_MEMCPY3D* c, CUstream s), copy_3d(*c, s, true))

#define GAUNTLET_FILL(bits, type)                                                             \
  GAUNTLET_IN_CONTEXT(cuMemsetD##bits, (CUdeviceptr to, type value, std::size_t count),       \
                      fill<type>(to, count * sizeof(type), value, count, 1, nullptr, false))  \
  GAUNTLET_IN_CONTEXT(cuMemsetD##bits##Async,                                                 \
                      (CUdeviceptr to, type value, std::size_t count, CUstream s),            \
                      fill<type>(to, count * sizeof(type), value, count, 1, s, true))         \
  GAUNTLET_IN_CONTEXT(                                                                        \
      cuMemsetD2D##bits,                                                                      \
      (CUdeviceptr to, std::size_t pitch, type value, std::size_t width, std::size_t height), \
      fill<type>(to, pitch, value, width, height, nullptr, false))                            \
  GAUNTLET_IN_CONTEXT(cuMemsetD2D##bits##Async,                                               \
                      (CUdeviceptr to, std::size_t pitch, type value, std::size_t width,      \
                       std::size_t height, CUstream s),                                       \
                      fill<type>(to, pitch, value, width, height, s, true))
GAUNTLET_FILL(8, unsigned char)
GAUNTLET_FILL(16, unsigned short)
GAUNTLET_FILL(32, unsigned)
#undef GAUNTLET_FILL

}  // extern "C"

}  // namespace gauntlet::runtime
