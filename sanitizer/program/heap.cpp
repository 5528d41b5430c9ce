// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/heap.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <limits>
#include <new>
#include <utility>

#include "base/host_memory.hpp"
#include "base/numbers.hpp"
#include "machine/engine/system_calls.hpp"
#include "machine/ptx/source_names.hpp"
#include "sanitizer/program/host_watch.hpp"

namespace gauntlet::runtime {
namespace {

/// Freed arrays that are remembered, each with its addresses.
constexpr std::size_t most_freed = 4096;

bool mapped_by_us(Space space) { return space == Space::managed || space == Space::pinned; }

std::uint64_t mapped_bytes(const Array& array) { return round_up(array.bytes, page_bytes()); }

/// A line of /proc/self/maps: "BEGIN-END MODE OFFSET DEVICE INODE   NAME".
struct Mapping {
  Address begin = 0, end = 0;
  std::string_view mode, name;
};

/// Those of the process, in the order of addresses, until `look` returns false.
void for_each_mapping(const std::function<bool(const Mapping&)>& look) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::string_view rest = line;
    const auto begin = take_number<Address>(rest, 16);
    if (!begin || !rest.starts_with('-')) continue;
    rest.remove_prefix(1);
    const auto end = take_number<Address>(rest, 16);
    if (!end || rest.size() < 3) continue;
    const auto slash = rest.find_first_of("/[");
    const std::string_view path = slash == rest.npos ? std::string_view{} : rest.substr(slash);
    if (!look({*begin, *end, rest.substr(1, 2), path.substr(path.rfind('/') + 1)})) return;
  }
}

/// Whether all of these are plain memory of the program, which can be read and written, and not a
/// stack, on which signals are handled.
bool plain_memory(Pages pages) {
  const auto here = reinterpret_cast<Address>(&pages);
  Address at = pages.begin;
  for_each_mapping([&](const Mapping& one) {
    if (at >= one.end) return true;
    const bool stack = (one.begin <= here && here < one.end) || one.name == "[stack]";
    if (at < one.begin || one.mode != "rw" || stack) return false;
    at = one.end;
    return at < pages.end;
  });
  return at >= pages.end;
}

/// Pages for both, far from the machine's windows of shared and local memory and from its arrays; a
/// mebibyte lies between any two.
void* map_pages(std::uint64_t bytes) {
  static Address next = first_shared_page;
  constexpr Address gap = 1 << 20;
  for (; next < last_shared_page; next += gap) {
    void* const at = mmap(reinterpret_cast<void*>(next), bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED && errno == EEXIST) continue;
    if (at == MAP_FAILED) break;
    next = round_up(next + bytes + gap, gap);
    return at;
  }
  throw std::bad_alloc();
}

/// As the machine's memory is told of it.
gauntlet::Array unnamed_elements(const Array& array) {
  gauntlet::Array wanted;
  wanted.name = array.name;
  wanted.bytes = array.bytes;
  wanted.element_bytes = 0;
  return wanted;
}

}  // namespace

std::uint64_t page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::string spelt(const Array& array, Address address) {
  return address == array.base ? array.name
                               : fmt::format("byte {} of {}", address - array.base, array.name);
}

std::string shown_name(const std::string& name) {
  const std::string_view of_unit = ptx::without_unit(name);
  return of_unit.starts_with("_Z") ? ptx::demangled(name) : std::string(of_unit);
}

Heap::Heap(Tell tell) : tell_(std::move(tell)) {
  memory.foreign = [this](Address address) {  // of each lane's access that no array has
    if (address < asked_.begin || address >= asked_.end) asked_ = around(address);
    return asked_.what;
  };
}

Address Heap::keep(Array array) {
  const Address base = array.base;
  arrays_.insert_or_assign(base, std::move(array));
  return base;
}

Address Heap::allocate(Space space, std::string_view call, std::uint64_t bytes, bool variable) {
  // Content and a state for each byte; the race detector's cells come on top when they are needed.
  constexpr std::uint64_t large = 64 << 20;
  const std::uint64_t available = bytes < large ? 0 : memory_available();
  if (bytes > (1ULL << 46) || (available != 0 && bytes * 2 > available)) throw std::bad_alloc();
  Array array;
  array.name = variable ? std::string(call) : fmt::format("{}#{}", spelled(call), ++number_);
  array.space = space;
  array.bytes = bytes;
  array.static_variable = variable;
  array.allocated = trace();
  const gauntlet::Array wanted = unnamed_elements(array);
  if (mapped_by_us(space)) {
    void* const data = map_pages(mapped_bytes(array));
    array.base = memory.adopt(wanted, static_cast<std::byte*>(data));
    shared_.insert(array.base);
  } else {
    array.base = memory.allocate(wanted);
  }
  live_bytes_ += bytes;
  return keep(std::move(array));
}

Address Heap::place(const gauntlet::Array& wanted) {
  return keep({.name = wanted.name,
               .base = memory.allocate(wanted),
               .bytes = wanted.bytes,
               .static_variable = true});
}

Pages own_pages(const Array& array) {
  const Address end = array.base + array.bytes;
  return {round_up(array.base, page_bytes()), array.space == Space::registered
                                                  ? end / page_bytes() * page_bytes()
                                                  : round_up(end, page_bytes())};
}

bool Heap::adopt(std::string_view call, void* data, std::uint64_t bytes) {
  Array array{.name = fmt::format("{}#{}", spelled(call), ++number_),
              .space = Space::registered,
              .base = reinterpret_cast<Address>(data),
              .bytes = bytes,
              .allocated = trace()};
  const Pages pages = own_pages(array);
  array.closable = pages.begin < pages.end && plain_memory(pages);
  try {
    memory.adopt(unnamed_elements(array), static_cast<std::byte*>(data));
  } catch (const std::out_of_range&) {
    return false;
  }
  shared_.insert(array.base);
  keep(std::move(array));
  return true;
}

Address Heap::promise(std::string_view call, std::uint64_t bytes) {
  const Address base = allocate(Space::device, call, bytes);
  Array& array = arrays_.at(base);
  array.of_graph = true;
  free(array);
  array.released = {};
  return base;
}

void Heap::grant(Address base) {
  Array& array = arrays_.at(base);
  array.freed = array.undefined_told = false;
  live_bytes_ += array.bytes;
  memory.revive(base);
}

void Heap::map(std::string_view call, Address base, std::uint64_t bytes, std::byte* data,
               std::uint8_t* state, bool read_only) {
  const auto found = arrays_.find(base);
  Array array;
  if (found != arrays_.end()) {
    array = std::move(found->second);
    unmap(base);
  } else {
    array = {.name = fmt::format("{}#{}", call, ++number_),
             .base = base,
             .mapped = true,
             .allocated = trace()};
  }
  array.bytes = bytes;
  gauntlet::Array wanted = unnamed_elements(array);
  wanted.read_only = read_only;
  memory.map(wanted, base, data, state);
  live_bytes_ += bytes;
  keep(std::move(array));
}

void Heap::unmap(Address base) {
  live_bytes_ -= memory.find(base)->bytes;
  memory.forget(base);
  arrays_.erase(base);
}

void Heap::note_variable(std::string name, Address base, std::uint64_t bytes) {
  keep({.name = std::move(name),
        .space = Space::variable,
        .base = base,
        .bytes = bytes,
        .static_variable = true});
}

void Heap::drop_variable(Address base) {
  const auto found = arrays_.find(base);
  if (found == arrays_.end() || found->second.freed) return;
  free(found->second);
  forget_old();
}

bool Heap::release(std::string_view call, Address base, bool of_host) {
  const auto found = arrays_.find(base);
  if (found == arrays_.end() || found->second.static_variable || found->second.mapped) {
    const Array* const inside = find(base);
    mistake(MistakeKind::invalid_free, call,
            inside != nullptr
                ? fmt::format("{} is no address that an allocation returned", spelt(*inside, base))
                : fmt::format("no allocation returned the address 0x{:x}{}", base,
                              foreign(base).empty() ? "" : ", which is " + foreign(base)),
            inside);
    return false;
  }
  Array& array = found->second;
  if (array.freed) {
    mistake(MistakeKind::double_free, call, fmt::format("{} was freed already", array.name),
            &array);
    return false;
  }
  const bool is_host = array.space == Space::pinned || array.space == Space::registered;
  if (is_host != of_host) {
    mistake(MistakeKind::invalid_free, call,
            fmt::format("{} is {}", array.name,
                        is_host ? "pinned host memory; free it with cudaFreeHost"
                                : "device memory; free it with cudaFree"),
            &array);
    return false;
  }
  if (array.space == Space::registered) {
    shared_.erase(base);
    memory.forget(base);
    arrays_.erase(found);
    return true;
  }
  tell_left_undefined(call, array, true);
  free(array);
  forget_old();
  return true;
}

void Heap::free(Array& array) {
  if (array.space != Space::variable) live_bytes_ -= array.bytes;
  shared_.erase(array.base);
  array.freed = true;
  array.released = trace();
  memory.free(array.base);
  if (mapped_by_us(array.space)) {
    munmap(reinterpret_cast<void*>(array.base), mapped_bytes(array));
  }
  if (!array.of_graph) freed_.push_back(array.base);
}

void Heap::reset() {
  for (auto next = arrays_.begin(); next != arrays_.end();) {
    const auto it = next++;
    Array& array = it->second;
    if (array.space == Space::registered) {
      shared_.erase(array.base);
      memory.forget(array.base);
      arrays_.erase(it);
    } else if (!array.freed && !(array.static_variable && array.space == Space::managed)) {
      free(array);
    }
  }
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const simt::Allocation& one = memory.at(k);
    if (!one.freed && one.name.starts_with(simt::kernel_heap_prefix)) memory.free(one.base);
  }
  forget_old();
}

void Heap::forget_old() {
  while (freed_.size() > most_freed) {
    const auto oldest = arrays_.find(freed_.front());
    freed_.pop_front();
    memory.forget(oldest->second.base);
    arrays_.erase(oldest);
  }
}

const Array* Heap::find(Address address) const {
  auto it = arrays_.upper_bound(address);
  if (it == arrays_.begin()) return nullptr;
  const Array& array = (--it)->second;
  return address - array.base < std::max<std::uint64_t>(array.bytes, 1) ? &array : nullptr;
}

const Array* Heap::named(std::string_view name) const {
  for (const auto& [base, array] : arrays_) {
    if (array.name == name) return &array;
  }
  return nullptr;
}

std::string Heap::foreign(Address address) const { return around(address).what; }

Heap::Region Heap::around(Address address) const {
  constexpr Address first_page = 4096;
  if (address == 0) return {0, 1, "the null pointer"};
  if (address < first_page) return {1, first_page, ""};
  for (const auto& [base, array] : arrays_) {
    if (mapped_by_us(array.space) && address >= base && address < base + mapped_bytes(array)) {
      return {base, base + mapped_bytes(array), ""};  // behind its last byte, not of the program
    }
  }
  if (reserved) {
    if (std::optional<Region> region = reserved(address)) return *std::move(region);
  }
  if (std::string what = handle ? handle(address) : ""; !what.empty()) {
    return {address, address + 1, std::move(what)};
  }
  Region found{0, std::numeric_limits<Address>::max(), ""};
  for_each_mapping([&](const Mapping& one) {
    if (address >= one.end) {
      found.begin = one.end;
      return true;
    }
    if (address < one.begin) {
      found.end = one.begin;
      return false;
    }
    found = {one.begin, one.end, ""};
    if (!one.mode.starts_with('r')) return false;
    found.what = one.name == "[stack]"  ? "host memory (the stack)"
                 : one.name == "[heap]" ? "host memory (the heap)"
                 : one.name.empty() || one.name.starts_with('[')
                     ? "host memory"
                     : fmt::format("host memory (a variable of {})", one.name);
    return false;
  });
  return found;
}

}  // namespace gauntlet::runtime
