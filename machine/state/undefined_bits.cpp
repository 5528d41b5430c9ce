// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/state/undefined_bits.hpp"

#include <algorithm>

#include "machine/state/poison_lanes.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

std::uint64_t undefined_bits(const Warp& w, Operand o, int lane) {
  if ((w.poison[o.id] >> lane & 1) == 0) return 0;
  if (w.partly_undefined.empty()) return all_bits;
  const auto row = w.partly_undefined.find(o.id);
  return row == w.partly_undefined.end() ? all_bits : row->second[static_cast<std::size_t>(lane)];
}

void set_undefined_bits(Warp& w, Operand d, int lane, std::uint64_t bits, unsigned bytes) {
  const bool all = (bits & bits_of(bytes)) == bits_of(bytes);
  if (all) {
    if (w.has_partly_undefined) forget_undefined_bits(w, d.id, 1U << lane);
    return;
  }
  const auto [row, fresh] = w.partly_undefined.try_emplace(d.id);
  if (fresh) row->second.fill(all_bits);
  row->second[static_cast<std::size_t>(lane)] = bits;
  w.has_partly_undefined = true;
}

void forget_undefined_bits(Warp& w, std::uint32_t slot, std::uint32_t lanes) {
  const auto row = w.partly_undefined.find(slot);
  if (row == w.partly_undefined.end()) return;
  for (const unsigned l : lanes_of(lanes)) row->second[l] = all_bits;
}

void spread_bits(Warp& w, const Inst& i, std::uint32_t mask, unsigned sources, unsigned bytes,
                 UndefinedOf undefined_of) {
  const Operand from[] = {i.a, i.b, i.c, sources == 4 ? i.second : Operand{}};
  std::uint32_t lanes = 0, undefined = 0;
  for (unsigned k = 0; k < sources; ++k) lanes |= w.poison[from[k].id] & mask;
  for (const int l : lanes_of(lanes)) {
    std::uint64_t of_source[4] = {};
    for (unsigned k = 0; k < sources; ++k) of_source[k] = undefined_bits(w, from[k], l);
    const auto bits = undefined_of(w, i, l, of_source) & bits_of(bytes);
    if (bits == 0) continue;
    // It comes from a source that would be enough; where none would, from any.
    std::uint32_t origin = 0, of_any = 0;
    for (unsigned k = 0; k < sources; ++k) {
      if (of_source[k] == 0) continue;
      std::uint64_t alone[4] = {};
      alone[k] = of_source[k];
      const auto o = w.origin_of(from[k], l);
      of_any = std::max(of_any, o);
      if ((undefined_of(w, i, l, alone) & bits_of(bytes)) != 0) origin = std::max(origin, o);
    }
    undefined |= 1U << l;
    w.origin[i.d.id * warp_size + static_cast<std::uint32_t>(l)] = origin != 0 ? origin : of_any;
    set_undefined_bits(w, i.d, l, bits, bytes);
  }
  w.poison[i.d.id] = (w.poison[i.d.id] & ~mask) | undefined;
}

void select_bits(Warp& w, const Inst& i, std::uint32_t mask, std::uint32_t p, unsigned bytes) {
  const std::uint32_t pa = w.poison[i.a.id] & p, pb = w.poison[i.b.id] & ~p, pc = w.poison[i.c.id];
  const auto value = [&](Operand o, int l) {
    return bytes == 8 ? w.source<std::uint64_t>(o)[l] : w.source<std::uint32_t>(o)[l];
  };
  UndefinedLanes result;
  for (const int l : lanes_of((pa | pb | pc) & mask)) {
    const auto at = static_cast<std::size_t>(l);
    const Operand chosen = (p >> l & 1) != 0 ? i.a : i.b;
    result.bits[at] = undefined_bits(w, chosen, l);
    if ((pc >> l & 1) != 0) {
      result.bits[at] =
          undefined_bits(w, i.a, l) | undefined_bits(w, i.b, l) | (value(i.a, l) ^ value(i.b, l));
    }
    if (result.bits[at] == 0) continue;
    result.lanes |= 1U << l;
    result.origin[at] = meet(w, l, chosen, i.c);
  }
  set_undefined(w, i.d, mask, result, bytes);
}

namespace {

/// A source of an integer comparison: with its undefined bits such that it is least or greatest.
struct Range {
  std::uint64_t low, high;
};
Range range_of(const Warp& w, Operand o, int l, const IntegerComparison& c, std::uint64_t bits) {
  const std::uint64_t all = bits_of(c.bytes), sign = (all >> 1) + 1;
  const auto x = c.bytes == 8 ? w.source<std::uint64_t>(o)[l] : w.source<std::uint32_t>(o)[l];
  const auto ordered = (c.is_signed ? x ^ sign : x) & all;
  return {ordered & ~bits, ordered | (bits & all)};
}

}  // namespace

std::uint32_t undecided(const Warp& w, const Inst& i, std::uint32_t lanes,
                        const IntegerComparison& c) {
  std::uint32_t left = 0;
  for (const int l : lanes_of(lanes)) {
    const auto of_a = undefined_bits(w, i.a, l), of_b = undefined_bits(w, i.b, l);
    const auto a = range_of(w, i.a, l, c, of_a), b = range_of(w, i.b, l, c, of_b);
    const bool decided = c.equality ? ((a.low ^ b.low) & ~(of_a | of_b)) != 0
                                    : c.holds(a.low, b.high) == c.holds(a.high, b.low);
    left |= std::uint32_t{!decided} << l;
  }
  return left;
}

std::uint64_t undefined_of_table(unsigned table, Bits a, Bits b, Bits c) {
  std::uint64_t may_be[2] = {0, 0};
  const auto may = [](Bits x, unsigned bit) {
    return x.undefined | (bit != 0 ? x.value : ~x.value);
  };
  for (unsigned k = 0; k < 8; ++k) {
    may_be[table >> k & 1] |= may(a, k >> 2 & 1) & may(b, k >> 1 & 1) & may(c, k & 1);
  }
  return may_be[0] & may_be[1];
}

UndefinedLanes undefined_lanes(const Warp& w, Operand o, std::uint32_t mask) {
  UndefinedLanes found;
  found.lanes = w.poison[o.id] & mask;
  for (const unsigned l : lanes_of(found.lanes)) {
    found.origin[l] = w.origin_of(o, static_cast<int>(l));
    found.bits[l] = undefined_bits(w, o, static_cast<int>(l));
  }
  return found;
}

void set_undefined(Warp& w, Operand d, std::uint32_t mask, const UndefinedLanes& undefined,
                   unsigned bytes) {
  set_poison(w, d, mask, undefined.lanes,
             [&](int l) { return undefined.origin[static_cast<std::size_t>(l)]; });
  for (const unsigned l : lanes_of(undefined.lanes & mask)) {
    set_undefined_bits(w, d, static_cast<int>(l), undefined.bits[l], bytes);
  }
}

}  // namespace gauntlet::simt
