// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns an operation on lane values (machine/isa/operations.hpp) into a Handler over 32 lanes.
// Poison is a lane mask beside each register: the result of an operation is undefined where an
// input is, unless the operation says what it does to single bits (machine/isa/definedness.hpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine/code/code.hpp"
#include "machine/code/lane_types.hpp"
#include "machine/code/target.hpp"
#include "machine/isa/definedness.hpp"
#include "machine/state/set_poison.hpp"
#include "machine/state/warp.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

inline constexpr auto lane_bits = [] {
  struct {
    alignas(64) std::uint32_t v[warp_size];
  } bits{};
  for (int l = 0; l < warp_size; ++l) bits.v[l] = 1U << l;
  return bits;
}();

/// Of the two loops that a store into some lanes takes, the one that does not depend on the values.
template <class S>
[[gnu::noinline]] void store_lanes(S* d, const S* values, std::uint32_t mask) {
#pragma GCC ivdep
  for (int l = 0; l < warp_size; ++l) d[l] = (mask & lane_bits.v[l]) != 0 ? values[l] : d[l];
}
/// Stores `value(lane)` into the active lanes of `d`.
template <class S, class F>
inline void for_lanes(S* d, std::uint32_t mask, F value) {
  alignas(64) S some[warp_size];
  S* out = mask == all_lanes ? d : some;
#pragma GCC ivdep
  for (int l = 0; l < warp_size; ++l) out[l] = value(l);
  if (mask != all_lanes) store_lanes(d, some, mask);
}

/// One value for all active lanes.
template <class S>
[[gnu::noinline]] void fill_lanes(S* d, std::uint32_t mask, S value) {
  for_lanes(d, mask, [=](int) { return value; });
}

template <class... Sources>
[[gnu::noinline]] void spread_live_poison(Warp& w, Operand d, std::uint32_t mask,
                                          Sources... sources) {
  const std::uint32_t undefined = (w.poison[sources.id] | ...) & mask;
  if (undefined == 0) return clear_poison(w, d, mask);
  // Of all lanes, without looking for those that are undefined.
  alignas(64) std::uint32_t origins[warp_size] = {};
  const auto join = [&](Operand source) __attribute__((always_inline)) {
    const std::uint32_t poison = w.poison[source.id];
    const std::uint32_t* const of = w.origin + std::size_t{source.id} * warp_size;
    for (int l = 0; l < warp_size; ++l) {
      origins[l] = std::max(origins[l], (poison & lane_bits.v[l]) != 0 ? of[l] : 0);
    }
  };
  (join(sources), ...);
  store_lanes(w.origin + std::size_t{d.id} * warp_size, origins, undefined);
  w.poison[d.id] = (w.poison[d.id] & ~mask) | undefined;
  if (w.has_partly_undefined) forget_undefined_bits(w, d.id, undefined);
}
template <class... Sources>
inline void spread_poison(Warp& w, Operand d, std::uint32_t mask, Sources... sources) {
  if (w.poison_live) spread_live_poison(w, d, mask, sources...);
}

/// Of the first of Inst::a, b and c.
template <int sources>
inline void spread_sources(Warp& w, const Inst& i, std::uint32_t mask) {
  if constexpr (sources == 1)
    spread_poison(w, i.d, mask, i.a);
  else if constexpr (sources == 2)
    spread_poison(w, i.d, mask, i.a, i.b);
  else
    spread_poison(w, i.d, mask, i.a, i.b, i.c);
}

/// Where a handler puts the lanes of its result, until `finish`. What is undefined of a result may
/// depend on the sources, of which the destination may be one.
template <class S, class Rule = NoBitRule>
inline S* result_of(Warp& w, const Inst& i, std::uint32_t mask) {
  const bool direct = mask == all_lanes && (std::is_same_v<Rule, NoBitRule> || !w.poison_live);
  return direct ? w.destination<S>(i.d) : reinterpret_cast<S*>(w.some_lanes);
}
/// What is left to do where not all lanes are active, or some value may be undefined: not inline,
/// so that handlers need no stack.
template <class S, int sources, class Rule>
[[gnu::noinline]] void finish_some(Warp& w, const Inst& i, std::uint32_t mask) {
  S* const d = w.destination<S>(i.d);
  const auto* const result = reinterpret_cast<const S*>(w.some_lanes);
  if constexpr (!std::is_same_v<Rule, NoBitRule>) {
    std::uint32_t undefined = w.poison[i.a.id];
    if constexpr (sources > 1) undefined |= w.poison[i.b.id];
    if constexpr (sources > 2) undefined |= w.poison[i.c.id];
    if (Rule::whole && !w.has_partly_undefined)
      spread_sources<sources>(w, i, mask);
    else if ((undefined & mask) != 0)
      spread_bits(w, i, mask, sources, sizeof(S), Rule::of);
    else
      clear_poison(w, i.d, mask);
    if (mask == all_lanes)
      std::copy_n(result, warp_size, d);
    else
      store_lanes(d, result, mask);
    return;
  }
  if (mask != all_lanes) store_lanes(d, result, mask);
  spread_sources<sources>(w, i, mask);
}
/// The end of a handler whose destination is Inst::d, and whose sources are the first of Inst::a, b
/// and c.
template <class S, int sources, class Rule = NoBitRule>
inline void finish(Warp& w, const Inst& i, std::uint32_t mask) {
  if (mask != all_lanes || w.poison_live) finish_some<S, sources, Rule>(w, i, mask);
}

// Called by pointer only; in_mode (machine/isa/modifiers.hpp) needs no copies of its own.
template <class D, class A, class F>
[[gnu::noinline]] void unary(Warp& w, const Inst& i, std::uint32_t mask) {
  const auto* a = w.source<Slot<A>>(i.a);
  using Rule = decltype(bit_rule<D, F, A>());
  auto* d = result_of<Slot<D>, Rule>(w, i, mask);
  if constexpr (std::is_same_v<A, float> && requires { F::template all_lanes<F>(d, a, mask); }) {
    F::template all_lanes<F>(d, a, mask);
  } else {
#pragma GCC ivdep
    for (int l = 0; l < warp_size; ++l) d[l] = to_slot<D>(D(F{}(from_slot<A>(a[l]))));
  }
  finish<Slot<D>, 1, Rule>(w, i, mask);
}

template <class D, class A, class B, class F>
[[gnu::noinline]] void binary(Warp& w, const Inst& i, std::uint32_t mask) {
  const auto* a = w.source<Slot<A>>(i.a);
  const auto* b = w.source<Slot<B>>(i.b);
  using Rule = decltype(bit_rule<D, F, A, B>());
  auto* d = result_of<Slot<D>, Rule>(w, i, mask);
#pragma GCC ivdep
  for (int l = 0; l < warp_size; ++l) {
    d[l] = to_slot<D>(D(F{}(from_slot<A>(a[l]), from_slot<B>(b[l]))));
  }
  finish<Slot<D>, 2, Rule>(w, i, mask);
}

template <class D, class A, class B, class C, class F>
[[gnu::noinline]] void ternary(Warp& w, const Inst& i, std::uint32_t mask) {
  const auto* a = w.source<Slot<A>>(i.a);
  const auto* b = w.source<Slot<B>>(i.b);
  const auto* c = w.source<Slot<C>>(i.c);
  using Rule = decltype(bit_rule<D, F, A, B, C>());
  auto* d = result_of<Slot<D>, Rule>(w, i, mask);
#pragma GCC ivdep
  for (int l = 0; l < warp_size; ++l) {
    d[l] = to_slot<D>(D(F{}(from_slot<A>(a[l]), from_slot<B>(b[l]), from_slot<C>(c[l]))));
  }
  finish<Slot<D>, 3, Rule>(w, i, mask);
}

/// The lanes of a predicate operand; bit 0 of Inst::variant etc. say which are negated.
inline std::uint32_t predicate(const Warp& w, Operand p, bool negated = false) {
  const std::uint32_t v = *w.source<std::uint32_t>(p);
  return negated ? ~v : v;
}
inline void set_predicate(Warp& w, Operand d, std::uint32_t mask, std::uint32_t value) {
  auto* p = w.destination<std::uint32_t>(d);
  *p = (*p & ~mask) | (value & mask);
}

/// One bit per lane.
template <class F>
inline std::uint32_t lane_mask(F holds) {
#if defined(__SSE2__) && !defined(__AVX2__)
  // There are no shifts of each lane by its own number.
  alignas(16) std::uint8_t bytes[warp_size];
  for (int l = 0; l < warp_size; ++l) bytes[l] = holds(l) ? 0xFF : 0;
  const auto half = [&](int from) {
    const auto x = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes + from));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(x));
  };
  return half(0) | half(16) << 16;
#else
  std::uint32_t bits = 0;
  for (int l = 0; l < warp_size; ++l) bits |= std::uint32_t{holds(l)} << l;
  return bits;
#endif
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
