// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Walking over the lanes of a mask.
#pragma once

#include <bit>
#include <cstdint>

namespace gauntlet::simt {

/// The lanes of a mask, ascending: `for (const int l : lanes_of(mask))`.
class lanes_of {
 public:
  explicit lanes_of(std::uint32_t mask) : mask_(mask) {}
  struct Iterator {
    std::uint32_t rest;
    int operator*() const { return std::countr_zero(rest); }
    Iterator& operator++() {
      rest &= rest - 1;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return rest != other.rest; }
  };
  [[nodiscard]] Iterator begin() const { return {mask_}; }
  [[nodiscard]] Iterator end() const { return {0}; }

 private:
  std::uint32_t mask_;
};

}  // namespace gauntlet::simt
