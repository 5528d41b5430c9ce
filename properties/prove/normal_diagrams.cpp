// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers that conditions choose, as ordered decision diagrams (Bryant 1986): each condition is
// asked once on a way, in one order, so that what is the same for all answers is one form. A
// condition is a comparison; a truth value is a diagram whose ends are true and false.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "base/scalar.hpp"
#include "properties/prove/normal_forms.hpp"

namespace gauntlet::prove {
namespace {

/// Of all diagrams together.
constexpr std::size_t most_chosen = std::size_t{1} << 19;
/// Conditions below one another.
constexpr int most_deep = 3000;

}  // namespace

NormalId NormalForms::truth(bool value) {
  constexpr std::uint64_t no_type = 0xFF;
  return intern({tag(Tag::constant), no_type, value});
}

/// What is left of x where the condition is answered.
NormalId NormalForms::where(NormalId x, NormalId condition, bool holds) const {
  const View key = keys_[x];
  const bool asks = is(x, Tag::choice) && key[1] == condition;
  return asks ? static_cast<NormalId>(key[holds ? 2 : 3]) : x;
}

NormalId NormalForms::choice(NormalId condition, NormalId x, NormalId y, int depth) {
  if (x == y) return x;
  const std::array<NormalId, 3> asked{condition, x, y};
  if (const auto known = choices_.find(asked); known != choices_.end()) return known->second;
  if (++chosen_ > most_chosen || depth > most_deep) throw TooManyChoices();
  // What was met last is asked first.
  NormalId first = condition;
  for (const NormalId side : {x, y}) {
    if (is(side, Tag::choice)) first = std::max(first, static_cast<NormalId>(keys_[side][1]));
  }
  const auto side = [&](bool holds) {
    const NormalId a = where(x, first, holds), b = where(y, first, holds);
    return first == condition ? (holds ? a : b) : choice(condition, a, b, depth + 1);
  };
  const NormalId a = side(true), b = side(false);
  return choices_[asked] = a == b ? a : intern({tag(Tag::choice), first, a, b});
}

NormalId NormalForms::chosen(NormalId condition, NormalId x, NormalId y) {
  std::map<std::array<NormalId, 3>, NormalId> known;
  return chosen(condition, x, y, known, 0);
}
NormalId NormalForms::chosen(NormalId condition, NormalId x, NormalId y,
                             std::map<std::array<NormalId, 3>, NormalId>& known, int depth) {
  if (x == y || condition == truth(true)) return x;
  if (condition == truth(false)) return y;
  if (++chosen_ > most_chosen || depth > most_deep) throw TooManyChoices();
  const auto [it, fresh] = known.try_emplace({condition, x, y}, 0);
  if (!fresh) return it->second;
  const auto asks = static_cast<NormalId>(keys_[condition][1]);
  const auto side = [&](bool holds) {
    return chosen(where(condition, asks, holds), where(x, asks, holds), where(y, asks, holds),
                  known, depth + 1);
  };
  const NormalId a = side(true), b = side(false);
  return known[{condition, x, y}] = choice(asks, a, b, depth);
}

NormalId NormalForms::chosen_number(unsigned ring, NormalId condition, NormalId x, NormalId y) {
  if (x == y) return x;
  // What both sides have in common is no part of the choice: `c ? s + x : s`.
  const Polynomial p = read(ring, x), q = read(ring, y);
  Polynomial common;
  std::ranges::set_intersection(p, q, std::back_inserter(common), [](auto& a, auto& b) {
    const auto key = [](const auto& term) {
      const auto& [monomial, c] = term;
      return std::tuple(monomial, c.n, c.d, c.e);
    };
    return key(a) < key(b);
  });
  if (!common.empty()) {
    const NormalId both = polynomial(ring, common);
    const auto rest = [&](NormalId of) { return sum(ring, {{of, {1, 1, 0}}, {both, {-1, 1, 0}}}); };
    const NormalId other = chosen_number(ring, condition, rest(x), rest(y));
    return sum(ring, {{both, {1, 1, 0}}, {other, {1, 1, 0}}});
  }
  const NormalId one = chosen(condition, x, y);
  return order_chosen(one).value_or(one);
}

/// The minimum or maximum of two numbers of which one is chosen by their order.
std::optional<NormalId> NormalForms::order_chosen(NormalId id) {
  if (!is(id, Tag::choice)) return std::nullopt;
  const View key = keys_[id], asked = keys_[key[1]];
  const bool less = is(static_cast<NormalId>(key[1]), Tag::function) && asked.size() == 6 &&
                    asked[1] == word("condition") && asked[2] == 0;
  if (!less) return std::nullopt;
  const auto a = static_cast<NormalId>(asked[4]), b = static_cast<NormalId>(asked[5]);
  const Type type = asked[3] == 0 ? Type::f64 : static_cast<Type>(asked[3] - 1);
  std::vector<NormalId> limits{b};  // x < 8 is x <= 7
  const auto number = whole_number(type, b);
  if (number && size_of(type) == 4) limits.push_back(constant(ring_of(type), {*number - 1, 1, 0}));
  for (const NormalId limit : limits) {
    const bool straight = key[2] == a && key[3] == limit, crossed = key[2] == limit && key[3] == a;
    if (straight || crossed) {
      return extremum(straight ? Op::minimum : Op::maximum, type, {a, limit});
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> NormalForms::whole_number(Type type, NormalId id) const {
  const View key = keys_[id];
  if (!is_constant(id) || key[1] != ring_of(type) || is_float(type)) return std::nullopt;
  if (key.size() == 2) return 0;
  const auto bits = static_cast<std::uint64_t>(read(key).begin()->second.n);
  const unsigned unused = 64 - ring_of(type);
  const auto number = static_cast<std::int64_t>(bits << unused);
  return is_signed(type) ? number >> unused
                         : static_cast<std::int64_t>(static_cast<std::uint64_t>(number) >> unused);
}

int NormalForms::infinite(NormalId id) const {
  const View key = keys_[id];
  if (!is(id, Tag::constant) || key[1] > static_cast<std::uint64_t>(Type::f64)) return 0;
  const auto type = static_cast<Type>(key[1]);
  if (!is_float(type) || !std::isinf(float_value(type, key[2]))) return 0;
  return float_value(type, key[2]) < 0 ? -1 : 1;
}

bool NormalForms::is_exact(NormalId id) const {
  std::set<NormalId> seen{id};
  std::vector<NormalId> open{id};
  while (!open.empty()) {
    const NormalId next = open.back();
    open.pop_back();
    // What is chosen by a condition, or by its order.
    const std::size_t first = is(next, Tag::choice) ? 2 : is(next, Tag::extremum) ? 3 : 0;
    if (first == 0 && !is_constant(next) && !is(next, Tag::leaf)) return false;
    for (std::size_t k = first; first != 0 && k < keys_[next].size(); ++k) {
      const auto part = static_cast<NormalId>(keys_[next][k]);
      if (seen.insert(part).second) open.push_back(part);
    }
  }
  return true;
}

bool NormalForms::is_constant(NormalId id) const {
  const View key = keys_[id];
  return is(id, Tag::polynomial) &&
         (key.size() == 2 || (key.size() == 2 + coefficient_words && keys_[key[2]].size() == 1));
}

std::optional<NormalForms::Bounds> NormalForms::bounds(Type type, NormalId id) {
  if (const auto one = whole_number(type, id)) return Bounds{*one, *one};
  if (!is(id, Tag::choice)) return std::nullopt;
  const std::pair asked{type, id};
  if (const auto known = bounds_.find(asked); known != bounds_.end()) return known->second;
  const View key = keys_[id];
  const auto x = bounds(type, static_cast<NormalId>(key[2])),
             y = bounds(type, static_cast<NormalId>(key[3]));
  auto& all = bounds_[asked];
  if (x && y) all = Bounds{std::min(x->least, y->least), std::max(x->most, y->most)};
  return all;
}

/// The parts of a minimum or maximum that are whole numbers, or chosen of such, become one.
void NormalForms::join_settled(Op op, Type type, std::set<NormalId>& parts) {
  const auto relation = op == Op::minimum ? simt::Relation::lt : simt::Relation::gt;
  std::set<NormalId> others;
  std::optional<NormalId> joined;
  try {
    for (const NormalId part : parts) {
      if (!is_settled(type, part)) {
        others.insert(part);
      } else {
        joined = joined ? chosen(compared(relation, type, part, *joined), part, *joined) : part;
      }
    }
  } catch (const TooManyChoices&) {
    return;
  }
  if (joined) others.insert(*joined);
  parts = std::move(others);
}

NormalId NormalForms::compared(simt::Relation relation, Type type, NormalId a, NormalId b) {
  using R = simt::Relation;
  if (const auto x = bounds(type, a), y = bounds(type, b); x && y && size_of(type) < 8) {
    const bool less = x->most<y->least, greater = x->least> y->most;
    const bool lt = relation == R::lt || relation == R::le || relation == R::ne,
               gt = relation == R::gt || relation == R::ge || relation == R::ne;
    if ((less || greater) && relation <= R::ge) return truth(less ? lt : gt);
  }
  for (const bool second : {false, true}) {
    const NormalId side = second ? b : a;
    if (!is(side, Tag::choice)) continue;
    const std::array<std::uint64_t, 4> asked{static_cast<std::uint64_t>(relation),
                                             static_cast<std::uint64_t>(type), a, b};
    if (const auto known = compared_.find(asked); known != compared_.end()) return known->second;
    if (++chosen_ > most_chosen) throw TooManyChoices();
    const View key = keys_[side];
    const auto of = [&](std::size_t k) {
      const auto part = static_cast<NormalId>(key[k]);
      return second ? compared(relation, type, a, part) : compared(relation, type, part, b);
    };
    const NormalId x = of(2), y = of(3);
    return compared_[asked] = choice(static_cast<NormalId>(key[1]), x, y);
  }
  // By < and = alone: of numbers that are no NaN the others are their negations, or the same of the
  // operands exchanged.
  bool holds = true;
  if (relation == R::ne || relation == R::ge || relation == R::le) holds = false;
  if (relation == R::gt || relation == R::le) std::swap(a, b);
  const bool equality = relation == R::eq || relation == R::ne;
  if (!equality && relation > R::ge) throw TooManyChoices();
  if (equality && a > b) std::swap(a, b);
  if (a == b && (!is_float(type) || is_exact(a))) return truth(equality == holds);
  const auto x = whole_number(type, a), y = whole_number(type, b);
  if (x && y && size_of(type) < 8) return truth((equality ? *x == *y : *x < *y) == holds);
  if (!equality && !is_float(type) && size_of(type) == 4) {
    // Of whole numbers 6 < x is not x < 7; none is below the least.
    const std::int64_t least = is_signed(type) ? std::numeric_limits<std::int32_t>::min() : 0;
    const std::int64_t most = least + std::numeric_limits<std::uint32_t>::max();
    if (x == most || y == least) return truth(!holds);
    if (x) {
      a = std::exchange(b, constant(ring_of(type), {*x + 1, 1, 0}));
      holds = !holds;
    }
  }
  const NormalId condition = function(
      "condition", {equality, is_float(type) ? 0 : static_cast<std::uint64_t>(type) + 1, a, b});
  return choice(condition, truth(holds), truth(!holds));
}

}  // namespace gauntlet::prove
