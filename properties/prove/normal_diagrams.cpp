// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers that conditions choose, as ordered decision diagrams (Bryant 1986): each condition is
// asked once on a way, in one order, so that what is the same for all answers is one form. A
// condition is a comparison; a truth value is a diagram whose ends are true and false.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/scalar.hpp"
#include "properties/prove/normal_forms.hpp"

namespace gauntlet::prove {
namespace {

/// Conditions below one another.
constexpr std::size_t most_deep = 4500;

}  // namespace

NormalForms::Step::Step(NormalForms& forms) : forms_(forms) {
  if (++forms.chosen_ > most_chosen || forms.deep_ > most_deep) throw TooManyChoices();
  ++forms.deep_;
}

NormalId NormalForms::truth(bool value) {
  constexpr std::uint64_t no_type = 0xFF;
  return intern({tag(Tag::constant), no_type, value});
}

std::optional<NormalForms::Limit> NormalForms::limit_of(NormalId condition) const {
  const View key = keys_[condition];
  if (key.size() != 6 || key[2] != below_a_limit) return std::nullopt;
  return Limit{static_cast<NormalId>(key[5]),
               static_cast<__int128>(key[3]) | static_cast<__int128>(key[4]) << 64};
}

/// What was met last is asked first, the limits of one number from the least on.
bool NormalForms::is_asked_before(NormalId a, NormalId b) const {
  const auto x = limit_of(a), y = limit_of(b);
  const NormalId p = x ? x->number : a, q = y ? y->number : b;
  return p != q ? p > q : x && y && x->limit < y->limit;
}

/// One condition's answer where that of another one is known, if that decides it.
std::optional<bool> NormalForms::answered(NormalId asked, NormalId condition, bool holds) const {
  if (asked == condition) return holds;
  const auto x = limit_of(asked), y = limit_of(condition);
  if (!x || !y || x->number != y->number || (x->limit < y->limit) == holds) return std::nullopt;
  return holds;
}

/// What is left of x where the condition is answered.
NormalId NormalForms::where(NormalId x, NormalId condition, bool holds) const {
  while (is(x, Tag::choice)) {
    const View key = keys_[x];
    const auto answer = answered(static_cast<NormalId>(key[1]), condition, holds);
    if (!answer) break;
    x = static_cast<NormalId>(key[*answer ? 2 : 3]);
  }
  return x;
}

NormalId NormalForms::choice(NormalId condition, NormalId x, NormalId y) {
  if (x == y) return x;
  const std::array<NormalId, 3> asked{condition, x, y};
  if (const auto known = choices_.find(asked); known != choices_.end()) return known->second;
  const Step step(*this);
  NormalId first = condition;
  for (const NormalId side : {x, y}) {
    if (!is(side, Tag::choice)) continue;
    const auto own = static_cast<NormalId>(keys_[side][1]);
    if (is_asked_before(own, first)) first = own;
  }
  const auto side = [&](bool holds) {
    const NormalId a = where(x, first, holds), b = where(y, first, holds);
    if (const auto answer = answered(condition, first, holds)) return *answer ? a : b;
    return choice(condition, a, b);
  };
  const NormalId a = side(true), b = side(false);
  // Below a limit the second side may be no other number than the first.
  return choices_[asked] = a == where(b, first, true) ? b : intern({tag(Tag::choice), first, a, b});
}

NormalId NormalForms::chosen(NormalId condition, NormalId x, NormalId y) {
  std::map<std::array<NormalId, 3>, NormalId> known;
  return chosen(condition, x, y, known);
}
NormalId NormalForms::chosen(NormalId condition, NormalId x, NormalId y,
                             std::map<std::array<NormalId, 3>, NormalId>& known) {
  if (x == y || condition == truth(true)) return x;
  if (condition == truth(false)) return y;
  const Step step(*this);
  const auto [it, fresh] = known.try_emplace({condition, x, y}, 0);
  if (!fresh) return it->second;
  const auto asks = static_cast<NormalId>(keys_[condition][1]);
  const auto side = [&](bool holds) {
    return chosen(where(condition, asks, holds), where(x, asks, holds), where(y, asks, holds),
                  known);
  };
  const NormalId a = side(true), b = side(false);
  return known[{condition, x, y}] = choice(asks, a, b);
}

NormalId NormalForms::joined(simt::Opcode by, NormalId a, NormalId b) {
  if (by == simt::Opcode::and_) return chosen(a, b, truth(false));
  if (by == simt::Opcode::or_) return chosen(a, truth(true), b);
  const NormalId other = negation(b);
  return chosen(a, other, b);
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
  using R = simt::Relation;
  if (!is(id, Tag::choice)) return std::nullopt;
  const View key = keys_[id];
  const NormalId by = decided(static_cast<NormalId>(key[1]));
  const auto x = static_cast<NormalId>(key[2]), y = static_cast<NormalId>(key[3]);
  if (is(x, Tag::choice) || is(y, Tag::choice)) return std::nullopt;
  for (const R relation : {R::lt, R::le, R::gt, R::ge}) {
    if (compared(relation, x, y) != by) continue;
    return extremum(relation < R::gt ? Op::minimum : Op::maximum, {x, y});
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
    const std::size_t first = is(next, Tag::choice) ? 2 : is(next, Tag::extremum) ? 2 : 0;
    if (is_turned(next)) {
      const View of = keys_[next];
      open.push_back(static_cast<NormalId>(of.size() == 3 ? of[2] : keys_[of[2]][1]));
      continue;
    }
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

/// A magnitude or -x, which no rounding makes.
bool NormalForms::is_turned(NormalId id) const {
  const View key = keys_[id];
  if (is(id, Tag::polynomial) && key.size() == 2 + coefficient_words) {
    return read(key)[0].second == minus_one && keys_[key[2]].size() == 3 && keys_[key[2]][2] == 1;
  }
  const auto name = words_.find("abs");
  return is(id, Tag::function) && key.size() == 3 && name != words_.end() && key[1] == name->second;
}

NormalId NormalForms::written(bool sum, const std::vector<std::pair<NormalId, __int128>>& parts) {
  std::map<NormalId, __int128> all;
  for (auto [part, times] : parts) {
    // Less a number is with the other sign.
    if (times < 0 && is_constant(part)) {
      part = this->sum(real_ring, {{part, minus_one}});
      times = -times;
    }
    all[part] += times;
  }
  std::vector<std::uint64_t> words;
  for (const auto& [part, times] : all) {
    words.insert(words.end(), {part, static_cast<std::uint64_t>(times)});
  }
  return function(sum ? "sum as written" : "product as written", words);
}

void NormalForms::let_stand(NormalId nearest, double number, bool exactly) {
  const auto own = exactly ? std::nullopt : std::optional(number);
  const auto [known, fresh] = nearest_.try_emplace(nearest, own);
  if (!fresh && known->second != own) known->second.reset();
}

bool NormalForms::stands_for(NormalId nearest, double number) const {
  const auto known = nearest_.find(nearest);
  return known != nearest_.end() && known->second == number;
}

bool NormalForms::is_settled(NormalId id) const {
  std::set<NormalId> settled;
  bool all = true;
  make_parts_first(
      id, [&](NormalId of) { return !all || settled.contains(of); },
      [&](NormalId of) {
        all = is(of, Tag::choice) || is_constant(of);
        settled.insert(of);
      });
  return all;
}

/// The parts of a minimum or maximum that are constants, or chosen of such, become one.
void NormalForms::join_settled(Op op, std::set<NormalId>& parts) {
  const auto relation = op == Op::minimum ? simt::Relation::lt : simt::Relation::gt;
  std::set<NormalId> others;
  std::optional<NormalId> joined;
  try {
    for (const NormalId part : parts) {
      if (!is_settled(part)) {
        others.insert(part);
      } else {
        joined = joined ? chosen(compared(relation, part, *joined), part, *joined) : part;
      }
    }
  } catch (const TooManyChoices&) {
    return;
  }
  if (joined) others.insert(*joined);
  parts = std::move(others);
}

NormalId NormalForms::compared(simt::Relation relation, NormalId a, NormalId b) {
  using R = simt::Relation;
  // By < and = alone: of numbers that are no NaN the others are their negations, or the same of the
  // operands exchanged.
  if (relation > R::ge) throw TooManyChoices();
  if (relation == R::gt || relation == R::le) std::swap(a, b);
  const bool equality = relation == R::eq || relation == R::ne;
  const NormalId found = less(equality, a, b);
  const bool holds = equality ? relation == R::eq : relation == R::lt || relation == R::gt;
  return holds ? found : negation(found);
}

/// Whether a is less than b, or equal to it.
NormalId NormalForms::less(bool equality, NormalId a, NormalId b) {
  if (range(a) && range(b)) {
    const auto below = [&](NormalId x, NormalId y) {
      return below_zero(sum(real_ring, {{x, one}, {y, minus_one}}));
    };
    if (!equality) return below(a, b);
    return chosen(below(a, b), truth(false), negation(below(b, a)));
  }
  for (const bool second : {false, true}) {
    const NormalId side = second ? b : a;
    if (!is(side, Tag::choice)) continue;
    const std::array<std::uint64_t, 3> asked{equality, a, b};
    if (const auto known = compared_.find(asked); known != compared_.end()) return known->second;
    const Step step(*this);
    const View key = keys_[side];
    const auto of = [&](std::size_t k) {
      const auto part = static_cast<NormalId>(key[k]);
      return second ? less(equality, a, part) : less(equality, part, b);
    };
    const NormalId x = of(2), y = of(3);
    return compared_[asked] = choice(static_cast<NormalId>(key[1]), x, y);
  }
  for (const bool second : {false, true}) {
    const View key = keys_[second ? b : a];
    if (equality || !is(second ? b : a, Tag::extremum) || key.size() > most_parts + 2) continue;
    const bool any = (static_cast<Op>(key[1]) == Op::minimum) != second;
    NormalId all = truth(!any);
    for (std::size_t k = 2; k < key.size(); ++k) {
      const auto part = static_cast<NormalId>(key[k]);
      const NormalId here = second ? less(false, a, part) : less(false, part, b);
      all = any ? chosen(here, here, all) : chosen(here, all, here);
    }
    return all;
  }
  if (equality && a > b) std::swap(a, b);
  if (a == b && is_exact(a)) return truth(equality);
  if (is_constant(a) && is_constant(b)) {
    const Polynomial apart = read(real_ring, sum(real_ring, {{a, one}, {b, minus_one}}));
    return truth(equality ? apart.empty() : !apart.empty() && apart[0].second.n < 0);
  }
  return decided(function("condition", {equality, 0, a, b}));
}

}  // namespace gauntlet::prove
