// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where comparisons, minima and maxima within functions come out in another way: looked for by
// halving among all numbers of what they are of.
#include <algorithm>
#include <set>

#include "base/scalar.hpp"
#include "machine/code/operation.hpp"
#include "machine/symbolic/tables.hpp"
#include "properties/language/proof_ways.hpp"

namespace gauntlet::spec {
namespace {

using simt::symbolic::Term;
using TermKind = Term::Kind;

}  // namespace

/// The term below that has this form, none of what it is made of being looked at.
TermForms::TermId TermForms::find(FormId atom, TermId within) const {
  std::vector<TermId> open{within};
  std::set<TermId> seen;
  constexpr std::size_t most = 1000;
  while (!open.empty() && seen.size() < most) {
    const TermId id = open.back();
    open.pop_back();
    if (id == 0 || !seen.insert(id).second) continue;
    if (mark_[id] == Mark::needed && form_[id] == atom) return id;
    terms_.for_each_operand(id, [&](TermId of) { open.push_back(of); });
  }
  return 0;
}

TermForms::Way TermForms::way(TermId id) const {
  const Term& t = terms_[id];
  const auto of = [&](TermId x) { return std::min(way(x), Way::through_0); };
  const auto constant = [&](TermId x) { return x == 0 || terms_[x].kind == TermKind::constant; };
  if (mark_[id] == Mark::needed && forms_[form_[id]].kind != Form::Kind::function) {
    return Way::itself;
  }
  if (t.kind == TermKind::convert) return size_of(t.type) > size_of(t.from) ? way(t.a) : of(t.a);
  if (t.kind == TermKind::bytes) return t.a != 0 ? way(t.a) : Way::any;
  if (t.kind == TermKind::combine) {
    if (t.op == Op::product && t.a == t.b) {
      return is_float(t.type) && of(t.a) == Way::through_0 ? Way::from_zero : Way::any;
    }
    if (!constant(t.a) && !constant(t.b)) return Way::any;
    const Way inner = of(constant(t.a) ? t.b : t.a);
    if (t.op == Op::product) return is_float(t.type) ? inner : Way::any;
    if (t.op == Op::sum && !is_float(t.type)) return Way::any;  // it may wrap
    return std::min(inner, Way::steady);
  }
  const auto* applied = terms_.application(id);
  if (applied == nullptr || applied->operands.empty()) return Way::any;
  const simt::Operation& o = terms_.operation(applied->operation);
  const TermId first = applied->operands[0].term;
  const auto type = simt::number_type(o.type);
  if (!type || first == 0) return Way::any;
  if (o.opcode == simt::Opcode::cvt) return of(first);
  if (!is_float(*type) || applied->operands.size() != 1) return Way::any;
  if (o.opcode == simt::Opcode::neg) return of(first);
  return o.opcode == simt::Opcode::abs && of(first) == Way::through_0 ? Way::from_zero : Way::any;
}

TermForms::TermId TermForms::hidden_turn() const {
  for (TermId id = 1; id < terms_.size(); ++id) {
    const Term& t = terms_[id];
    if (t.kind != TermKind::compare || mark_[id] == Mark::none) continue;
    if (forms_[form_[id]].parts.size() != 1) continue;
    const bool first = terms_[t.b].kind == TermKind::constant;
    const bool second = terms_[t.a].kind == TermKind::constant;
    const Way follows = first ? way(t.a) : second ? way(t.b) : Way::any;
    const auto relation = static_cast<simt::Relation>(t.relation);
    using R = simt::Relation;
    const bool equality =
        relation == R::eq || relation == R::ne || relation == R::equ || relation == R::neu;
    if (follows < (equality ? Way::itself : Way::from_zero)) return id;
  }
  return 0;
}

std::vector<TermForms::Turn> TermForms::turns() const {
  constexpr std::size_t most = 64, most_looked = 4096;
  std::vector<Turn> all;
  std::set<std::uint64_t> shapes;
  std::size_t looked = 0;
  for (TermId id = 1; id < terms_.size() && all.size() < most && looked < most_looked; ++id) {
    const Term& t = terms_[id];
    const bool order = t.kind == TermKind::combine && (t.op == Op::minimum || t.op == Op::maximum);
    const bool turns = t.kind == TermKind::compare || order;
    if (!turns || mark_[id] == Mark::none || forms_[form_[id]].kind != Form::Kind::function) {
      continue;
    }
    const Parts& parts = forms_[form_[id]].parts;
    if (parts.size() != 1) continue;
    ++looked;
    if (!shapes.insert(shape(id)).second) continue;
    const TermId of = find(parts.front().first, id);
    const auto c = of == 0 ? std::nullopt : chain(of);
    if (of != 0 && (c || terms_[of].kind == TermKind::leaf)) {
      all.push_back({id, of, c ? c->as : terms_[of].type});
    }
  }
  return all;
}

namespace {

/// The numbers of a type as unsigned ones, in their order.
std::uint64_t sign_of(Type type) { return std::uint64_t{1} << (8 * size_of(type) - 1); }
std::uint64_t place_of(Type type, std::uint64_t bits) {
  if (is_float(type) && (bits & sign_of(type)) != 0) return truncate(type, ~bits);
  return is_float(type) || is_signed(type) ? bits ^ sign_of(type) : bits;
}
std::uint64_t at_place(Type type, std::uint64_t place) {
  if (is_float(type) && (place & sign_of(type)) == 0) return truncate(type, ~place);
  return is_float(type) || is_signed(type) ? place ^ sign_of(type) : place;
}

/// Between which places a comparison comes out in another way.
class Search {
 public:
  Search(const simt::symbolic::Terms& terms, const TermForms::Turn& turn)
      : terms_(terms), turn_(turn) {}

  /// The places on either side.
  std::vector<std::uint64_t> turns() {
    const Type type = turn_.type;
    const FloatFormat format = format_of(type);
    const std::uint64_t last = truncate(type, ~std::uint64_t{0});
    const std::uint64_t least = is_float(type)
                                    ? place_of(type, format.sign_bit() | (format.infinity() - 1))
                                    : 0,
                        most = is_float(type) ? place_of(type, format.infinity() - 1) : last;
    const std::uint64_t zero = place_of(type, 0), step = (most - least) / 1000 + 1;
    std::set<std::uint64_t> places{least, most, zero};
    for (std::uint64_t p = least; most - p > step; p += step) places.insert(p);
    for (std::uint64_t k = 1; k <= last / 4; k *= 2) {
      if (zero - least > k) places.insert(zero - k);
      if (most - zero > k) places.insert(zero + k);
    }
    std::vector<std::uint64_t> found;
    look({places.begin(), places.end()}, found);
    return found;
  }

 private:
  static constexpr std::size_t most_found = 32;

  void look(const std::vector<std::uint64_t>& places, std::vector<std::uint64_t>& found) {
    const auto holds = answers(places);
    for (std::size_t k = 1; k < holds.size() && found.size() < most_found; ++k) {
      if (holds[k - 1] == holds[k]) continue;
      const std::uint64_t low = places[k - 1], high = places[k], span = high - low;
      if (span == 1) {
        found.insert(found.end(), {low, high});
        continue;
      }
      std::set<std::uint64_t> inner{low, high};
      for (std::uint64_t part = 1; part < 31; ++part)
        inner.insert(low + span / 31 * part + std::min(part, span % 31));
      std::erase_if(inner, [&](std::uint64_t p) { return p > high; });
      look({inner.begin(), inner.end()}, found);
    }
  }

  /// At each place; none where the comparison is not followed.
  std::vector<std::uint64_t> answers(const std::vector<std::uint64_t>& places) {
    simt::symbolic::Samples::Values inputs;
    for (const std::uint64_t p : places) inputs.push_back(at_place(turn_.type, p));
    while (inputs.size() % 32 != 0) inputs.push_back(inputs.back());
    const auto element_of = [&](simt::symbolic::TermId id) {
      return id == turn_.of ? std::optional<std::uint64_t>(0) : std::nullopt;
    };
    simt::symbolic::Samples samples(terms_, std::move(inputs), element_of, true);
    const auto& t = terms_[turn_.term];
    const auto result = samples.of(turn_.term);
    if (!result) return {};
    std::vector<std::uint64_t> all(
        result->values->begin(),
        result->values->begin() + static_cast<std::ptrdiff_t>(places.size()));
    if (t.kind == simt::symbolic::Term::Kind::compare) return all;
    // Of a minimum or maximum: which of the two it is.
    const auto side = samples.of(t.a);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::uint64_t first = side ? (*side->values)[k] : terms_[t.a].number();
      all[k] = truncate(t.type, all[k]) == truncate(t.type, first) ? 1 : 0;
    }
    return all;
  }

  const simt::symbolic::Terms& terms_;
  const TermForms::Turn& turn_;
};

}  // namespace

void note_turns(const simt::symbolic::Terms& terms, const TermForms& made, Corners& corners) {
  for (const TermForms::Turn& turn : made.turns()) {
    for (const std::uint64_t place : Search(terms, turn).turns()) {
      const std::uint64_t bits = at_place(turn.type, place);
      const Value number = as_value(turn.type, bits);
      corners.turns.insert(number.integral ? static_cast<long double>(number.integer)
                                           : number.real.value);
      corners.of_reductions = corners.of_reductions || !made.computed().empty();
    }
  }
}

}  // namespace gauntlet::spec
