// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// setp and selp as handlers, and what setp joins its comparison with.
#pragma once

#include <algorithm>

#include "base/names.hpp"
#include "machine/isa/comparisons.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

template <class T>
inline void select(Warp& w, const Inst& i, std::uint32_t mask, std::uint32_t p) {
  const auto *a = w.source<T>(i.a), *b = w.source<T>(i.b);
  for_lanes(w.destination<T>(i.d), mask,
            [=](int l) { return (p & lane_bits.v[l]) != 0 ? a[l] : b[l]; });
}
/// Not inline, so that the usual way saves no registers; so with setp below.
template <class T>
[[gnu::noinline]] void select_live(Warp& w, const Inst& i, std::uint32_t mask, std::uint32_t p) {
  select_bits(w, i, mask, p, sizeof(T));
  select<T>(w, i, mask, p);
}
template <class T>
void selp_handler(Warp& w, const Inst& i, std::uint32_t mask) {
  const std::uint32_t p = predicate(w, i.c);
  if (w.poison_live)
    select_live<T>(w, i, mask, p);
  else
    select<T>(w, i, mask, p);
}

enum class Join : std::uint8_t { none, and_, or_, xor_ };
constexpr auto names(const Join*) { return names_of("", "and", "or", "xor"); }
inline std::uint32_t join(Join j, std::uint32_t x, std::uint32_t c) {
  switch (j) {
    case Join::and_:
      return x & c;
    case Join::or_:
      return x | c;
    case Join::xor_:
      return x ^ c;
    default:
      return x;
  }
}
/// The undefined lanes of `x join c`: a false operand of `and` and a true one of `or` decide alone.
/// nvcc evaluates both sides of a condition such as `t + o < lanes && other < y`, where the right
/// one compares what a shuffle took from a lane that is not there.
inline std::uint32_t join_poison(Join j, std::uint32_t x, std::uint32_t undefined_x,
                                 std::uint32_t c, std::uint32_t undefined_c) {
  switch (j) {
    case Join::and_:
      return (undefined_x & (undefined_c | c)) | (undefined_c & (undefined_x | x));
    case Join::or_:
      return (undefined_x & (undefined_c | ~c)) | (undefined_c & (undefined_x | ~x));
    default:
      return undefined_x | undefined_c;
  }
}
/// setp: d|q = (a cmp b) join {!}c. Inst::variant: Join in bits 0-1, bit 2 negates c; Inst::second
/// is q (poison slot 0: there is none). `compared`: the lanes in which (a cmp b) is undefined.
[[gnu::noinline]] inline void set_predicates(Warp& w, const Inst& i, std::uint32_t mask,
                                             std::uint32_t x, std::uint32_t compared) {
  const auto j = Join(i.variant & 3);
  const std::uint32_t c = j == Join::none ? 0 : predicate(w, i.c, (i.variant & 4) != 0);
  const std::uint32_t joined = j == Join::none ? 0 : w.poison[i.c.id];
  const Operand q = i.second;
  const bool has_q = q.id != 0;
  if (w.poison_live) {
    // d may be c: what q takes over is asked for before d is set.
    std::uint32_t origins[warp_size] = {};
    const std::uint32_t of_d = join_poison(j, x, compared, c, joined);
    const std::uint32_t of_q = has_q ? join_poison(j, ~x, compared, c, joined) : 0;
    for (const int l : lanes_of((of_d | of_q) & mask)) {
      if ((compared >> l & 1) != 0) origins[l] = meet(w, l, i.a, i.b);
      if ((joined >> l & 1) != 0) origins[l] = std::max(origins[l], w.origin_of(i.c, l));
    }
    const auto origin = [&](int l) { return origins[l]; };
    set_poison(w, i.d, mask, of_d, origin);
    if (has_q) set_poison(w, q, mask, of_q, origin);
  }
  set_predicate(w, i.d, mask, join(j, x, c));
  if (has_q) set_predicate(w, q, mask, join(j, ~x, c));
}

[[gnu::noinline]] inline void logic_poison(Warp& w, const Inst& i, std::uint32_t mask, Join how,
                                           std::uint32_t a, std::uint32_t b) {
  const auto undefined = join_poison(how, a, w.poison[i.a.id], b, w.poison[i.b.id]);
  set_poison(w, i.d, mask, undefined, [&](int l) { return meet(w, l, i.a, i.b); });
}
/// Logic on predicates; Inst::variant bits 0 and 1 negate a and b.
template <Join how>
void predicate_logic(Warp& w, const Inst& i, std::uint32_t mask) {
  const std::uint32_t a = predicate(w, i.a, (i.variant & 1) != 0);
  const std::uint32_t b = predicate(w, i.b, (i.variant & 2) != 0);
  set_predicate(w, i.d, mask, join(how, a, b));
  if (w.poison_live) logic_poison(w, i, mask, how, a, b);
}

template <class T, class F>
[[gnu::noinline]] void set_live_predicates(Warp& w, const Inst& i, std::uint32_t mask,
                                           std::uint32_t x) {
  std::uint32_t lanes = w.poison[i.a.id] | w.poison[i.b.id];
  if constexpr (ops::Integer<T>) {
    constexpr bool equality = F::relation == Relation::eq || F::relation == Relation::ne;
    const auto holds = [](std::uint64_t a, std::uint64_t b) { return F{}(a, b); };
    if (lanes != 0) {
      lanes = undecided(w, i, lanes, {sizeof(T), std::is_signed_v<T>, equality, holds});
    }
  }
  set_predicates(w, i, mask, x, lanes);
}
template <class T, class F>
void setp_handler(Warp& w, const Inst& i, std::uint32_t mask) {
  const std::uint32_t holds = compared<T, F>(w, i);
  if (w.poison_live)
    set_live_predicates<T, F>(w, i, mask, holds);
  else if (i.variant != 0 || i.second.id != 0)
    set_predicates(w, i, mask, holds, 0);
  else
    set_predicate(w, i.d, mask, holds);
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
