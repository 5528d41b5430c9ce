// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/formula_reals.hpp"

#include <algorithm>
#include <limits>

#include "base/scalar.hpp"

namespace gauntlet::spec {
namespace {

using prove::Coefficient;
using Code = Bound::Code;
using Kind = Bound::Kind;

constexpr std::uint64_t most_terms_read = std::uint64_t{1} << 22;
constexpr std::int64_t most_exponent = 8;
constexpr Coefficient minus_one{-1, 1, 0};

[[noreturn]] void no(const char* what) { throw NoForm{what}; }

/// Of a float each number does.
bool fits(Type type, std::int64_t number) {
  if (is_float(type)) return true;
  const unsigned bits = 8 * static_cast<unsigned>(size_of(type));
  if (is_signed(type)) return bits == 64 || (number >> (bits - 1)) == (number < 0 ? -1 : 0);
  return number >= 0 && (bits == 64 || number >> bits == 0);
}

}  // namespace

FormulaReals::FormulaReals(const Program& program, Evaluator& evaluator, prove::NormalForms& forms,
                           std::vector<std::int64_t> first)
    : program_(program),
      evaluator_(evaluator),
      forms_(forms),
      first_(std::move(first)),
      data_(data_arrays(program)),
      locals_(static_cast<std::size_t>(program.locals)) {
  bool one = true;
  for (std::size_t k = 0; k < first_.size(); ++k) {
    if (first_[k] < 0) continue;
    const Type type = program_.spec.arrays[k].type;
    one = one && only_type_.value_or(type) == type;
    only_type_ = type;
  }
  if (!one) only_type_.reset();
}

bool FormulaReals::depends_on_data(const Bound& b) const {
  return has_local(b) || is_drawn(b, data_);
}

std::vector<std::pair<std::uint64_t, prove::NormalId>> FormulaReals::cells(std::size_t result) {
  const Result& r = program_.spec.results[result];
  out_ = program_.spec.arrays[r.array].type;
  arithmetic_ = arithmetic_type(program_.spec, r);
  ring_ = prove::ring_of(out_);
  std::vector<std::pair<std::uint64_t, NormalId>> all;
  evaluator_.walk_cells(
      result,
      [&](const BoundDefinition& d) { locals_[static_cast<std::size_t>(d.slot)] = form(d.value); },
      [&](std::uint64_t index) { all.emplace_back(index, form(program_.results[result].value)); });
  return all;
}

/// A real constant, as the kernel has it.
prove::NormalId FormulaReals::number(long double value) {
  if (ring_ != prove::real_ring) no("a real number within integers is not followed");
  const Type type = is_float(arithmetic_) ? arithmetic_ : Type::f64;
  return forms_.constant(type, float_bits(type, static_cast<double>(value)));
}

/// What the sizes and constant arrays alone decide.
prove::NormalId FormulaReals::value(const Bound& b) {
  const Value v = evaluator_.value(b);
  return v.integral ? forms_.constant(ring_, {v.integer, 1, 0}) : number(v.real.value);
}

prove::NormalId FormulaReals::element(int array, std::uint64_t index, const Bound& b) {
  const auto first = first_[static_cast<std::size_t>(array)];
  if (first < 0) return value(b);
  if (++terms_ > most_terms_read) throw prove::TooLarge();
  const Type type = program_.spec.arrays[static_cast<std::size_t>(array)].type;
  const NormalId leaf = forms_.element(static_cast<std::uint64_t>(first) + index);
  if (is_float(type)) {
    if (ring_ != prove::real_ring) no("a float within integers is not followed");
    return leaf;
  }
  // Exact in the formula, rounded in floats.
  if (ring_ == prove::real_ring) no("a whole number within floats is not followed");
  if (prove::ring_of(type) == ring_) return leaf;
  if (prove::ring_of(type) > ring_) no("an element that is cut is not followed");
  return forms_.function("extended",
                         {static_cast<std::uint64_t>(type), is_signed(type), ring_ / 8, leaf});
}

prove::NormalId FormulaReals::form(const Bound& b) {
  if (b.integral) {
    const std::int64_t number = evaluator_.integer(b);
    wraps_ = wraps_ || (only_type_ && !fits(*only_type_, number));
    beyond_ = beyond_ || !fits(out_, number);
    return forms_.constant(ring_, {number, 1, 0});
  }
  switch (b.kind) {
    case Kind::local:
      return locals_[static_cast<std::size_t>(b.slot)];
    case Kind::cursor:
      return element(b.slot, evaluator_.cursors_[static_cast<std::size_t>(b.slot2)].at, b);
    case Kind::element:
      if (std::ranges::any_of(b.children, [&](const Bound& e) { return depends_on_data(e); })) {
        no("an index that depends on data is not followed");
      }
      return element(b.slot, evaluator_.index(b), b);
    case Kind::negation:
      return forms_.sum(ring_, {{form(b.children[0]), minus_one}});
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

prove::NormalId FormulaReals::operation(const Bound& b) {
  const auto side = [&](std::size_t k) { return form(b.children[k]); };
  switch (b.code) {
    case Code::add:
      return forms_.sum(ring_, {{side(0), {1, 1, 0}}, {side(1), {1, 1, 0}}});
    case Code::subtract:
      return forms_.sum(ring_, {{side(0), {1, 1, 0}}, {side(1), minus_one}});
    case Code::multiply: {
      const NormalId x = side(0), y = side(1);
      if (x == y) return forms_.product(ring_, {{x, 2}});
      return forms_.product(ring_, {{x, 1}, {y, 1}});
    }
    case Code::divide:
      if (ring_ == prove::real_ring) return forms_.quotient(side(0), side(1));
      [[fallthrough]];
    default:
      if (const auto table = tabulated(b, false)) return *table;
      no("a truth value or a remainder is not followed");
  }
}

prove::NormalId FormulaReals::function(const Bound& b) {
  const auto side = [&](std::size_t k) { return form(b.children[k]); };
  const bool order = b.code == Code::min || b.code == Code::max;
  const Op op = b.code == Code::min ? Op::minimum : Op::maximum;
  if (ring_ != prove::real_ring) {
    if (const auto table = tabulated(b, false)) return *table;
    if (order) return ordered(op, {side(0), side(1)});
    no("a function of integers is not followed");
  }
  switch (b.code) {
    case Code::to_float:
      return side(0);
    case Code::min:
    case Code::max:
      return forms_.extremum(op, out_, {side(0), side(1)});
    case Code::abs:
      return forms_.function("abs", {side(0)});
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
      no("a power is not followed");
    default:
      no("this function is not followed");
  }
}

void FormulaReals::settle(const Bound& b) const {
  const auto settled = [&](const Bound& e) {
    if (e.present() && depends_on_data(e)) no("a reduction whose elements depend on data");
  };
  for (const auto& slice : b.slices) std::ranges::for_each(slice.bounds, settled);
  for (std::size_t k = 1; b.slot >= 0 && k < 5; ++k) settled(b.children[k]);
}

prove::NormalId FormulaReals::reduction(const Bound& b) {
  const auto terms = [&] {
    std::vector<NormalId> all;
    for_each_term(b, [&](std::int64_t) { all.push_back(form(b.children[0])); });
    return all;
  };
  switch (b.reduction) {
    case Reduction::sum:
    case Reduction::mean: {
      std::vector<std::pair<NormalId, Coefficient>> parts;
      for (const NormalId term : terms()) parts.emplace_back(term, Coefficient{1, 1, 0});
      const NormalId all = forms_.sum(ring_, parts);
      if (b.reduction == Reduction::sum) return all;
      if (ring_ != prove::real_ring || parts.empty()) no("a mean of integers is not followed");
      return forms_.quotient(all,
                             forms_.constant(ring_, {static_cast<__int128>(parts.size()), 1, 0}));
    }
    case Reduction::product: {
      std::map<NormalId, std::uint64_t> factors;
      for (const NormalId term : terms()) ++factors[term];
      return forms_.product(ring_, factors);
    }
    case Reduction::min:
    case Reduction::max: {
      const auto all = terms();
      const Op op = b.reduction == Reduction::min ? Op::minimum : Op::maximum;
      if (all.empty()) no("a minimum or maximum of nothing");
      return ring_ == prove::real_ring ? forms_.extremum(op, out_, all) : ordered(op, all);
    }
    case Reduction::fold:
      return fold(b);
    case Reduction::argmin:
    case Reduction::argmax:
    case Reduction::argmin_last:
    case Reduction::argmax_last:
      return place(b);
    case Reduction::count: {
      std::vector<std::pair<NormalId, Coefficient>> parts;
      for_each_term(b, [&](std::int64_t) {
        parts.emplace_back(indicator(b.children[0]), Coefficient{1, 1, 0});
      });
      return forms_.sum(ring_, parts);
    }
    case Reduction::any:
    case Reduction::all: {
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
prove::NormalId FormulaReals::fold(const Bound& b) {
  const auto left = static_cast<std::size_t>(b.slot2);
  NormalId all = form(b.children[6]);
  for_each_term(b, [&](std::int64_t) {
    const NormalId term = form(b.children[0]);
    locals_[left] = all;
    locals_[left + 1] = term;
    all = form(b.children[5]);
  });
  return all;
}

}  // namespace gauntlet::spec
