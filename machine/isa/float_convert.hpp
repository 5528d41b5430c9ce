// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cvt of any number to a float: as a double, and to the nearest.
#pragma once

#include <cstdint>
#include <type_traits>

#include "machine/code/lane_values.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

/// A number as a double; 64-bit integers keep in the last bit that there was more, so that what
/// rounds again to a narrow format rounds once.
template <class A>
double to_double(A a) {
  if constexpr (ops::Narrow<A>) {
    return a.widened();
  } else if constexpr (std::is_integral_v<A> && sizeof(A) == 8) {
    const bool negative = a < A(0);
    const std::uint64_t x = negative ? 0 - std::uint64_t(a) : std::uint64_t(a);
    const double y = x >> 53 == 0 ? double(x) : double(x >> 11 | ((x & 0x7FF) != 0 ? 1 : 0)) * 2048;
    return negative ? -y : y;
  } else {
    return double(a);
  }
}

/// Any number to a float, to the nearest where D is narrow; f32 and f64 are rounded as the host is
/// told.
template <class A, class D>
struct ToFloat {
  D operator()(A a) const {
    if constexpr (std::is_integral_v<A> && std::is_floating_point_v<D>)
      return D(a);
    else if constexpr (ops::Narrow<D> && std::is_same_v<A, float>)
      return D::rounded(a);
    else if constexpr (ops::Narrow<D>)
      return D::from_double(to_double(a));
    else if constexpr (ops::Narrow<A> && std::is_same_v<D, float>)
      return ops::canonical(a.widened());
    else
      return ops::result_of(D(to_double(a)), D(to_double(a)));  // a widened NaN keeps its payload
  }
};

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
