// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cvt with a direction, .ftz, .sat, .relu and to fp8 and tf32 (PTX ISA 9.0, 9.7.9.21), against MPFR
// and tables of all values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/machine/isa/opcode_mpfr.hpp"

namespace gauntlet::simt::test::opcode_convert_round {
namespace {

Column floats() {
  auto v = f32_of_every_exponent();
  for (const auto x : f32_near_underflow()) v.push_back(x);
  return v;
}
Column doubles() {
  auto v = f64_values();
  for (const auto x : floats()) {
    if (f32(x) != f32(x)) continue;
    v.push_back(bits(double{f32(x)}));
    v.push_back(bits(double{f32(x)} * (1 + 0x1p-40)));
  }
  return v;
}

TEST(OpcodeCvtRound, doubles_to_floats_in_all_directions) {
  for (const auto& d : directions) {
    for (const bool ftz : {false, true}) {
      expect(fmt::format("cvt.{}{}.f32.f64 %q0, %a;", d.name, ftz ? ".ftz" : ""), "b32",
             {b64(doubles())}, [&](const Bits* v) {
               const double x = f64(v[0]);
               auto y = static_cast<float>(rounded_to(f32_range, exact::same, &x, 1, d.mode));
               return bits(ftz ? flush_f32(y) : y);
             });
    }
  }
}

TEST(OpcodeCvtRound, floats_to_halves_in_all_directions) {
  struct Narrow {
    const char* name;
    const NarrowFormat& format;
    const Format& range;
  };
  for (const auto& n :
       {Narrow{"f16", f16_format(), f16_range}, Narrow{"bf16", bf16_format(), bf16_range}}) {
    for (const auto& d : directions) {
      const auto to = [&](double x) -> Bits {
        if (x != x) return 0x7FFF;
        return narrow_bits(n.format, rounded_to(n.range, exact::same, &x, 1, d.mode));
      };
      expect(fmt::format("cvt.{}.{}.f32 %q0, %a;", d.name, n.name), "b16", {b32(floats())},
             [&](const Bits* v) { return to(f32(v[0])); });
      expect(fmt::format("cvt.{}.{}.f64 %q0, %a;", d.name, n.name), "b16", {b64(doubles())},
             [&](const Bits* v) { return to(f64(v[0])); });
      if (d.mode != MPFR_RNDN && d.mode != MPFR_RNDZ) continue;
      const auto relu = [&](double x) { return x <= 0 ? 0 : to(x); };
      const Bits top = n.format.infinity() - 1;
      const auto finite = [=](Bits x) {
        return (x & 0x7FFF) == n.format.infinity() ? (x & 0x8000) | top : x;
      };
      auto v = floats(), w = v;
      std::reverse(w.begin(), w.end());
      const std::vector<Source> two = {b32(v), b32(w)};
      expect(fmt::format("cvt.{}.{}x2.f32 %q0, %a, %b;", d.name, n.name), "b32", two,
             [&](const Bits* v) { return to(f32(v[0])) << 16 | to(f32(v[1])); });
      expect(fmt::format("cvt.{}.relu.{}x2.f32 %q0, %a, %b;", d.name, n.name), "b32", two,
             [&](const Bits* v) { return relu(f32(v[0])) << 16 | relu(f32(v[1])); });
      expect(fmt::format("cvt.{}.satfinite.{}x2.f32 %q0, %a, %b;", d.name, n.name), "b32", two,
             [&](const Bits* v) { return finite(to(f32(v[0]))) << 16 | finite(to(f32(v[1]))); });
    }
  }
}

TEST(OpcodeCvtRound, integers_to_floats_in_all_directions) {
  auto words = borders(64);
  for (const auto x : random_words(64, 300, 71)) {
    words.push_back(x);
    words.push_back(x >> 7);
    words.push_back(x >> 36);
  }
  for (const bool is_signed : {false, true}) {
    for (const unsigned width : {32U, 64U}) {
      Column v;
      for (const auto x : words) v.push_back(low(x, width));
      for (const auto& d : directions) {
        const auto round = [=](Bits x, const Format& range) {
          mpfr_t y;
          mpfr_init2(y, range.precision);
          if (is_signed)
            mpfr_set_sj(y, sign_extended(x, width), d.mode);
          else
            mpfr_set_uj(y, x, d.mode);
          const double z = mpfr_get_d(y, MPFR_RNDN);
          mpfr_clear(y);
          return z;
        };
        const auto name = fmt::format("{}{}", is_signed ? 's' : 'u', width);
        const auto reg = fmt::format("b{}", width);
        expect(fmt::format("cvt.{}.f32.{} %q0, %a;", d.name, name), "b32", {{reg, v}},
               [&](const Bits* x) { return bits(float(round(x[0], f32_range))); });
        expect(fmt::format("cvt.{}.f64.{} %q0, %a;", d.name, name), "b64", {{reg, v}},
               [&](const Bits* x) { return bits(round(x[0], f64_range)); });
        expect(fmt::format("cvt.{}.bf16.{} %q0, %a;", d.name, name), "b16", {{reg, v}},
               [&](const Bits* x) { return narrow_bits(bf16_format(), round(x[0], bf16_range)); });
      }
    }
  }
}

TEST(OpcodeCvtSat, of_floats_clamps_to_one_and_na_n_is_zero) {
  for (const bool ftz : {false, true}) {
    const auto suffix = ftz ? ".ftz" : "";
    const auto f = [=](const Bits* v) { return ftz ? flush_f32(f32(v[0])) : f32(v[0]); };
    const auto sat = [](float x) { return bits(x > 0 ? std::min(x, 1.0F) : 0.0F); };
    expect(fmt::format("cvt{}.sat.f32.f32 %q0, %a;", suffix), "b32", {b32(floats())},
           [=](const Bits* v) { return sat(f(v)); });
    expect(fmt::format("cvt{}.f32.f32 %q0, %a;", suffix), "b32", {b32(floats())},
           [=](const Bits* v) { return bits(f(v)); });
    expect(fmt::format("cvt.rmi{}.sat.f32.f32 %q0, %a;", suffix), "b32", {b32(floats())},
           [=](const Bits* v) { return sat(std::floor(f(v))); });
    expect(fmt::format("cvt.rn{}.sat.f32.f64 %q0, %a;", suffix), "b32", {b64(doubles())},
           [=](const Bits* v) {
             const auto x = static_cast<float>(f64(v[0]));
             return sat(ftz ? flush_f32(x) : x);
           });
  }
}

TEST(OpcodeCvtSat, of_floats_to_integers_of_every_width) {
  Column v = floats();
  for (const float x : {127.5F, 128.0F, -128.5F, -129.0F, 255.5F, 256.0F, -0.5F, -0.51F, 32767.5F,
                        65535.5F, 2147483520.0F, 2147483648.0F, -2147483648.0F, 4294967296.0F}) {
    v.push_back(bits(x));
  }
  for (const unsigned width : {8U, 16U, 32U}) {
    for (const bool is_signed : {false, true}) {
      const double least = is_signed ? -std::ldexp(1.0, int(width) - 1) : 0;
      const double most = std::ldexp(1.0, int(width) - (is_signed ? 1 : 0)) - 1;
      for (const bool ftz : {false, true}) {
        expect(fmt::format("cvt.rni{}.sat.{}{}.f32 %q0, %a;", ftz ? ".ftz" : "",
                           is_signed ? 's' : 'u', width),
               "b32", {b32(v)}, [=](const Bits* row) {
                 const float x = f32(row[0]);
                 if (x != x) return Bits{0};
                 const double y = std::clamp(std::nearbyint(double{x}), least, most);
                 return low(static_cast<Bits>(static_cast<std::int64_t>(y)), 32);
               });
      }
    }
  }
  // Rounding up tells a subnormal from zero.
  expect("cvt.rpi.s32.f32 %q0, %a;", "b32", {b32({1})}, [](const Bits*) -> Bits { return 1; });
  expect("cvt.rpi.ftz.s32.f32 %q0, %a;", "b32", {b32({1})}, [](const Bits*) -> Bits { return 0; });
}

/// fp8 by a table of all codes.
struct Fp8 {
  const char* name;
  int mantissa, bias;
  Bits top;  ///< the largest number
  [[nodiscard]] double value(Bits code) const {
    const int exponent = int(code >> mantissa & ((1U << (7 - mantissa)) - 1));
    const double fraction = double(code & ((1U << mantissa) - 1)) / (1 << mantissa);
    const double x =
        exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
    return (code & 0x80) != 0 ? -x : x;
  }
  /// The nearest number, the even code of two; NaN 0x7f.
  [[nodiscard]] Bits nearest(double x) const {
    if (x != x) return 0x7F;
    const Bits sign = std::signbit(x) ? 0x80 : 0;
    x = std::min(std::fabs(x), value(top));
    Bits best = 0;
    for (Bits code = 0; code <= top; ++code) {
      const double now = std::fabs(value(code) - x), before = std::fabs(value(best) - x);
      if (now < before || (now == before && code % 2 == 0)) best = code;
    }
    return sign | best;
  }
};

TEST(OpcodeCvtFp8, from_and_to_pairs) {
  for (const auto& f : {Fp8{"e4m3x2", 3, 7, 0x7E}, Fp8{"e5m2x2", 2, 15, 0x7B}}) {
    Column v = f32_values();
    for (Bits code = 0; code < f.top; ++code) {
      const auto x = static_cast<float>(f.value(code)), y = static_cast<float>(f.value(code + 1));
      for (const float z : {x, (x + y) / 2, std::nextafter((x + y) / 2, 0.0F)}) {
        v.push_back(bits(z));
        v.push_back(bits(-z));
      }
    }
    auto w = v;
    std::reverse(w.begin(), w.end());
    expect(fmt::format("cvt.rn.satfinite.{}.f32 %q0, %a, %b;", f.name), "b16", {b32(v), b32(w)},
           [&](const Bits* x) { return f.nearest(f32(x[0])) << 8 | f.nearest(f32(x[1])); });
    expect(fmt::format("cvt.rn.satfinite.relu.{}.f32 %q0, %a, %b;", f.name), "b16",
           {b32(v), b32(w)}, [&](const Bits* x) {
             const auto relu = [](float y) { return y < 0 ? 0.0F : y; };
             return f.nearest(relu(f32(x[0]))) << 8 | f.nearest(relu(f32(x[1])));
           });
    Column halves, codes;
    for (const auto x : random_words(16, 4000, 81)) halves.push_back(x | (x * 7 & 0xFFFF) << 16);
    for (Bits code = 0; code < 256; ++code) codes.push_back(code | (255 - code) << 8);
    const auto& f16 = f16_format();
    const auto half = [&](Bits x) {
      return f16.is_nan(x) ? double(NAN) : static_cast<double>(f16.value(x & 0xFFFF));
    };
    expect(fmt::format("cvt.rn.satfinite.{}.f16x2 %q0, %a;", f.name), "b16", {b32(halves)},
           [&](const Bits* x) {
             return f.nearest(half(x[0] >> 16)) << 8 | f.nearest(half(x[0] & 0xFFFF));
           });
    expect(fmt::format("cvt.rn.f16x2.{} %q0, %a;", f.name), "b32", {b16(codes)},
           [&](const Bits* x) {
             const auto one = [&](Bits code) -> Bits {
               if ((code & 0x7F) <= f.top) return narrow_bits(f16, f.value(code));
               const bool infinite = f.mantissa == 2 && (code & 0x7F) == 0x7C;
               return infinite ? (code & 0x80) << 8 | 0x7C00 : 0x7FFF;
             };
             return one(x[0] & 0xFF) | one(x[0] >> 8) << 16;
           });
  }
}

TEST(OpcodeCvtTf32, keeps_ten_bits_of_mantissa) {
  const std::vector<Source> v = {b32(floats())};
  const auto by = [](mpfr_rnd_t mode, const Bits* row) -> Bits {
    const double x = f32(row[0]);
    if (x != x) return 0x7FFF'FFFF;
    return bits(float(rounded_to({11, -135, 128}, exact::same, &x, 1, mode)));
  };
  expect("cvt.rn.tf32.f32 %q0, %a;", "b32", v, [=](const Bits* x) { return by(MPFR_RNDN, x); });
  expect("cvt.rz.tf32.f32 %q0, %a;", "b32", v, [=](const Bits* x) { return by(MPFR_RNDZ, x); });
  expect("cvt.rna.tf32.f32 %q0, %a;", "b32", v, [=](const Bits* x) {
    // Ties away from zero: where both neighbours are as near, the greater magnitude.
    const double y = f32(x[0]);
    if (y != y) return x[0] & ~Bits{0x1FFF};  // as an H100 does
    if (std::isinf(y)) return by(MPFR_RNDN, x);
    const auto down = by(MPFR_RNDZ, x);
    const Bits up = y < 0 ? by(MPFR_RNDD, x) : by(MPFR_RNDU, x);
    const double above = std::isinf(f32(up)) ? std::copysign(0x1p128, y) : double{f32(up)};
    return std::fabs(above - y) <= std::fabs(y - double{f32(down)}) ? up : down;
  });
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_convert_round
