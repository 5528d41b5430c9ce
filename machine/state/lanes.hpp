// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Walking over the lanes of a mask. Inline wherever it is used, since code for several processors
// uses it (machine/code/target.hpp).
#pragma once

#include <bit>
#include <cstdint>

namespace gauntlet::simt {

#if !defined(__POPCNT__)
/// Code for any processor has no population count, and would call a library's. Not inline: it would
/// be computed where it is not needed.
[[gnu::noinline]] inline std::uint32_t count_lanes(std::uint32_t mask) {
  if ((mask & (mask - 1)) == 0) return mask != 0 ? 1 : 0;
  mask -= mask >> 1 & 0x5555'5555;
  mask = (mask & 0x3333'3333) + (mask >> 2 & 0x3333'3333);
  return ((mask + (mask >> 4)) & 0x0F0F'0F0F) * 0x0101'0101 >> 24;
}
#endif

/// How many lanes; a full warp, as a rule.
[[gnu::always_inline]] inline std::uint32_t lane_count(std::uint32_t mask) {
#if defined(__POPCNT__)
  return static_cast<std::uint32_t>(std::popcount(mask));
#else
  return mask == ~0U ? 32 : count_lanes(mask);
#endif
}

/// The lanes of a mask, ascending: `for (const int l : lanes_of(mask))`.
class lanes_of {
 public:
  [[gnu::always_inline]] explicit lanes_of(std::uint32_t mask) : mask_(mask) {}
  struct Iterator {
    std::uint32_t rest;
    [[gnu::always_inline]] int operator*() const { return std::countr_zero(rest); }
    [[gnu::always_inline]] Iterator& operator++() {
      rest &= rest - 1;
      return *this;
    }
    [[gnu::always_inline]] bool operator!=(const Iterator& other) const {
      return rest != other.rest;
    }
  };
  [[nodiscard, gnu::always_inline]] Iterator begin() const { return {mask_}; }
  [[nodiscard, gnu::always_inline]] Iterator end() const { return {0}; }

 private:
  std::uint32_t mask_;
};

/// Visits the lanes of `mask` in runs: those in `behind` go on with what the lane before has, if it
/// is one, too.
template <class Visit>
[[gnu::always_inline]] inline void for_runs(std::uint32_t mask, std::uint32_t behind, Visit visit) {
  while (mask != 0) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint32_t goes_on = (mask & behind) >> first >> 1;
    const auto lanes = static_cast<std::uint32_t>(std::countr_one(goes_on)) + 1;
    mask &= ~static_cast<std::uint32_t>(((std::uint64_t{1} << lanes) - 1) << first);
    visit(first, lanes);
  }
}

/// The lanes of `mask` are consecutive, from `first` on, and so are their elements of `width`
/// bytes.
[[gnu::always_inline]] inline bool unit_stride(const std::uint64_t* address, std::uint32_t mask,
                                               unsigned width, unsigned& first, unsigned& count) {
  first = static_cast<unsigned>(std::countr_zero(mask));
  count = lane_count(mask);
  const std::uint32_t run = mask >> first;
  if ((run & (run + 1)) != 0) return false;
  const std::uint64_t base = address[first];
  std::uint64_t differs = 0;
  for (unsigned k = 0; k < count; ++k) differs |= address[first + k] ^ (base + k * width);
  return differs == 0;
}

}  // namespace gauntlet::simt
