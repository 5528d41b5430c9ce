// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of a result: elements, arithmetic, functions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/scalar.hpp"
#include "properties/language/evaluate.hpp"

namespace gauntlet::spec {
namespace {

using Code = Expression::Code;
using Kind = Expression::Kind;

}  // namespace

Real Evaluator::real(const Expression& b) { return to_real(value(b)); }

bool Evaluator::truth(const Expression& b) {
  const Value v = value(b);
  return v.integral ? v.integer != 0 : v.real.value != 0;
}

/// Reals that cannot be told apart leave the cell undecided.
void Evaluator::tell_apart(const Real& x, const Real& y) {
  const long double error = x.error + y.error;
  const bool numbers = !std::isnan(x.value) && !std::isnan(y.value);
  if (numbers && error > 0 && !(std::fabs(x.value - y.value) > error)) arithmetic_.undecide();
}

/// A number that the spec writes and one without error: a kernel has either that very number or the
/// nearest one of its type. None: these two do not come to the same.
std::optional<bool> Evaluator::compare_literal(const Expression& b, const Value& x,
                                               const Value& y) const {
  const auto is_literal = [](const Expression& of) {
    return (of.kind == Kind::negation ? of.children[0] : of).kind == Kind::real;
  };
  const bool first = is_literal(b.children[0]);
  if (first == is_literal(b.children[1])) return std::nullopt;
  const Value& other = first ? y : x;
  if (other.integral || other.real.error != 0 || std::isnan(other.real.value)) return std::nullopt;
  const auto holds = [&](long double literal) {
    const long double number = other.real.value;
    return spec::holds(b.code, first ? literal : number, first ? number : literal);
  };
  const long double literal = (first ? x : y).real.value;
  const bool exact = holds(literal);
  return exact == holds(arithmetic_.nearest(literal)) ? std::optional(exact) : std::nullopt;
}

Value Evaluator::load(int array, std::uint64_t index) const {
  const Type type = program_.spec.arrays[static_cast<std::size_t>(array)].type;
  const std::byte* from =
      views_[static_cast<std::size_t>(array)].bytes.data() + index * size_of(type);
  return as_value(type, load_bits(type, from));
}

std::uint64_t Evaluator::index(const Expression& b) {
  const View& view = views_[static_cast<std::size_t>(b.slot)];
  std::uint64_t index = 0;
  for (std::size_t k = 0; k < b.children.size(); ++k) {
    const Value v = value(b.children[k]);
    if (!v.integral) fail(b.children[k], "an index must be an integer");
    const std::uint64_t extent = view.extent(k, b.children.size());
    if (v.integer < 0 || v.integer >= static_cast<__int128>(extent)) {
      fail(b,
           fmt::format("index {} is beyond {}, which has {}", static_cast<std::int64_t>(v.integer),
                       program_.spec.arrays[static_cast<std::size_t>(b.slot)].name, extent));
    }
    index = index * extent + static_cast<std::uint64_t>(v.integer);
  }
  return index;
}

Value Evaluator::value(const Expression& b) {
  if (b.integral) return whole(integer(b));
  switch (b.kind) {
    case Kind::real:
      return of_real(arithmetic_.constant(b.real));
    case Kind::unit:
      return of_real({arithmetic_.unit(), 0});
    case Kind::scalar:
      return of_real(scalars_[static_cast<std::size_t>(b.slot)]);
    case Kind::local:
      return locals_[static_cast<std::size_t>(b.slot)];
    case Kind::cursor:
      return load(b.slot, cursors_[static_cast<std::size_t>(b.slot2)].at);
    case Kind::element:
      return load(b.slot, index(b));
    case Kind::negation: {
      Value v = value(b.children[0]);
      v.integer = wrapped(Wide{0} - static_cast<Wide>(v.integer));
      v.real.value = -v.real.value;
      return v;
    }
    case Kind::logical_not:
      return whole(truth(b.children[0]) ? 0 : 1);
    case Kind::conditional:
      return value(b.children[truth(b.children[0]) ? 1 : 2]);
    case Kind::operation:
      return operation(b);
    case Kind::function:
      return function(b);
    case Kind::reduction:
      return reduction(b);
    default:
      return whole(integer(b));
  }
}

Value Evaluator::operation(const Expression& b) {
  if (b.code == Code::logical_and) {
    return whole(truth(b.children[0]) && truth(b.children[1]) ? 1 : 0);
  }
  if (b.code == Code::logical_or) {
    return whole(truth(b.children[0]) || truth(b.children[1]) ? 1 : 0);
  }
  const Value x = value(b.children[0]), y = value(b.children[1]);
  if (x.integral && y.integral && !(b.code == Code::divide && real_division_)) {
    return whole(whole_operation(b, b.code, x.integer, y.integer).first);
  }
  const Real p = to_real(x), q = to_real(y);
  switch (b.code) {
    case Code::add:
      return of_real(arithmetic_.add(p, q));
    case Code::subtract:
      return of_real(arithmetic_.subtract(p, q));
    case Code::multiply:
      return of_real(arithmetic_.multiply(p, q));
    case Code::divide:
      if (!reciprocals_) return of_real(arithmetic_.divide(p, q));
      return of_real(arithmetic_.multiply(p, arithmetic_.divide({1, 0}, q)));
    case Code::remainder:
      fail(b, "% takes integers");
    default:
      break;
  }
  if (const auto holds = compare_literal(b, x, y)) return whole(*holds);
  tell_apart(p, q);
  return whole(holds(b.code, p.value, q.value));
}

Value Evaluator::function(const Expression& b) {
  const Value x = value(b.children[0]);
  switch (b.code) {
    case Code::abs: {
      if (x.integral)
        return whole(x.integer < 0 ? wrapped(Wide{0} - static_cast<Wide>(x.integer)) : x.integer);
      return of_real({std::fabs(x.real.value), x.real.error});
    }
    case Code::exp:
      return of_real(arithmetic_.exp(to_real(x)));
    case Code::log:
      return of_real(arithmetic_.log(to_real(x)));
    case Code::sqrt:
      return of_real(arithmetic_.sqrt(to_real(x)));
    case Code::rsqrt:
      return of_real(arithmetic_.rsqrt(to_real(x)));
    case Code::tanh:
      return of_real(arithmetic_.tanh(to_real(x)));
    case Code::pow:
      return of_real(arithmetic_.pow(to_real(x), real(b.children[1])));
    case Code::random:
      return of_real({random_real(b), 0});
    case Code::to_float:
      return of_real(to_real(x));
    case Code::min:
    case Code::max: {
      Value best = x;
      for (std::size_t k = 1; k < b.children.size(); ++k) {
        const Value y = value(b.children[k]);
        if (best.integral && y.integral) {
          const bool better =
              b.code == Code::min ? y.integer < best.integer : y.integer > best.integer;
          if (better) best = y;
          continue;
        }
        const Real p = to_real(best), q = to_real(y);
        const long double error = std::max(p.error, q.error);
        best = of_real(
            {b.code == Code::min ? std::fmin(p.value, q.value) : std::fmax(p.value, q.value),
             error});
      }
      return best;
    }
    default:
      fail(b, "this function takes sizes and whole numbers only");
  }
}

}  // namespace gauntlet::spec
