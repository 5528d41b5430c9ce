// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What data choose in a formula: conditions, where a minimum or maximum is, what is counted. Only
// elements and what is chosen of them are compared: a number that a kernel rounds may compare in
// another way.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/scalar.hpp"
#include "properties/language/formula.hpp"

namespace gauntlet::spec {
namespace {

using prove::Coefficient;
using Code = Expression::Code;
using Kind = Expression::Kind;

constexpr std::uint64_t most_conditions = std::uint64_t{1} << 20;

[[noreturn]] void not_followed(const char* what) { throw NoForm{what}; }

}  // namespace

prove::NormalId Formula::as_number(NormalId truth) {
  return forms_.chosen(truth, forms_.constant(ring_, {1, 1, 0}), forms_.constant(ring_, {}));
}

prove::NormalId Formula::condition(const Expression& b) {
  const auto side = [&](std::size_t k) { return condition(b.children[k]); };
  if (!depends_on_data(b)) return forms_.truth(evaluator_.truth(b));
  if (b.kind == Kind::logical_not) {
    return forms_.negation(side(0));
  }
  if (b.kind != Kind::operation) not_followed("a number that is taken for a truth value");
  if (b.code == Code::logical_and) {
    const NormalId first = side(0);
    return forms_.chosen(first, side(1), forms_.truth(false));
  }
  if (b.code == Code::logical_or) {
    const NormalId first = side(0);
    return forms_.chosen(first, forms_.truth(true), side(1));
  }
  return comparison(b);
}

prove::NormalId Formula::comparison(const Expression& b) {
  if (++terms_ > most_conditions) throw prove::TooLarge();
  // Both name the six in one order.
  constexpr auto first = static_cast<int>(Code::equal);
  static_assert(static_cast<int>(Code::greater_equal) - first ==
                static_cast<int>(simt::Relation::ge));
  if (b.code < Code::equal || b.code > Code::greater_equal) {
    not_followed("a number that is taken for a truth value");
  }
  const auto relation = static_cast<simt::Relation>(static_cast<int>(b.code) - first);
  auto [x, y] = compared_sides(b);
  if (forms_.range(x) && forms_.range(y)) return forms_.compared(relation, x, y);
  x = written_side(b.children[0], x);
  y = written_side(b.children[1], y);
  return forms_.compared(relation, x, y);
}

std::pair<prove::NormalId, prove::NormalId> Formula::compared_sides(const Expression& b) {
  const Type arithmetic = std::exchange(arithmetic_, float_.value_or(arithmetic_));
  const auto sides = as_whole([&] { return std::pair(form(b.children[0]), form(b.children[1])); });
  arithmetic_ = arithmetic;
  return sides;
}

/// A float, which is compared as itself, or as it is computed.
prove::NormalId Formula::written_side(const Expression& side, NormalId id) {
  if (!float_) not_followed("a comparison of elements of several types");
  // The kernel has a float near it, which compares otherwise. But what is written may stand for the
  // nearest one, as Evaluator has it.
  if (!depends_on_data(side)) {
    const bool literal = (side.kind == Kind::negation ? side.children[0] : side).kind == Kind::real;
    const long double number = to_real(evaluator_.value(side)).value;
    const auto bits = float_bits(*float_, static_cast<double>(number));
    const bool exactly = static_cast<long double>(float_value(*float_, bits)) == number;
    if (!exactly && !literal) {
      not_followed("a comparison with a number that the elements' type does not have");
    }
    forms_.let_stand(id, static_cast<double>(number), exactly);
  }
  const Type arithmetic = std::exchange(arithmetic_, *float_);
  id = as_whole([&] { return written(side); });
  arithmetic_ = arithmetic;
  return id;
}

prove::NormalId Formula::written(const Expression& b) {
  const NormalId id = form(b);
  if (forms_.is_exact(id)) return id;
  if (b.kind == Kind::local && locals_[static_cast<std::size_t>(b.slot)].value != nullptr) {
    return written(*locals_[static_cast<std::size_t>(b.slot)].value);
  }
  const bool sum = b.kind == Kind::negation || b.code == Code::add || b.code == Code::subtract,
             product = b.code == Code::multiply;
  std::vector<std::pair<NormalId, __int128>> parts;
  if (b.kind == Kind::negation || (b.kind == Kind::operation && (sum || product)) ||
      (b.kind == Kind::reduction && b.reduction == Reduction::sum)) {
    const bool adds = b.kind != Kind::operation || sum;
    add_written(b, adds, 1, parts);
    return forms_.written(adds, parts);
  }
  std::string name;
  if (b.kind == Kind::operation && b.code == Code::divide) name = "div";
  if (b.kind == Kind::function && b.code == Code::abs) name = "abs";
  if (b.kind == Kind::function && b.code == Code::sqrt) name = "sqrt";
  if (name.empty()) not_followed("a comparison of what is computed in this way is not followed");
  std::vector<std::uint64_t> of;
  for (const Expression& side : b.children) of.push_back(written(side));
  return forms_.function(name + " as written", of);
}

/// The parts of a sum or product, through all that continue it.
void Formula::add_written(const Expression& b, bool sum, int times,
                          std::vector<std::pair<NormalId, __int128>>& parts) {
  const bool exact = forms_.is_exact(form(b));
  const auto side = [&](std::size_t k, int sign) {
    add_written(b.children[k], sum, sign * times, parts);
  };
  if (!exact && b.kind == Kind::local &&
      locals_[static_cast<std::size_t>(b.slot)].value != nullptr) {
    return add_written(*locals_[static_cast<std::size_t>(b.slot)].value, sum, times, parts);
  }
  const bool operates = !exact && b.kind == Kind::operation;
  if (operates &&
      (sum ? b.code == Code::add || b.code == Code::subtract : b.code == Code::multiply)) {
    side(0, 1);
    return side(1, b.code == Code::subtract ? -1 : 1);
  }
  if (!exact && sum && b.kind == Kind::negation) return side(0, -1);
  if (!exact && sum && b.kind == Kind::reduction && b.reduction == Reduction::sum) {
    return for_each_term(b, [&](std::int64_t) { side(0, 1); });
  }
  parts.emplace_back(written(b), times);
}

/// One of two whole numbers by which of two elements is the less: a place, as a kernel's is.
std::optional<prove::NormalId> Formula::by_order(const Expression& test, NormalId x, NormalId y) {
  constexpr unsigned places_ring = 32;
  const bool less = test.code == Code::less || test.code == Code::less_equal;
  const auto first = forms_.whole_number(Type::i32, x), second = forms_.whole_number(Type::i32, y);
  if (ring_ != places_ring || !first || !second || *first < 0 || *second < 0) return std::nullopt;
  const auto [a, b] = compared_sides(test);
  const auto type = forms_.element_type(a);
  if (a == b || !type || type != forms_.element_type(b)) return std::nullopt;
  const bool strict = test.code == Code::less || test.code == Code::greater;
  const auto of_equal = strict ? *second : *first;
  const prove::NormalForms::Places all{{a, static_cast<std::uint64_t>(*first)},
                                       {b, static_cast<std::uint64_t>(*second)}};
  return forms_.place(less ? Op::minimum : Op::maximum, of_equal == std::max(*first, *second),
                      *type, all);
}

/// One that data decide.
prove::NormalId Formula::conditional(const Expression& b) {
  const Expression& test = b.children[0];
  if (!depends_on_data(test)) return form(b.children[evaluator_.truth(test) ? 1 : 2]);
  if (const auto table = tabulated(b, false)) return *table;
  const bool less = test.code == Code::less || test.code == Code::less_equal;
  const bool greater = test.code == Code::greater || test.code == Code::greater_equal;
  if (ring_ != prove::real_ring) {
    if (less || greater) {
      const NormalId x = form(b.children[1]), y = form(b.children[2]);
      if (const auto place = by_order(test, x, y)) return *place;
    }
    return ringed([&] { return conditional(b); });
  }
  const NormalId x = form(b.children[1]), y = form(b.children[2]);
  if (test.kind == Kind::operation && (less || greater)) {
    // A minimum or maximum, of numbers that are computed, too.
    const NormalId a = form(test.children[0]), c = form(test.children[1]);
    if ((a == x && c == y) || (a == y && c == x)) {
      return forms_.extremum(less == (a == x) ? Op::minimum : Op::maximum, {x, y});
    }
  }
  return forms_.chosen_number(ring_, condition(test), x, y);
}

/// The one element of data that an expression is of; false: it is of more, or of none of eight
/// bits.
bool Formula::find_small(const Expression& b, std::optional<Small>& found) {
  if (b.kind == Kind::reduction || b.kind == Kind::local) return !depends_on_data(b);
  if (b.kind == Kind::cursor || b.kind == Kind::element) {
    const auto array = static_cast<std::size_t>(b.slot);
    if (first_[array] >= 0) {
      if (std::ranges::any_of(b.children,
                              [&](const Expression& e) { return depends_on_data(e); })) {
        return false;
      }
      const std::uint64_t index = b.kind == Kind::cursor
                                      ? evaluator_.cursors_[static_cast<std::size_t>(b.slot2)].at
                                      : evaluator_.index(b);
      const Small small{array, index};
      if (size_of(program_.spec.arrays[array].type) != 1 || (found && *found != small)) {
        return false;
      }
      found = small;
      return true;
    }
  }
  return std::ranges::all_of(b.children, [&](const Expression& e) { return find_small(e, found); });
}

/// An expression that is a function of one element of eight bits, by its values; else none.
/// `as_truth`: 1 where it holds.
std::optional<prove::NormalId> Formula::tabulated(const Expression& b, bool as_truth) {
  std::optional<Small> small;
  if (!bytes_ || is_float(out_) || !find_small(b, small) || !small) return std::nullopt;
  if (++terms_ > most_conditions) throw prove::TooLarge();
  const std::uint64_t element = static_cast<std::uint64_t>(first_[small->array]) + small->index;
  // Beside the same numbers the values are the same for each element.
  std::pair<const Expression*, std::vector<std::int64_t>> asked{&b, {ring_}};
  const bool whole = add_settled(b, asked.second);
  if (const auto known = tables_.find(asked); whole && known != tables_.end()) {
    return forms_.tabulated(ring_, element, known->second);
  }
  View& view = evaluator_.views_[small->array];
  if (small->index >= view.bytes.size()) not_followed("an element that is not there");
  auto& copy =
      copies_.try_emplace(small->array, view.bytes.begin(), view.bytes.end()).first->second;
  view.bytes = copy;
  const std::byte before = copy[small->index];
  std::vector<std::uint64_t> values;
  for (unsigned k = 0; k < 256; ++k) {
    copy[small->index] = static_cast<std::byte>(k);
    const Value v = as_truth ? spec::whole(evaluator_.truth(b) ? 1 : 0) : evaluator_.value(b);
    if (!v.integral) break;
    values.push_back(static_cast<std::uint64_t>(v.integer));
  }
  copy[small->index] = before;
  if (values.size() != 256 || evaluator_.arithmetic_.undecided()) return std::nullopt;
  const std::size_t table = forms_.table(ring_, std::move(values));
  if (whole) tables_.emplace(std::move(asked), table);
  return forms_.tabulated(ring_, element, table);
}

/// 1 where it holds.
prove::NormalId Formula::indicator(const Expression& b) {
  if (!depends_on_data(b)) return forms_.constant(ring_, {evaluator_.truth(b) ? 1 : 0, 1, 0});
  if (const auto table = tabulated(b, true)) return *table;
  return as_number(condition(b));
}

/// The numbers beside the element that a function is of; false: they are not all whole.
bool Formula::add_settled(const Expression& b, std::vector<std::int64_t>& numbers) {
  if (!depends_on_data(b)) {
    if (b.kind != Kind::real && !b.integral) return false;
    if (b.integral) numbers.push_back(evaluator_.integer(b));
    return true;
  }
  if (b.kind == Kind::cursor || b.kind == Kind::element) return true;
  return std::ranges::all_of(b.children,
                             [&](const Expression& e) { return add_settled(e, numbers); });
}

/// Where the least or greatest of elements is. Of functions of them two may be rounded to one.
prove::NormalId Formula::place(const Expression& b) {
  own_ways_ = true;
  constexpr unsigned places_ring = 32;
  const Expression& term = b.children[0];
  const bool as_place = ring_ == places_ring || (ring_ == prove::real_ring && !is_float(out_));
  if (!as_place || (term.kind != Kind::cursor && term.kind != Kind::element)) {
    not_followed("where a minimum or maximum of functions is, or as another number than an int");
  }
  const Type type = program_.spec.arrays[static_cast<std::size_t>(term.slot)].type;
  prove::NormalForms::Places all;
  const unsigned ring = std::exchange(ring_, prove::ring_of(type));
  for_each_term(b, [&](std::int64_t at) {
    if (at < 0 || at > std::numeric_limits<std::int32_t>::max())
      not_followed("a place beyond an int");
    all.emplace(form(term), static_cast<std::uint64_t>(at));
  });
  ring_ = ring;
  if (all.empty()) not_followed("a minimum or maximum of nothing");
  const bool least = b.reduction == Reduction::argmin || b.reduction == Reduction::argmin_last;
  const bool last = b.reduction == Reduction::argmin_last || b.reduction == Reduction::argmax_last;
  return forms_.place(least ? Op::minimum : Op::maximum, last, type, all);
}

}  // namespace gauntlet::spec
