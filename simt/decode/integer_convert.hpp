// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cvt between integers as a handler.
#pragma once

#include "simt/decode/handlers.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

/// Integer to integer. The result is wrapped to D, then sign- or zero-extended to the destination
/// register, whose width is the mask Inst::keep (32-bit slots).
template <class A, class D, class Out>
void integer_convert(Warp& w, const Inst& i, std::uint32_t mask) {
  const auto* a = w.source<Slot<A>>(i.a);
  const Out keep = sizeof(Out) == 8 ? ~Out{0} : Out(i.keep);
  auto* d = result_of<Out>(w, i, mask);
#pragma GCC ivdep
  for (int l = 0; l < warp_size; ++l) {
    d[l] = Out(static_cast<std::int64_t>(static_cast<D>(static_cast<A>(a[l])))) & keep;
  }
  finish<Out, 1>(w, i, mask);
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
