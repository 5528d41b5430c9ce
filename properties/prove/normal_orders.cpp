// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How two numbers compare, and the place that goes with their minimum or maximum. A choice is one
// of these if it is the same for every way in which the numbers may compare, equal ones included;
// what else the predicate asks may have any answer.
#include <algorithm>

#include "properties/prove/normal_terms.hpp"

namespace gauntlet::prove {

using simt::Opcode;
using simt::Relation;
using simt::symbolic::TermId;
using TermKind = simt::symbolic::Term::Kind;

namespace {

/// Parts of a predicate that are looked at: it may be made of itself many times over.
constexpr unsigned most_asked = 20'000;
/// Of places: as signed and unsigned numbers they are the same.
constexpr std::int64_t most_place = 0x7FFF'FFFF;

unsigned reversed(unsigned orders) {
  return (orders & is_equal) | ((orders & is_less) != 0 ? is_greater : 0) |
         ((orders & is_greater) != 0 ? is_less : 0);
}

}  // namespace

NormalId NormalForms::place(Op op, bool last, Type type, const Places& all) {
  if (is_float(type)) type = Type::f64;  // all formats have one order
  // Of one number the place that goes before its others is all there is.
  std::map<NormalId, std::uint64_t> best;
  for (const auto& [number, at] : all) {
    const auto [it, fresh] = best.try_emplace(number, at);
    if (!fresh) it->second = last ? std::max(it->second, at) : std::min(it->second, at);
  }
  const auto first = best.begin()->second;
  if (std::ranges::all_of(best, [&](const auto& p) { return p.second == first; })) {
    return constant(Type::u32, first);
  }
  // The place of the less of two is that of the greater one, the other way round.
  if (best.size() == 2 && op == Op::minimum) {
    op = Op::maximum;
    std::swap(best.begin()->second, std::next(best.begin())->second);
  }
  Key key{tag(Tag::place), static_cast<std::uint64_t>(op), last, static_cast<std::uint64_t>(type)};
  for (const auto& [number, at] : best) key.insert(key.end(), {number, at});
  return intern(key);
}

std::optional<NormalForms::Place> NormalForms::place(NormalId id) const {
  if (!is(id, Tag::place)) return std::nullopt;
  const View key = keys_[id];
  Place p{static_cast<Op>(key[1]), key[2] != 0, static_cast<Type>(key[3]), {}};
  for (std::size_t k = 4; k < key.size(); k += 2) {
    p.all.emplace(static_cast<NormalId>(key[k]), key[k + 1]);
  }
  return p;
}

std::set<NormalId> NormalForms::elements_of(NormalId id, Op op, Type type) const {
  if (is(id, Tag::leaf)) return {id};
  const View key = keys_[id];
  if (!is(id, Tag::extremum) || key[1] != static_cast<std::uint64_t>(op)) return {};
  std::set<NormalId> all(key.begin() + 2, key.end());
  const bool plain = std::ranges::all_of(all, [&](NormalId e) {
    return is(e, Tag::leaf) &&
           (is_float(type) || is_signed(static_cast<Type>(keys_[e][2])) == is_signed(type));
  });
  return plain ? all : std::set<NormalId>{};
}

Orders TermReader::orders(const Term& t, const std::vector<Known>& known) {
  const NormalId a = operand({t.a, 0}, t.type), b = operand({t.b, 0}, t.type);
  const auto is_element = [&](NormalId x) {
    return !forms_.elements_of(x, Op::maximum, t.type).empty() ||
           !forms_.elements_of(x, Op::minimum, t.type).empty();
  };
  const bool exact = is_exact(t.a) && is_exact(t.b);
  // Two sums that are equal as reals may have been rounded to two numbers.
  if (a == b && exact) return is_equal;
  for (const Known& k : known) {
    if (!exact && !k.rounded) continue;
    if (k.type && *k.type != t.type && !is_float(t.type) && k.orders != is_equal) continue;
    if (k.a == a && k.b == b) return k.orders;
    if (k.a == b && k.b == a) return reversed(k.orders);
  }
  if (!exact) return is_any;
  if (is_float(t.type)) {
    // Elements are finite.
    const int of_a = forms_.infinite(a), of_b = forms_.infinite(b);
    if (of_a != 0 && (of_b != 0 || is_element(b))) {
      return of_a == of_b ? is_equal : of_a < 0 ? is_less : is_greater;
    }
    return of_b == 0 || !is_element(a) ? is_any : of_b > 0 ? is_less : is_greater;
  }
  const auto xs = numbers(a, t.type), ys = numbers(b, t.type);
  if (xs.empty() || ys.empty() || (xs.size() > 1 && ys.size() > 1)) return is_any;
  Orders all = 0;
  for (const std::int64_t x : xs) {
    for (const std::int64_t y : ys) all |= x < y ? is_less : x > y ? is_greater : is_equal;
  }
  return all;
}

/// All that an integer may be: of a constant, and of a place.
std::vector<std::int64_t> TermReader::numbers(NormalId id, Type type) const {
  if (size_of(type) != 4) return {};
  if (const auto one = forms_.whole_number(type, id)) return {*one};
  const auto place = forms_.place(id);
  if (!place) return {};
  std::vector<std::int64_t> all;
  for (const auto& [element, at] : place->all) all.push_back(static_cast<std::int64_t>(at));
  return all;
}

std::optional<bool> TermReader::truth(const Value& v, const std::vector<Known>& known) {
  if (v.term == 0) return (v.bits & 1) != 0;
  if (++asked_ > most_asked) return std::nullopt;
  const Term& t = terms_[v.term];
  if (t.kind == TermKind::compare) {
    const unsigned with = simt::symbolic::orders_of(static_cast<Relation>(t.relation));
    const Orders all = orders(t, known);
    if ((all & with) == 0) return false;
    return (all & ~with) == 0 ? std::optional(true) : std::nullopt;
  }
  const auto logic = this->logic(v.term);
  if (!logic) return std::nullopt;
  const auto side = [&](std::size_t k) {
    const auto of = truth(logic->of[k], known);
    return of ? std::optional(*of != logic->is_negated(k)) : of;
  };
  const auto a = side(0);
  if (logic->of.size() == 1) return a;
  const auto b = side(1);
  if (logic->by == Opcode::xor_) return a && b ? std::optional(*a != *b) : std::nullopt;
  const bool decides = logic->by == Opcode::or_;
  if (a == decides || b == decides) return decides;
  return a && b ? std::optional(!decides) : std::nullopt;
}

std::optional<TermReader::Logic> TermReader::logic(TermId id) const {
  const auto* applied = terms_.application(id);
  if (applied == nullptr) return std::nullopt;
  const simt::Operation& o = terms_.operation(applied->operation);
  if (o.types != 1 || o.type != ptx::ScalarType::pred || !o.how.none()) return std::nullopt;
  const bool one = applied->operands.size() == 1, two = applied->operands.size() == 2;
  // Of `not`, too, the variant says whether it is the negation.
  const bool moves = one && (o.opcode == Opcode::not_ || o.opcode == Opcode::mov);
  const bool joins =
      two && (o.opcode == Opcode::and_ || o.opcode == Opcode::or_ || o.opcode == Opcode::xor_);
  if (!moves && !joins) return std::nullopt;
  return Logic{o.opcode, applied->operands, terms_.operation_variant(applied->operation)};
}

/// Those of order that a predicate asks.
void TermReader::comparisons(TermId id, std::set<TermId>& all) {
  constexpr std::size_t most = 16;
  if (id == 0 || all.size() >= most || ++asked_ > most_asked) return;
  const Term& t = terms_[id];
  if (t.kind == TermKind::compare) {
    const unsigned with = simt::symbolic::orders_of(static_cast<Relation>(t.relation));
    if ((with & is_less) != (with & is_greater) >> 2) all.insert(id);
    return;
  }
  const auto* applied = terms_.application(id);
  if (applied == nullptr) return;
  if (terms_.operation(applied->operation).type != ptx::ScalarType::pred) return;
  for (const Value& v : applied->operands) comparisons(v.term, all);
}

/// Where the elements of the number `of` are, if the value says that.
std::optional<NormalForms::Place> TermReader::places(const Value& v, NormalId of, Op op,
                                                     Type type) {
  const auto elements = forms_.elements_of(of, op, type);
  if (elements.empty()) return std::nullopt;
  NormalForms::Place found{op, false, type, {}};
  const NormalId id = operand(v, Type::u32);
  if (const auto at = forms_.whole_number(Type::u32, id)) {
    if (*at > most_place) return std::nullopt;
    for (const NormalId e : elements) found.all.emplace(e, static_cast<std::uint64_t>(*at));
    return found;
  }
  auto place = forms_.place(id);
  if (!place || (is_float(type) ? !is_float(place->type) : place->type != type)) {
    return std::nullopt;
  }
  if (place->op != op) {
    if (place->all.size() != 2) return std::nullopt;
    const auto [x, y] = std::pair(*place->all.begin(), *std::next(place->all.begin()));
    place->all = {{x.first, y.second}, {y.first, x.second}};
    place->op = op;
  }
  std::set<NormalId> of_place;
  for (const auto& [element, at] : place->all) of_place.insert(element);
  return of_place == elements ? place : std::nullopt;
}

/// of[0] is taken where the first number compared is the greater one, or where it is the less.
std::optional<NormalId> TermReader::as_place(const std::vector<Value>& of, Type type,
                                             const Term& test, bool takes_greater) {
  if (is_float(type) || size_of(type) != 4) return std::nullopt;
  const NormalId a = operand({test.a, 0}, test.type), b = operand({test.b, 0}, test.type);
  // Of numbers that were rounded another one may be the greater.
  if (truth(of[2], {{a, b, is_greater, test.type}}) != takes_greater ||
      truth(of[2], {{a, b, is_less, test.type}}) != !takes_greater) {
    return std::nullopt;
  }
  for (const Op op : {Op::maximum, Op::minimum}) {
    const bool of_first = takes_greater == (op == Op::maximum);
    const auto x = places(of[0], of_first ? a : b, op, test.type),
               y = places(of[1], of_first ? b : a, op, test.type);
    if (!x || !y) continue;
    const auto by_place = [](const auto& p, const auto& q) { return p.second < q.second; };
    const auto [x_least, x_most] = std::ranges::minmax_element(x->all, by_place);
    const auto [y_least, y_most] = std::ranges::minmax_element(y->all, by_place);
    Orders may = is_any & ~is_equal;
    if (x_most->second < y_least->second) may = is_less;
    if (x_least->second > y_most->second) may = is_greater;
    const NormalId at_x = operand(of[0], type), at_y = operand(of[1], type);
    for (const bool last : {false, true}) {
      const auto fits = [&](const NormalForms::Place& p) {
        const auto is_first = [&](const auto& q) { return q.second == p.all.begin()->second; };
        return p.last == last || std::ranges::all_of(p.all, is_first);
      };
      bool follows = fits(*x) && fits(*y);
      for (const Orders order : {is_less, is_greater}) {
        if ((may & order) == 0) continue;
        const auto taken =
            truth(of[2], {{a, b, is_equal, test.type}, {at_x, at_y, order, {}, true}});
        follows = follows && taken && *taken == (order == (last ? is_greater : is_less));
      }
      if (!follows) continue;
      NormalForms::Places all = x->all;
      all.insert(y->all.begin(), y->all.end());
      return forms_.place(op, last, test.type, all);
    }
  }
  return std::nullopt;
}

}  // namespace gauntlet::prove
