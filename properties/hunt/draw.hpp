// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Random choices for generated cases, from std::mt19937_64, whose sequence the C++ standard fixes:
// the same cases on any host.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <random>

namespace gauntlet::properties {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  /// 0 <= result < limit; the bias of the modulo is of no concern for limits this small.
  std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }
  bool one_in(std::uint64_t k) { return below(k) == 0; }
  template <class Range>
  auto pick(const Range& range) {
    return range[below(std::size(range))];
  }
  /// -1, 0 or 1
  std::int64_t nudge() { return static_cast<std::int64_t>(below(3)) - 1; }
  /// 1..limit, every power of two as likely as the next
  std::uint64_t log_uniform(std::uint64_t limit) {
    const auto bits = static_cast<std::uint64_t>(std::bit_width(limit));
    const std::uint64_t top = std::uint64_t{1} << below(bits);
    return std::min(limit, top + below(top));
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace gauntlet::properties
