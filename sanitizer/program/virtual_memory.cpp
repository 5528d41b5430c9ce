// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/virtual_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include "base/host_memory.hpp"
#include "base/numbers.hpp"
#include "base/text/text.hpp"
#include "machine/state/byte_states.hpp"
#include "sanitizer/program/heap.hpp"
#include "sanitizer/program/refusal.hpp"

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

VirtualMemory::Reservations::iterator VirtualMemory::known(Address at, std::uint64_t bytes) {
  const auto found = around(at, bytes);
  refuse_if(found == reservations_.end());
  return found;
}

const VirtualMemory::Mapping& VirtualMemory::mapped(Address at) const {
  const auto& mappings = const_cast<VirtualMemory*>(this)->known(at, 1)->second.mappings;
  auto next = mappings.upper_bound(at);
  refuse_if(next == mappings.begin());
  const auto& [begin, mapping] = *--next;
  refuse_if(at - begin >= mapping.bytes);
  return mapping;
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

Address VirtualMemory::reserve(std::uint64_t bytes, std::uint64_t align) {
  refuse_if(!good_size(bytes) || (align & (align - 1)) != 0);
  Reservation made;
  made.name = fmt::format("cuMemAddressReserve#{}", ++number_);
  made.bytes = bytes;
  made.data = static_cast<std::byte*>(empty_pages(nullptr, bytes + behind));
  made.state = static_cast<std::uint8_t*>(empty_pages(nullptr, bytes + behind));
  const Address at = heap_.memory.reserve(bytes, std::max(align, granularity));
  reservations_.emplace(at, std::move(made));
  return at;
}

void VirtualMemory::drop(Reservations::iterator found) {
  Reservation& of = found->second;
  of.mappings.clear();
  follow(of, found->first);
  munmap(of.data, of.bytes + behind);
  munmap(of.state, of.bytes + behind);
  reservations_.erase(found);
}

void VirtualMemory::free(Address at, std::uint64_t bytes) {
  const auto found = known(at, bytes);
  const Reservation& of = found->second;
  const auto refuse = [&](const std::string& why) {
    heap_.mistake(MistakeKind::invalid_free, "cuMemAddressFree", why);
    throw Refusal{cudaErrorInvalidValue};
  };
  if (found->first != at || of.bytes != bytes) {
    refuse(fmt::format("{} of {} are given back, but it has {}", counted(bytes, "byte"), of.name,
                       of.bytes));
  }
  if (!of.mappings.empty()) {
    refuse(fmt::format("memory is still mapped in {}: cuMemUnmap comes first", of.name));
  }
  drop(found);
}

VirtualMemory::Handle VirtualMemory::create(std::uint64_t bytes,
                                            const CUmemAllocationProp& properties) {
  refuse_if(!good_size(bytes));
  const std::uint64_t available = memory_available();
  if (available != 0 && bytes * 2 > available) throw std::bad_alloc();
  return add(properties, std::make_shared<SharedMemory>(bytes));
}

VirtualMemory::Handle VirtualMemory::add(const CUmemAllocationProp& properties,
                                         std::shared_ptr<SharedMemory> pages) {
  auto memory = std::make_shared<Memory>(Memory{properties, std::move(pages)});
  const auto handle = reinterpret_cast<Handle>(memory.get());
  handles_.emplace(handle, std::move(memory));
  return handle;
}

int VirtualMemory::give(Handle handle) const {
  refuse_if(properties(handle).requestedHandleTypes == 0);
  const int file = fcntl(handles_.at(handle)->pages->file(), F_DUPFD_CLOEXEC, 0);
  refuse_if(file < 0, cudaErrorOperatingSystem);
  return file;
}

VirtualMemory::Handle VirtualMemory::take(int file) {
  auto pages = SharedMemory::of_file(file);
  refuse_if(pages == nullptr || !good_size(pages->bytes()));
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return add(properties, std::move(pages));
}

void VirtualMemory::release(Handle handle) { refuse_if(handles_.erase(handle) == 0); }

void VirtualMemory::map(Address at, std::uint64_t bytes, Handle handle) {
  const auto memory = handles_.find(handle);
  const auto found = known(at, bytes);
  refuse_if(memory == handles_.end() || !good_size(bytes) || at % granularity != 0);
  // As an H100's driver says.
  refuse_if(bytes > memory->second->pages->bytes(), cudaErrorNotSupported);
  Reservation& of = found->second;
  const auto next = of.mappings.lower_bound(at);
  refuse_if(next != of.mappings.end() && next->first < at + bytes);
  if (next != of.mappings.begin()) {
    const auto& [begin, before] = *std::prev(next);
    refuse_if(begin + before.bytes > at);
  }
  memory->second->pages->show_data(of.data + (at - found->first), bytes);
  of.mappings.emplace(at, Mapping{bytes, memory->second});
}

void VirtualMemory::unmap(Address at, std::uint64_t bytes) {
  const auto found = known(at, bytes);
  Reservation& of = found->second;
  const std::vector<Address> all = whole(of, at, bytes);
  if (all.empty()) {
    heap_.mistake(MistakeKind::invalid_free, "cuMemUnmap",
                  fmt::format("{} from byte {} of {} on are not all of what was mapped there",
                              counted(bytes, "byte"), at - found->first, of.name));
    throw Refusal{cudaErrorInvalidValue};
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
}

void VirtualMemory::allow(Address at, std::uint64_t bytes, CUmemAccess_flags access) {
  const auto found = known(at, bytes);
  Reservation& of = found->second;
  const std::vector<Address> all = whole(of, at, bytes);
  refuse_if(all.empty());
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

VirtualMemory::Handle VirtualMemory::retain(Address at) {
  const Mapping& mapping = mapped(at);
  const auto handle = reinterpret_cast<Handle>(mapping.memory.get());
  handles_.emplace(handle, mapping.memory);
  return handle;
}

const CUmemAllocationProp& VirtualMemory::properties(Handle handle) const {
  const auto found = handles_.find(handle);
  refuse_if(found == handles_.end());
  return found->second->properties;
}

void VirtualMemory::clear() {
  while (!reservations_.empty()) drop(reservations_.begin());
  handles_.clear();
}

void* empty_pages(void* at, std::uint64_t bytes) {
  const int fixed = at == nullptr ? 0 : MAP_FIXED;
  void* const pages = mmap(at, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return pages;
}

SharedMemory::SharedMemory(std::uint64_t bytes)
    : file_(memfd_create("gauntlet", MFD_CLOEXEC)), bytes_(round_up(bytes, page_bytes())) {
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(2 * bytes_)) != 0) throw std::bad_alloc();
  void* const states =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(bytes_));
  if (states == MAP_FAILED) throw std::bad_alloc();
  std::memset(states, simt::uninitialised, bytes);
  munmap(states, bytes_);
}

std::shared_ptr<SharedMemory> SharedMemory::of_file(int file) {
  struct stat is {};
  if (fstat(file, &is) != 0 || !S_ISREG(is.st_mode) || is.st_size <= 0) return nullptr;
  const auto bytes = static_cast<std::uint64_t>(is.st_size) / 2;
  const int own = bytes % page_bytes() == 0 ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
  return own < 0 ? nullptr : std::shared_ptr<SharedMemory>(new SharedMemory(own, bytes));
}

SharedMemory::~SharedMemory() {
  if (file_ >= 0) close(file_);
}

void SharedMemory::show(void* at, std::uint64_t bytes, std::uint64_t from) const {
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_,
           static_cast<off_t>(from)) == MAP_FAILED) {
    throw std::bad_alloc();
  }
}

SharedMemory::Shown SharedMemory::show() const {
  const std::uint64_t room = bytes_ + page_bytes();
  const Shown shown{static_cast<std::byte*>(empty_pages(nullptr, room)),
                    static_cast<std::uint8_t*>(empty_pages(nullptr, room))};
  show_data(shown.data, bytes_);
  show_states(shown.state, bytes_);
  return shown;
}

void SharedMemory::hide(Shown shown) const {
  munmap(shown.data, bytes_ + page_bytes());
  munmap(shown.state, bytes_ + page_bytes());
}

}  // namespace gauntlet::runtime
