// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Random cases, biased to the borders where reductions break. A case is compact and its data are
// made from its seed, so data are never generated (or shrunk).
// Numbers come from std::mt19937_64, whose sequence the C++ standard fixes: the same cases on any
// host.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "properties/hunt/subject.hpp"

namespace gauntlet::properties {

/// The case that `seed` gives; one in six has n near 2^31, 2^32 or 2^33 and runs in a window of
/// blocks, where the kernel's launch allows that. `size` (0..100) scales how many blocks n may
/// need, not which borders are drawn. A case that the launch contract refuses is redrawn a few
/// times, then returned. The grid is always filled in.
[[nodiscard]] Case draw_case(const Population& population, const Subject& subject,
                             std::uint64_t seed, int size);

/// The block sizes drawn most; the distributions drawn for a type, repeated by weight.
[[nodiscard]] std::span<const std::uint32_t> border_blocks();
[[nodiscard]] std::vector<Data> distributions(const Instance& instance);

/// A seed of its own for a name: FNV-1a over the name, mixed with `seed`. The same on any host.
[[nodiscard]] std::uint64_t derive_seed(std::uint64_t seed, std::string_view name);

// Random choices for generated cases, from std::mt19937_64, whose sequence the C++ standard fixes:
// the same cases on any host.

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
  /// A spelling; `often`, if there are any, in half of all draws.
  std::string schedule(const std::vector<std::string>& often);
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
