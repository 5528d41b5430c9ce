// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cvt of any number to a float, and between integers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "machine/code/lane_values.hpp"
#include "machine/isa/handlers.hpp"

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

/// Integer to integer. The result is wrapped to D, then sign- or zero-extended to the destination
/// register, whose width is the mask Inst::keep (32-bit slots).
/// Bits that are extended, or cut off, are undefined as they are set.
template <class A, class D, class Out>
std::uint64_t converted_bits(const Warp&, const Inst& i, int, const std::uint64_t* undefined) {
  const auto bits = static_cast<std::int64_t>(static_cast<D>(static_cast<A>(undefined[0])));
  return sizeof(Out) == 8 ? static_cast<std::uint64_t>(bits) : static_cast<Out>(bits) & i.keep;
}
template <class A, class D, class Out>
void integer_convert(Warp& w, const Inst& i, std::uint32_t mask) {
  const auto* a = w.source<Slot<A>>(i.a);
  const Out keep = sizeof(Out) == 8 ? ~Out{0} : Out(i.keep);
  using Rule = BitRule<&converted_bits<A, D, Out>>;
  auto* d = result_of<Out, Rule>(w, i, mask);
#pragma GCC ivdep
  for (int l = 0; l < warp_size; ++l) {
    d[l] = Out(static_cast<std::int64_t>(static_cast<D>(static_cast<A>(a[l])))) & keep;
  }
  finish<Out, 1, Rule>(w, i, mask);
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
