// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the driver: virtual memory.
#include <fmt/format.h>

#include <span>
#include <string_view>

#include "sanitizer/program/driver.hpp"

namespace gauntlet::runtime {
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
