// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a predicate chooses, as a normal form: a minimum or maximum, a place that goes with one, the
// table of a function, or a diagram of conditions (normal_diagrams.cpp).
#include <algorithm>

#include "properties/prove/normal_terms.hpp"

namespace gauntlet::prove {

using simt::Opcode;
using simt::Relation;
using simt::symbolic::TermId;
using TermKind = simt::symbolic::Term::Kind;

std::size_t NormalForms::table(unsigned ring, std::vector<std::uint64_t> all) {
  for (auto& x : all) x = ring < 64 ? x & ((std::uint64_t{1} << ring) - 1) : x;
  const bool one = std::ranges::all_of(all, [&](auto x) { return x == all[0]; });
  const auto value = one ? std::optional(all[0]) : std::nullopt;
  const auto [it, fresh] = tables_.try_emplace(std::move(all), tables_.size());
  if (fresh) same_everywhere_.push_back(value);
  return it->second;
}

NormalId NormalForms::tabulated(unsigned ring, std::uint64_t element, std::size_t table) {
  if (const auto& value = same_everywhere_[table]) {
    return constant(ring, {static_cast<__int128>(*value), 1, 0});
  }
  return intern({tag(Tag::table), ring, element, table});
}

bool TermReader::is_exact(TermId id) {
  if (id == 0) return true;
  const auto own = type(id);
  const Term& t = terms_[id];
  const bool whole = own ? !is_float(*own) : t.kind != TermKind::compare;
  if (t.kind == TermKind::leaf || t.kind == TermKind::constant) return true;
  const auto [known, fresh] = exact_.try_emplace(id, false);
  if (!fresh) return known->second;
  bool exact = false;
  if (t.kind == TermKind::compare) {
    exact = is_exact(t.a) && is_exact(t.b);
  } else if (t.kind == TermKind::convert) {
    exact = size_of(t.type) > size_of(t.from) && is_exact(t.a);
  } else if (t.kind == TermKind::bytes) {
    exact = t.a == 0 || is_exact(t.a);
  } else if (t.kind == TermKind::combine) {
    exact = (whole || t.op == Op::minimum || t.op == Op::maximum) && is_exact(t.a) && is_exact(t.b);
  } else if (const auto* applied = terms_.application(id)) {
    const simt::Operation& o = terms_.operation(applied->operation);
    const bool chooses = o.opcode == Opcode::selp || o.type == ptx::ScalarType::pred;
    exact = (whole || chooses) && std::ranges::all_of(applied->operands, [&](const Value& v) {
              return is_exact(v.term);
            });
  }
  return exact_[id] = exact;
}

std::optional<NormalId> TermReader::as_table(TermId id) {
  const auto* applied = terms_.application(id);
  if (applied == nullptr) return std::nullopt;
  const simt::Operation& o = terms_.operation(applied->operation);
  const auto type = simt::number_type(o.type);
  if (o.opcode != Opcode::selp || !type || is_float(*type)) return std::nullopt;
  const auto table = tables_.of(id);
  if (!table) return std::nullopt;
  const unsigned ring = ring_of(*type);
  const auto [it, fresh] = table_numbers_.try_emplace({ring, table->shape}, 0);
  if (fresh) it->second = forms_.table(ring, *table->values);
  return forms_.tabulated(ring, table->element, it->second);
}

std::optional<NormalId> TermReader::as_choice(TermId id, const std::vector<Value>& of, Type type) {
  if (const auto table = as_table(id)) return table;
  asked_ = 0;
  if (const auto always = truth(of[2], {})) return operand(of[*always ? 0 : 1], type);
  std::set<TermId> tests;
  comparisons(of[2].term, tests);
  for (const TermId id : tests) {
    const Term& t = terms_[id];
    const NormalId a = operand({t.a, 0}, t.type), b = operand({t.b, 0}, t.type);
    const auto if_greater = truth(of[2], {{a, b, is_greater, t.type, true}}),
               if_less = truth(of[2], {{a, b, is_less, t.type, true}});
    if (!if_greater || !if_less || *if_greater == *if_less) continue;
    const bool alike =
        is_float(t.type) == is_float(type) && (is_float(type) || size_of(t.type) == size_of(type));
    const NormalId x = operand(of[0], type), y = operand(of[1], type);
    if (alike && ((a == x && b == y) || (a == y && b == x))) {
      return forms_.extremum(*if_greater == (a == x) ? Op::maximum : Op::minimum, t.type, {x, y});
    }
    if (const auto place = as_place(of, type, t, *if_greater)) return place;
    if (!is_float(type) || !is_float(t.type)) continue;
    const auto scaled = *if_greater ? as_scaled(x, y, a, b) : as_scaled(y, x, a, b);
    if (scaled) return scaled;
  }
  try {
    const auto by = condition(of[2]);
    if (by)
      return forms_.chosen_number(ring_of(type), *by, operand(of[0], type), operand(of[1], type));
  } catch (const TooManyChoices&) {
  }
  return std::nullopt;
}

/// x where a is the greater one, else y: both are one number, scaled by a power of the greater one.
std::optional<NormalId> TermReader::as_scaled(NormalId x, NormalId y, NormalId a, NormalId b) {
  const NormalId log2e = forms_.function("log2(e)", {});
  const auto power = [&](NormalId of, int sign, bool natural) {
    const NormalId up = forms_.sum(real_ring, {{of, {sign, 1, 0}}});
    return forms_.power_of_two(natural ? forms_.product(real_ring, {{up, 1}, {log2e, 1}}) : up);
  };
  const auto times = [&](NormalId p, NormalId q) {
    return p == q ? forms_.product(real_ring, {{p, 2}})
                  : forms_.product(real_ring, {{p, 1}, {q, 1}});
  };
  for (const bool natural : {false, true}) {
    const NormalId one = times(x, power(a, 1, natural));
    if (one != times(y, power(b, 1, natural))) continue;
    return times(one, power(forms_.extremum(Op::maximum, Type::f64, {a, b}), -1, natural));
  }
  return std::nullopt;
}

/// How words were joined bit by bit; none where they were not.
Opcode TermReader::joined_by(TermId id) const {
  const auto* applied = terms_.application(id);
  if (applied == nullptr || terms_.operation_variant(applied->operation) != 0) return Opcode::none;
  const simt::Operation& o = terms_.operation(applied->operation);
  const bool joins = o.is(Opcode::or_, 2) || o.is(Opcode::and_, 2) || o.is(Opcode::not_, 1);
  return joins && o.type == ptx::ScalarType::b32 ? o.opcode : Opcode::none;
}

/// Whether a word's bits are those of a negative number.
NormalId TermReader::negative(const Value& v) {
  const Opcode opcode = joined_by(v.term);
  if (opcode == Opcode::none) {
    return forms_.compared(Relation::lt, Type::i32, operand(v, Type::i32),
                           forms_.constant(Type::i32, 0));
  }
  const auto& of = terms_.application(v.term)->operands;
  const NormalId no = forms_.truth(false), yes = forms_.truth(true), x = negative(of[0]);
  if (opcode == Opcode::not_) return forms_.chosen(x, no, yes);
  const NormalId y = negative(of[1]);
  return opcode == Opcode::or_ ? forms_.chosen(x, yes, y) : forms_.chosen(x, y, no);
}

/// A comparison that asks for no more than the sign of words that were joined.
std::optional<NormalId> TermReader::sign_asked(const Term& t) {
  const Term& limit = terms_[t.b];
  if (t.type != Type::i32 || limit.kind != TermKind::constant) return std::nullopt;
  if (joined_by(t.a) == Opcode::none) return std::nullopt;
  const auto bits = static_cast<std::uint32_t>(limit.number());
  const auto relation = static_cast<Relation>(t.relation);
  const auto asks = [&](Relation before_0, Relation from_minus_1) {
    return (relation == before_0 && bits == 0) || (relation == from_minus_1 && bits + 1 == 0);
  };
  if (asks(Relation::lt, Relation::le)) return negative({t.a, 0});
  if (!asks(Relation::ge, Relation::gt)) return std::nullopt;
  return forms_.negation(negative({t.a, 0}));
}

std::optional<NormalId> TermReader::condition(const Value& v) {
  if (v.term == 0) return forms_.truth((v.bits & 1) != 0);
  const auto [known, fresh] = conditions_.try_emplace(v.term, std::nullopt);
  if (!fresh) return known->second;
  return conditions_[v.term] = condition_of(v.term);
}

std::optional<NormalId> TermReader::condition_of(TermId id) {
  const Term& t = terms_[id];
  if (!is_exact(id)) return std::nullopt;
  if (t.kind == TermKind::compare) {
    const auto relation = static_cast<Relation>(t.relation);
    if (const auto sign = sign_asked(t)) return sign;
    if (relation > Relation::ge) {  // of numbers a comparison and its twin for NaN are one
      if (relation > Relation::geu) return std::nullopt;
      constexpr auto apart = static_cast<int>(Relation::equ) - static_cast<int>(Relation::eq);
      return forms_.compared(static_cast<Relation>(t.relation - apart), t.type,
                             operand({t.a, 0}, t.type), operand({t.b, 0}, t.type));
    }
    return forms_.compared(relation, t.type, operand({t.a, 0}, t.type), operand({t.b, 0}, t.type));
  }
  const auto* applied = terms_.application(id);
  if (applied == nullptr) return std::nullopt;
  const simt::Operation& o = terms_.operation(applied->operation);
  if (o.types != 1 || o.type != ptx::ScalarType::pred || !o.how.none()) return std::nullopt;
  const auto variant = terms_.operation_variant(applied->operation);
  const auto side = [&](std::size_t k) -> std::optional<NormalId> {
    const auto of = condition(applied->operands[k]);
    if (!of || (variant >> k & 1) == 0) return of;
    return forms_.negation(*of);
  };
  if (applied->operands.size() == 1) {
    const bool moves = o.opcode == Opcode::not_ || o.opcode == Opcode::mov;
    return moves ? side(0) : std::nullopt;
  }
  if (applied->operands.size() != 2) return std::nullopt;
  const auto a = side(0), b = side(1);
  if (!a || !b) return std::nullopt;
  if (o.opcode == Opcode::and_) return forms_.chosen(*a, *b, forms_.truth(false));
  if (o.opcode == Opcode::or_) return forms_.chosen(*a, forms_.truth(true), *b);
  if (o.opcode != Opcode::xor_) return std::nullopt;
  const NormalId other = forms_.negation(*b);
  return forms_.chosen(*a, other, *b);
}

}  // namespace gauntlet::prove
