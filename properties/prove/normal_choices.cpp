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
  for (auto& x : all) x = ring % 64 != 0 ? x & ((std::uint64_t{1} << ring) - 1) : x;
  const auto [it, fresh] = tables_.try_emplace(std::move(all), tables_.size());
  if (fresh) {
    const auto& values = it->first;
    const bool same = std::ranges::all_of(values, [&](auto x) { return x == values[0]; });
    all_tables_.push_back({&values, same});
  }
  return it->second;
}

NormalId NormalForms::tabulated(unsigned ring, std::uint64_t element, std::size_t table) {
  const auto& [values, is_constant] = all_tables_[table];
  if (is_constant) return constant(ring, {static_cast<std::int64_t>(values->front()), 1, 0});
  return intern({tag(Tag::table), ring, element, table});
}

std::optional<NormalId> TermReader::as_table(TermId id) {
  const auto* applied = terms_.application(id);
  if (applied == nullptr) return std::nullopt;
  const simt::Operation& o = terms_.operation(applied->operation);
  const auto type = simt::number_type(o.type);
  if (o.opcode != Opcode::selp || !type || is_float(*type)) return std::nullopt;
  const auto table = tables_.of(id);
  if (!table) return std::nullopt;
  const auto [it, fresh] = table_numbers_.try_emplace({size_of(*type), table->shape}, 0);
  if (fresh) {
    auto values = *table->values;
    for (auto& x : values) x = extend(x, size_of(*type), true);
    it->second = forms_.table(real_ring, std::move(values));
  }
  return forms_.tabulated(real_ring, table->element, it->second);
}

/// The first number that f makes of a comparison which decides alone what a predicate is; of it,
/// and of whether it is true where the first number is the greater one.
template <class F>
std::optional<NormalId> TermReader::for_each_test(const Value& predicate, F&& f) {
  std::set<TermId> tests;
  comparisons(predicate.term, tests);
  for (const TermId id : tests) {
    const Term& t = terms_[id];
    const NormalId a = operand({t.a, 0}, t.type), b = operand({t.b, 0}, t.type);
    const auto if_greater = truth(predicate, {{a, b, is_greater, t.type, true}}),
               if_less = truth(predicate, {{a, b, is_less, t.type, true}});
    if (!if_greater || !if_less || *if_greater == *if_less) continue;
    if (const auto found = f(t, *if_greater)) return found;
  }
  return std::nullopt;
}

/// The minimum or maximum of what is compared.
std::optional<NormalId> TermReader::order_chosen(const std::vector<Value>& of, Type type) {
  return for_each_test(of[2], [&](const Term& t, bool takes_greater) -> std::optional<NormalId> {
    const bool real = is_float(type);
    if (is_float(t.type) != real || (!real && size_of(t.type) != size_of(type)))
      return std::nullopt;
    const auto compared = [&](TermId of) {
      return real ? operand({of, 0}, t.type) : whole({of, 0}, t.type);
    };
    const auto taken = [&](const Value& v) { return real ? operand(v, type) : residue(v, type); };
    const NormalId a = compared(t.a), b = compared(t.b), x = taken(of[0]), y = taken(of[1]);
    if ((a != x || b != y) && (a != y || b != x)) return std::nullopt;
    return forms_.extremum(takes_greater == (a == x) ? Op::maximum : Op::minimum, {x, y});
  });
}

/// A float that is chosen.
std::optional<NormalId> TermReader::as_choice(const std::vector<Value>& of, Type type) {
  asked_ = 0;
  if (const auto always = truth(of[2], {})) return operand(of[*always ? 0 : 1], type);
  if (const auto order = order_chosen(of, type)) return order;
  const auto scaled =
      for_each_test(of[2], [&](const Term& t, bool takes_greater) -> std::optional<NormalId> {
        if (!is_float(t.type)) return std::nullopt;
        const NormalId a = operand({t.a, 0}, t.type), b = operand({t.b, 0}, t.type);
        const NormalId x = operand(of[0], type), y = operand(of[1], type);
        return takes_greater ? as_scaled(x, y, a, b) : as_scaled(y, x, a, b);
      });
  if (scaled) return scaled;
  return by_condition(of, real_ring, [&](const Value& v) { return operand(v, type); });
}

template <class As>
std::optional<NormalId> TermReader::by_condition(const std::vector<Value>& of, unsigned ring,
                                                 As&& as) {
  try {
    const auto by = condition(of[2]);
    if (by) return forms_.chosen_number(ring, *by, as(of[0]), as(of[1]));
  } catch (const TooManyChoices&) {
    result_.too_many_choices = true;
  }
  return std::nullopt;
}

/// A whole number that is chosen.
std::optional<NormalId> TermReader::whole_choice(TermId id, const std::vector<Value>& of,
                                                 Type type) {
  if (const auto table = as_table(id)) return table;
  asked_ = 0;
  if (const auto always = truth(of[2], {})) return residue(of[*always ? 0 : 1], type);
  const auto place = for_each_test(of[2], [&](const Term& t, bool takes_greater) {
    return as_place(of, type, t, takes_greater);
  });
  if (place) return place;
  if (const auto order = order_chosen(of, type)) return order;
  return by_condition(of, real_ring, [&](const Value& v) { return residue(v, type); });
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
    return times(one, power(forms_.extremum(Op::maximum, {a, b}), -1, natural));
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
    return forms_.compared(Relation::lt, whole(v, Type::i32),
                           forms_.constant(real_ring, Coefficient{}));
  }
  const auto& of = terms_.application(v.term)->operands;
  const NormalId x = negative(of[0]);
  return opcode == Opcode::not_ ? forms_.negation(x) : forms_.joined(opcode, x, negative(of[1]));
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

/// What is compared with another float. A number that no float of that one's format is may be what
/// the nearest one stands for.
std::optional<NormalId> TermReader::limit(const Value& v, Type type, const Value& other) {
  const Term& t = terms_[v.term];
  const auto own = this->type(stripped(other.term));
  if (t.kind != TermKind::constant || !own || !is_float(*own)) return written(v, type);
  const double number = float_value(type, t.number());
  const NormalId nearest = forms_.constant(*own, float_bits(*own, number));
  return forms_.stands_for(nearest, number) ? nearest : forms_.constant(type, t.number());
}

/// A number that is compared: its very own, or how it is computed.
std::optional<NormalId> TermReader::written(const Value& v, Type type) {
  if (v.term == 0 || terms_[v.term].kind == TermKind::constant || is_exact(v.term)) {
    return operand(v, type);
  }
  if (!is(v.term, type) || !is_float(type)) return std::nullopt;
  const TermId id = stripped(v.term);
  if (const auto c = chain(id)) {
    bool known = true;
    std::vector<std::pair<NormalId, __int128>> all;
    for (const Part& part : operands_of(id, [&](const Part& p) {
           const auto of = written(p.value, p.type);
           known = known && of;
           return of.value_or(0);
         })) {
      all.emplace_back(part.id, part.times);
    }
    return known ? std::optional(forms_.written(c->sum, all)) : std::nullopt;
  }
  const auto* applied = terms_.application(id);
  if (applied == nullptr) return std::nullopt;
  const simt::Operation& o = terms_.operation(applied->operation);
  const bool named = o.opcode == Opcode::abs || o.opcode == Opcode::sqrt || o.opcode == Opcode::div;
  if (!named || o.types != 1) return std::nullopt;
  std::vector<std::uint64_t> of;
  for (const Value& side : applied->operands) {
    const auto one = written(side, type);
    if (!one) return std::nullopt;
    of.push_back(*one);
  }
  return forms_.function(std::string(name(o.opcode)) + " as written", of);
}

std::optional<NormalId> TermReader::condition_of(TermId id) {
  const Term& t = terms_[id];
  if (t.kind == TermKind::compare) {
    if (!is_float(t.type) && !is_exact(id)) return std::nullopt;
    auto relation = static_cast<Relation>(t.relation);
    if (const auto sign = sign_asked(t)) return sign;
    if (!is_float(t.type)) {
      return forms_.compared(relation, whole({t.a, 0}, t.type), whole({t.b, 0}, t.type));
    }
    if (relation > Relation::geu) return std::nullopt;
    // Of numbers a comparison and its twin for NaN are one.
    constexpr auto apart = static_cast<int>(Relation::equ) - static_cast<int>(Relation::eq);
    if (relation > Relation::ge) relation = static_cast<Relation>(t.relation - apart);
    const auto a = limit({t.a, 0}, t.type, {t.b, 0}), b = limit({t.b, 0}, t.type, {t.a, 0});
    return a && b ? std::optional(forms_.compared(relation, *a, *b)) : std::nullopt;
  }
  const auto logic = this->logic(id);
  if (!logic) return std::nullopt;
  std::vector<NormalId> of;
  for (std::size_t k = 0; k < logic->of.size(); ++k) {
    const auto side = condition(logic->of[k]);
    if (!side) return std::nullopt;
    of.push_back(logic->is_negated(k) ? forms_.negation(*side) : *side);
  }
  return of.size() == 1 ? of[0] : forms_.joined(logic->by, of[0], of[1]);
}

}  // namespace gauntlet::prove
