// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Values that are not ordinary numbers; minima and maxima. Computed from the elements, not by the
// oracle.
#include <fmt/format.h>

#include <cmath>

#include "base/float_format.hpp"
#include "properties/hunt/relations.hpp"
#include "properties/hunt/value.hpp"

namespace gauntlet::properties {
namespace {

/// The result is the reduction of all n elements, and they can be looked at one by one.
bool whole(const Run& base) { return base.c.block_count == 0 && base.c.n <= too_many; }

bool special_sum(const Run& base) {
  const Data data = base.c.data;
  return whole(base) && base.c.op == Op::sum && is_float(base.c.in) &&
         (data == Data::with_nan || data == Data::with_infinity || data == Data::negative_zero ||
          data == Data::subnormal);
}

/// What IEEE 754 asks of any order of summation: a NaN stays, infinities of both signs make one,
/// infinities of one sign win, zeros of either sign add to zero, and subnormal numbers count.
void special_values(Trial& trial, std::vector<Broken>& broken) {
  const Run& base = trial.base();
  double plus = 0, minus = 0;  // exact for subnormals of every type but f64, and for small integers
  bool nan = false;
  for (const Value& value : elements(base.c)) {
    nan |= std::isnan(value.real);
    (value.real < 0 ? minus : plus) += std::isnan(value.real) ? 0 : value.real;
  }
  const double want = nan ? std::nan("") : plus + minus;
  const double got = total(base.observation, Op::sum).real;
  const int precision = format_of(base.c.acc).precision();
  const double slack = std::isfinite(want) && !base.exact()
                           ? static_cast<double>(base.c.n) * std::ldexp(plus - minus, -precision)
                           : 0;
  const double flushed = static_cast<double>(flushes(base.c, base.plan)) * 0x1p-126;
  const bool right = std::isnan(want)   ? std::isnan(got)
                     : std::isinf(want) ? got == want
                                        : std::fabs(got - want) <= slack + flushed;
  if (right) return;
  broken.push_back(wrong("special_values", base, base.observation.buffers.at(0).name, 0,
                         fmt::format("{} expected, got {}", want, got)));
}

bool ordered(const Run& base) {
  return whole(base) && (base.c.op == Op::minimum || base.c.op == Op::maximum);
}

/// CUDA's fminf and fmaxf: a NaN is ignored while there is a number. Nothing but NaN may give NaN
/// or the operator's identity, whichever the kernel starts from.
void minimum_maximum(Trial& trial, std::vector<Broken>& broken) {
  const Run& base = trial.base();
  Value want = identity(base.c.acc, base.c.op);
  bool only_nan = base.c.n != 0;
  for (const Value& value : elements(base.c)) {
    only_nan &= is_float(value.type) && std::isnan(value.real);
    want = combine(base.c.op, want, converted(value, base.c.acc));
  }
  const Value got = total(base.observation, base.c.op);
  if (same_number(want, got) || (only_nan && std::isnan(got.real))) return;
  broken.push_back(wrong("minimum_maximum", base, base.observation.buffers.at(0).name, 0,
                         fmt::format("{} expected, got {}", to_string(want), to_string(got))));
}

}  // namespace

std::vector<Property> special_values_properties() {
  return {
      {"special_values",
       "sums with NaN, infinities, zeros of both signs and subnormals follow IEEE 754", special_sum,
       special_values, true},
      {"minimum_maximum", "the result is the least (greatest) element, NaNs ignored", ordered,
       minimum_maximum, true},
  };
}

}  // namespace gauntlet::properties
