// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/repeat.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "machine/code/code.hpp"
#include "machine/isa/data_dependence.hpp"
#include "machine/isa/decode.hpp"
#include "machine/state/byte_states.hpp"
#include "sanitizer/program/digest.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

constexpr std::uint8_t any_read = simt::weak_read | simt::strong_read;
constexpr std::uint8_t any_write = simt::weak_write | simt::strong_write;

/// Also where undefined bytes come from, which findings say.
void add_states(Digest& digest, const simt::Allocation& array, std::uint64_t at,
                std::uint64_t bytes) {
  constexpr std::uint64_t page = simt::DefinedPages::page_bytes, word = 4;
  for (const std::uint64_t end = at + bytes; at < end;) {
    const std::uint64_t length = std::min(end, (at / page + 1) * page) - at;
    const std::uint8_t defined =
        array.defined->has(at, length) || simt::all_defined(array.state + at, length);
    digest.add(&defined, 1);
    if (defined == 0) {
      digest.add(array.state + at, length);
      std::array<std::uint32_t, page / word + 1> origins;
      std::size_t count = 0;
      for (std::uint64_t k = at; k < at + length && !array.origin->empty();) {
        const std::uint64_t next = std::min(at + length, (k / word + 1) * word);
        const bool is = simt::all_defined(array.state + k, next - k);
        origins[count++] = is ? 0 : (*array.origin)[k / word];
        k = next;
      }
      digest.add(origins.data(), count * word);
    }
    at += length;
  }
}

bool writes(const simt::AccessRange& range) { return (range.ways & any_write) != 0; }

/// Memory has what is accessed.
bool is_there(const simt::GlobalMemory& memory, const Touched& touched) {
  return std::ranges::all_of(touched, [&](const auto& of_array) {
    const auto& [base, ranges] = of_array;
    const simt::Allocation* const array = memory.find(base);
    return array != nullptr && array->base == base && !array->freed && !array->make_page &&
           (ranges.empty() || ranges.back().end <= base + array->bytes) &&
           !(array->read_only && std::ranges::any_of(ranges, writes));
  });
}

/// Memory of the host, which the device shares, holds values that nobody defined: each launch that
/// stores some has the host's own reads watched.
bool is_watched(const simt::Allocation& array) {
  return !array.origin->empty() && reinterpret_cast<Address>(array.data) == array.base;
}

/// Calls visit(array, range) for each range that is accessed in one of these ways. Of an array that
/// is only read without its gaps: to compare these as well takes less time, and where they differ a
/// launch is executed that need not be. False: there is one that memory no longer has, or that is
/// watched.
template <class Visit>
bool each(const simt::GlobalMemory& memory, const Touched& touched, std::uint8_t ways,
          Visit&& visit) {
  if (!is_there(memory, touched)) return false;
  for (const auto& [base, ranges] : touched) {
    const simt::Allocation& array = *memory.find(base);
    if (is_watched(array)) return false;
    const bool written = std::ranges::any_of(ranges, writes);
    for (const simt::AccessRange& range : ranges) {
      if ((range.ways & ways) == 0) continue;
      visit(array, written ? range : simt::AccessRange{range.begin, range.end, range.ways});
    }
  }
  return true;
}

std::optional<std::uint64_t> digest_of(const simt::GlobalMemory& memory, const Touched& touched,
                                       std::uint8_t ways) {
  Digest digest;
  const bool known = each(memory, touched, ways, [&](const auto& array, const auto& range) {
    each_piece(range, [&](Address begin, Address end) {
      digest.add(array.data + (begin - array.base), end - begin);
      add_states(digest, array, begin - array.base, end - begin);
    });
  });
  return known ? std::optional(digest.value()) : std::nullopt;
}

bool has_atomics(const simt::Kernel& code) {
  using What = simt::MemoryOp::What;
  return std::ranges::any_of(code.memory_ops, [](const simt::MemoryOp& op) {
    return op.what == What::atomic || op.what == What::reduction;
  });
}

void append(std::vector<std::byte>& key, const auto&... words) {
  const auto one = [&](const auto& word) {
    const auto bytes = std::as_bytes(std::span(&word, 1));
    key.insert(key.end(), bytes.begin(), bytes.end());
  };
  (one(words), ...);
}

/// Puts what they fetch from into the place of handles. False: that is not all there is to know.
bool describe_textures(const simt::Kernel& code, const simt::GlobalMemory& memory,
                       std::vector<std::byte>& key) {
  const auto offsets = simt::parameters_that_name(code, simt::Named::handles);
  if (!offsets) return false;
  const std::vector<std::byte> given = key;
  for (const std::uint64_t at : *offsets) {
    std::uint64_t handle = 0;
    if (given.size() - sizeof handle < at) return false;
    std::memcpy(&handle, given.data() + at, sizeof handle);
    const auto found = memory.textures.find(handle);
    if (found == memory.textures.end()) return false;
    const auto& [base, dimensions, size, layers, cube, row, plane, channels, channel, number,
                 surface, linear, filtered, normalised, fractions, mode, border] = found->second;
    std::fill_n(key.begin() + static_cast<std::ptrdiff_t>(at), sizeof handle, std::byte{});
    append(key, base, dimensions, size, layers, cube, row, plane, channels, channel, number,
           surface, linear, filtered, normalised, fractions, mode, border);
  }
  return true;
}

bool reads_what_it_writes(const Touched& touched) {
  return std::ranges::any_of(touched, [](const auto& of) {
    return std::ranges::any_of(of.second, [](const simt::AccessRange& range) {
      return (range.ways & any_read) != 0 && writes(range);
    });
  });
}

}  // namespace

bool Repeat::pays(const LaunchReport& report, const Touched& touched) {
  constexpr std::uint64_t fewest = 10'000, most_bytes_each = 512;
  constexpr std::uint64_t some_ranges = 1 << 15, most_ranges = 1 << 22, instructions_each = 2;
  const std::uint64_t instructions = report.counters.warp_instructions;
  if (instructions < fewest) return false;
  std::uint64_t bytes = 0, ranges = 0;
  for (const auto& [base, of_array] : touched) {
    ranges += of_array.size();
    for (const simt::AccessRange& range : of_array) bytes += range.end - range.begin;
  }
  const std::uint64_t room = std::clamp(instructions / instructions_each, some_ranges, most_ranges);
  return ranges <= room && bytes / most_bytes_each <= instructions;
}

std::uint8_t Repeat::inputs() const { return apart_ ? any_read : any_read | any_write; }

bool Repeat::move_to(const Key& key, const simt::GlobalMemory& memory) {
  const auto is_gone = [&](Address base) {
    const simt::Allocation* const array = memory.find(base);
    return array == nullptr || array->freed;
  };
  if (key.numbered != done_.numbered || std::ranges::none_of(done_.arrays, is_gone)) return false;
  std::map<Address, Address> to;
  for (std::size_t k = 0; k < key.arrays.size(); ++k) to[done_.arrays[k]] = key.arrays[k];
  if (!done_.report.findings.empty() || undefined_) return false;  // both name arrays
  for (auto& [base, ranges] : done_.touched) {
    if (!to.contains(base)) continue;  // a variable
    const Address by = to[base] - base;
    for (simt::AccessRange& range : ranges) {
      range.begin += by;
      range.end += by;
    }
    base += by;
  }
  for (Written& one : written_) {
    if (!to.contains(one.array)) continue;
    const Address by = to[one.array] - one.array;
    one.range.begin += by;
    one.range.end += by;
    one.array += by;
  }
  done_.arrays = key.arrays;
  return true;
}

const Repeat::Done* Repeat::again(simt::GlobalMemory& memory) {
  // Data that always differ are compared ever more seldom.
  constexpr unsigned most = 10;
  skips_ = in_vain_ != 0 && ++skipped_ < 1U << std::min(in_vain_, most);
  if (skips_) return nullptr;
  skipped_ = 0;
  before_ = digest_of(memory, done_.touched, inputs());
  if (input_ && before_ == input_) {
    if (!written_.empty()) {
      put_back(memory);
    } else if (output_ != digest_of(memory, done_.touched, any_write)) {
      wants_copy_ = true;
      return nullptr;
    }
    in_vain_ = 0;
    return &done_;
  }
  in_vain_ += input_ ? 1 : 0;
  return nullptr;
}

const Repeat::Done* Repeat::accesses(const simt::GlobalMemory& memory) const {
  return done_.report.findings.empty() && is_there(memory, done_.touched) ? &done_ : nullptr;
}

void Repeat::note(const simt::GlobalMemory& memory, const Done& done, MemoryLimit& room) {
  if (skips_) return;
  const bool as_before = !apart_ && done.touched == done_.touched;
  done_ = done;
  apart_ = !done.atomics && done.report.findings.empty() && !reads_what_it_writes(done.touched);
  input_ = apart_ ? digest_of(memory, done_.touched, any_read) : as_before ? before_ : std::nullopt;
  output_ = input_ ? digest_of(memory, done_.touched, any_write) : std::nullopt;
  if (!output_) input_.reset();
  if (!apart_ && input_) wants_copy_ = digest_of(memory, done_.touched, inputs()) != input_;
  undefined_ = std::ranges::any_of(done.touched, [&](const auto& of_array) {
    const simt::Allocation* const array = memory.find(of_array.first);
    return array != nullptr && !array->origin->empty();
  });
  for (const Written& one : written_) room.give_back(one.bytes());
  written_.clear();
  if (input_ && wants_copy_) keep(memory, room);
}

void Repeat::keep(const simt::GlobalMemory& memory, MemoryLimit& room) {
  const auto defined = [](const simt::Allocation& array, std::uint64_t at, std::uint64_t size) {
    return array.defined->has_all(at, size) || simt::all_defined(array.state + at, size);
  };
  std::uint64_t bytes = 0;
  each(memory, done_.touched, any_write, [&](const auto& array, const auto& range) {
    const std::uint64_t size = range.end - range.begin;
    if (defined(array, range.begin - array.base, size))
      bytes += size;
    else
      bytes += (array.origin->empty() ? 2 : 3) * size;
  });
  room.take(bytes);
  if (room.full()) {
    room.give_back(bytes);
    room.reopen();
    return;
  }
  each(memory, done_.touched, any_write, [&](const auto& array, const auto& range) {
    const std::uint64_t begin = range.begin - array.base, end = range.end - array.base;
    Written& one = written_.emplace_back(array.base, range);
    one.data.assign(array.data + begin, array.data + end);
    if (defined(array, begin, end - begin)) return;
    one.state.assign(array.state + begin, array.state + end);
    if (array.origin->empty()) return;
    const std::span<const std::uint32_t> origins(*array.origin);
    const auto of_range = origins.subspan(begin / 4, (end + 3) / 4 - begin / 4);
    one.origins.assign(of_range.begin(), of_range.end());
  });
}

void Repeat::put_back(simt::GlobalMemory& memory) const {
  for (const Written& one : written_) {
    simt::Allocation& array = *memory.find(one.array);
    const std::uint64_t first = one.range.begin - array.base;
    each_piece(one.range, [&](Address begin, Address end) {
      const std::uint64_t at = begin - array.base, bytes = end - begin;
      std::memcpy(array.data + at, one.data.data() + (at - first), bytes);
      if (one.state.empty()) return array.define(at, bytes);
      std::memcpy(array.state + at, one.state.data() + (at - first), bytes);
      array.defined->forget(at, bytes);
      if (one.origins.empty()) return;
      if (array.origin->empty()) array.origin->resize((array.bytes + 3) / 4 + 1);
      for (std::uint64_t k = at; k < at + bytes; ++k) {
        if (array.state[k] == simt::ByteState::initialised) continue;
        (*array.origin)[k / 4] = one.origins[k / 4 - first / 4];
      }
    });
  }
}

namespace {

/// Puts numbers into the place of arrays that the kernel has by these parameters alone. Where one
/// that stands elsewhere among the parameters might be one of them, all are left as they are.
void number_arrays(const Heap& heap, const std::vector<std::uint64_t>& places, std::size_t size,
                   Repeat::Key& key) {
  constexpr std::uint64_t alignment = 256;
  std::vector<std::byte> numbered = key.bytes;
  std::vector<Address> arrays;
  for (std::size_t at = 0; at + sizeof(Address) <= size; at += alignof(float)) {
    Address address = 0;
    std::memcpy(&address, key.bytes.data() + at, sizeof address);
    const Array* const array = heap.live(address);
    if (array == nullptr) continue;
    const bool alone = array->space == Space::device && !array->mapped && !array->of_graph;
    if (!alone || std::ranges::find(places, at) == places.end()) return;
    const auto known = std::ranges::find(arrays, array->base);
    const auto number = static_cast<std::uint64_t>(known - arrays.begin());
    if (known == arrays.end()) arrays.push_back(array->base);
    const std::uint64_t offset = address - array->base;
    std::memcpy(numbered.data() + at, &offset, sizeof offset);
    append(numbered, at, number, array->bytes, array->base % alignment);
  }
  key.numbered = std::move(numbered);
  key.arrays = std::move(arrays);
}

}  // namespace

std::optional<Repeat::Key> State::repeated_by(Kernel& kernel, const simt::LaunchConfig& config,
                                              const Operation& operation) const {
  const simt::Kernel& code = *kernel.code;
  // What the runtime does for it, the grid's number and the words of grid barriers are no arrays.
  const bool numbered = std::ranges::any_of(code.specials, [](const simt::SpecialRegister& one) {
    return one.what == simt::SpecialRegister::What::gridid;
  });
  if (numbered || config.cooperative || !code.system_calls.empty() || !code.bulk_ops.empty() ||
      operation.overlaps || config.schedule != RunOptions().schedule) {
    return std::nullopt;
  }
  Repeat::Key key{config.params, {}, {}};
  if (!kernel.arrays_at) {
    kernel.arrays_at = simt::parameters_that_name(code, simt::Named::arrays)
                           .value_or(std::vector<std::uint64_t>{});
  }
  append(key.bytes, config.cluster.x, config.cluster.y, config.cluster.z);
  if (code.texture_ops.empty()) number_arrays(heap, *kernel.arrays_at, config.params.size(), key);
  // What handles of objects stand for: else what was made and destroyed so far says that.
  if (!code.texture_ops.empty() && !describe_textures(code, heap.memory, key.bytes)) {
    append(key.bytes, textures.last_object, heap.memory.textures.size());
  }
  return key;
}

Repeat* State::launches_before(Kernel& kernel, Repeats& repeats, const simt::LaunchConfig& config,
                               const Operation& operation) const {
  if (repeats.empty()) return nullptr;
  const auto key = repeated_by(kernel, config, operation);
  if (!key) return nullptr;
  const auto known = repeats.find(key->bytes);
  if (known != repeats.end()) return &known->second;
  const auto other = std::ranges::find_if(
      repeats, [&](auto& one) { return one.second.move_to(*key, heap.memory); });
  if (other == repeats.end()) return nullptr;
  auto moved = repeats.extract(other);
  moved.key() = key->bytes;
  return &repeats.insert(std::move(moved)).position->second;
}

const Repeat::Done* State::same_accesses(Kernel& kernel, const Repeat& before) const {
  if (!kernel.depends_on_data) kernel.depends_on_data = simt::depends_on_data(*kernel.code);
  return *kernel.depends_on_data ? nullptr : before.accesses(heap.memory);
}

void State::keep_for_repeats(Kernel& kernel, Repeats& repeats, const simt::LaunchConfig& config,
                             const Operation& operation, const LaunchReport& report,
                             const Touched& touched) {
  constexpr std::size_t most = 64;
  const bool pays = repeats.size() < most && Repeat::pays(report, touched);
  if (repeats.empty() && !pays) return;
  auto key = repeated_by(kernel, config, operation);
  if (!key || (!pays && !repeats.contains(key->bytes))) return;
  const auto is_named = [&](const auto& of_array) {
    const Array* const array = heap.live(of_array.first);
    return std::ranges::find(key->arrays, of_array.first) != key->arrays.end() ||
           (array != nullptr && array->space == Space::variable);
  };
  if (!std::ranges::all_of(touched, is_named)) key->arrays.clear();
  if (!repeats.contains(key->bytes)) {
    std::uint64_t bytes = 0;
    for (const auto& [array, ranges] : touched) bytes += ranges.size() * sizeof ranges[0];
    kept_for_repeats_.take(bytes);
    if (kept_for_repeats_.full()) {
      kept_for_repeats_.give_back(bytes);
      return kept_for_repeats_.reopen();
    }
  }
  const Repeat::Done done{report,      operation.tells_host, touched, has_atomics(*kernel.code),
                          key->arrays, key->numbered};
  repeats[key->bytes].note(heap.memory, done, kept_for_repeats_);
}

void State::repeat(Kernel& kernel, const simt::LaunchConfig& config, const Repeat::Done& done,
                   const OperationPtr& operation) {
  ++report.process.kernels[kernel.in_report].repeated;
  settle(kernel, config, simt::LaunchReport(done.report), true, false, nullptr);
  operation->tells_host |= done.tells_host;
  operation->steps = {.waits = true, .begins_next_at_once = false};
  for (const auto& [array, ranges] : done.touched) order.access(operation, array, ranges);
}

}  // namespace gauntlet::runtime
