// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 and f64 arithmetic (PTX ISA 9.0, 9.7.3) against the host's IEEE arithmetic.
#include <cmath>

#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test::opcode_float {
namespace {

using Two32 = float (*)(float, float);
using Two64 = double (*)(double, double);

std::vector<Source> pairs32() { return cross("b32", {f32_values(), f32_values()}); }
std::vector<Source> pairs64() { return cross("b64", {f64_values(), f64_values()}); }

void two32(const std::string& opcode, Two32 f) {
  expect(opcode + ".f32 %q0, %a, %b;", "b32", pairs32(),
         [=](const Bits* v) { return bits(f(f32(v[0]), f32(v[1]))); });
}
void two64(const std::string& opcode, Two64 f) {
  expect(
      opcode + ".f64 %q0, %a, %b;", "b64", pairs64(),
      [=](const Bits* v) { return bits(f(f64(v[0]), f64(v[1]))); }, same_f64);
}

TEST(OpcodeFloat, arithmetic_rounds_to_nearest_and_keeps_subnormals) {
  for (const std::string rounding : {"", ".rn"}) {
    two32("add" + rounding, [](float a, float b) { return a + b; });
    two32("sub" + rounding, [](float a, float b) { return a - b; });
    two32("mul" + rounding, [](float a, float b) { return a * b; });
    two64("add" + rounding, [](double a, double b) { return a + b; });
    two64("sub" + rounding, [](double a, double b) { return a - b; });
    two64("mul" + rounding, [](double a, double b) { return a * b; });
  }
  two32("div.rn", [](float a, float b) { return a / b; });
  two64("div.rn", [](double a, double b) { return a / b; });
}

/// Seen on an H100.
TEST(OpcodeFloat, an_f64_na_n_is_handed_on_quiet_and_a_new_one_is_canonical) {
  const Column nan = {0x7FF8'0000'0000'0000, 0x7FF0'0000'0000'0001, 0xFFF8'0000'0000'1234};
  const Column number = {0x3FF0'0000'0000'0000, 0x4000'0000'0000'0000, 0};
  const auto quiet = [](const Bits* v) -> Bits {
    const bool first = std::isnan(f64(v[0]));
    return v[first ? 0 : 1] | 0x0008'0000'0000'0000;
  };
  for (const std::string opcode : {"add", "sub", "mul"}) {
    expect(opcode + ".f64 %q0, %a, %b;", "b64", {{"b64", nan}, {"b64", number}}, quiet);
    expect(opcode + ".f64 %q0, %a, %b;", "b64", {{"b64", number}, {"b64", nan}}, quiet);
  }
  expect("add.f64 %q0, %a, %b;", "b64",
         {{"b64", {0x7FF0'0000'0000'0000}}, {"b64", {0xFFF0'0000'0000'0000}}},
         [](const Bits*) -> Bits { return 0xFFF8'0000'0000'0000; });
}

TEST(OpcodeFloat, every_f32_na_n_is_the_canonical_one) {
  expect("add.f32 %q0, %a, %b;", "b32",
         {b32({0x7F80'0001, 0xFFC0'0000, 0x7F80'0000, 0x3F80'0000}),
          b32({0x3F80'0000, 0x7FFF'0000, 0xFF80'0000, 0xFFFF'FFFF})},
         [](const Bits*) -> Bits { return 0x7FFF'FFFF; });
  expect("fma.rn.f32 %q0, %a, %b, %c;", "b32",
         {b32({0x7F80'0000, 0}), b32({0, 0x7F80'0000}), b32({0x3F80'0000, 0xFFC0'0001})},
         [](const Bits*) -> Bits { return 0x7FFF'FFFF; });
  expect("sqrt.rn.f32 %q0, %a;", "b32", {b32({0xBF80'0000, 0xFF80'0000, 0x8000'0001})},
         [](const Bits*) -> Bits { return 0x7FFF'FFFF; });
}

TEST(OpcodeFloat, fma_rounds_once) {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: a product rounded first loses the last term.
  expect("fma.rn.f32 %q0, %a, %b, %c;", "b32",
         {b32({bits(1 + 0x1p-12F)}), b32({bits(1 + 0x1p-12F)}), b32({bits(-1 - 0x1p-11F)})},
         [](const Bits*) { return bits(0x1p-24F); });
  expect("fma.rn.f64 %q0, %a, %b, %c;", "b64",
         {b64({bits(1 + 0x1p-27)}), b64({bits(1 + 0x1p-27)}), b64({bits(-1 - 0x1p-26)})},
         [](const Bits*) { return bits(0x1p-54); });
  // Double rounding by way of f64: 1 + 2^-24 is a tie of f32, 2^-80 decides it.
  expect("fma.rn.f32 %q0, %a, %b, %c;", "b32",
         {b32({bits(0x1p-40F), bits(-0x1p-40F)}), b32({bits(0x1p-40F), bits(0x1p-40F)}),
          b32({bits(1 + 0x1p-23F), bits(1 + 0x1p-23F)})},
         [](const Bits*) { return bits(1 + 0x1p-23F); });
  const Column f = {bits(1 + 0x1p-23F), bits(1 + 0x1p-12F), bits(3.0F), bits(-0.0F)};
  expect("fma.rn.f32 %q0, %a, %b, %c;", "b32", cross("b32", {f32_values(), f, f32_values()}),
         [](const Bits* v) { return bits(std::fma(f32(v[0]), f32(v[1]), f32(v[2]))); });
  const Column d = {bits(1 + 0x1p-52), bits(1 + 0x1p-27), bits(3.0), bits(-0.0)};
  expect(
      "fma.rn.f64 %q0, %a, %b, %c;", "b64", cross("b64", {f64_values(), d, f64_values()}),
      [](const Bits* v) { return bits(std::fma(f64(v[0]), f64(v[1]), f64(v[2]))); }, same_f64);
}

TEST(OpcodeFloat, each_half_of_a_pair_is_computed_as_an_f32_alone) {
  Column pairs;
  const Column values = f32_values();
  for (std::size_t k = 0; k < values.size(); ++k) {
    pairs.push_back(values[k] | values[(7 * k + 3) % values.size()] << 32);
  }
  const auto sources = cross("b64", {pairs, pairs});
  const auto flushed = [](float x) { return std::abs(x) < 0x1p-126F ? std::copysign(0.0F, x) : x; };
  const auto two = [&](const std::string& opcode, auto f) {
    expect(opcode + ".f32x2 %q0, %a, %b;", "b64", sources, [=](const Bits* v) {
      return bits(f(f32(v[0]), f32(v[1]))) | bits(f(f32(v[0] >> 32), f32(v[1] >> 32))) << 32;
    });
  };
  two("add", [](float a, float b) { return a + b; });
  two("sub.rn", [](float a, float b) { return a - b; });
  two("mul.rn", [](float a, float b) { return a * b; });
  two("add.rn.ftz", [=](float a, float b) { return flushed(flushed(a) + flushed(b)); });
  const Bits c = bits(0.5F) | bits(-3.0F) << 32;
  expect("fma.rn.f32x2 %q0, %a, %b, %c;", "b64",
         {sources[0], sources[1], b64(Column(sources[0].values.size(), c))}, [](const Bits* v) {
           return bits(std::fma(f32(v[0]), f32(v[1]), 0.5F)) |
                  bits(std::fma(f32(v[0] >> 32), f32(v[1] >> 32), -3.0F)) << 32;
         });
  // 1 + 2^-24 lies between two numbers, and so does its negative.
  const Bits one = bits(1.0F) | bits(-1.0F) << 32, small = bits(0x1p-24F) | bits(-0x1p-24F) << 32;
  const Bits away = bits(1 + 0x1p-23F), minus_away = bits(-1 - 0x1p-23F);
  const std::pair<const char*, Bits> rounded[] = {
      {"rz", one}, {"rm", bits(1.0F) | minus_away << 32}, {"rp", away | bits(-1.0F) << 32}};
  for (const auto& [round, expected] : rounded) {
    expect("add." + std::string(round) + ".f32x2 %q0, %a, %b;", "b64", {b64({one}), b64({small})},
           [e = expected](const Bits*) { return e; });
  }
}

template <class T>
T least(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T greatest(T a, T b) {
  return -least(-a, -b);
}

TEST(OpcodeFloat, min_and_max_prefer_numbers_and_order_zeros) {
  two32("min", least<float>);
  two32("max", greatest<float>);
  two64("min", least<double>);
  two64("max", greatest<double>);
  two32("min.NaN", [](float a, float b) { return a != a || b != b ? a + b : least(a, b); });
  two32("max.NaN", [](float a, float b) { return a != a || b != b ? a + b : greatest(a, b); });
}

template <Two32 f>
float of_magnitudes(float a, float b) {
  const float magnitude = f(std::fabs(a), std::fabs(b));
  const bool negative = std::signbit(a) != std::signbit(b);
  return magnitude == magnitude && negative ? -magnitude : magnitude;
}
template <Two32 f>
float nan_or(float a, float b) {
  return a != a || b != b ? a + b : f(a, b);
}

TEST(OpcodeFloat, min_and_max_of_magnitudes_take_the_product_of_the_signs) {
  two32("min.xorsign.abs", of_magnitudes<least<float>>);
  two32("max.xorsign.abs", of_magnitudes<greatest<float>>);
  two32("min.NaN.xorsign.abs", of_magnitudes<nan_or<least<float>>>);
  two32("max.NaN.xorsign.abs", of_magnitudes<nan_or<greatest<float>>>);
}

TEST(OpcodeFloat, neg_and_abs_change_the_sign_bit_alone) {
  expect("neg.f32 %q0, %a;", "b32", {b32({0, 0x8000'0000, 0x3F80'0000, 1, 0x7F80'0000})},
         [](const Bits* v) { return v[0] ^ 0x8000'0000; });
  expect("abs.f32 %q0, %a;", "b32", {b32({0, 0x8000'0000, 0xBF80'0000, 0x8000'0001, 0xFF80'0000})},
         [](const Bits* v) { return v[0] & 0x7FFF'FFFF; });
  expect("neg.f64 %q0, %a;", "b64", {b64({0, bits(-0.0), bits(1.5), 1})},
         [](const Bits* v) { return v[0] ^ (Bits{1} << 63); });
  expect("abs.f64 %q0, %a;", "b64", {b64({0, bits(-0.0), bits(-1.5), (Bits{1} << 63) + 1})},
         [](const Bits* v) { return v[0] & ~(Bits{1} << 63); });
  expect("copysign.f32 %q0, %a, %b;", "b32", pairs32(),
         [](const Bits* v) { return (v[1] & 0x7FFF'FFFF) | (v[0] & 0x8000'0000); });
}

TEST(OpcodeFloat, roots_and_reciprocals_are_correctly_rounded) {
  const std::vector<Source> f = {b32(f32_values())}, d = {b64(f64_values())};
  expect("sqrt.rn.f32 %q0, %a;", "b32", f,
         [](const Bits* v) { return bits(std::sqrt(f32(v[0]))); });
  expect(
      "sqrt.rn.f64 %q0, %a;", "b64", d, [](const Bits* v) { return bits(std::sqrt(f64(v[0]))); },
      same_f64);
  expect("rcp.rn.f32 %q0, %a;", "b32", f, [](const Bits* v) { return bits(1.0F / f32(v[0])); });
  expect(
      "rcp.rn.f64 %q0, %a;", "b64", d, [](const Bits* v) { return bits(1.0 / f64(v[0])); },
      same_f64);
}

TEST(OpcodeFloat, rsqrt_keeps_the_manuals_error_bound) {
  // The manual allows 2^-22.9 relative error and fixes the special values.
  const auto got = apply("rsqrt.approx.f32 %q0, %a;", {"b32"}, {b32(f32_values())})[0];
  const auto in = f32_values();
  for (std::size_t k = 0; k < in.size(); ++k) {
    const float x = f32(in[k]), y = f32(got[k]);
    if (x != x || x < 0) {
      EXPECT_EQ(got[k], 0x7FFF'FFFFU) << x;
    } else if (x == 0) {
      EXPECT_EQ(y, std::copysign(INFINITY, x));
    } else if (std::isinf(x)) {
      EXPECT_EQ(y, 0.0F);
    } else {
      const double exact = 1 / std::sqrt(double{x});
      EXPECT_LE(std::fabs(y - exact), exact * 0x1.2p-23) << x;
    }
  }
}

TEST(OpcodeFloat, reads_decimal_and_hexadecimal_literals) {
  expect("add.f32 %q0, %a, 0f3FC00000;", "b32", {b32({bits(1.0F)})},
         [](const Bits*) { return bits(2.5F); });
  expect("add.f64 %q0, %a, 0d3FF8000000000000;", "b64", {b64({bits(1.0)})},
         [](const Bits*) { return bits(2.5); });
  expect("mul.f64 %q0, %a, 0.1;", "b64", {b64({bits(1.0)})}, [](const Bits*) { return bits(0.1); });
  expect("mul.f32 %q0, %a, 0.1;", "b32", {b32({bits(1.0F)})},
         [](const Bits*) { return bits(0.1F); });
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_float
