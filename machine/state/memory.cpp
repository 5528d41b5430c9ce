// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/state/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/numbers.hpp"
#include "machine/code/poison.hpp"

namespace gauntlet::simt {
namespace {
constexpr Address first_address = 0x7'0000'0000;
constexpr Address gap = 1 << 20;

/// Behind an array, so that vector loops read whole words at its end.
constexpr std::uint64_t spare_bytes = 64;

void* reserve(std::uint64_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return p;
}

/// States of an array of so many bytes.
UniformBytes states_of(std::uint64_t bytes, ByteState state) {
  UniformBytes states(bytes + spare_bytes, state);
  states.fill(bytes, spare_bytes, ByteState::unmapped);
  return states;
}

/// Of an array, whose bytes may be its own.
void put(UniformBytes& own, void* array, std::uint64_t at, std::uint64_t bytes,
         std::uint8_t value) {
  if (array == own.data())
    own.fill(at, bytes, value);
  else
    std::memset(static_cast<std::uint8_t*>(array) + at, value, bytes);
}

/// What a sparse allocation leaves behind, for the next one of the thread: a case is run again and
/// again with one input, and to map a page costs more than to fill it.
class Spare {
 public:
  Spare() = default;
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;
  ~Spare() { give_back(); }
  SparseSpace take(std::uint64_t bytes) {
    if (kept_.bytes >= bytes) return std::exchange(kept_, {});
    SparseSpace fresh;
    fresh.data = static_cast<std::byte*>(reserve(bytes));
    fresh.state = static_cast<std::uint8_t*>(reserve(bytes));
    fresh.bytes = bytes;
    fresh.used.assign((bytes + Allocation::page_bytes - 1) / Allocation::page_bytes, false);
    return fresh;
  }
  void keep(SparseSpace left) {
    give_back();
    kept_ = std::move(left);
    if (kept_.pages_used > most_pages) give_back();
  }

 private:
  /// Less than an input may have that is not sparse (sparse_from).
  static constexpr std::uint64_t most_pages = (48 << 20) / Allocation::page_bytes;
  void give_back() {
    if (kept_.bytes == 0) return;
    munmap(kept_.data, kept_.bytes);
    munmap(kept_.state, kept_.bytes);
    kept_ = {};
  }
  SparseSpace kept_;
};
thread_local Spare spare;

}  // namespace

Allocation::~Allocation() {
  if (sparse_.bytes != 0) spare.keep(std::move(sparse_));
}

void Allocation::touch(std::uint64_t offset, std::uint64_t size) {
  for (auto page = offset / page_bytes; page <= (offset + size - 1) / page_bytes; ++page) {
    if (page_made[page]) continue;
    page_made[page] = true;
    if (!sparse_.used[page]) {
      sparse_.used[page] = true;
      ++sparse_.pages_used;
    }
    const auto begin = page * page_bytes;
    const auto length = std::min(page_bytes, bytes - begin);
    // Another allocation may have left something here.
    std::memset(data + begin, 0, length);
    make_page(begin, {data + begin, length});
    const auto from = std::clamp(initialised_begin, begin, begin + length);
    const auto to = std::clamp(initialised_end, from, begin + length);
    std::memset(state + begin, ByteState::uninitialised, length);
    std::memset(state + from, ByteState::initialised, to - from);
    std::memset(state + begin + length, ByteState::unmapped,
                std::min(page_bytes - length, spare_bytes));
  }
}

void Allocation::fill_storage() {
  storage_ = UniformBytes(bytes + spare_bytes, 0);
  state_storage_ = states_of(bytes, ByteState::uninitialised);
  data = reinterpret_cast<std::byte*>(storage_.data());
  state = state_storage_.data();
  defined_.begin(bytes, &state_storage_);
}

void Allocation::set_states(std::uint64_t at, std::uint64_t size, ByteState to) {
  put(state_storage_, state, at, size, to);
}

void Allocation::define(std::uint64_t at, std::uint64_t size) {
  if (!defined_.has_all(at, size)) set_states(at, size, ByteState::initialised);
  defined_.define(at, size);
}

GlobalMemory::GlobalMemory() : next_(first_address) {}

Address GlobalMemory::allocate(const Options& options) {
  auto a = std::make_unique<Allocation>();
  a->name = options.name;
  const auto align = std::max<std::uint64_t>(options.align, 256);
  a->base = round_up(next_, align) + options.offset;
  a->bytes = options.bytes;
  a->element_bytes = options.element_bytes;
  a->index_base = options.index_base;
  a->read_only = options.read_only;
  a->output = options.output;
  a->floats = options.floats;
  if (options.make_page) {
    a->make_page = options.make_page;
    a->initialised_begin = options.initialised_begin;
    a->initialised_end = options.initialised_end;
    a->page_made.assign((options.bytes + Allocation::page_bytes - 1) / Allocation::page_bytes,
                        false);
    a->sparse_ = spare.take(std::max<std::uint64_t>(options.bytes, 1) + spare_bytes);
    a->data = a->sparse_.data;
    a->state = a->sparse_.state;
  } else {
    a->fill_storage();
  }
  next_ = (a->base + options.bytes + gap + 255) / 256 * 256;
  // Behind all others but those that were adopted, whose addresses the host chose.
  const auto at = std::ranges::upper_bound(allocations_, a->base, {}, &Allocation::base);
  return (*allocations_.insert(at, std::move(a)))->base;
}

Address GlobalMemory::adopt(const Options& options, std::byte* data) {
  auto a = std::make_unique<Allocation>();
  a->name = options.name;
  a->base = reinterpret_cast<Address>(data);
  a->bytes = options.bytes;
  a->element_bytes = options.element_bytes;
  a->data = data;
  a->state_storage_ = states_of(options.bytes, ByteState::initialised);
  a->state = a->state_storage_.data();
  a->defined_.begin(options.bytes, &a->state_storage_);
  return insert(std::move(a));
}

Address GlobalMemory::reserve(std::uint64_t bytes, std::uint64_t align) {
  const Address base = round_up(next_, std::max<std::uint64_t>(align, 256));
  next_ = round_up(base + bytes + gap, 256);
  return base;
}

void GlobalMemory::map(const Options& options, Address base, std::byte* data, std::uint8_t* state) {
  auto a = std::make_unique<Allocation>();
  a->name = options.name;
  a->base = base;
  a->bytes = options.bytes;
  a->element_bytes = options.element_bytes;
  a->read_only = options.read_only;
  a->data = data;
  a->state = state;
  insert(std::move(a));
}

Address GlobalMemory::insert(std::unique_ptr<Allocation> a) {
  const auto next = std::ranges::upper_bound(allocations_, a->base, {}, &Allocation::base);
  const bool overlaps = (next != allocations_.end() && (*next)->base < a->base + a->bytes) ||
                        (next != allocations_.begin() &&
                         (*std::prev(next))->base + (*std::prev(next))->bytes > a->base);
  if (overlaps) throw std::out_of_range("another array is at this address");
  return (*allocations_.insert(next, std::move(a)))->base;
}

void GlobalMemory::free(Address base) {
  auto* a = find(base);
  if (a == nullptr || a->base != base || a->freed) {
    throw std::out_of_range("free of an address not allocated");
  }
  a->freed = true;
  a->storage_ = {};
  a->state_storage_ = {};
  a->defined_.begin(0);
  a->origins_ = {};
  if (a->sparse_.bytes == 0) {
    a->data = nullptr;
    a->state = nullptr;
  }
}

void GlobalMemory::revive(Address base) {
  Allocation* const a = find(base);
  if (a == nullptr || a->base != base || !a->freed) {
    throw std::out_of_range("no freed array begins at this address");
  }
  a->freed = false;
  a->fill_storage();
}

void GlobalMemory::forget(Address base) {
  std::erase_if(allocations_, [&](const auto& a) { return a->base == base; });
}

Allocation* GlobalMemory::find(Address address) {
  return const_cast<Allocation*>(std::as_const(*this).find(address));
}

const Allocation* GlobalMemory::find(Address address) const {
  auto it = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                             [](Address x, const auto& a) { return x < a->base; });
  if (it == allocations_.begin()) return nullptr;
  const auto& a = **--it;
  return address - a.base < a.bytes ? &a : nullptr;
}

const Allocation* GlobalMemory::nearest(Address address) const {
  const Allocation* best = nullptr;
  Address best_distance = gap;
  for (const auto& a : allocations_) {
    const Address end = a->base + a->bytes;
    const Address distance = address < a->base ? a->base - address
                             : address >= end  ? address - end
                                               : 0;
    if (distance < best_distance) {
      best = a.get();
      best_distance = distance;
    }
  }
  return best;
}

Allocation* GlobalMemory::named(std::string_view name) {
  for (const auto& a : allocations_) {
    if (a->name == name) return a.get();
  }
  return nullptr;
}

Allocation& GlobalMemory::containing(Address address, std::uint64_t bytes) const {
  const auto* a = find(address);
  if (a == nullptr && bytes == 0) a = nearest(address);
  if (a == nullptr || a->freed || address - a->base + bytes > a->bytes) {
    throw std::out_of_range("host access outside any allocation");
  }
  return const_cast<Allocation&>(*a);
}

void GlobalMemory::write(Address to, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  auto& a = containing(to, bytes.size());
  if (a.make_page) a.touch(to - a.base, bytes.size());
  std::memcpy(a.data + (to - a.base), bytes.data(), bytes.size());
  a.define(to - a.base, bytes.size());
}

void GlobalMemory::read(Address from, std::span<std::byte> bytes) const {
  if (bytes.empty()) return;
  auto& a = containing(from, bytes.size());
  if (a.make_page) a.touch(from - a.base, bytes.size());
  std::memcpy(bytes.data(), a.data + (from - a.base), bytes.size());
}

void GlobalMemory::fill(Address to, std::byte value, std::uint64_t bytes) {
  if (bytes == 0) return;
  auto& a = containing(to, bytes);
  if (a.make_page) a.touch(to - a.base, bytes);
  put(a.storage_, a.data, to - a.base, bytes, static_cast<std::uint8_t>(value));
  a.define(to - a.base, bytes);
}

bool GlobalMemory::initialised(Address from, std::uint64_t bytes) const {
  if (bytes == 0) return true;
  auto& a = containing(from, bytes);
  if (a.make_page) a.touch(from - a.base, bytes);
  if (a.defined_.has_all(from - a.base, bytes)) return true;
  const auto* s = a.state + (from - a.base);
  return std::all_of(s, s + bytes, [](auto x) { return x == ByteState::initialised; });
}

void GlobalMemory::undefine(Address from, std::uint64_t bytes) {
  if (bytes == 0) return;
  auto& a = containing(from, bytes);
  if (a.make_page) a.touch(from - a.base, bytes);
  a.set_states(from - a.base, bytes, ByteState::uninitialised);
  a.defined->forget(from - a.base, bytes);
}

void GlobalMemory::copy(Address to, Address from, std::uint64_t bytes) {
  if (bytes == 0) return;
  auto &d = containing(to, bytes), &s = containing(from, bytes);
  if (s.make_page) s.touch(from - s.base, bytes);
  if (d.make_page) d.touch(to - d.base, bytes);
  const auto at = to - d.base, of = from - s.base;
  std::memmove(d.data + at, s.data + of, bytes);
  if (s.defined_.has_all(of, bytes)) {
    d.define(at, bytes);
  } else {
    std::memmove(d.state + at, s.state + of, bytes);
    d.defined->forget(at, bytes);
  }
  if (s.origin->empty()) return;
  if (d.origin->empty()) d.origin->resize((d.bytes + 3) / 4 + 1);
  // Where words do not lie alike a word's origin is that of the one that its first byte is from.
  std::vector<std::uint32_t> origins;
  for (auto k = of / 4; k <= (of + bytes - 1) / 4; ++k) origins.push_back(s.origins_[k]);
  std::copy_n(origins.begin(), std::min<std::size_t>(origins.size(), d.origin->size() - at / 4),
              d.origin->begin() + static_cast<std::ptrdiff_t>(at / 4));
}

const GlobalMemory::Story* GlobalMemory::story(Address at) const {
  const Allocation* const a = find(at);
  if (a == nullptr || a->origin->empty()) return nullptr;
  const auto known = stories.find(a->origins_[(at - a->base) / 4] & ~origin_is_fault);
  return known != stories.end() ? &known->second : nullptr;
}

bool GlobalMemory::poisoned(Address from, std::uint64_t bytes) const {
  if (bytes == 0 || initialised(from, bytes)) return false;
  const auto& a = containing(from, bytes);
  if (a.origin->empty()) return false;
  const auto at = from - a.base;
  return std::any_of(a.origin->begin() + static_cast<std::ptrdiff_t>(at / 4),
                     a.origin->begin() + static_cast<std::ptrdiff_t>((at + bytes - 1) / 4 + 1),
                     [](auto o) { return o != 0; });
}

}  // namespace gauntlet::simt
