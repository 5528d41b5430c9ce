// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: allocation, and what is known of a pointer.
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "sanitizer/program/copies.hpp"
#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
namespace {

void** out(CUdeviceptr* address) { return reinterpret_cast<void**>(address); }

/// What takes 8 bytes; the others take 4.
bool is_wide(CUpointer_attribute attribute) {
  return attribute == CU_POINTER_ATTRIBUTE_CONTEXT ||
         attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
         attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
         attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID ||
         attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
         attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE;
}

/// Nothing: there is no such attribute, or none of such memory.
std::optional<std::uint64_t> attribute_of(const Array& array, CUpointer_attribute wanted,
                                          CUdeviceptr at) {
  const bool host = array.space == Space::pinned || array.space == Space::registered;
  const bool device_only = array.space == Space::device || array.space == Space::variable;
  switch (wanted) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return reinterpret_cast<std::uint64_t>(context_stack().back());
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return at;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return device_only ? std::nullopt : std::optional<std::uint64_t>(at);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return array.space == Space::managed;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return 1;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return 0;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return array.base;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return array.bytes;
    default:
      return std::nullopt;
  }
}

cudaError_t pointer_attribute(State& s, void* data, CUpointer_attribute wanted, CUdeviceptr at) {
  const Array* const array = s.heap.live(at);
  if (array == nullptr) return cudaErrorInvalidValue;
  const auto value = attribute_of(*array, wanted, at);
  if (!value) return cudaErrorInvalidValue;
  std::memcpy(data, &*value, is_wide(wanted) ? 8 : 4);
  return cudaSuccess;
}

}  // namespace

extern "C" {

GAUNTLET_IN_CONTEXT(cuMemAlloc, (CUdeviceptr * address, std::size_t bytes),
                    bytes == 0 ? cudaErrorInvalidValue : cudaMalloc(out(address), bytes))
GAUNTLET_FORWARD(1, driver_entry, cuMemFree, cudaFree)
GAUNTLET_FORWARD(5, in_context, cuMemAllocPitch, cudaMallocPitch)
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
GAUNTLET_FORWARDS(2, in_context, MemGetInfo, MemPoolCreate, MemPoolTrimTo)

GAUNTLET_FORWARD(5, in_context, cuMemPrefetchAsync, cudaMemPrefetchAsync)
GAUNTLET_FORWARD(4, in_context, cuMemAdvise, cudaMemAdvise)

CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  return in_context("cuMemGetAddressRange", [&](State& s) {
    const Array* const array = s.heap.live(address);
    refuse_if(array == nullptr, cudaErrorSymbolNotFound);
    if (base != nullptr) *base = array->base;
    if (bytes != nullptr) *bytes = array->bytes;
  });
}
GAUNTLET_DRIVER(in_context, cuPointerGetAttribute,
                (void* data, CUpointer_attribute attribute, CUdeviceptr address),
                pointer_attribute(s, data, attribute, address))
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr address) {
  return in_context("cuPointerGetAttributes", [&](State& s) {
    for (unsigned k = 0; k < count; ++k) {
      // Of memory that is not the device's the values are zero, and there is no error.
      if (pointer_attribute(s, data[k], attributes[k], address) == cudaSuccess) continue;
      std::memset(data[k], 0, is_wide(attributes[k]) ? 8 : 4);
    }
  });
}
// How the driver synchronises copies of this memory: all are.
GAUNTLET_IN_CONTEXT(cuPointerSetAttribute, (const void*, CUpointer_attribute, CUdeviceptr),
                    cudaSuccess)

GAUNTLET_FORWARDS(3, in_context, MemGetDefaultMemPool, MemGetMemPool, MemSetMemPool,
                  MemPoolGetAttribute, MemPoolSetAttribute, MemPoolSetAccess, MemPoolGetAccess)
GAUNTLET_FORWARD(1, in_context, cuMemPoolDestroy, cudaMemPoolDestroy)

}  // extern "C"

// Entries of the driver: copies and fills.

namespace {

/// One side of a copy: where it begins, and how far it is from a row and a plane to the next.
struct PlacedRows {
  std::byte* at;
  std::size_t pitch, plane;
};
/// A pitch of 0 stands for rows without a gap; those of an array lie as it wants.
PlacedRows side_of(State& s, CUmemorytype type, const void* host, CUdeviceptr device,
                   CUarray handle, std::size_t x, std::size_t y, std::size_t z, std::size_t pitch,
                   std::size_t height, std::size_t width) {
  if (type == CU_MEMORYTYPE_ARRAY) {
    const DeviceArray* const array = s.textures.array(handle);
    refuse_if(array == nullptr || x + width > array->row_bytes);
    return {array->at(x, y) + z * array->plane_bytes, array->row_bytes, array->plane_bytes};
  }
  if (pitch == 0) pitch = width;
  const auto base = type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(host) : device;
  const std::size_t plane = height * pitch;
  return {reinterpret_cast<std::byte*>(base + z * plane + y * pitch + x), pitch, plane};
}
cudaMemcpyKind kind(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  const bool of_host = from == CU_MEMORYTYPE_HOST;
  if (to == CU_MEMORYTYPE_HOST) return of_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
  return of_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

/// C: CUDA_MEMCPY2D or CUDA_MEMCPY3D.
template <class C>
Work copy_rows_work(State& s, const CopyCall& call, const C& c) {
  std::size_t to_z = 0, from_z = 0, to_height = 0, from_height = 0, depth = 1;
  if constexpr (std::is_same_v<C, CUDA_MEMCPY3D>) {
    to_z = c.dstZ;
    from_z = c.srcZ;
    to_height = c.dstHeight;
    from_height = c.srcHeight;
    depth = c.Depth;
  }
  const auto rows = [&](std::size_t height) { return height == 0 ? c.Height : height; };
  const PlacedRows to =
      side_of(s, c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY, to_z,
              c.dstPitch, rows(to_height), c.WidthInBytes);
  const PlacedRows from =
      side_of(s, c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes, c.srcY, from_z,
              c.srcPitch, rows(from_height), c.WidthInBytes);
  return copy_work(call, to.at, from.at,
                   {c.WidthInBytes, c.Height, depth, to.pitch, from.pitch, to.plane, from.plane},
                   kind(c.dstMemoryType, c.srcMemoryType));
}

template <class T>
Work fill(const CopyCall& call, CUdeviceptr to, std::size_t pitch, T value, std::size_t width,
          std::size_t height) {
  refuse_if(to % sizeof(T) != 0 || pitch % sizeof(T) != 0);
  return fill_work(call, pointer(to), value, sizeof(T),
                   {width * sizeof(T), height, 1, pitch, 0, 0, 0});
}

}  // namespace

extern "C" {

// NAME, and NAMEAsync with a stream, which is found `where`, as those of the runtime (copies.hpp).
#define GAUNTLET_COPIED(where, name, parameters, stream, waits, ...) \
  CUresult name(GAUNTLET_LIST parameters) {                          \
    return where(#name, [&]([[maybe_unused]] State& s) {             \
      const CopyCall call{driver_call(), waits};                     \
      return s.put(stream, __VA_ARGS__);                             \
    });                                                              \
  }
#define GAUNTLET_COPY(where, name, parameters, ...)                                               \
  GAUNTLET_COPIED(in_context, name, parameters, nullptr, true, __VA_ARGS__)                       \
  GAUNTLET_COPIED(where, name##Async, (GAUNTLET_LIST parameters, CUstream stream), stream, false, \
                  __VA_ARGS__)
GAUNTLET_COPY(in_context, cuMemcpy, (CUdeviceptr to, CUdeviceptr from, std::size_t bytes),
              copy_work(call, pointer(to), pointer(from), {bytes}, cudaMemcpyDefault))
GAUNTLET_COPY(driver_entry, cuMemcpyHtoD, (CUdeviceptr to, const void* from, std::size_t bytes),
              copy_work(call, pointer(to), from, {bytes}, cudaMemcpyHostToDevice))
GAUNTLET_COPY(in_context, cuMemcpyDtoH, (void* to, CUdeviceptr from, std::size_t bytes),
              copy_work(call, to, pointer(from), {bytes}, cudaMemcpyDeviceToHost))
GAUNTLET_COPY(in_context, cuMemcpyDtoD, (CUdeviceptr to, CUdeviceptr from, std::size_t bytes),
              copy_work(call, pointer(to), pointer(from), {bytes}, cudaMemcpyDeviceToDevice))
GAUNTLET_COPY(in_context, cuMemcpyPeer,
              (CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes),
              copy_work(call, pointer(to), pointer(from), {bytes}, cudaMemcpyDeviceToDevice))
GAUNTLET_COPY(in_context, cuMemcpy2D, (const CUDA_MEMCPY2D* c), copy_rows_work(s, call, *c))
GAUNTLET_COPIED(in_context, cuMemcpy2DUnaligned, (const CUDA_MEMCPY2D* c), nullptr, true,
                copy_rows_work(s, call, *c))
GAUNTLET_COPY(in_context, cuMemcpy3D, (const CUDA_MEMCPY3D* c), copy_rows_work(s, call, *c))
#define GAUNTLET_FILL(bits, T)                                                             \
  GAUNTLET_COPY(in_context, cuMemsetD##bits, (CUdeviceptr to, T value, std::size_t count), \
                fill<T>(call, to, 0, value, count, 1))                                     \
  GAUNTLET_COPY(                                                                           \
      in_context, cuMemsetD2D##bits,                                                       \
      (CUdeviceptr to, std::size_t pitch, T value, std::size_t width, std::size_t height), \
      fill<T>(call, to, pitch, value, width, height))
GAUNTLET_FILL(8, unsigned char)
GAUNTLET_FILL(16, unsigned short)
GAUNTLET_FILL(32, unsigned)
#undef GAUNTLET_FILL
#undef GAUNTLET_COPY
#undef GAUNTLET_COPIED

}  // extern "C"

// Entries of the driver: virtual memory.
namespace {

bool of_device(const CUmemLocation& at) { return at.type == CU_MEM_LOCATION_TYPE_DEVICE; }

/// Of the one device; of other memory an entry ends with cudaErrorNotSupported, which is said.
void check(State& s, const CUmemAllocationProp* p) {
  refuse_if(p == nullptr || p->type != CU_MEM_ALLOCATION_TYPE_PINNED);
  const auto refuse = [&](std::string_view what) {
    require(s.refuse(fmt::format("calls {} for memory that {}", driver_call(), what)));
  };
  if (!of_device(p->location)) refuse("is not the device's");
  refuse_if(p->location.id != 0, cudaErrorInvalidDevice);
  if ((p->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0) {
    refuse("other processes may share by more than a file");
  }
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* p,
                                       CUmemAllocationGranularity_flags) {
  return driver_entry("cuMemGetAllocationGranularity", [&](State& s) {
    check(s, p);
    return give(bytes, VirtualMemory::granularity);
  });
}
CUresult cuMemAddressReserve(CUdeviceptr* at, std::size_t bytes, std::size_t align, CUdeviceptr,
                             unsigned long long flags) {
  return driver_entry("cuMemAddressReserve", [&](State& s) {
    refuse_if(at == nullptr || flags != 0);
    *at = s.virtual_memory.reserve(bytes, align);
  });
}
GAUNTLET_DRIVER(driver_entry, cuMemAddressFree, (CUdeviceptr at, std::size_t bytes),
                s.virtual_memory.free(at, bytes))
CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* p, unsigned long long flags) {
  return driver_entry("cuMemCreate", [&](State& s) {
    refuse_if(handle == nullptr || flags != 0);
    check(s, p);
    *handle = s.virtual_memory.create(bytes, *p);
  });
}
GAUNTLET_DRIVER(driver_entry, cuMemRelease, (CUmemGenericAllocationHandle handle),
                s.virtual_memory.release(handle))
CUresult cuMemMap(CUdeviceptr at, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return driver_entry("cuMemMap", [&](State& s) {
    refuse_if(offset != 0 || flags != 0);  // as the driver wants them
    s.virtual_memory.map(at, bytes, handle);
  });
}
GAUNTLET_DRIVER(driver_entry, cuMemUnmap, (CUdeviceptr at, std::size_t bytes),
                s.virtual_memory.unmap(at, bytes))
CUresult cuMemSetAccess(CUdeviceptr at, std::size_t bytes, const CUmemAccessDesc* of,
                        std::size_t count) {
  return driver_entry("cuMemSetAccess", [&](State& s) {
    refuse_if(of == nullptr || count == 0);
    for (const CUmemAccessDesc& one : std::span(of, count)) {
      if (!of_device(one.location)) require(s.refuse("calls cuMemSetAccess for the host"));
      refuse_if(one.location.id != 0, cudaErrorInvalidDevice);
      s.virtual_memory.allow(at, bytes, one.flags);
    }
  });
}
CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* of, CUdeviceptr at) {
  return driver_entry("cuMemGetAccess", [&](State& s) {
    refuse_if(flags == nullptr || of == nullptr || !of_device(*of));
    refuse_if(of->id != 0, cudaErrorInvalidDevice);
    *flags = s.virtual_memory.access(at);
  });
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* at) {
  return driver_entry("cuMemRetainAllocationHandle", [&](State& s) {
    refuse_if(handle == nullptr);
    *handle = s.virtual_memory.retain(reinterpret_cast<Address>(at));
  });
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* p,
                                                CUmemGenericAllocationHandle handle) {
  return driver_entry("cuMemGetAllocationPropertiesFromHandle", [&](State& s) {
    refuse_if(p == nullptr);
    *p = s.virtual_memory.properties(handle);
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
