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

std::vector<TermReader::Part> TermReader::operands_of(
    TermId top, const std::function<NormalId(const Part&)>& as, bool through_shared) {
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
        const auto sum = through_shared ? sums_.end() : sums_.find(base);
        if (sum != sums_.end() && c.sum && ring_of(next->type) == ring_of(c.type)) {
          all.push_back({v, c.type, reals_[base], own, depth + sum->second.height, &sum->second});
          return;
        }
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
  const auto as = [&](const Part& p) {
    const TermId of = p.value.term;
    const bool constant = of == 0 || terms_[of].kind == TermKind::constant;
    if (c.sum || !constant || !of_formulas_) return operand(p.value, p.type);
    return forms_.factor(p.type, of == 0 ? p.value.bits : terms_[of].number());
  };
  const auto parts = operands_of(id, as, false);
  const NormalId all = combined(ring, c.sum, parts);
  const std::uint64_t key = c.sum ? part_keys(ring, parts) : whole_key(Op::product, all);
  Shared how{key, 0, 0, false};
  if (of_formulas_) how = note(id, key, parts);
  if (shared_.contains(id)) {
    how.minus = part_keys(ring, parts, -1);
    sums_.emplace(id, how);
  }
  return all;
}

std::uint64_t TermReader::part_keys(unsigned ring, const std::vector<Part>& parts, int sign) {
  std::uint64_t key = 0;
  for (const Part& part : parts) {
    const __int128 times = sign * part.times;
    if (part.sum != nullptr) {
      key += times < 0 ? part.sum->minus * static_cast<std::uint64_t>(-times)
                       : part.sum->plus * static_cast<std::uint64_t>(times);
      continue;
    }
    key += forms_.part_key(ring, part.id, times);
    // What data make 0 is no part of any formula: it may be a NaN.
    const TermId of = part.value.term;
    const bool constant = of == 0 || terms_[of].kind == TermKind::constant;
    if (!constant && part.id == forms_.constant(ring, Coefficient{})) ++key;
  }
  return key;
}

TermReader::Shared TermReader::note(TermId top, std::uint64_t key, const std::vector<Part>& parts) {
  Shared how{key, 0, 0, false};
  auto& computed = result_.reductions[key];
  const Term& t = terms_[top];
  const auto own = type(top);
  computed.whole = computed.whole && own && (!is_float(*own) || range({top, 0}, *own));
  const auto* applied = terms_.application(top);
  const std::uint64_t operation = applied != nullptr ? applied->operation : ~t.head();
  const auto [name, fresh] = chain_names_.try_emplace(operation, result_.chains.size());
  if (fresh) result_.chains.push_back(text(top));
  constexpr std::size_t most_names = 63;
  computed.names |= std::uint64_t{1} << std::min(name->second, most_names);
  const bool order = t.kind == TermKind::combine && t.op != Op::sum && t.op != Op::product;
  const auto root = roots_.find(top);
  const bool is_result = order && root != roots_.end() && root->second == t.type;
  for (const Part& part : parts) {
    how.height = std::max(how.height, part.depth);
    how.of_rounded = how.of_rounded || (part.sum != nullptr && part.sum->of_rounded);
    const TermId of = part.value.term;
    if (of == 0 || !forms_.is(part.id, Tag::leaf) || precision(of) == 64) continue;
    // Rounding keeps an order: the greatest of elements that are rounded is the greatest one,
    // rounded.
    const bool once = is_result && precision(before_rounding(of)) == 64;
    how.of_rounded = how.of_rounded || !once;
  }
  computed.height = std::max(computed.height, how.height);
  computed.of_rounded = computed.of_rounded || how.of_rounded;
  return how;
}

/// A maximum of floats may begin with what none of its parts is below, a minimum with what none is
/// above: 0 where all are magnitudes, and of numbers that are finite the least or greatest of these
/// (-FLT_MAX). True if that takes parts for finite numbers.
bool TermReader::drop_start(const Term& whole, std::vector<Part>& parts) {
  const bool greatest = whole.op == Op::maximum;
  const auto is_constant = [&](const Part& p) {
    return terms_[p.value.term].kind == TermKind::constant;
  };
  const auto first = std::ranges::find_if(parts, is_constant);
  if (!is_float(whole.type) || first == parts.end() || std::ranges::all_of(parts, is_constant)) {
    return false;
  }
  const auto bits = terms_[first->value.term].number();
  const FloatFormat format = format_of(whole.type);
  const bool extreme = bits == ((greatest ? format.sign_bit() : 0) | (format.infinity() - 1));
  const bool dropped = std::ranges::all_of(parts, [&](const Part& p) {
    const TermId of = p.value.term;
    if (is_constant(p)) return terms_[of].number() == bits && p.type == first->type;
    if (extreme) return p.type == first->type;
    return greatest && bits == 0 && is_never_negative(exactly(of));
  });
  if (dropped) std::erase_if(parts, is_constant);
  return dropped;
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
  auto parts = ordered_parts(top);
  const Term& t = terms_[top];
  const auto as = [&](const Part& p) {
    return is_float(t.type) ? operand(p.value, t.type) : whole(p.value, t.type);
  };
  std::vector<NormalId> ids;
  for (Part& part : parts) ids.push_back(part.id = as(part));
  const NormalId all = forms_.extremum(t.op, ids);
  // What begins with a limit that it never reaches is no minimum or maximum of several.
  const bool several = ids.size() > 1 && std::ranges::find(ids, all) == ids.end();
  if (of_formulas_ && several) note(top, whole_key(t.op, all), parts);
  return all;
}

/// The number that an operation of whole numbers finds.
NormalId TermReader::whole(const Value& v, Type as) {
  const auto bits = static_cast<unsigned>(8 * size_of(as));
  try {
    return forms_.in_bits(residue(v, as), bits, is_signed(as));
  } catch (const TooLarge&) {
    return forms_.in_bits(unknown(v.term, size_of(as)), bits, is_signed(as));
  }
}

/// Bits of which nothing more is known, as a number without a sign.
NormalId TermReader::unknown(TermId id, std::size_t bytes) {
  const NormalId of = operand({id, 0}, simt::symbolic::integer_type(bytes, false));
  return forms_.function("bits", {bytes, of});
}

/// Any whole number that is the same modulo 2^width.
NormalId TermReader::residue(const Value& v, Type as) {
  const bool constant = v.term == 0 || terms_[v.term].kind == TermKind::constant;
  if (constant) {
    const auto bits = extend(v.term == 0 ? v.bits : terms_[v.term].number(), size_of(as), true);
    return forms_.constant(real_ring, Coefficient{static_cast<std::int64_t>(bits), 1, 0});
  }
  const TermId id = low(v.term, size_of(as));
  const auto known = known_whole(id);
  return known ? *known : unknown(id, size_of(as));
}

std::optional<NormalId> TermReader::known_whole(TermId id) {
  const auto [known, fresh] = whole_.try_emplace(id, std::nullopt);
  if (!fresh) return known->second;
  try {
    const auto found = whole_of(id);
    return whole_[id] = found;
  } catch (const TooLarge&) {
    return std::nullopt;
  }
}

std::optional<NormalId> TermReader::whole_of(TermId id) {
  const Term& t = terms_[id];
  const auto own = type(id);
  if (own && is_float(*own)) return std::nullopt;
  if (t.kind == TermKind::leaf) return forms_.element(t.number(), t.type);
  if (t.kind == TermKind::bytes) return of_bytes(id);
  if (const auto c = chain(id)) {
    const auto parts = operands_of(id, [&](const Part& p) { return residue(p.value, p.type); });
    const NormalId all = combined(real_ring, c->sum, parts);
    if (of_formulas_) {
      note(id, c->sum ? part_keys(real_ring, parts) : whole_key(Op::product, all), parts);
    }
    return all;
  }
  if (t.kind == TermKind::combine) return as_extremum(id);
  const auto* applied = terms_.application(id);
  return applied != nullptr ? whole_result(id, *applied) : std::nullopt;
}

/// Runs of bytes are what is left of quotients.
std::optional<NormalId> TermReader::of_bytes(TermId id) {
  const Term& t = terms_[id];
  if (t.a != 0) return is_float(t.from) ? std::nullopt : std::optional(whole({t.a, 0}, t.from));
  const auto bytes = terms_.bytes(id);
  std::vector<std::pair<NormalId, Coefficient>> parts;
  for (int k = 0; k < t.size; ++k) {
    const auto& byte = bytes[static_cast<std::size_t>(k)];
    if (byte.term == 0) {
      parts.emplace_back(forms_.constant(real_ring, one), Coefficient{byte.value, 1, 8 * k});
      continue;
    }
    const auto size = terms_[byte.term].size;
    const auto own = type(byte.term);
    if (!own || is_float(*own) || size_of(*own) != size) return std::nullopt;
    const NormalId of = whole({byte.term, 0}, simt::symbolic::integer_type(size, false));
    const auto quotient = [&](int bit) { return forms_.floored(of, __int128{1} << bit); };
    const int from = 8 * byte.index, top = from + 7;
    parts.emplace_back(quotient(byte.sign ? top : from),
                       Coefficient{byte.sign ? 255 : 1, 1, 8 * k});
    parts.emplace_back(quotient(top + 1), Coefficient{byte.sign ? -510 : -256, 1, 8 * k});
  }
  for (auto& [of, c] : parts) c = reduced(real_ring, c);
  return forms_.sum(real_ring, parts);
}

std::optional<NormalId> TermReader::whole_result(TermId id, const simt::symbolic::Application& a) {
  const simt::Operation& o = terms_.operation(a.operation);
  const auto& of = a.operands;
  const auto type = simt::number_type(o.type), from = simt::number_type(o.from);
  if (!type || !from || is_float(*type) || is_float(*from) || of.empty()) return std::nullopt;
  const auto width = static_cast<unsigned>(8 * size_of(*type));
  const auto is = [&](Opcode opcode, std::size_t inputs, const Modifiers& how = {}) {
    return o.is(opcode, static_cast<unsigned>(inputs), how) && of.size() == inputs && o.how == how;
  };
  const auto x = [&] { return whole(of[0], *from); };
  const auto number = [&](std::size_t k, Type as) -> std::optional<__int128> {
    if (of[k].term != 0) return std::nullopt;
    const auto bits = extend(of[k].bits, size_of(as), is_signed(as));
    return is_signed(as) ? __int128{static_cast<std::int64_t>(bits)} : __int128{bits};
  };
  const auto scaled = [&](NormalId n, __int128 by) {
    return forms_.sum(real_ring, {{n, reduced(real_ring, {by, 1, 0})}});
  };
  const auto times = [&](NormalId p, NormalId q) {
    std::map<NormalId, std::uint64_t> factors;
    for (const NormalId factor : {p, q}) ++factors[factor];
    return forms_.product(real_ring, factors);
  };
  if (is(Opcode::selp, 3)) return whole_choice(id, of, *type);
  if (is(Opcode::abs, 1)) return forms_.magnitude(x());
  if (is(Opcode::not_, 1)) {
    return forms_.sum(real_ring, {{residue(of[0], *type), minus_one},
                                  {forms_.constant(real_ring, one), minus_one}});
  }
  if (is(Opcode::mul, 2, {Modifier::wide})) return times(x(), whole(of[1], *from));
  if (is(Opcode::mul, 2, {Modifier::hi})) {
    return forms_.floored(times(x(), whole(of[1], *from)), __int128{1} << width);
  }
  if (is(Opcode::mul24, 2, {Modifier::lo}) || is(Opcode::mul24, 2, {Modifier::hi})) {
    const auto low = [&](std::size_t k) {
      return forms_.in_bits(residue(of[k], *type), 24, is_signed(*type));
    };
    const NormalId all = times(low(0), low(1));
    return o.how.has(Modifier::hi) ? forms_.floored(all, __int128{1} << 16) : all;
  }
  if (of.size() < 2) return std::nullopt;
  const auto by = number(1, is(Opcode::div, 2) || is(Opcode::rem, 2) ? *type : Type::u32);
  if (is(Opcode::and_, 2)) return masked(of, *type);
  if (!by) return std::nullopt;
  if (is(Opcode::div, 2) || is(Opcode::rem, 2)) {
    if (*by == 0) return std::nullopt;
    const NormalId n = x(), quotient = forms_.truncated(n, *by);
    if (o.opcode == Opcode::div) return quotient;
    return forms_.sum(real_ring, {{n, one}, {scaled(quotient, *by), minus_one}});
  }
  if (is(Opcode::shl, 2)) {
    return *by < width ? scaled(residue(of[0], *type), __int128{1} << *by)
                       : forms_.constant(real_ring, Coefficient{});
  }
  if (is(Opcode::shr, 2)) {
    return forms_.floored(x(), __int128{1} << std::min<__int128>(*by, width));
  }
  return std::nullopt;
}

/// The bits of a mask that no data decide, run by run.
std::optional<NormalId> TermReader::masked(const std::vector<Value>& of, Type type) {
  const std::size_t mask = of[0].term == 0 ? 0 : 1;
  if (of[mask].term != 0) return std::nullopt;
  const NormalId x = residue(of[1 - mask], type);
  std::vector<std::pair<NormalId, Coefficient>> parts;
  const auto bits = static_cast<int>(8 * size_of(type));
  for (int k = 0; k <= bits; ++k) {
    const auto bit = [&](int n) { return n >= 0 && n < bits && (of[mask].bits >> n & 1) != 0; };
    if (bit(k) == bit(k - 1)) continue;
    parts.emplace_back(forms_.floored(x, __int128{1} << k),
                       reduced(real_ring, {bit(k) ? 1 : -1, 1, k}));
  }
  return forms_.sum(real_ring, parts);
}

}  // namespace gauntlet::prove
