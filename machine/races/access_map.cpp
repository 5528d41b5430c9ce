// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/access_map.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/numbers.hpp"
#include "machine/isa/handlers.hpp"

namespace gauntlet::simt {
namespace {

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

}  // namespace

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

void AccessMap::Page::spread(std::uint8_t* to) const {
  if (each != nullptr) {
    std::memcpy(to, each, page_bytes);
    return;
  }
  std::memset(to, 0, page_bytes);
  std::memset(to + first, any, end - first);
}

void AccessMap::Page::spread() {
  auto* const ways = static_cast<std::uint8_t*>(std::malloc(page_bytes));
  if (ways == nullptr) throw std::bad_alloc();
  spread(ways);
  each = ways;
}

inline std::uint32_t AccessMap::Page::note(std::uint32_t from, std::uint32_t to,
                                           std::uint8_t ways) {
  std::uint32_t taken = 0;
  if (each == nullptr) {
    if (any == 0 || (from == first && to == end)) {
      first = static_cast<std::uint16_t>(from);
      end = static_cast<std::uint16_t>(to);
      any |= ways;
      return 0;
    }
    if (any == ways && from <= end && to >= first) {
      first = static_cast<std::uint16_t>(std::min<std::uint32_t>(first, from));
      end = static_cast<std::uint16_t>(std::max<std::uint32_t>(end, to));
      return 0;
    }
    spread();
    taken = page_bytes;
  }
  any |= ways;
  const std::uint64_t eight = ~0ULL / 255 * ways;
  if (to - from == 4) {  // by a lane alone, mostly
    std::uint32_t word = 0;
    std::memcpy(&word, each + from, sizeof word);
    word |= static_cast<std::uint32_t>(eight);
    std::memcpy(each + from, &word, sizeof word);
    return taken;
  }
  std::uint32_t k = from;
  for (std::uint64_t word = 0; k + sizeof word <= to; k += sizeof word) {
    std::memcpy(&word, each + k, sizeof word);
    word |= eight;
    std::memcpy(each + k, &word, sizeof word);
  }
  for (; k < to; ++k) each[k] |= ways;
  return taken;
}

AccessMap::Noted::~Noted() {
  if (pages_ == nullptr) return;
  for (std::uint64_t k = first; k < end; ++k) {
    if (pages_[k].each != nullptr) std::free(pages_[k].each);
  }
  std::free(pages_);
}

/// From calloc: what says nothing of a large array costs nothing.
void AccessMap::Noted::grow(std::uint64_t bytes) {
  const std::uint64_t count = (bytes + page_bytes - 1) / page_bytes;
  if (count_ >= count) return;
  auto* const grown = static_cast<Page*>(std::calloc(count, sizeof(Page)));
  if (grown == nullptr) throw std::bad_alloc();
  if (first < end) std::memcpy(grown + first, pages_ + first, (end - first) * sizeof(Page));
  std::free(pages_);
  pages_ = grown;
  count_ = count;
}

inline std::uint64_t AccessMap::Noted::note(std::uint64_t from, std::uint64_t bytes,
                                            std::uint8_t ways) {
  std::uint64_t taken = 0;
  std::uint64_t page = from / page_bytes;
  any |= ways;
  auto begin = static_cast<std::uint32_t>(from % page_bytes);
  first = std::min(first, page);
  for (; bytes != 0; ++page, begin = 0) {
    const auto now = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, page_bytes - begin));
    taken += pages_[page].note(begin, begin + now, ways);
    bytes -= now;
  }
  end = std::max(end, page);
  return taken;
}

void AccessMap::limit(MemoryLimit* limit) {
  if (taken_ != 0) limit_->give_back(taken_);
  limit_ = limit;
  taken_ = 0;
}

AccessMap::Noted& AccessMap::noted(const Allocation& allocation) {
  ByBase::value_type*& recent = recent_.at(allocation.base);
  if (recent == nullptr || recent->first != allocation.base) {
    recent = &*noted_.try_emplace(allocation.base).first;
    recent->second.grow(allocation.bytes);
  }
  return recent->second;
}

void AccessMap::note(const Allocation& allocation, const MemoryOp& op, const std::uint64_t* address,
                     std::uint32_t width, std::uint32_t mask) {
  if (mask == 0) return;
  Noted& array = noted(allocation);
  const std::uint8_t ways = access_ways(op);
  tells_host_ |= tells_host(op);
  std::uint64_t taken = 0;
  // Lanes side by side, and those at one address, have one run of bytes.
  std::uint64_t from = address[std::countr_zero(mask)] - allocation.base, to = from;
  for (const unsigned l : lanes_of(mask)) {
    const std::uint64_t at = address[l] - allocation.base;
    if (at + width == to) continue;
    if (at != to) taken += array.note(std::exchange(from, at), to - from, ways);
    to = at + width;
  }
  take_room(taken + array.note(from, to - from, ways));
}

void AccessMap::note_run(const Allocation& allocation, std::uint32_t inst, const MemoryOp& op,
                         std::uint64_t offset, std::uint64_t bytes) {
  const std::uint32_t number = inst % runs_.size();
  Run& run = runs_[number];
  if (run.op != &op || run.end != allocation.base + offset || run.array != &allocation) {
    end_run(run);
    tells_host_ |= tells_host(op);
    runs_in_use_ |= 1U << number;
    run = {.op = &op,
           .array = &allocation,
           .noted = &noted(allocation),
           .begin = allocation.base + offset,
           .ways = access_ways(op)};
  }
  const std::uint64_t end = offset + bytes;
  run.end = allocation.base + end;
  run.until = allocation.base + std::min(round_up(end, page_bytes), allocation.bytes);
}

void AccessMap::end_run(Run& run) {
  if (run.noted != nullptr) {
    take_room(run.noted->note(run.begin - run.array->base, run.end - run.begin, run.ways));
  }
  run = {};
}

void AccessMap::end_runs() {
  for (const unsigned k : lanes_of(std::exchange(runs_in_use_, 0))) end_run(runs_[k]);
}

/// Of one page of an array: the first one is of who came before. nullptr: untouched.
bool AccessMap::independent(std::span<const Page* const> pages) {
  std::uint8_t any = 0, of_one = 0;
  std::size_t count = 0;
  bool in_one_way = true;  // each by itself has no atomic operations beside other accesses
  for (const Page* const page : pages) {
    if (page == nullptr) continue;
    ++count;
    any |= page->any;
    of_one = page->any;
    in_one_way &= (of_one & strong_write) == 0;
  }
  if ((any & (weak_write | strong_write)) == 0) return true;
  if (count == 1 && (in_one_way || pages[0] != nullptr)) return true;
  if (in_one_way) {  // runs that do not overlap
    const auto apart = [&](std::size_t k) {
      for (std::size_t i = 0; i < k; ++i) {
        const Page* const a = pages[i];
        const Page* const b = pages[k];
        if (a == nullptr) continue;
        if (a->each != nullptr || b->each != nullptr) return false;
        if (a->end > b->first && b->end > a->first) return false;
      }
      return true;
    };
    bool all_apart = true;
    for (std::size_t k = 1; k < pages.size(); ++k) all_apart &= pages[k] == nullptr || apart(k);
    if (all_apart) return true;
  }
  std::vector<std::array<std::uint8_t, page_bytes>> ways(pages.size());
  for (std::size_t k = 0; k < pages.size(); ++k) {
    if (pages[k] != nullptr) pages[k]->spread(ways[k].data());
  }
  for (std::uint32_t at = 0; at < page_bytes; at += 8) {
    Eight seen;
    for (std::size_t k = 0; k < pages.size(); ++k) {
      if (pages[k] == nullptr) continue;
      std::uint64_t eight = 0;
      std::memcpy(&eight, ways[k].data() + at, sizeof eight);
      const Eight now(eight);
      const std::uint64_t both = (now.writes & (seen.reads | seen.writes | seen.atomics)) |
                                 (now.reads & (seen.writes | seen.atomics)) |
                                 (now.atomics & (seen.reads | seen.writes));
      if (both != 0) return false;
      const std::uint64_t atomics = now.atomics & seen.atomics;
      if (atomics != 0 && (atomics & Eight::several(now.sizes | seen.sizes)) != 0) return false;
      if (k != 0 && (now.atomics & (now.reads | now.writes)) != 0) return false;
      seen.reads |= now.reads;
      seen.writes |= now.writes;
      seen.atomics |= now.atomics;
      seen.sizes |= now.sizes;
    }
  }
  return true;
}

bool AccessMap::independent(AccessMap& before, std::span<AccessMap> beside) {
  before.end_runs();
  for (AccessMap& map : beside) map.end_runs();
  std::unordered_map<Address, std::vector<const Noted*>> arrays;  // the first one: of `before`
  for (const AccessMap& map : beside) {
    for (const auto& [base, noted] : map.noted_) {
      auto& all = arrays[base];
      if (all.empty()) {
        const auto found = before.noted_.find(base);
        all.push_back(found != before.noted_.end() ? &found->second : nullptr);
      }
      all.push_back(&noted);
    }
  }
  std::vector<const Page*> pages;
  for (const auto& [base, all] : arrays) {
    std::uint64_t first = ~0ULL, end = 0;
    const auto writes = [](const Noted* noted) {
      return noted != nullptr && (noted->any & (weak_write | strong_write)) != 0;
    };
    if (std::ranges::none_of(all, writes)) continue;
    for (const Noted* const noted : std::span(all).subspan(1)) {
      first = std::min(first, noted->first);
      end = std::max(end, noted->end);
    }
    pages.resize(all.size());
    for (std::uint64_t page = first; page < end; ++page) {
      std::ranges::transform(all, pages.begin(), [&](const Noted* noted) {
        return noted == nullptr ? nullptr : noted->page(page);
      });
      if (!independent(pages)) return false;
    }
  }
  return true;
}

bool AccessMap::wrote(Address base, std::uint64_t offset) {
  end_runs();
  const auto found = noted_.find(base);
  if (found == noted_.end()) return false;
  const Page* const page = found->second.page(offset / page_bytes);
  return page != nullptr && (page->at(offset % page_bytes) & (weak_write | strong_write)) != 0;
}

std::uint64_t AccessMap::Noted::add(const Noted& other) {
  std::uint64_t taken = 0;
  grow(other.count_ * page_bytes);
  for (std::uint64_t k = other.first; k < other.end; ++k) {
    const Page& more = other.pages_[k];
    if (more.any == 0) continue;
    if (more.each == nullptr) {
      taken += note(k * page_bytes + more.first, more.end - more.first, more.any);
      continue;
    }
    Page& mine = pages_[k];
    if (mine.each == nullptr) {
      mine.spread();
      taken += page_bytes;
    }
    for (std::uint32_t at = 0; at < page_bytes; ++at) mine.each[at] |= more.each[at];
    mine.any |= more.any;
    any |= more.any;
    first = std::min(first, k);
    end = std::max(end, k + 1);
  }
  return taken;
}

void AccessMap::add(AccessMap& other) {
  other.end_runs();
  tells_host_ |= other.tells_host_;
  for (const auto& [base, more] : other.noted_) take_room(noted_[base].add(more));
  recent_.forget();
}

std::vector<AccessRange> AccessMap::Noted::take(Address base) {
  std::vector<AccessRange> ranges;
  const auto put = [&](std::uint64_t from, std::uint64_t to, std::uint8_t ways) {
    append(ranges, {base + from, base + to, ways});
  };
  for (std::uint64_t k = first; k < end; ++k) {
    Page& page = pages_[k];
    const std::uint64_t begin = k * page_bytes;
    if (page.each == nullptr) {
      if (page.any != 0) put(begin + page.first, begin + page.end, page.any);
    } else {
      for (std::uint32_t at = 0; at < page_bytes;) {
        const std::uint8_t ways = page.each[at];
        std::uint32_t to = at + 1;
        const std::uint64_t eight = ~0ULL / 255 * ways;
        for (std::uint64_t word = eight; word == eight && to + sizeof word <= page_bytes;) {
          std::memcpy(&word, page.each + to, sizeof word);
          if (word == eight) to += sizeof word;
        }
        while (to < page_bytes && page.each[to] == ways) ++to;
        if (ways != 0) put(begin + at, begin + to, ways);
        at = to;
      }
      std::free(page.each);
    }
    page = {};
  }
  first = ~0ULL;
  end = any = 0;
  return ranges;
}

std::vector<std::pair<Address, std::vector<AccessRange>>> AccessMap::take() {
  end_runs();
  std::vector<std::pair<Address, std::vector<AccessRange>>> all;
  // The pages are kept for the next launch, which mostly accesses the same arrays.
  std::erase_if(noted_, [](const auto& one) { return one.second.end == 0; });
  for (auto& [base, noted] : noted_) all.emplace_back(base, noted.take(base));
  recent_.forget();
  tells_host_ = false;
  return all;
}

}  // namespace gauntlet::simt
