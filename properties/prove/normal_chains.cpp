// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums, products, minima and maxima of a kernel: what they are of, through how many operations, and
// as the whole numbers that they are where no bits of these are lost.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/float_format.hpp"
#include "base/scalar.hpp"
#include "properties/prove/normal_terms.hpp"

namespace gauntlet::prove {

using simt::Modifier;
using simt::Modifiers;
using simt::Opcode;
using simt::symbolic::TermId;
using simt::symbolic::Value;
using TermKind = simt::symbolic::Term::Kind;

namespace {

constexpr __int128 most_power = 1 << 20;

}  // namespace

/// As so many roundings to nearest an operation of a chain counts: one that is directed errs by
/// two.
std::uint64_t TermReader::roundings_of(TermId id) const {
  const auto* applied = terms_.application(id);
  const Modifiers nearest{Modifier::rn, Modifier::ftz};
  const bool directed =
      applied != nullptr && !nearest.has(terms_.operation(applied->operation).how);
  return directed ? 2 : std::max(simt::symbolic::roundings(terms_[id]), 1U);
}

template <class As>
std::vector<TermReader::Part> TermReader::operands_of(TermId top, As&& as) {
  struct Open {
    __int128 times = 0;
    std::uint64_t depth = 0;
  };
  std::map<TermId, Open, std::greater<>> open{{top, {1, 0}}};
  std::vector<Part> all;
  while (!open.empty()) {
    const auto [id, here] = *open.begin();
    open.erase(open.begin());
    const Chain c = *chain(id);
    const std::uint64_t depth = here.depth + (c.has_b ? roundings_of(id) : 0);
    const auto side = [&](const Value& v, int sign) {
      const __int128 own = c.sum ? sign * here.times : here.times;
      if (v.term != 0 && terms_[v.term].kind != TermKind::constant && is(v.term, c.type)) {
        const TermId base = stripped(v.term);
        const auto next = chain(base);
        if (next && next->sum == c.sum && ring_of(next->type) == ring_of(c.type)) {
          Open& more = open[base];
          if (__builtin_add_overflow(more.times, own, &more.times)) throw TooLarge();
          more.depth = std::max(more.depth, depth);
          return;
        }
      }
      all.push_back({v, c.type, 0, own, depth});
      all.back().id = as(all.back());
    };
    side(c.a, c.sign_a);
    if (c.has_b) side(c.b, c.sign_b);
  }
  return all;
}

NormalId TermReader::combined(unsigned ring, bool sum, const std::vector<Part>& parts) {
  if (sum) {
    std::vector<std::pair<NormalId, Coefficient>> all;
    for (const Part& part : parts) all.emplace_back(part.id, Coefficient{part.times, 1, 0});
    return forms_.sum(ring, all);
  }
  std::map<NormalId, std::uint64_t> factors;
  for (const Part& part : parts) {
    if (part.times > most_power) throw TooLarge();
    factors[part.id] += static_cast<std::uint64_t>(part.times);
  }
  return forms_.product(ring, factors);
}

NormalId TermReader::as_chain(TermId id, const Chain& c) {
  const unsigned ring = ring_of(c.type);
  const auto parts = operands_of(id, [&](const Part& p) {
    const TermId of = p.value.term;
    const bool constant = of == 0 || terms_[of].kind == TermKind::constant;
    if (c.sum || !constant || !of_formulas_) return operand(p.value, p.type);
    return forms_.factor(p.type, of == 0 ? p.value.bits : terms_[of].number());
  });
  const NormalId all = combined(ring, c.sum, parts);
  if (of_formulas_) note(id, c.sum ? part_keys(ring, parts) : whole_key(Op::product, all), parts);
  return all;
}

std::uint64_t TermReader::part_keys(unsigned ring, const std::vector<Part>& parts) {
  std::uint64_t key = 0;
  for (const Part& part : parts) {
    key += forms_.part_key(ring, part.id, part.times);
    // What data make 0 is no part of any formula: it may be a NaN.
    const TermId of = part.value.term;
    const bool constant = of == 0 || terms_[of].kind == TermKind::constant;
    if (!constant && part.id == forms_.constant(ring, Coefficient{})) ++key;
  }
  return key;
}

void TermReader::note(TermId top, std::uint64_t key, const std::vector<Part>& parts) {
  auto& computed = result_.reductions[key];
  const Term& t = terms_[top];
  const auto own = type(top);
  computed.whole = computed.whole && (own && is_float(*own) ? numbers_.range(top, *own).has_value()
                                                            : numbers_.is_whole(top));
  const auto* applied = terms_.application(top);
  const std::uint64_t operation = applied != nullptr ? applied->operation : ~t.head();
  const auto [name, fresh] = chain_names_.try_emplace(operation, result_.chains.size());
  if (fresh) result_.chains.push_back(numbers_.text(top));
  constexpr std::size_t most_names = 63;
  computed.names |= std::uint64_t{1} << std::min(name->second, most_names);
  const bool order = t.kind == TermKind::combine && t.op != Op::sum && t.op != Op::product;
  const auto root = roots_.find(top);
  const bool is_result = order && root != roots_.end() && root->second == t.type;
  for (const Part& part : parts) {
    computed.height = std::max(computed.height, part.depth);
    const TermId of = part.value.term;
    if (of == 0 || !forms_.is(part.id, Tag::leaf) || numbers_.bits(of) == 64) continue;
    // Rounding keeps an order: the greatest of elements that are rounded is the greatest one,
    // rounded.
    const bool once = is_result && numbers_.bits(numbers_.before_rounding(of)) == 64;
    computed.of_rounded = computed.of_rounded || !once;
  }
}

/// A maximum may begin with what none of its parts is below, a minimum with what none is above: 0
/// where all are magnitudes, or whole numbers within such bounds. And of numbers that are finite
/// with the least or greatest of these (-FLT_MAX). True if that takes parts for finite numbers.
bool TermReader::drop_start(const Term& whole, std::vector<Part>& parts) {
  const bool greatest = whole.op == Op::maximum, real = is_float(whole.type);
  const auto is_constant = [&](const Part& p) {
    return terms_[p.value.term].kind == TermKind::constant;
  };
  const auto first = std::ranges::find_if(parts, is_constant);
  if (first == parts.end() || std::ranges::all_of(parts, is_constant)) return false;
  const auto bits = terms_[first->value.term].number();
  const auto start = numbers_.range(first->value.term, whole.type);
  const FloatFormat format = format_of(whole.type);
  const bool extreme =
      real && bits == ((greatest ? format.sign_bit() : 0) | (format.infinity() - 1));
  const bool dropped = std::ranges::all_of(parts, [&](const Part& p) {
    const TermId of = p.value.term;
    if (is_constant(p)) return terms_[of].number() == bits && p.type == first->type;
    if (extreme) return p.type == first->type;
    if (real) return greatest && bits == 0 && numbers_.never_negative(numbers_.exactly(of));
    const auto known = numbers_.range(of, whole.type);
    if (!known || !known->fits(whole.type)) return false;
    return greatest ? known->low >= start->high : known->high <= start->low;
  });
  if (!dropped) return false;
  std::erase_if(parts, is_constant);
  return real;
}

std::vector<TermReader::Part> TermReader::ordered_parts(TermId top) {
  std::map<TermId, std::uint64_t, std::greater<>> open{{top, 0}};
  std::vector<Part> parts;
  while (!open.empty()) {
    const auto [id, depth] = *open.begin();
    open.erase(open.begin());
    const Term& t = terms_[id];
    for (const TermId of : {t.a, t.b}) {
      const Term& o = terms_[of];
      if (o.kind == TermKind::constant && simt::symbolic::is_identity(t.op, t.type, o.number())) {
        continue;
      }
      const TermId base = stripped(of);
      if (continues(t, of, base)) {
        open[base] = std::max(open[base], depth + 1);
      } else {
        parts.push_back({{of, 0}, t.type, 0, 1, depth + 1});
      }
    }
  }
  if (of_formulas_) result_.finite = drop_start(terms_[top], parts) || result_.finite;
  return parts;
}

NormalId TermReader::as_extremum(TermId top) {
  const Term& t = terms_[top];
  auto parts = ordered_parts(top);
  bool typed = is_float(t.type);
  if (!typed) {
    typed = std::ranges::all_of(parts, [&](const Part& p) {
      return terms_[p.value.term].kind != TermKind::bytes &&
             forms_.is_exact(operand(p.value, t.type));
    });
  }
  if (!typed) {
    if (const auto as_whole = whole_extremum(top, parts)) return *as_whole;
  }
  return extremum(top, t.type, parts, [&](const Part& p) { return operand(p.value, t.type); });
}

template <class As>
NormalId TermReader::extremum(TermId top, Type type, std::vector<Part>& parts, As&& as) {
  std::vector<NormalId> ids;
  for (Part& part : parts) ids.push_back(part.id = as(part));
  const Op op = terms_[top].op;
  const NormalId all = forms_.extremum(op, type, ids);
  if (of_formulas_ && ids.size() > 1) note(top, whole_key(op, all), parts);
  return all;
}

/// Of whole numbers none of which has lost bits: as that of reals.
std::optional<NormalId> TermReader::whole_extremum(TermId top, std::vector<Part>& parts) {
  const auto is_whole = [&](const Part& p) { return whole(p.value, p.type).has_value(); };
  if (!std::ranges::all_of(parts, is_whole)) return std::nullopt;
  return extremum(top, Type::f64, parts, [&](const Part& p) { return *whole(p.value, p.type); });
}

std::optional<NormalId> TermReader::whole(const Value& v, Type as) {
  const bool constant = v.term == 0 || terms_[v.term].kind == TermKind::constant;
  if (constant) {
    const auto bits =
        extend(v.term == 0 ? v.bits : terms_[v.term].number(), size_of(as), is_signed(as));
    const auto number = is_signed(as) ? __int128{static_cast<std::int64_t>(bits)} : __int128{bits};
    return forms_.constant(real_ring, {number, 1, 0});
  }
  const TermId id = numbers_.low(v.term, size_of(as));
  const auto range = numbers_.range(id, as);
  if (is_float(as) || !range || !range->fits(as)) return std::nullopt;
  const auto [known, fresh] = whole_.try_emplace(id, std::nullopt);
  if (!fresh) return known->second;
  const auto found = whole_of(id);
  return whole_[id] = found;
}

std::optional<NormalId> TermReader::whole_of(TermId id) {
  const Term& t = terms_[id];
  if (t.kind == TermKind::leaf) return forms_.element(t.number());
  if (t.kind == TermKind::bytes) {
    return t.a != 0 && !is_float(t.from) ? whole({t.a, 0}, t.from) : std::nullopt;
  }
  if (const auto c = chain(id)) {
    bool all_whole = true;
    const auto parts = operands_of(id, [&](const Part& p) {
      const auto one = whole(p.value, simt::symbolic::with_sign(p.type));
      all_whole = all_whole && one;
      return one.value_or(0);
    });
    if (!all_whole) return std::nullopt;
    const NormalId all = combined(real_ring, c->sum, parts);
    if (of_formulas_) {
      note(id, c->sum ? part_keys(real_ring, parts) : whole_key(Op::product, all), parts);
    }
    return all;
  }
  if (t.kind == TermKind::combine) {
    auto parts = ordered_parts(id);
    return whole_extremum(id, parts);
  }
  const auto* applied = terms_.application(id);
  if (applied == nullptr) return std::nullopt;
  const simt::Operation& o = terms_.operation(applied->operation);
  const auto& of = applied->operands;
  const auto type = o.types == 1 ? simt::number_type(o.type) : std::nullopt;
  if (!type || is_float(*type)) return std::nullopt;
  const bool wide = o.how == Modifiers{Modifier::wide};
  const Type as = wide ? *type : simt::symbolic::with_sign(*type);
  const auto x = whole(of[0], as);
  if (!x) return std::nullopt;
  if (o.is(Opcode::abs, 1)) return forms_.function("abs", {*x});
  if (of.size() == 1) return std::nullopt;
  if (o.is(Opcode::shl, 2) && of[1].term == 0 && of[1].bits < 8 * size_of(*type)) {
    return forms_.sum(real_ring, {{*x, {__int128{1} << of[1].bits, 1, 0}}});
  }
  const auto y =
      wide && o.opcode == Opcode::mul && of.size() == 2 ? whole(of[1], as) : std::nullopt;
  if (!y) return std::nullopt;
  std::map<NormalId, std::uint64_t> factors;
  for (const NormalId factor : {*x, *y}) ++factors[factor];
  return forms_.product(real_ring, factors);
}

}  // namespace gauntlet::prove
