// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is kept of the arrays that were accessed last: a kernel goes round several, and to look one
// up takes as long as an access.
#pragma once

#include <array>
#include <cstddef>

#include "base/device.hpp"

namespace gauntlet::simt {

template <class T>
class RecentArrays {
 public:
  /// Of the array at this address, or of another one: who asks compares. null: of none.
  [[nodiscard]] T*& at(Address address) { return known_[(address >> mib) % size]; }
  void forget() { known_ = {}; }

 private:
  static constexpr std::size_t size = 64;
  static constexpr unsigned mib = 20;  // as much lies between two arrays at least
  std::array<T*, size> known_{};
};

}  // namespace gauntlet::simt
