// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The machine's f16 against the oracle's, which unpacks and rounds whole numbers: every f16, and
// floats and doubles at, between and beside them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "base/scalar.hpp"
#include "machine/code/narrow_float.hpp"

namespace gauntlet::simt {
namespace {

/// Calls f(x) for numbers of type F around the halves: each, the middle between it and the next,
/// and their neighbours.
template <class F, class Each>
void around_halves(Each f) {
  constexpr F far = std::numeric_limits<F>::infinity();
  for (unsigned h = 0; h <= 0x7C00; ++h) {
    // The next one after the largest would be 2^16.
    const double low = h == 0x7C00 ? 0x1p16 : f16_to_double(static_cast<std::uint16_t>(h));
    const double high = h >= 0x7BFF ? 0x1p16 : f16_to_double(static_cast<std::uint16_t>(h + 1));
    for (const double middle : {low, (low + high) / 2}) {
      const auto x = static_cast<F>(middle);
      for (const F y : {std::nextafter(x, -far), x, std::nextafter(x, far)}) {
        f(y);
        f(-y);
      }
    }
  }
}

template <class F, class Word>
void expect_rounding(Half (*rounded)(F)) {
  const auto expect = [&](F x) {
    ASSERT_EQ(rounded(x).bits, f16_from_double(x)) << x << ", " << std::bit_cast<Word>(x);
  };
  around_halves<F>(expect);
  std::mt19937_64 random(7);
  constexpr int mantissa = std::numeric_limits<F>::digits - 1;
  constexpr int bias = std::numeric_limits<F>::max_exponent - 1;
  for (int k = 0; k < 1'000'000; ++k) {
    const auto word = static_cast<Word>(random());
    expect(std::bit_cast<F>(word));  // NaN with any payload, too
    // Near the exponents that f16 has.
    const Word exponent = static_cast<Word>(bias - 30 + static_cast<int>(random() % 50))
                          << mantissa;
    expect(std::bit_cast<F>(exponent | (word & ((Word{1} << mantissa) - 1))));
  }
  using Limits = std::numeric_limits<F>;
  for (const F x : {Limits::infinity(), Limits::max(), Limits::min(), Limits::denorm_min(),
                    Limits::quiet_NaN(), Limits::signaling_NaN(), F(0)}) {
    expect(x);
    expect(-x);
  }
}

TEST(OpcodeHalf, every_half_is_widened_exactly_and_a_nan_keeps_its_payload) {
  for (unsigned h = 0; h <= 0xFFFF; ++h) {
    const Half half{static_cast<std::uint16_t>(h)};
    const auto bits = std::bit_cast<std::uint32_t>(half.widened());
    const auto value = static_cast<float>(f16_to_double(half.bits));
    const std::uint32_t nan = (h & 0x8000) << 16 | 0x7F80'0000 | (h & 0x3FF) << 13;
    ASSERT_EQ(bits, (h & 0x7FFF) > 0x7C00 ? nan : std::bit_cast<std::uint32_t>(value)) << h;
  }
}

TEST(OpcodeHalf, a_float_is_rounded_to_the_nearest_half_and_a_tie_to_even) {
  expect_rounding<float, std::uint32_t>(&Half::rounded);
}

TEST(OpcodeHalf, a_double_is_rounded_once) {
  expect_rounding<double, std::uint64_t>(&Half::from_double);
}

}  // namespace
}  // namespace gauntlet::simt
