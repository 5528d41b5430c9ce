// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda/fenced_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/numbers.hpp"
#include "cuda/cuda_error.hpp"

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

FencedMemory::~FencedMemory() {
  release_all();
  unmap_free();
}

FencedMemory::Range FencedMemory::take(std::uint64_t bytes) {
  std::uint64_t size = std::max(page_, round_up(bytes, page_));
  // Few distinct sizes, so that ranges are found again.
  if (size <= keep) size = std::bit_ceil(size);
  const auto found = free_.find(size);
  if (found != free_.end() && !found->second.empty()) {
    used_.push_back(found->second.back());
    found->second.pop_back();
    return used_.back().range;
  }
  try {
    used_.push_back(make(size));
  } catch (const OutOfMemory&) {
    unmap_free();
    used_.push_back(make(size));
  }
  return used_.back().range;
}

void FencedMemory::release_all() {
  for (const Block& block : used_) {
    if (block.range.bytes > keep) {
      unmap(block);
    } else {
      free_[block.range.bytes].push_back(block);
    }
  }
  used_.clear();
}

FencedMemory::Block FencedMemory::make(std::uint64_t bytes) {
  const std::string what =
      fmt::format("{:.1f} GiB more than the {:.1f} GiB in use",
                  static_cast<double>(bytes) / (1 << 30), static_cast<double>(mapped_) / (1 << 30));
  Block block;
  block.range.bytes = bytes;
  CUdeviceptr address = 0;
  check_driver(driver_->reserve(&address, bytes + fence, page_, 0, 0), what.c_str());
  block.range.begin = address;
  const CUresult created = driver_->create(&block.handle, bytes, &properties_, 0);
  if (created != CUDA_SUCCESS) {
    driver_->free_address(address, bytes + fence);
    check_driver(created, what.c_str());
  }
  check_driver(driver_->map(address, bytes, 0, block.handle, 0), "cuMemMap");
  check_driver(driver_->set_access(address, bytes, &access_, 1), "cuMemSetAccess");
  mapped_ += bytes;
  return block;
}

// Errors are ignored: after a sticky error nothing can be given back, and the process ends.
void FencedMemory::unmap(const Block& block) {
  driver_->unmap(block.range.begin, block.range.bytes);
  driver_->release(block.handle);
  driver_->free_address(block.range.begin, block.range.bytes + fence);
  mapped_ -= block.range.bytes;
}

void FencedMemory::unmap_free() {
  for (const auto& [size, blocks] : free_) {
    for (const Block& block : blocks) unmap(block);
  }
  free_.clear();
}

}  // namespace gauntlet::cuda
