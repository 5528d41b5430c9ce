// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/counters/banks.hpp"

#include <algorithm>

#include "machine/state/lanes.hpp"

namespace gauntlet::simt {
namespace {

/// Most distinct values that one bank holds.
class BankTable {
 public:
  void add(std::uint64_t word) {
    const auto bank = static_cast<std::uint32_t>(word % bank_count);
    for (std::uint32_t k = 0; k < used_[bank]; ++k) {
      if (words_[bank][k] == word) return;
    }
    words_[bank][used_[bank]++] = word;
    most_ = std::max<std::uint32_t>(most_, used_[bank]);
  }
  [[nodiscard]] std::uint32_t most() const { return most_; }

 private:
  std::uint64_t words_[bank_count][32];  // of 32 lanes, each at most one word of a bank
  std::uint8_t used_[bank_count] = {};
  std::uint32_t most_ = 0;
};

std::uint32_t distinct_words(Addresses address, std::uint32_t lanes, std::uint32_t width) {
  BankTable table;
  for (const int l : lanes_of(lanes)) {
    const auto a = address[static_cast<std::size_t>(l)];
    for (auto word = a / bank_bytes; word <= (a + width - 1) / bank_bytes; ++word) table.add(word);
  }
  return table.most();
}

/// Every lane's neighbour at distance 1, or every one at distance 2, is idle or wants the same.
bool neighbours_agree(Addresses address, std::uint32_t lanes) {
  for (const unsigned distance : {1U, 2U}) {
    bool agree = true;
    for (const unsigned l : lanes_of(lanes)) {
      const auto other = l ^ distance;
      agree &= (lanes >> other & 1) == 0 || address[other] == address[l];
    }
    if (agree) return true;
  }
  return false;
}

/// Calls `pass` for the lanes that are served together: a warp up to 4 bytes, a half of 8, a
/// quarter of 16; `paired`: two of them at a time.
template <class F>
void for_groups(std::uint32_t mask, std::uint32_t width, bool paired, F pass) {
  std::uint32_t size = width <= 4 ? 32 : width <= 8 ? 16 : 8;
  if (paired && size < 32) size *= 2;
  const std::uint32_t first = size == 32 ? ~0U : (1U << size) - 1;
  for (std::uint32_t begin = 0; begin < 32; begin += size) {
    if (const std::uint32_t lanes = mask & first << begin; lanes != 0) pass(lanes);
  }
}

void add(BankUse& use, std::uint32_t degree) {
  use.wavefronts += degree;
  ++use.ideal;
  use.degree = std::max(use.degree, degree);
}

}  // namespace

BankUse load_bank_use(Addresses address, std::uint32_t mask, std::uint32_t width) {
  BankUse use;
  const bool paired = width > 4 && neighbours_agree(address, mask);
  for_groups(mask, width, paired,
             [&](std::uint32_t lanes) { add(use, distinct_words(address, lanes, width)); });
  return use;
}

BankUse store_bank_use(Addresses address, std::uint32_t mask, std::uint32_t width) {
  BankUse use;
  for_groups(mask, width, false,
             [&](std::uint32_t lanes) { add(use, distinct_words(address, lanes, width)); });
  return use;
}

BankUse atomic_bank_use(Addresses address, std::uint32_t mask, std::uint32_t width) {
  BankUse use;
  for_groups(mask, width, false, [&](std::uint32_t lanes) {
    std::uint32_t in_bank[bank_count] = {}, most = 0;
    for (const int l : lanes_of(lanes)) {
      const auto a = address[static_cast<std::size_t>(l)];
      for (auto word = a / bank_bytes; word <= (a + width - 1) / bank_bytes; ++word) {
        most = std::max(most, ++in_bank[word % bank_count]);
      }
    }
    add(use, most);
  });
  return use;
}

std::uint32_t distinct_bytes(Addresses address, std::uint32_t mask, std::uint32_t width) {
  std::uint64_t seen[32];
  std::uint32_t count = 0;
  for (const int l : lanes_of(mask)) {
    const auto a = address[static_cast<std::size_t>(l)];
    if (std::find(seen, seen + count, a) == seen + count) seen[count++] = a;
  }
  return count * width;
}

std::uint32_t sectors(Addresses address, std::uint32_t mask, std::uint32_t width) {
  std::uint64_t seen[64];  // an access of at most 32 bytes touches at most two
  std::uint32_t count = 0;
  for (const int l : lanes_of(mask)) {
    const auto a = address[static_cast<std::size_t>(l)];
    for (auto s = a / sector_bytes; s <= (a + width - 1) / sector_bytes; ++s) {
      if (count != 0 && seen[count - 1] == s) continue;  // the usual case: ascending addresses
      if (std::find(seen, seen + count, s) == seen + count) seen[count++] = s;
    }
  }
  return count;
}

std::uint32_t atomic_sectors(Addresses address, std::uint32_t mask, std::uint32_t width) {
  // Rounds: a lane goes in the round whose number is how many lanes before it want its cell.
  std::uint32_t count = 0;
  while (mask != 0) {
    std::uint64_t seen[32];
    std::uint32_t cells = 0, round = 0;
    for (const unsigned l : lanes_of(mask)) {
      if (std::find(seen, seen + cells, address[l]) != seen + cells) continue;
      seen[cells++] = address[l];
      round |= 1U << l;
    }
    count += sectors(address, round, width);
    mask &= ~round;
  }
  return count;
}

}  // namespace gauntlet::simt
