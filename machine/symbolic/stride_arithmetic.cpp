// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What arithmetic makes of strides. Sums, and products with what does not move, are exact modulo
// the width of a register; what depends on the number itself asks whether it has wrapped.
#include <algorithm>
#include <bit>

#include "base/scalar.hpp"
#include "machine/state/lanes.hpp"
#include "machine/symbolic/strides.hpp"

namespace gauntlet::simt::symbolic {
namespace {

/// The value of a lane as a number of `type`.
__int128 number(const Warp& w, Operand o, std::uint32_t lane, Type type) {
  const bool wide = size_of(type) == 8;
  const auto x = extend(wide ? w.source<std::uint64_t>(o)[lane] : w.source<std::uint32_t>(o)[lane],
                        wide ? 8 : 4, is_signed(type));
  return is_signed(type) ? static_cast<__int128>(static_cast<std::int64_t>(x))
                         : static_cast<__int128>(x);
}

/// The one value of these lanes.
std::optional<std::int64_t> uniform(const Warp& w, Operand o, std::uint32_t lanes, Type type) {
  std::optional<std::int64_t> value;
  for (const int l : lanes_of(lanes)) {
    const auto x = static_cast<std::int64_t>(number(w, o, static_cast<std::uint32_t>(l), type));
    if (value && *value != x) return std::nullopt;
    value = x;
  }
  return value;
}

std::int64_t times(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
bool divides(std::uint64_t power, const Stride& s) {
  return ((static_cast<std::uint64_t>(s.block) | static_cast<std::uint64_t>(s.element)) &
          (power - 1)) == 0;
}

}  // namespace

void Strides::bound(__int128 room, std::int64_t block, std::int64_t element, std::uint32_t pc) {
  if (!setup_.elements_behind) element = 0;
  if (block <= 0 && element <= 0) return;
  const auto b = static_cast<__int128>(std::max<std::int64_t>(block, 0)),
             e = static_cast<__int128>(std::max<std::int64_t>(element, 0)),
             tile = static_cast<__int128>(setup_.tile);
  // The most elements more than in this run, T for each block before and single ones behind, with
  // which the value grows by no more than `room`.
  __int128 more = 0;
  if (e == 0)
    more = tile * (room / b + 1) - 1;
  else if (e * tile >= b)
    more = room / e;
  else
    more = room * tile / b;
  const auto below = static_cast<__int128>(setup_.elements) + more + 1;
  if (below < static_cast<__int128>(below_)) {
    below_ = static_cast<std::uint64_t>(below);
    wraps_at_ = pc;
  }
}

void Strides::numeric(const Warp& w, Operand o, const Slot& x, Type type, std::uint32_t m,
                      std::uint32_t pc) {
  const auto lanes = x.moving & m;
  if (lanes == 0) return;
  const unsigned bits = 8 * static_cast<unsigned>(size_of(type));
  const auto one = static_cast<__int128>(1);
  const __int128 most = is_signed(type) ? (one << (bits - 1)) - 1 : (one << bits) - 1,
                 least = is_signed(type) ? -(one << (bits - 1)) : 0;
  __int128 low = most, high = least;
  for (const int l : lanes_of(lanes)) {
    const auto v = number(w, o, static_cast<std::uint32_t>(l), type);
    low = std::min(low, v);
    high = std::max(high, v);
  }
  bound(most - high, x.by.block, x.by.element, pc);
  bound(low - least, -x.by.block, -x.by.element, pc);
}

std::uint32_t Strides::settled(const Warp& w, const Inst& i, Relation relation, Type type,
                               std::uint32_t m) const {
  const Slot a = source(w, i.a), b = source(w, i.b);
  std::uint32_t same = m & ~(a.any() | b.any());
  for (const int lane : lanes_of(m & (a.moving | b.moving) & ~(a.unknown | b.unknown))) {
    const auto l = static_cast<std::uint32_t>(lane);
    const auto by = [&](const Slot& s) { return (s.moving >> l & 1) != 0 ? s.by : Stride{}; };
    const auto x = by(a), y = by(b);
    const auto difference = number(w, i.a, l, type) - number(w, i.b, l, type);
    const auto block = static_cast<__int128>(x.block) - y.block;
    const auto element = setup_.elements_behind ? static_cast<__int128>(x.element) - y.element : 0;
    const bool grows = block >= 0 && element >= 0, shrinks = block <= 0 && element <= 0;
    bool stays = difference > 0 ? grows : difference < 0 ? shrinks : grows && shrinks;
    // Equal numbers may part to the side that makes no difference.
    if (difference == 0 && (relation == Relation::lt || relation == Relation::ge)) stays = grows;
    if (difference == 0 && (relation == Relation::le || relation == Relation::gt)) stays = shrinks;
    if (stays) same |= 1U << l;
  }
  return same;
}

Strides::Slot Strides::chosen(const Slot& a, const Slot& b, std::uint32_t first, std::uint32_t m) {
  const auto of_a = a.moving & first & m, of_b = b.moving & ~first & m;
  Slot r;
  r.unknown = ((a.unknown & first) | (b.unknown & ~first)) & m;
  r.by = of_a != 0 ? a.by : b.by;
  if (of_a != 0 && of_b != 0 && a.by != b.by)
    r.unknown |= of_a | of_b;
  else
    r.moving = of_a | of_b;
  return r;
}

Strides::Slot Strides::sum(const Slot& a, const Slot& b, std::int64_t sign, std::uint32_t m) {
  Slot r;
  r.unknown = (a.unknown | b.unknown) & m;
  const auto of_a = a.moving & m & ~r.unknown, of_b = b.moving & m & ~r.unknown;
  const auto plus = [&](std::int64_t x, std::int64_t y) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) +
                                     static_cast<std::uint64_t>(times(y, sign)));
  };
  if (of_b == 0) {
    r.moving = of_a;
    r.by = a.by;
  } else if (of_a == 0 || of_a == of_b) {
    const Stride of = of_a == 0 ? Stride{} : a.by;
    r.moving = of_b;
    r.by = {plus(of.block, b.by.block), plus(of.element, b.by.element)};
  } else {
    r.unknown |= of_a | of_b;
  }
  return r;
}

Strides::Slot Strides::product(const Warp& w, const Inst& i, const Rule& rule, std::uint32_t m,
                               std::uint32_t pc) {
  const Slot a = source(w, i.a), b = source(w, i.b);
  Slot r;
  r.unknown = (a.unknown | b.unknown | (a.moving & b.moving)) & m;
  const auto of_a = a.moving & m & ~r.unknown, of_b = b.moving & m & ~r.unknown;
  if (of_a != 0 && of_b != 0) {
    r.unknown |= of_a | of_b;
    return r;
  }
  const auto lanes = of_a | of_b;
  if (lanes == 0) return r;
  const bool left = of_a != 0;
  const auto factor = uniform(w, left ? i.b : i.a, lanes, rule.type);
  if (!factor) {
    r.unknown |= lanes;
    return r;
  }
  const Slot& x = left ? a : b;
  if (is_wide(pc)) numeric(w, left ? i.a : i.b, x, rule.type, lanes, pc);
  r.moving = lanes;
  r.by = {times(x.by.block, *factor), times(x.by.element, *factor)};
  return r;
}

Strides::Slot Strides::result(const Warp& w, const Inst& i, const Rule& rule, std::uint32_t m,
                              std::uint32_t pc) {
  using What = StrideRule;
  const What what = rule.known.stride;
  const Slot a = source(w, i.a), b = source(w, i.b);
  const auto unknown = [&](std::uint32_t lanes) {
    Slot r;
    r.unknown = lanes & m;
    return r;
  };
  const auto predicate = [&](Operand o, bool negated) {
    const auto p = *w.source<std::uint32_t>(o);
    return negated ? ~p : p;
  };
  switch (what) {
    case What::copy:
      return a;
    case What::add:
      return sum(a, b, 1, m);
    case What::subtract:
      return sum(a, b, -1, m);
    case What::multiply:
      return product(w, i, rule, m, pc);
    case What::multiply_add:
      return sum(product(w, i, rule, m, pc), source(w, i.c), 1, m);
    case What::negate:
    case What::invert:
      return sum({}, a, -1, m);
    case What::convert:
      if (size_of(rule.type) > size_of(rule.from)) numeric(w, i.a, a, rule.from, m, pc);
      return a;
    case What::select: {
      const Slot p = source(w, i.c);
      Slot r = chosen(a, b, predicate(i.c, false), m);
      r.unknown |= p.any() & m;
      return r;
    }
    case What::compare:
      numeric(w, i.a, a, rule.type, m, pc);
      numeric(w, i.b, b, rule.type, m, pc);
      return unknown(~settled(w, i, rule.relation, rule.type, m));
    case What::minimum:
    case What::maximum: {
      numeric(w, i.a, a, rule.type, m, pc);
      numeric(w, i.b, b, rule.type, m, pc);
      std::uint32_t first = 0;
      for (const int lane : lanes_of(m)) {
        const auto l = static_cast<std::uint32_t>(lane);
        const bool less = number(w, i.a, l, rule.type) < number(w, i.b, l, rule.type);
        if (less == (what == What::minimum)) first |= 1U << l;
      }
      // Where the operands are equal, the one that is chosen must stay it.
      const auto same = what == What::minimum ? settled(w, i, Relation::lt, rule.type, m)
                                              : settled(w, i, Relation::ge, rule.type, m);
      Slot r = chosen(a, b, first, m);
      r.unknown |= m & ~same;
      return r;
    }
    case What::and_pred:
    case What::or_pred: {
      const auto decides = [&](Operand o, const Slot& s, bool negated) {
        const auto p = predicate(o, negated);
        return ~s.any() & (what == What::and_pred ? ~p : p);
      };
      return unknown((a.any() | b.any()) & ~decides(i.a, a, (i.variant & 1) != 0) &
                     ~decides(i.b, b, (i.variant & 2) != 0));
    }
    default:
      break;
  }
  // By a number that all lanes have.
  const bool right = (a.moving & m) != 0;
  const Slot& x = right ? a : b;
  const auto lanes = x.moving & m;
  const auto type = what == What::shift_left || what == What::shift_right
                        ? Type::u32
                        : (size_of(rule.type) == 8 ? Type::u64 : Type::u32);
  const bool both = ((right ? b : a).any() & m) != 0 || (x.unknown & m) != 0;
  const auto by = both ? std::nullopt : uniform(w, right ? i.b : i.a, lanes, type);
  const auto none = unknown(a.any() | b.any());
  if (!by) return none;
  const auto n = static_cast<std::uint64_t>(*by);
  const unsigned bits = 8 * static_cast<unsigned>(size_of(rule.type));
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  Slot r = x;
  switch (what) {
    case What::shift_left:
      if (!right || n >= bits) return none;
      r.by = {times(x.by.block, std::int64_t{1} << n), times(x.by.element, std::int64_t{1} << n)};
      return r;
    case What::shift_right:
      if (!right || n >= bits - 1 || !divides(std::uint64_t{1} << n, x.by)) return none;
      numeric(w, i.a, x, rule.type, m, pc);
      r.by = {x.by.block >> n, x.by.element >> n};
      return r;
    case What::and_bits:
      if (std::has_single_bit(n + 1) && divides(n + 1, x.by)) return {};
      if (std::has_single_bit((~n & all) + 1) && divides((~n & all) + 1, x.by)) return r;
      return none;
    case What::or_bits:
      return n <= all >> 1 && divides(std::bit_ceil(n + 1), x.by) ? r : none;
    default:
      return none;
  }
}

void Strides::data(const Warp& w, std::uint32_t pc, std::uint32_t m, std::uint32_t symbolic) {
  const Inst& i = kernel_->code[pc];
  const auto& meaning = kernel_->meanings[pc];
  const auto& rule = view_->rules[pc];
  const StrideRule what = rule.known.stride;
  std::uint32_t moving = source(w, i.a).any() | source(w, i.b).any() | source(w, i.c).any();
  for (const auto slot : meaning.reads) moving |= source(w, {0, slot}).any();
  if (what == StrideRule::unknown) {
    moving |= source(w, i.second).any();
    if (meaning.part == Meaning::Part::insert && i.variant != 0) moving |= source(w, i.d).any();
  }
  if (i.has_guard) moving &= m;
  moving &= m;
  if (moving == 0) {
    forget(w, pc, m);
    if (what == StrideRule::unknown) put(w, i.second, m, {}, 8);
    return;
  }
  if ((moving & symbolic) != 0) {
    fail("what is made of elements", pc);
    return;
  }
  Slot r;
  r.unknown = moving;
  const bool second = what == StrideRule::compare && i.second.id != 0;
  if (what != StrideRule::unknown && !second) r = result(w, i, rule, m, pc);
  const auto bytes = is_wide(pc) ? 8U : static_cast<unsigned>(size_of(rule.type));
  const Slot unknown{0, moving, {}};
  for (const auto slot : meaning.writes) {
    if (slot != i.d.id) put(w, {0, slot}, m, unknown, 8);
  }
  if (what == StrideRule::unknown || second) put(w, i.second, m, unknown, 8);
  put(w, i.d, m, r, bytes);
}

}  // namespace gauntlet::simt::symbolic
