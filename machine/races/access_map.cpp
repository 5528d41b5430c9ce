// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/access_map.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "machine/isa/handlers.hpp"

namespace gauntlet::simt {
namespace {

template <class Word>
void mark(std::uint8_t* at, std::uint8_t ways) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  word = static_cast<Word>(word | static_cast<Word>(~Word{0} / 255 * ways));
  std::memcpy(at, &word, sizeof word);
}
/// Reads, plain writes and atomic operations of eight bytes, each as the lowest bit of its byte.
struct Eight {
  std::uint64_t reads = 0, writes = 0, atomics = 0;
  std::uint64_t sizes = 0;  ///< as the ways have them

  Eight() = default;
  explicit Eight(std::uint64_t ways)
      : reads(bits(ways) | bits(ways >> 2)),
        writes(bits(ways >> 1)),
        atomics(bits(ways >> 3)),
        sizes(ways & (~0ULL / 255 * all_sizes)) {}
  static std::uint64_t bits(std::uint64_t x) { return x & (~0ULL / 255); }
  /// Bytes of which these sizes name several.
  static std::uint64_t several(std::uint64_t sizes) {
    std::uint64_t any = 0, more = 0;
    for (unsigned k = 4; k < 8; ++k) {
      more |= any & bits(sizes >> k);
      any |= bits(sizes >> k);
    }
    return more;
  }
  static constexpr std::uint64_t all_sizes =
      of_one_byte | of_two_bytes | of_four_bytes | of_eight_bytes;
};
static_assert(weak_read == 1 && weak_write == 2 && strong_read == 4 && strong_write == 8 &&
              of_one_byte == 1 << 4 && of_eight_bytes == 1 << 7);

bool tells_host(const MemoryOp& op) {
  return op.is_volatile || (op.scope == Scope::sys && op.order != Order::weak);
}

}  // namespace

std::uint8_t access_ways(const MemoryOp& op) {
  const bool strong = (op.is_volatile || op.order != Order::weak ||
                       op.what == MemoryOp::What::atomic || op.what == MemoryOp::What::reduction) &&
                      (op.is_volatile || op.scope >= Scope::gpu);
  const bool load = op.what == MemoryOp::What::load;
  if (!strong) return load ? weak_read : weak_write;
  const unsigned size = of_one_byte << std::countr_zero(op.atom());
  return static_cast<std::uint8_t>((load ? strong_read : strong_write) | size);
}

std::uint16_t kinds(std::uint8_t ways) {
  const unsigned sizes = ways >> 4;
  return static_cast<std::uint16_t>((ways & (weak_read | weak_write)) |
                                    ((ways & strong_read) != 0 ? sizes << 4 : 0) |
                                    ((ways & strong_write) != 0 ? sizes << 8 : 0));
}

std::uint16_t conflicts(std::uint8_t ways) {
  const unsigned sizes = ways >> 4;
  // Sizes that are not the only one.
  const unsigned others = std::has_single_bit(sizes) ? 0xF & ~sizes : 0xF;
  unsigned with = 0;
  if ((ways & weak_read) != 0) with |= weak_write | 0xF00;
  if ((ways & weak_write) != 0) with |= weak_read | weak_write | 0xFF0;
  if ((ways & strong_read) != 0) with |= weak_write | others << 8;
  if ((ways & strong_write) != 0) with |= weak_read | weak_write | others << 4 | others << 8;
  return static_cast<std::uint16_t>(with);
}

void AccessMap::Free::operator()(std::uint8_t* ways) const { std::free(ways); }

/// From calloc: pages of a large array that nobody accesses cost nothing.
void AccessMap::Noted::grow(std::uint64_t to) {
  if (bytes >= to) return;
  constexpr std::uint64_t spare = 8;  // words are read beyond the end
  std::unique_ptr<std::uint8_t[], Free> grown(
      static_cast<std::uint8_t*>(std::calloc(to + spare, 1)));
  if (grown == nullptr) throw std::bad_alloc();
  if (first < end) std::memcpy(grown.get() + first, ways.get() + first, end - first);
  ways = std::move(grown);
  bytes = to;
}

void AccessMap::note(const Allocation& allocation, const MemoryOp& op, const std::uint64_t* address,
                     std::uint32_t width, std::uint32_t mask) {
  if (last_ == nullptr || last_base_ != allocation.base) {
    last_base_ = allocation.base;
    last_ = &noted_[allocation.base];
    last_->grow(allocation.bytes);
  }
  Noted& noted = *last_;
  const std::uint8_t ways = access_ways(op);
  tells_host_ |= simt::tells_host(op);
  std::uint64_t first = ~0ULL, last = 0;
  for (const unsigned l : lanes_of(mask)) {
    const std::uint64_t at = address[l] - allocation.base;
    first = std::min(first, at);
    last = std::max(last, at);
    std::uint8_t* const byte = noted.ways.get() + at;
    switch (width) {
      case 4:
        mark<std::uint32_t>(byte, ways);
        break;
      case 8:
        mark<std::uint64_t>(byte, ways);
        break;
      default:
        for (std::uint32_t k = 0; k < width; ++k) byte[k] |= ways;
    }
  }
  noted.first = std::min(noted.first, first);
  noted.end = std::max(noted.end, last + width);
}

bool AccessMap::independent(const AccessMap& before, std::span<const AccessMap> beside) {
  std::unordered_map<Address, std::vector<const Noted*>> arrays;  // the first one: of `before`
  for (const AccessMap& map : beside) {
    for (const auto& [base, noted] : map.noted_) {
      if (noted.first >= noted.end) continue;
      auto& all = arrays[base];
      if (all.empty()) {
        const auto found = before.noted_.find(base);
        all.push_back(found != before.noted_.end() ? &found->second : nullptr);
      }
      all.push_back(&noted);
    }
  }
  for (const auto& [base, all] : arrays) {
    std::uint64_t first = ~0ULL, end = 0;
    for (const Noted* const noted : std::span(all).subspan(1)) {
      first = std::min(first, noted->first / 8 * 8);
      end = std::max(end, noted->end);
    }
    for (std::uint64_t at = first; at < end; at += 8) {
      Eight seen;
      for (const Noted* const noted : all) {
        if (noted == nullptr || at + 8 <= noted->first || at >= noted->end) continue;
        std::uint64_t ways = 0;
        std::memcpy(&ways, noted->ways.get() + at, sizeof ways);
        const Eight now(ways);
        const std::uint64_t both = (now.writes & (seen.reads | seen.writes | seen.atomics)) |
                                   (now.reads & (seen.writes | seen.atomics)) |
                                   (now.atomics & (seen.reads | seen.writes));
        const bool is_before = noted == all.front();
        if (both != 0) return false;
        const std::uint64_t atomics = now.atomics & seen.atomics;
        if (atomics != 0 && (atomics & Eight::several(now.sizes | seen.sizes)) != 0) return false;
        if (!is_before && (now.atomics & (now.reads | now.writes)) != 0) return false;
        seen.reads |= now.reads;
        seen.writes |= now.writes;
        seen.atomics |= now.atomics;
        seen.sizes |= now.sizes;
      }
    }
  }
  return true;
}

bool AccessMap::wrote(Address base, std::uint64_t offset) const {
  const auto found = noted_.find(base);
  return found != noted_.end() && offset >= found->second.first && offset < found->second.end &&
         (found->second.ways[offset] & (weak_write | strong_write)) != 0;
}

void AccessMap::add(const AccessMap& other) {
  tells_host_ |= other.tells_host_;
  for (const auto& [base, more] : other.noted_) {
    if (more.first >= more.end) continue;
    Noted& noted = noted_[base];
    noted.grow(more.bytes);
    for (std::uint64_t at = more.first; at < more.end; ++at) noted.ways[at] |= more.ways[at];
    noted.first = std::min(noted.first, more.first);
    noted.end = std::max(noted.end, more.end);
  }
  last_ = nullptr;
}

std::vector<std::pair<Address, std::vector<AccessRange>>> AccessMap::take() {
  std::vector<std::pair<Address, std::vector<AccessRange>>> all;
  std::erase_if(noted_, [](const auto& one) { return one.second.end == 0; });
  for (auto& [base, noted] : noted_) {
    std::vector<AccessRange> ranges;
    for (std::uint64_t at = noted.first; at < noted.end;) {
      const std::uint8_t ways = noted.ways[at];
      std::uint64_t end = at + 1;
      const std::uint64_t eight = ~0ULL / 255 * ways;
      for (std::uint64_t word = eight; word == eight && end + sizeof word <= noted.end;) {
        std::memcpy(&word, noted.ways.get() + end, sizeof word);
        if (word == eight) end += sizeof word;
      }
      while (end < noted.end && noted.ways[end] == ways) ++end;
      if (ways != 0) ranges.push_back({base + at, base + end, ways});
      at = end;
    }
    all.emplace_back(base, std::move(ranges));
    // Kept for the next launch, which mostly accesses the same arrays.
    std::memset(noted.ways.get() + noted.first, 0, noted.end - noted.first);
    noted.first = ~0ULL;
    noted.end = 0;
  }
  last_ = nullptr;
  tells_host_ = false;
  return all;
}

}  // namespace gauntlet::simt
