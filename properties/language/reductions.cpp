// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions over slices and over what is counted out.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/scalar.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/oracle/diagnose.hpp"

namespace gauntlet::spec {
std::uint64_t Evaluator::open_slices(const Expression& b) {
  std::uint64_t length = 0;
  bool first = true;
  for (const Expression::Slice& slice : b.slices) {
    const auto array = static_cast<std::size_t>(slice.array);
    const View& view = views_[array];
    Cursor cursor{0, 1};
    std::uint64_t terms = view.count;
    if (!slice.whole) {
      const std::size_t extents = slice.bounds.size() / 2;
      terms = 1;
      bool ranged = false;
      for (std::size_t k = 0; k < extents; ++k) {
        const std::uint64_t extent = view.extent(k, extents),
                            stride = k + 1 == extents ? 1 : view.columns;
        const Value from = value(slice.bounds[2 * k]);
        if (!from.integral) fail(b, "a slice's bound must be an integer");
        const auto clipped = [&](__int128 at) {
          return static_cast<std::uint64_t>(
              std::clamp<__int128>(at, 0, static_cast<__int128>(extent)));
        };
        if (!slice.bounds[2 * k + 1].present()) {
          if (from.integer < 0 || from.integer >= static_cast<__int128>(extent)) {
            fail(b, fmt::format("index {} is beyond {}, which has {}",
                                static_cast<std::int64_t>(from.integer),
                                program_.spec.arrays[array].name, extent));
          }
          cursor.at += static_cast<std::uint64_t>(from.integer) * stride;
          continue;
        }
        if (ranged) fail(b, "a slice has one range; count the other index out with `for`");
        ranged = true;
        const Value to = value(slice.bounds[2 * k + 1]);
        if (!to.integral) fail(b, "a slice's bound must be an integer");
        const std::uint64_t begin = clipped(from.integer), end = clipped(to.integer);
        terms = end > begin ? end - begin : 0;
        cursor.at += begin * stride;
        cursor.stride = stride;
      }
    }
    if (!first && terms != length) {
      fail(b, fmt::format("slices of one reduction have {} and {} elements; they must be as long",
                          length, terms));
    }
    length = terms;
    first = false;
    cursors_[static_cast<std::size_t>(slice.cursor)] = cursor;
  }
  return length;
}

Evaluator::Steps Evaluator::steps_of(const Expression& b) {
  const auto index = [&](const Expression& at) {
    const Value v = value(at);
    if (!v.integral || v.integer > (__int128{1} << 62) || v.integer < -(__int128{1} << 62)) {
      fail(b, "the range of `for` must be integers");
    }
    return static_cast<std::int64_t>(v.integer);
  };
  const Steps steps{index(b.children[1]), index(b.children[2]), index(b.children[3])};
  if (steps.step <= 0) fail(b, fmt::format("`by {}`: the step must be positive", steps.step));
  if (steps.begin < steps.end && (steps.end - steps.begin) / steps.step > 1 << 28) {
    fail(b, fmt::format("the range {}..{} has too many elements to be looked at", steps.begin,
                        steps.end));
  }
  return steps;
}

/// Calls f(index, body's value) for each term.
template <class F>
void Evaluator::for_each_term(const Expression& b, F&& f) {
  for_each_index(b, [&](std::int64_t k) { f(k, value(b.children[0])); });
}

/// 0: as many as there are terms to be added.
std::uint64_t Evaluator::height_of(const Expression& b, std::int64_t terms) const {
  if (height_ != 0) return height_;
  if (depth_ == Depth::flattest) {
    const auto last = static_cast<std::uint64_t>(std::max<std::int64_t>(terms, 1)) - 1;
    return static_cast<std::uint64_t>(std::bit_width(last));
  }
  if (heights_ == nullptr) return 0;
  const auto known = heights_->find(&b);
  return known == heights_->end() ? 0 : known->second;
}

Value Evaluator::mean(const Expression& b) {
  Arithmetic::Sum sum;
  Arithmetic::RunningMean running(arithmetic_);
  std::int64_t terms = 0;
  for_each_term(b, [&](std::int64_t, const Value& v) {
    ++terms;
    sum.add(to_real(v));
    if (depth_ == Depth::running) running.add(to_real(v), arithmetic_);
  });
  const std::uint64_t height = height_of(b, terms);
  Real result =
      arithmetic_.average(sum.result(arithmetic_, height), static_cast<std::uint64_t>(terms));
  if (depth_ == Depth::running && height == 0 && std::isfinite(result.value)) {
    result.error = std::max(result.error, running.error(arithmetic_));
  }
  return of_real(result);
}

Value Evaluator::reduction(const Expression& b) {
  if (b.kept < 0 || values_.empty()) return reduced(b);
  std::optional<Known>& known = values_[static_cast<std::size_t>(b.kept)];
  if (!known) {
    const bool before = arithmetic_.undecided();
    arithmetic_.reset();
    Value value = reduced(b);
    known = Known{value, arithmetic_.undecided()};
    if (before) arithmetic_.undecide();
  }
  if (known->undecided) arithmetic_.undecide();
  return known->value;
}

Value Evaluator::reduced(const Expression& b) {
  switch (b.reduction) {
    case Reduction::mean:
      return mean(b);
    case Reduction::sum: {
      Arithmetic::Sum sum;
      const std::optional<Stretch> stretch = this->stretch(b);
      if (stretch && stretch->count != 0 && is_float(stretch->type)) {
        sum.add(stretch->type, stretch->elements, stretch->count);
        if (!program_.spec.results.empty() && &b == &program_.spec.results[0].value)
          sum_all(*stretch);
        return of_real(
            sum.result(arithmetic_, height_of(b, static_cast<std::int64_t>(stretch->count))));
      }
      Wide integers = 0;
      bool integral = true;
      std::int64_t terms = 0;
      for_each_term(b, [&](std::int64_t, const Value& v) {
        ++terms;
        if (v.integral) integers += static_cast<Wide>(v.integer);
        integral = integral && v.integral;
        if (!v.integral) sum.add(v.real);
      });
      if (integral && terms != 0) return whole(wrapped(integers));
      if (terms == 0) return whole(0);
      if (integers != 0) sum.add(to_real(whole(wrapped(integers))));
      return of_real(sum.result(arithmetic_, height_of(b, terms)));
    }
    case Reduction::product: {
      Arithmetic::Product product;
      Wide integers = 1;
      bool integral = true;
      for_each_term(b, [&](std::int64_t, const Value& v) {
        if (v.integral) integers *= static_cast<Wide>(v.integer);
        integral = integral && v.integral;
        if (!v.integral) product.multiply(v.real);
      });
      if (integral) return whole(wrapped(integers));
      if (integers != 1) product.multiply(to_real(whole(wrapped(integers))));
      return of_real(product.result(arithmetic_));
    }
    case Reduction::any:
    case Reduction::all:
    case Reduction::count: {
      std::int64_t count = 0, terms = 0;
      for_each_term(b, [&](std::int64_t, const Value& v) {
        ++terms;
        count += v.integral ? v.integer != 0 : v.real.value != 0;
      });
      if (b.reduction == Reduction::count) return whole(count);
      return whole(b.reduction == Reduction::any ? count > 0 : count == terms);
    }
    case Reduction::fold: {
      Value result = value(b.children[6]);
      for_each_term(b, [&](std::int64_t, const Value& v) {
        locals_[static_cast<std::size_t>(b.slot2)] = result;
        locals_[static_cast<std::size_t>(b.slot2) + 1] = v;
        result = value(b.children[5]);
      });
      // The error of one order says nothing of the others.
      if (!result.integral && result.real.error != 0) arithmetic_.undecide();
      return result;
    }
    default:
      break;
  }
  // min, max and where they are
  const bool least = b.reduction == Reduction::min || b.reduction == Reduction::argmin ||
                     b.reduction == Reduction::argmin_last;
  const bool last = b.reduction == Reduction::argmin_last || b.reduction == Reduction::argmax_last;
  const bool position = b.reduction != Reduction::min && b.reduction != Reduction::max;
  bool found = false;
  Value best;
  long double error = 0;
  std::int64_t at = 0;
  for_each_term(b, [&](std::int64_t i, const Value& v) {
    if (!v.integral && std::isnan(v.real.value)) arithmetic_.undecide();
    if (!found) {
      found = true;
      best = v;
      at = i;
      error = v.real.error;
      return;
    }
    int order = 0;
    if (v.integral && best.integral) {
      order = v.integer < best.integer ? -1 : v.integer > best.integer ? 1 : 0;
    } else {
      const Real x = to_real(v), y = to_real(best);
      order = x.value < y.value ? -1 : x.value > y.value ? 1 : 0;
      if (position && x.error + y.error > 0 && std::fabs(x.value - y.value) <= x.error + y.error) {
        arithmetic_.undecide();
      }
    }
    error = std::max(error, v.real.error);
    if (least) order = -order;
    if (order > 0 || (order == 0 && last)) {
      best = v;
      at = i;
    }
  });
  if (!found) {
    if (b.over) return as_value(*b.over, identity_bits(*b.over, least ? Op::minimum : Op::maximum));
    fail(b,
         "a min or max of nothing; exclude it with `require`, or write EMPTY ? VALUE : max(...)");
  }
  if (position) return whole(at);
  if (!best.integral) best.real.error = error;
  return best;
}

std::optional<Evaluator::Stretch> Evaluator::stretch(const Expression& b) {
  const bool elements = b.slot < 0 && b.slices.size() == 1 && b.slices[0].array >= 0 &&
                        b.children[0].kind == Expression::Kind::cursor;
  if (!elements) return std::nullopt;
  const std::uint64_t count = open_slices(b);
  const Expression::Slice& slice = b.slices[0];
  const Cursor& cursor = cursors_[static_cast<std::size_t>(slice.cursor)];
  if (cursor.stride != 1) return std::nullopt;
  const auto array = static_cast<std::size_t>(slice.array);
  const Type type = program_.spec.arrays[array].type;
  return Stretch{type, views_[array].bytes.data() + cursor.at * size_of(type), count};
}

void Evaluator::sum_all(const Stretch& some) {
  if (!all_) all_ = SumOfAll{some.type, some.type};
  all_->whole.add(some.elements, some.count);
  all_->add_to_kahan(some.elements, some.count);
}

std::optional<SumReference> Evaluator::reference() {
  if (!all_) return std::nullopt;
  all_->whole.finish();
  return all_->reference();
}

std::string Evaluator::reason(std::size_t result, Type type, std::uint64_t got,
                              const Value& expected) {
  const Expression& b = program_.spec.results[result].value;
  const std::pair<Reduction, Op> known[] = {{Reduction::sum, Op::sum},
                                            {Reduction::product, Op::product},
                                            {Reduction::min, Op::minimum},
                                            {Reduction::max, Op::maximum}};
  const auto op =
      std::ranges::find(known, b.reduction, [](const auto& pair) { return pair.first; });
  if (b.kind != Expression::Kind::reduction || op == std::end(known)) return {};
  const bool elements = b.slices.size() == 1 && b.children[0].kind == Expression::Kind::cursor;
  Suspicion s;
  s.recipe.op = op->second;
  s.acc = is_float(type) ? Type::f64 : type;
  const auto bits = [&](const Value& v) { return expected_bits(s.acc, v); };
  s.got = bits(as_value(type, got));
  s.reference = bits(expected);
  s.slack = static_cast<double>(to_real(expected).error);
  s.noun = elements ? "element" : "term";
  for_each_term(b, [&](std::int64_t i, const Value& v) {
    const std::uint64_t at = elements ? cursors_[static_cast<std::size_t>(b.slices[0].cursor)].at
                                      : static_cast<std::uint64_t>(i);
    s.terms.emplace_back(at, is_float(s.acc) ? bits(of_real(to_real(v))) : bits(v));
  });
  return diagnose(s);
}

}  // namespace gauntlet::spec
