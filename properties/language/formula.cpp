// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/formula.hpp"

#include <algorithm>
#include <set>

#include "base/scalar.hpp"

namespace gauntlet::spec {
namespace {

using prove::Coefficient;
using Code = Expression::Code;
using Kind = Expression::Kind;

constexpr std::uint64_t most_terms_read = std::uint64_t{1} << 22;
constexpr std::int64_t most_exponent = 8;

[[noreturn]] void no(const char* what) { throw NoForm{what}; }

}  // namespace

Formula::Formula(const Program& program, Evaluator& evaluator, prove::NormalForms& forms,
                 std::vector<std::int64_t> first)
    : program_(program),
      evaluator_(evaluator),
      forms_(forms),
      first_(std::move(first)),
      data_(data_arrays(program)),
      locals_(static_cast<std::size_t>(program.locals)) {
  bool several = false;
  for (std::size_t k = 0; k < first_.size(); ++k) {
    data_[k] = data_[k] && first_[k] >= 0;
    if (first_[k] < 0) continue;
    const Type type = program_.spec.arrays[k].type;
    bytes_ = bytes_ && size_of(type) == 1;
    if (!is_float(type)) continue;
    several = several || float_.value_or(type) != type;
    float_ = type;
  }
  if (several) float_.reset();
}

/// Or on a definition behind `where` that is no whole number.
bool Formula::depends_on_data(const Expression& b) const {
  return is_drawn(b, data_) ||
         any_part(b, [](const Expression& part) { return part.kind == Kind::local; });
}

std::vector<std::pair<std::uint64_t, prove::NormalId>> Formula::cells(std::size_t result) {
  const Result& r = program_.spec.results[result];
  result_ = result;
  out_ = program_.spec.arrays[r.array].type;
  arithmetic_ = arithmetic_type(program_.spec, r);
  ring_ = prove::ring_of(out_);
  std::vector<std::pair<std::uint64_t, NormalId>> all;
  evaluator_.walk_cells(
      result, [&](const Definition& d) { define(d); },
      [&](std::uint64_t index) {
        all.emplace_back(index, form(program_.spec.results[result].value));
      });
  return all;
}

/// A real constant, as the kernel has it.
prove::NormalId Formula::number(long double value) {
  if (ring_ != prove::real_ring) no("a real number within integers is not followed");
  const Type type = is_float(arithmetic_) ? arithmetic_ : Type::f64;
  return forms_.constant(type, float_bits(type, static_cast<double>(value)));
}

/// What the sizes and constant arrays alone decide.
prove::NormalId Formula::value(const Expression& b) {
  const Value v = evaluator_.value(b);
  return v.integral ? forms_.constant(ring_, {v.integer, 1, 0}) : number(v.real.value);
}

prove::NormalId Formula::element(int array, std::uint64_t index, const Expression& b) {
  const auto first = first_[static_cast<std::size_t>(array)];
  if (first < 0) return value(b);
  if (++terms_ > most_terms_read) throw prove::TooLarge();
  const Type type = program_.spec.arrays[static_cast<std::size_t>(array)].type;
  const NormalId leaf = forms_.element(static_cast<std::uint64_t>(first) + index, type);
  if (is_float(type)) {
    if (ring_ != prove::real_ring) no("a float within integers is not followed");
    return leaf;
  }
  if (prove::ring_of(type) > ring_ && ring_ != prove::real_ring) {
    no("an element that is cut is not followed");
  }
  return leaf;
}

prove::NormalId Formula::form(const Expression& b) {
  if (b.integral) {
    return forms_.constant(ring_, {evaluator_.integer(b), 1, 0});
  }
  switch (b.kind) {
    case Kind::local:
      return local(locals_[static_cast<std::size_t>(b.slot)]);
    case Kind::cursor:
      return element(b.slot, evaluator_.cursors_[static_cast<std::size_t>(b.slot2)].at, b);
    case Kind::element:
      if (std::ranges::any_of(b.children,
                              [&](const Expression& e) { return depends_on_data(e); })) {
        no("an index that depends on data is not followed");
      }
      return element(b.slot, evaluator_.index(b), b);
    case Kind::negation:
      return sum_of(b);
    case Kind::operation:
      return operation(b);
    case Kind::conditional:
      return conditional(b);
    case Kind::function:
      return function(b);
    case Kind::reduction:
      return reduction(b);
    case Kind::logical_not:
      no("a truth value is not followed");
    default:
      return value(b);
  }
}

prove::NormalId Formula::operation(const Expression& b) {
  const auto side = [&](std::size_t k) { return form(b.children[k]); };
  switch (b.code) {
    case Code::add:
    case Code::subtract:
      return sum_of(b);
    case Code::multiply: {
      const auto factor = [&](const Expression& of) {
        const bool constant = !of.integral && !depends_on_data(of) && ring_ == prove::real_ring;
        const Value v = constant ? evaluator_.value(of) : Value{};
        if (!constant || v.integral) return form(of);
        const Type type = is_float(arithmetic_) ? arithmetic_ : Type::f64;
        return forms_.factor(type, float_bits(type, static_cast<double>(v.real.value)));
      };
      const NormalId x = factor(b.children[0]), y = factor(b.children[1]);
      if (x == y) return forms_.product(ring_, {{x, 2}});
      return forms_.product(ring_, {{x, 1}, {y, 1}});
    }
    case Code::divide:
    case Code::remainder:
      if (is_float(out_) && b.code == Code::divide) return forms_.quotient(side(0), side(1));
      if (const auto all = whole_quotient(b)) return *all;
      [[fallthrough]];
    default:
      if (const auto table = tabulated(b, false)) return *table;
      no("a truth value or a remainder is not followed");
  }
}

prove::NormalId Formula::in_own_ring(NormalId id) {
  if (ring_ == prove::real_ring) return id;
  if (!forms_.range(id)) no("a float within integers is not followed");
  return forms_.in_ring(ring_, id);
}

/// Of whole numbers: with one that no data decide, cut to a whole one.
std::optional<prove::NormalId> Formula::whole_quotient(const Expression& b) {
  const auto [x, by] =
      as_whole([&] { return std::pair(form(b.children[0]), form(b.children[1])); });
  const auto divisor = forms_.range(by);
  if (!divisor || !forms_.range(x)) {
    if (ring_ == prove::real_ring && b.code == Code::divide) return forms_.quotient(x, by);
    return std::nullopt;
  }
  if (divisor->low != divisor->high || divisor->low == 0) return std::nullopt;
  const NormalId quotient = forms_.truncated(x, divisor->low);
  if (b.code == Code::divide) return forms_.in_ring(ring_, quotient);
  const auto times = prove::reduced(prove::real_ring, {-divisor->low, 1, 0});
  return forms_.in_ring(ring_, forms_.sum(prove::real_ring, {{x, prove::one}, {quotient, times}}));
}

/// A definition, in the ring where it stands.
prove::NormalId Formula::local(Local& l) {
  if (ring_ != prove::real_ring || is_float(out_)) return l.id;
  if (!l.whole) l.whole = form(*l.value);
  return *l.whole;
}

prove::NormalId Formula::function(const Expression& b) {
  const auto side = [&](std::size_t k) { return form(b.children[k]); };
  const bool order = b.code == Code::min || b.code == Code::max;
  const Op op = b.code == Code::min ? Op::minimum : Op::maximum;
  if (ring_ != prove::real_ring) {
    if (order || b.code == Code::abs) {
      return ringed([&] { return function(b); });
    }
    if (const auto table = tabulated(b, false)) return *table;
    no("a function of integers is not followed");
  }
  switch (b.code) {
    case Code::to_float:
      return side(0);
    case Code::min:
    case Code::max:
      return forms_.extremum(op, {side(0), side(1)});
    case Code::abs:
      return forms_.magnitude(side(0));
    case Code::sqrt:
      return forms_.function("sqrt", {side(0)});
    case Code::rsqrt:
      return forms_.reciprocal(forms_.function("sqrt", {side(0)}));
    case Code::tanh:
      return forms_.function("tanh", {side(0)});
    case Code::exp:
      return forms_.exponential(side(0));
    case Code::log:
      return forms_.logarithm(side(0));
    case Code::pow:
      if (side(0) == number(2)) return forms_.power_of_two(side(1));
      if (b.children[1].integral) {
        const auto power = evaluator_.integer(b.children[1]);
        if (power > 0 && power <= most_exponent) {
          return forms_.product(ring_, {{side(0), static_cast<std::uint64_t>(power)}});
        }
      }
      if (depends_on_data(b.children[1])) no("a power by data is not followed");
      return forms_.power_of_two(
          forms_.product(ring_, {{side(1), 1}, {forms_.function("lg2", {side(0)}), 1}}));
    default:
      no("this function is not followed");
  }
}

void Formula::settle(const Expression& b) const {
  const auto settled = [&](const Expression& e) {
    if (e.present() && depends_on_data(e)) no("a reduction whose elements depend on data");
  };
  for (const auto& slice : b.slices) std::ranges::for_each(slice.bounds, settled);
  for (std::size_t k = 1; b.slot >= 0 && k < 5; ++k) settled(b.children[k]);
}

prove::NormalId Formula::reduction(const Expression& b) {
  const auto terms = [&] {
    std::vector<NormalId> all;
    for_each_term(b, [&](std::int64_t) { all.push_back(form(b.children[0])); });
    return all;
  };
  switch (b.reduction) {
    case Reduction::sum:
    case Reduction::count:
      return sum_of(b);
    case Reduction::mean: {
      const auto all = terms();
      if (ring_ != prove::real_ring || all.empty()) no("a mean of integers is not followed");
      std::vector<std::pair<NormalId, Coefficient>> parts;
      std::uint64_t key = 0;
      for (const NormalId term : all) {
        parts.emplace_back(term, Coefficient{1, 1, 0});
        key += forms_.part_key(ring_, term, 1);
      }
      if (all.size() > 1) (void)note(b, key, false);
      return forms_.quotient(forms_.sum(ring_, parts),
                             forms_.constant(ring_, {static_cast<__int128>(all.size()), 1, 0}));
    }
    case Reduction::product: {
      std::map<NormalId, std::uint64_t> factors;
      for (const NormalId term : terms()) ++factors[term];
      const NormalId all = forms_.product(ring_, factors);
      if (factors.size() > 1) {
        (void)note(b, prove::NormalForms::whole_key(Op::product, all), range(b).has_value());
      }
      return all;
    }
    case Reduction::min:
    case Reduction::max: {
      const Op op = b.reduction == Reduction::min ? Op::minimum : Op::maximum;
      const auto parts = as_whole(terms);
      if (parts.empty()) no("a minimum or maximum of nothing");
      const NormalId all = forms_.extremum(op, parts);
      if (std::set(parts.begin(), parts.end()).size() > 1) {
        (void)note(b, prove::NormalForms::whole_key(op, all), range(b).has_value());
      }
      return in_own_ring(all);
    }
    case Reduction::fold:
      return ringed([&] { return fold(b); });
    case Reduction::argmin:
    case Reduction::argmax:
    case Reduction::argmin_last:
    case Reduction::argmax_last:
      return place(b);
    case Reduction::any:
    case Reduction::all: {
      own_ways_ = true;
      NormalId found = forms_.truth(b.reduction == Reduction::all);
      for_each_term(b, [&](std::int64_t) {
        const NormalId here = condition(b.children[0]);
        found = b.reduction == Reduction::all ? forms_.chosen(here, found, here)
                                              : forms_.chosen(here, here, found);
      });
      return as_number(found);
    }
  }
  no("this reduction is not followed");
}

/// From the first element to the last, which the operator's being associative makes no different.
prove::NormalId Formula::fold(const Expression& b) {
  own_ways_ = true;
  const auto left = static_cast<std::size_t>(b.slot2);
  NormalId all = form(b.children[6]);
  for_each_term(b, [&](std::int64_t) {
    const NormalId term = form(b.children[0]);
    for (const auto& [slot, id] : {std::pair{left, all}, {left + 1, term}}) {
      const std::uint64_t plus = forms_.part_key(ring_, id, 1);
      locals_[slot] = {id, {plus, forms_.part_key(ring_, id, -1), 1, false}, {}, {}, nullptr, id};
    }
    all = form(b.children[5]);
  });
  return all;
}

}  // namespace gauntlet::spec
