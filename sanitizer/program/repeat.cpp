// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/repeat.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "machine/code/poison.hpp"
#include "machine/state/byte_states.hpp"
#include "sanitizer/program/digest.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

constexpr std::uint8_t any_read = simt::weak_read | simt::strong_read;
constexpr std::uint8_t any_write = simt::weak_write | simt::strong_write;

/// What findings say of where undefined values come from: each launch numbers origins anew, also
/// where they are as in the one before.
class Stories {
 public:
  explicit Stories(const simt::GlobalMemory& memory) : memory_(memory) {}
  [[nodiscard]] std::uint64_t of(std::uint32_t origin) {
    if (origin != last_) {
      last_ = origin;
      const auto found = memory_.stories.find(origin & ~simt::origin_is_fault);
      of_last_ = found == memory_.stories.end() ? origin : digest_of(found->second);
    }
    return of_last_;
  }

 private:
  static std::uint64_t digest_of(const simt::GlobalMemory::Story& story) {
    Digest digest;
    digest.add(story.text.data(), story.text.size());
    digest.add(story.kernel.data(), story.kernel.size());
    return digest.value();
  }

  const simt::GlobalMemory& memory_;
  std::uint32_t last_ = 0;
  std::uint64_t of_last_ = 0;
};

/// Also where undefined bytes come from, which findings say.
void add_states(Digest& digest, Stories& stories, const simt::Allocation& array, std::uint64_t at,
                std::uint64_t bytes) {
  constexpr std::uint64_t page = simt::DefinedPages::page_bytes, word = 4;
  for (const std::uint64_t end = at + bytes; at < end;) {
    const std::uint64_t length = std::min(end, (at / page + 1) * page) - at;
    const std::uint8_t defined =
        array.defined->has(at, length) || simt::all_defined(array.state + at, length);
    digest.add(&defined, 1);
    if (defined == 0) {
      digest.add(array.state + at, length);
      std::array<std::uint64_t, page / word + 1> origins;
      std::size_t count = 0;
      for (std::uint64_t k = at; k < at + length && !array.origin->empty();) {
        const std::uint64_t next = std::min(at + length, (k / word + 1) * word);
        const bool is = simt::all_defined(array.state + k, next - k);
        origins[count++] = is ? 0 : stories.of((*array.origin)[k / word]);
        k = next;
      }
      digest.add(origins.data(), count * sizeof origins[0]);
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
  Stories stories(memory);
  const bool known = each(memory, touched, ways, [&](const auto& array, const auto& range) {
    each_piece(range, [&](Address begin, Address end) {
      digest.add(array.data + (begin - array.base), end - begin);
      add_states(digest, stories, array, begin - array.base, end - begin);
    });
  });
  return known ? std::optional(digest.value()) : std::nullopt;
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
  // What an overrun has read nobody has noted.
  const auto of_race = [](const Finding& f) { return is_race(f.kind); };
  done_ = done;
  apart_ = !done.atomics && std::ranges::all_of(done.report.findings, of_race) &&
           !reads_what_it_writes(done.touched);
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

}  // namespace gauntlet::runtime
