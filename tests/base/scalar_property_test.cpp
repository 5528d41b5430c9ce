// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>

#include "base/scalar.hpp"

namespace gauntlet {
namespace {

/// A double around the borders of a 16-bit format: near its values and the middles between them,
/// the last bits of the 53 random or nearly so. (Random words alone hardly ever come near a tie.)
double any_double(Type type) {
  const auto bits = *rc::gen::inRange<std::uint32_t>(0, 0x10000);
  const double base = float_value(type, bits);
  const double next = float_value(type, bits ^ 1);
  if (!std::isfinite(base) || !std::isfinite(next)) {
    return std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
  }
  const double middle = base / 2 + next / 2;
  const int choice = *rc::gen::inRange(0, 5);
  if (choice == 0) return base;
  if (choice == 1) return middle;
  if (choice == 2) return std::nextafter(middle, 1e300);
  if (choice == 3) return std::nextafter(middle, -1e300);
  return base + (next - base) * (*rc::gen::inRange(0, 1 << 20) * 0x1p-20);
}

#ifdef __FLT16_MANT_DIG__
#ifdef __aarch64__
using CompilersHalf = __fp16;  // g++ has _Float16 there from version 13 on
#else
using CompilersHalf = _Float16;
#endif
RC_GTEST_PROP(ScalarProperty, f16_rounds_as_the_compilers_own_type, ()) {
  for (int draw = 0; draw < 100; ++draw) {
    const double x = any_double(Type::f16);
    if (std::isnan(x)) {
      RC_ASSERT(is_nan(Type::f16, f16_from_double(x)));
    } else {
      RC_ASSERT(f16_from_double(x) == std::bit_cast<std::uint16_t>(static_cast<CompilersHalf>(x)));
    }
  }
}
#endif

RC_GTEST_PROP(ScalarProperty, f32_rounds_as_the_processor, ()) {
  const auto word = *rc::gen::arbitrary<std::uint64_t>();
  const double wide = std::bit_cast<double>(word);
  // Within f32's range too, where random doubles hardly fall: an exponent from 2^-160 to 2^140.
  const int exponent = *rc::gen::inRange(-160, 140);
  const double near = std::ldexp(1 + static_cast<double>(word >> 12) * 0x1p-52, exponent);
  for (const double x : {wide, near, -near}) {
    if (std::isnan(x)) continue;
    RC_ASSERT(float_bits(Type::f32, x) == std::bit_cast<std::uint32_t>(static_cast<float>(x)));
    RC_ASSERT(float_bits(Type::f64, x) == std::bit_cast<std::uint64_t>(x));
  }
}

RC_GTEST_PROP(ScalarProperty, bf16_rounds_to_the_nearer_neighbour_and_ties_to_even, ()) {
  const double x = any_double(Type::bf16);
  RC_PRE(std::isfinite(x) && std::fabs(x) < 3.3e38);
  const std::uint16_t got = bf16_from_double(x);
  const double value = bf16_to_double(got);
  for (const int step : {-1, 1}) {
    const auto neighbour = static_cast<std::uint16_t>(got + step);
    const double other = bf16_to_double(neighbour);
    if (!std::isfinite(other) || std::signbit(other) != std::signbit(value)) continue;
    const double mine = std::fabs(x - value), theirs = std::fabs(x - other);
    RC_ASSERT(mine < theirs || (mine == theirs && got % 2 == 0));
  }
}

}  // namespace
}  // namespace gauntlet
