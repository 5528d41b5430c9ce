// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/virtual_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include "base/host_memory.hpp"
#include "base/text/text.hpp"

namespace gauntlet::runtime {
namespace {

/// Behind the last byte of a reservation, so that its end can be read as an array's can.
constexpr std::uint64_t behind = 4096;

bool good_size(std::uint64_t bytes) {
  constexpr std::uint64_t most = 1ULL << 46;
  return bytes != 0 && bytes <= most && bytes % VirtualMemory::granularity == 0;
}

}  // namespace

struct VirtualMemory::Memory {
  CUmemAllocationProp properties;
  std::shared_ptr<SharedMemory> pages;
};

VirtualMemory::VirtualMemory(Heap& heap, StreamOrder& order) : heap_(heap), order_(order) {
  heap_.reserved = [this](Address at) -> std::optional<Heap::Region> {
    const auto found = around(at, 1);
    if (found == reservations_.end()) return std::nullopt;
    const auto& [base, of] = *found;
    const auto next = of.mappings.upper_bound(at);
    Heap::Region region{base, next == of.mappings.end() ? base + of.bytes : next->first, ""};
    const char* why = "where nothing is mapped";
    if (next != of.mappings.begin()) {
      const auto& [begin, mapping] = *std::prev(next);
      region.begin = begin + mapping.bytes;
      if (at < region.begin) {
        region.begin = begin;
        region.end = begin + mapping.bytes;
        why = "where memory is mapped that cuMemSetAccess has not made accessible";
      }
    }
    region.what = fmt::format("address space of {}, {}", of.name, why);
    return region;
  };
}

VirtualMemory::Reservations::iterator VirtualMemory::around(Address at, std::uint64_t bytes) {
  auto found = reservations_.upper_bound(at);
  if (found == reservations_.begin()) return reservations_.end();
  const std::uint64_t from = at - (--found)->first;
  const std::uint64_t all = found->second.bytes;
  return from < all && bytes <= all - from ? found : reservations_.end();
}

const VirtualMemory::Mapping* VirtualMemory::mapped(Address at) const {
  const auto found = const_cast<VirtualMemory*>(this)->around(at, 1);
  if (found == reservations_.end()) return nullptr;
  auto next = found->second.mappings.upper_bound(at);
  if (next == found->second.mappings.begin()) return nullptr;
  const auto& [begin, mapping] = *--next;
  return at - begin < mapping.bytes ? &mapping : nullptr;
}

std::vector<Address> VirtualMemory::whole(const Reservation& of, Address at, std::uint64_t bytes) {
  std::vector<Address> found;
  Address next = at;
  for (auto it = of.mappings.find(at); next < at + bytes; ++it) {
    if (it == of.mappings.end() || it->first != next) return {};
    found.push_back(next);
    next += it->second.bytes;
  }
  return next == at + bytes ? found : std::vector<Address>{};
}

cudaError_t VirtualMemory::reserve(Address& at, std::uint64_t bytes, std::uint64_t align) {
  if (!good_size(bytes) || (align & (align - 1)) != 0) return cudaErrorInvalidValue;
  Reservation made;
  made.name = fmt::format("cuMemAddressReserve#{}", ++number_);
  made.bytes = bytes;
  made.data = static_cast<std::byte*>(empty_pages(nullptr, bytes + behind));
  made.state = static_cast<std::uint8_t*>(empty_pages(nullptr, bytes + behind));
  at = heap_.reserve(bytes, std::max(align, granularity));
  reservations_.emplace(at, std::move(made));
  return cudaSuccess;
}

void VirtualMemory::drop(Reservations::iterator found) {
  Reservation& of = found->second;
  of.mappings.clear();
  follow(of, found->first);
  munmap(of.data, of.bytes + behind);
  munmap(of.state, of.bytes + behind);
  reservations_.erase(found);
}

cudaError_t VirtualMemory::free(Address at, std::uint64_t bytes) {
  const auto found = around(at, bytes);
  if (found == reservations_.end()) return cudaErrorInvalidValue;
  const Reservation& of = found->second;
  if (found->first != at || of.bytes != bytes) {
    heap_.mistake(MistakeKind::invalid_free, "cuMemAddressFree",
                  fmt::format("{} of {} are given back, but it has {}", counted(bytes, "byte"),
                              of.name, of.bytes));
    return cudaErrorInvalidValue;
  }
  if (!of.mappings.empty()) {
    heap_.mistake(MistakeKind::invalid_free, "cuMemAddressFree",
                  fmt::format("memory is still mapped in {}: cuMemUnmap comes first", of.name));
    return cudaErrorInvalidValue;
  }
  drop(found);
  return cudaSuccess;
}

cudaError_t VirtualMemory::create(Handle& handle, std::uint64_t bytes,
                                  const CUmemAllocationProp& properties) {
  if (!good_size(bytes)) return cudaErrorInvalidValue;
  const std::uint64_t available = memory_available();
  if (available != 0 && bytes * 2 > available) throw std::bad_alloc();
  handle = add(properties, std::make_shared<SharedMemory>(bytes));
  return cudaSuccess;
}

VirtualMemory::Handle VirtualMemory::add(const CUmemAllocationProp& properties,
                                         std::shared_ptr<SharedMemory> pages) {
  auto memory = std::make_shared<Memory>(Memory{properties, std::move(pages)});
  const auto handle = reinterpret_cast<Handle>(memory.get());
  handles_.emplace(handle, std::move(memory));
  return handle;
}

cudaError_t VirtualMemory::give(Handle handle, int& file) const {
  const auto found = handles_.find(handle);
  if (found == handles_.end() || found->second->properties.requestedHandleTypes == 0) {
    return cudaErrorInvalidValue;
  }
  file = fcntl(found->second->pages->file(), F_DUPFD_CLOEXEC, 0);
  return file < 0 ? cudaErrorOperatingSystem : cudaSuccess;
}

cudaError_t VirtualMemory::take(int file, Handle& handle) {
  auto pages = SharedMemory::of_file(file);
  if (pages == nullptr || !good_size(pages->bytes())) return cudaErrorInvalidValue;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  handle = add(properties, std::move(pages));
  return cudaSuccess;
}

cudaError_t VirtualMemory::release(Handle handle) {
  return handles_.erase(handle) == 1 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t VirtualMemory::map(Address at, std::uint64_t bytes, Handle handle) {
  const auto memory = handles_.find(handle);
  const auto found = around(at, bytes);
  if (memory == handles_.end() || found == reservations_.end() || !good_size(bytes) ||
      at % granularity != 0) {
    return cudaErrorInvalidValue;
  }
  if (bytes > memory->second->pages->bytes())
    return cudaErrorNotSupported;  // as an H100's driver says
  Reservation& of = found->second;
  const auto next = of.mappings.lower_bound(at);
  if (next != of.mappings.end() && next->first < at + bytes) return cudaErrorInvalidValue;
  if (next != of.mappings.begin()) {
    const auto& [begin, before] = *std::prev(next);
    if (begin + before.bytes > at) return cudaErrorInvalidValue;
  }
  memory->second->pages->show_data(of.data + (at - found->first), bytes);
  of.mappings.emplace(at, Mapping{bytes, memory->second});
  return cudaSuccess;
}

cudaError_t VirtualMemory::unmap(Address at, std::uint64_t bytes) {
  const auto found = around(at, bytes);
  if (found == reservations_.end()) return cudaErrorInvalidValue;
  Reservation& of = found->second;
  const std::vector<Address> all = whole(of, at, bytes);
  if (all.empty()) {
    heap_.mistake(MistakeKind::invalid_free, "cuMemUnmap",
                  fmt::format("{} from byte {} of {} on are not all of what was mapped there",
                              counted(bytes, "byte"), at - found->first, of.name));
    return cudaErrorInvalidValue;
  }
  for (const auto& [base, part] : of.arrays) {
    const Address begin = std::max(base, at), end = std::min(base + part.bytes, at + bytes);
    if (begin < end)
      order_.host_access("cuMemUnmap", base, {{begin, end, simt::weak_write}}, trace());
  }
  for (const Address one : all) of.mappings.erase(one);
  empty_pages(of.data + (at - found->first), bytes);
  empty_pages(of.state + (at - found->first), bytes);
  follow(of, found->first);
  return cudaSuccess;
}

cudaError_t VirtualMemory::allow(Address at, std::uint64_t bytes, CUmemAccess_flags access) {
  const auto found = around(at, bytes);
  if (found == reservations_.end()) return cudaErrorInvalidValue;
  Reservation& of = found->second;
  const std::vector<Address> all = whole(of, at, bytes);
  if (all.empty()) return cudaErrorInvalidValue;
  for (const Address one : all) {
    Mapping& mapping = of.mappings.at(one);
    mapping.access = access;
    std::uint8_t* const state = of.state + (one - found->first);
    if (access == CU_MEM_ACCESS_FLAGS_PROT_NONE) {
      empty_pages(state, mapping.bytes);
    } else {
      mapping.memory->pages->show_states(state, mapping.bytes);
    }
  }
  follow(of, found->first);
  return cudaSuccess;
}

void VirtualMemory::follow(Reservation& of, Address base) {
  std::map<Address, Part> arrays;
  Address begin = 0, end = 0;
  for (const auto& [at, mapping] : of.mappings) {
    if (mapping.access == CU_MEM_ACCESS_FLAGS_PROT_NONE) continue;
    const bool read_only = mapping.access == CU_MEM_ACCESS_FLAGS_PROT_READ;
    if (at != end || arrays.at(begin).read_only != read_only) {
      begin = at;
      arrays[begin].read_only = read_only;
    }
    arrays.at(begin).bytes += mapping.bytes;
    end = at + mapping.bytes;
  }
  // First what goes, so that what comes finds its place.
  for (const auto& [at, part] : of.arrays) {
    if (arrays.contains(at)) continue;
    heap_.unmap(at);
    order_.forget(at);
  }
  for (const auto& [at, part] : arrays) {
    const auto before = of.arrays.find(at);
    if (before != of.arrays.end() && before->second == part) continue;
    heap_.map("cuMemMap", at, part.bytes, of.data + (at - base), of.state + (at - base),
              part.read_only);
  }
  of.arrays = std::move(arrays);
}

cudaError_t VirtualMemory::access(Address at, CUmemAccess_flags& access) const {
  const Mapping* const mapping = mapped(at);
  if (mapping == nullptr) return cudaErrorInvalidValue;
  access = mapping->access;
  return cudaSuccess;
}

cudaError_t VirtualMemory::retain(Address at, Handle& handle) {
  const Mapping* const mapping = mapped(at);
  if (mapping == nullptr) return cudaErrorInvalidValue;
  handle = reinterpret_cast<Handle>(mapping->memory.get());
  handles_.emplace(handle, mapping->memory);
  return cudaSuccess;
}

cudaError_t VirtualMemory::properties(Handle handle, CUmemAllocationProp& properties) const {
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return cudaErrorInvalidValue;
  properties = found->second->properties;
  return cudaSuccess;
}

void VirtualMemory::clear() {
  while (!reservations_.empty()) drop(reservations_.begin());
  handles_.clear();
}

}  // namespace gauntlet::runtime
