// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/fenced_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/numbers.hpp"
#include "gpu/executor/cuda_error.hpp"

namespace gauntlet::cuda {
namespace {

constexpr std::uint64_t keep = std::uint64_t{256} << 20;

template <class Function>
void find(const char* name, Function*& function) {
  constexpr unsigned version = 12000;
  void* address = nullptr;
  cudaDriverEntryPointQueryResult status{};
  check(cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &status));
  if (status != cudaDriverEntryPointSuccess) throw DeviceLost(std::string("no ") + name);
  function = reinterpret_cast<Function*>(address);
}

void check_driver(CUresult result, const char* what) {
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemory(what);
  if (result != CUDA_SUCCESS) throw DeviceLost(fmt::format("{}: error {}", what, int{result}));
}

}  // namespace

/// The driver's functions, found at run time: the program must start where there is no driver.
struct FencedMemory::Driver {
  decltype(cuMemAddressReserve)* reserve;
  decltype(cuMemAddressFree)* free_address;
  decltype(cuMemCreate)* create;
  decltype(cuMemRelease)* release;
  decltype(cuMemMap)* map;
  decltype(cuMemUnmap)* unmap;
  decltype(cuMemSetAccess)* set_access;
  decltype(cuMemGetAllocationGranularity)* granularity;

  Driver() {
    find("cuMemAddressReserve", reserve);
    find("cuMemAddressFree", free_address);
    find("cuMemCreate", create);
    find("cuMemRelease", release);
    find("cuMemMap", map);
    find("cuMemUnmap", unmap);
    find("cuMemSetAccess", set_access);
    find("cuMemGetAllocationGranularity", granularity);
  }
};

FencedMemory::FencedMemory(int device) {
  static const Driver driver;
  driver_ = &driver;
  properties_.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties_.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  access_.location = properties_.location;
  access_.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  std::size_t page = 0;
  check_driver(driver_->granularity(&page, &properties_, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
               "cuMemGetAllocationGranularity");
  page_ = page;
}

FencedMemory::~FencedMemory() { unmap_free(); }

FencedMemory::Range FencedMemory::take(std::uint64_t bytes) {
  std::uint64_t size = std::max(page_, round_up(bytes, page_));
  // Few distinct sizes, so that ranges are found again.
  if (size <= keep) size = std::bit_ceil(size);
  const std::lock_guard lock(mutex_);
  const auto found = free_.find(size);
  if (found != free_.end() && !found->second.empty()) {
    const Range range = found->second.back();
    found->second.pop_back();
    return range;
  }
  try {
    return make(size);
  } catch (const OutOfMemory&) {
    unmap_free();
    return make(size);
  }
}

void FencedMemory::give_back(std::vector<Range>& ranges) {
  const std::lock_guard lock(mutex_);
  for (const Range& range : ranges) {
    if (range.bytes > keep) {
      unmap(range);
    } else {
      free_[range.bytes].push_back(range);
    }
  }
  ranges.clear();
}

FencedMemory::Range FencedMemory::make(std::uint64_t bytes) {
  const std::string what =
      fmt::format("{:.1f} GiB more than the {:.1f} GiB in use",
                  static_cast<double>(bytes) / (1 << 30), static_cast<double>(mapped_) / (1 << 30));
  Range range;
  range.bytes = bytes;
  CUdeviceptr address = 0;
  check_driver(driver_->reserve(&address, bytes + fence, page_, 0, 0), what.c_str());
  range.begin = address;
  const CUresult created = driver_->create(&range.handle, bytes, &properties_, 0);
  if (created != CUDA_SUCCESS) {
    driver_->free_address(address, bytes + fence);
    check_driver(created, what.c_str());
  }
  check_driver(driver_->map(address, bytes, 0, range.handle, 0), "cuMemMap");
  check_driver(driver_->set_access(address, bytes, &access_, 1), "cuMemSetAccess");
  mapped_ += bytes;
  return range;
}

// Errors are ignored: after a sticky error nothing can be given back, and the process ends.
void FencedMemory::unmap(const Range& range) {
  driver_->unmap(range.begin, range.bytes);
  driver_->release(range.handle);
  driver_->free_address(range.begin, range.bytes + fence);
  mapped_ -= range.bytes;
}

void FencedMemory::unmap_free() {
  for (const auto& [size, ranges] : free_) {
    for (const Range& range : ranges) unmap(range);
  }
  free_.clear();
}

}  // namespace gauntlet::cuda
