// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cvt between integers as a handler.
#pragma once

#include "machine/isa/handlers.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

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
