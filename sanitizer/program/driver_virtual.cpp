// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: virtual memory.
#include <fmt/format.h>

#include <string_view>

#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
namespace {

bool of_device(const CUmemLocation& at) { return at.type == CU_MEM_LOCATION_TYPE_DEVICE; }

/// Of the one device; of other memory an entry ends with cudaErrorNotSupported, which is said.
void check(State& s, const CUmemAllocationProp* p) {
  if (p == nullptr || p->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    throw Refusal{cudaErrorInvalidValue};
  const auto refuse = [&](std::string_view what) {
    throw Refusal{s.refuse(fmt::format("calls {} for memory that {}", driver_call(), what))};
  };
  if (!of_device(p->location)) refuse("is not the device's");
  if (p->location.id != 0) throw Refusal{cudaErrorInvalidDevice};
  if ((p->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0) {
    refuse("other processes may share by more than a file");
  }
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* p,
                                       CUmemAllocationGranularity_flags) {
  return driver_entry("cuMemGetAllocationGranularity", [&](State& s) -> cudaError_t {
    check(s, p);
    return give(bytes, VirtualMemory::granularity);
  });
}
CUresult cuMemAddressReserve(CUdeviceptr* at, std::size_t bytes, std::size_t align, CUdeviceptr,
                             unsigned long long flags) {
  return driver_entry("cuMemAddressReserve", [&](State& s) -> cudaError_t {
    if (at == nullptr || flags != 0) return cudaErrorInvalidValue;
    Address begin = 0;
    const cudaError_t error = s.virtual_memory.reserve(begin, bytes, align);
    if (error == cudaSuccess) *at = begin;
    return error;
  });
}
CUresult cuMemAddressFree(CUdeviceptr at, std::size_t bytes) {
  return driver_entry("cuMemAddressFree",
                      [&](State& s) { return s.virtual_memory.free(at, bytes); });
}
CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* p, unsigned long long flags) {
  return driver_entry("cuMemCreate", [&](State& s) -> cudaError_t {
    if (handle == nullptr || flags != 0) return cudaErrorInvalidValue;
    check(s, p);
    return s.virtual_memory.create(*handle, bytes, *p);
  });
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return driver_entry("cuMemRelease", [&](State& s) { return s.virtual_memory.release(handle); });
}
CUresult cuMemMap(CUdeviceptr at, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return driver_entry("cuMemMap", [&](State& s) -> cudaError_t {
    if (offset != 0 || flags != 0) return cudaErrorInvalidValue;  // as the driver wants them
    return s.virtual_memory.map(at, bytes, handle);
  });
}
CUresult cuMemUnmap(CUdeviceptr at, std::size_t bytes) {
  return driver_entry("cuMemUnmap", [&](State& s) { return s.virtual_memory.unmap(at, bytes); });
}
CUresult cuMemSetAccess(CUdeviceptr at, std::size_t bytes, const CUmemAccessDesc* of,
                        std::size_t count) {
  return driver_entry("cuMemSetAccess", [&](State& s) -> cudaError_t {
    if (of == nullptr || count == 0) return cudaErrorInvalidValue;
    for (std::size_t k = 0; k < count; ++k) {
      if (!of_device(of[k].location)) return s.refuse("calls cuMemSetAccess for the host");
      if (of[k].location.id != 0) return cudaErrorInvalidDevice;
      const cudaError_t error = s.virtual_memory.allow(at, bytes, of[k].flags);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}
CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* of, CUdeviceptr at) {
  return driver_entry("cuMemGetAccess", [&](State& s) -> cudaError_t {
    if (flags == nullptr || of == nullptr || !of_device(*of)) return cudaErrorInvalidValue;
    if (of->id != 0) return cudaErrorInvalidDevice;
    auto access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    const cudaError_t error = s.virtual_memory.access(at, access);
    if (error == cudaSuccess) *flags = access;
    return error;
  });
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* at) {
  return driver_entry("cuMemRetainAllocationHandle", [&](State& s) -> cudaError_t {
    if (handle == nullptr) return cudaErrorInvalidValue;
    return s.virtual_memory.retain(reinterpret_cast<Address>(at), *handle);
  });
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* p,
                                                CUmemGenericAllocationHandle handle) {
  return driver_entry("cuMemGetAllocationPropertiesFromHandle", [&](State& s) -> cudaError_t {
    return p == nullptr ? cudaErrorInvalidValue : s.virtual_memory.properties(handle, *p);
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
