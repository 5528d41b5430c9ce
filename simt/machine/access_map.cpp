// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/machine/access_map.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "simt/decode/handlers.hpp"

namespace gauntlet::simt {
namespace {

std::uint8_t ways_of(const MemoryOp& op) {
  const bool strong = (op.is_volatile || op.order != Order::weak ||
                       op.what == MemoryOp::What::atomic || op.what == MemoryOp::What::reduction) &&
                      (op.is_volatile || op.scope >= Scope::gpu);
  const bool load = op.what == MemoryOp::What::load;
  if (!strong) return load ? weak_read : weak_write;
  const int host = op.is_volatile || op.scope == Scope::sys ? for_host : 0;
  return static_cast<std::uint8_t>((load ? strong_read : strong_write) | host);
}

template <class Word>
void mark(std::uint8_t* at, std::uint8_t ways) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  word = static_cast<Word>(word | static_cast<Word>(~Word{0} / 255 * ways));
  std::memcpy(at, &word, sizeof word);
}

}  // namespace

void AccessMap::note(const Allocation& allocation, const MemoryOp& op, const std::uint64_t* address,
                     std::uint32_t width, std::uint32_t mask) {
  if (last_ == nullptr || last_base_ != allocation.base) {
    last_base_ = allocation.base;
    last_ = &noted_[allocation.base];
    if (last_->ways.size() < allocation.bytes) last_->ways.resize(allocation.bytes);
  }
  Noted& noted = *last_;
  const std::uint8_t ways = ways_of(op);
  std::uint64_t first = ~0ULL, last = 0;
  for (const unsigned l : lanes_of(mask)) {
    const std::uint64_t at = address[l] - allocation.base;
    first = std::min(first, at);
    last = std::max(last, at);
    std::uint8_t* const byte = noted.ways.data() + at;
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
        std::memcpy(&word, noted.ways.data() + end, sizeof word);
        if (word == eight) end += sizeof word;
      }
      while (end < noted.end && noted.ways[end] == ways) ++end;
      if (ways != 0) ranges.push_back({base + at, base + end, ways});
      at = end;
    }
    all.emplace_back(base, std::move(ranges));
    // Kept for the next launch, which mostly accesses the same arrays.
    std::fill(noted.ways.begin() + static_cast<std::ptrdiff_t>(noted.first),
              noted.ways.begin() + static_cast<std::ptrdiff_t>(noted.end), std::uint8_t{0});
    noted.first = ~0ULL;
    noted.end = 0;
  }
  last_ = nullptr;
  return all;
}

}  // namespace gauntlet::simt
