// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cvt between every pair of types (PTX ISA 9.0, 9.7.9.20).
#include <fmt/format.h>

#include <cmath>

#include "tests/machine/isa/opcode_narrow.hpp"
#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test::opcode_convert {
namespace {

using Wide = __int128;

struct Integer {
  unsigned width;
  bool is_signed;
  [[nodiscard]] std::string name() const {
    return fmt::format("{}{}", is_signed ? 's' : 'u', width);
  }
  /// The register that holds it: there are none of 8 bits.
  [[nodiscard]] unsigned storage() const { return std::max(width, 16U); }
  [[nodiscard]] Wide value(Bits x) const {
    return is_signed ? Wide{sign_extended(x, width)} : Wide{low(x, width)};
  }
  [[nodiscard]] Wide least() const { return is_signed ? -(Wide{1} << (width - 1)) : 0; }
  [[nodiscard]] Wide greatest() const { return (Wide{1} << (is_signed ? width - 1 : width)) - 1; }
};
const std::vector<Integer> integers = {{8, false},  {8, true},  {16, false}, {16, true},
                                       {32, false}, {32, true}, {64, false}, {64, true}};
std::string reg(unsigned width) { return fmt::format("b{}", width); }
Column all_halves() {
  Column v(65536);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = k;
  return v;
}

TEST(OpcodeCvt, integers_are_cut_then_extended_to_the_register) {
  for (const auto& from : integers) {
    for (const auto& to : integers) {
      // Destination registers of the type's own width and wider.
      for (const unsigned width : {16U, 32U, 64U}) {
        if (width < to.storage()) continue;
        expect(fmt::format("cvt.{}.{} %q0, %a;", to.name(), from.name()), reg(width),
               {{reg(from.storage()), borders(from.storage())}}, [=](const Bits* v) {
                 const Wide cut = to.value(low(static_cast<Bits>(from.value(v[0])), to.width));
                 return low(static_cast<Bits>(cut), width);
               });
      }
    }
  }
}

TEST(OpcodeCvt, sat_clamps_integers_to_the_destinations_range) {
  for (const auto& from : integers) {
    for (const auto& to : integers) {
      expect(fmt::format("cvt.sat.{}.{} %q0, %a;", to.name(), from.name()), reg(to.storage()),
             {{reg(from.storage()), borders(from.storage())}}, [=](const Bits* v) {
               const Wide x = std::min(std::max(from.value(v[0]), to.least()), to.greatest());
               return low(static_cast<Bits>(x), to.storage());
             });
    }
  }
}

/// The nearest integers: below, and the fraction above it.
Wide rounded(Quad x, char mode) {
  if (x >= 0x1p100) return Wide{1} << 100;
  if (x <= -0x1p100) return -(Wide{1} << 100);
  Wide below = static_cast<Wide>(x);
  if (Quad(below) > x) --below;
  const Quad fraction = x - Quad(below);
  switch (mode) {
    case 'm':
      return below;
    case 'p':
      return fraction > 0 ? below + 1 : below;
    case 'z':
      return x < 0 && fraction > 0 ? below + 1 : below;
    default:
      if (fraction > 0.5 || (fraction == 0.5 && (below & 1) != 0)) return below + 1;
      return below;
  }
}

struct Float {
  std::string name;
  unsigned width;
  std::function<Quad(Bits)> value;
  Column values;
};
std::vector<Float> floats() {
  Column f = f32_values(), d = f64_values();
  // Around every limit of the integer types, and halves that tie.
  for (const double x :
       {0.5, 1.5, 2.5, 127.5, 128.0, 255.5, 256.0, 32767.5, 65535.5, 65536.0, 0x1p31, 0x1p31 - 0.5,
        0x1p32 - 0.5, 0x1p32, 0x1p63, 0x1p64, 1e30, 1e-30, 0.49999997}) {
    for (const double y : {x, -x}) {
      f.push_back(bits(static_cast<float>(y)));
      f.push_back(bits(std::nextafter(static_cast<float>(y), 0.0F)));
      d.push_back(bits(y));
      d.push_back(bits(std::nextafter(y, 0.0)));
    }
  }
  return {
      {"f16", 16, [](Bits b) { return f16_format().is_nan(b) ? Quad(NAN) : f16_format().value(b); },
       all_halves()},
      {"f32", 32, [](Bits b) { return Quad(f32(b)); }, f},
      {"f64", 64, [](Bits b) { return Quad(f64(b)); }, d}};
}

TEST(OpcodeCvt, floats_round_to_integers_and_saturate) {
  for (const auto& from : floats()) {
    for (const auto& to : integers) {
      if (to.width == 8) continue;  // no register of the type's own width
      for (const char mode : {'n', 'z', 'm', 'p'}) {
        expect(fmt::format("cvt.r{}i.{}.{} %q0, %a;", mode, to.name(), from.name),
               reg(to.storage()), {{reg(from.width), from.values}}, [&](const Bits* v) {
                 const Quad x = from.value(v[0]);
                 if (x != x) {  // 0, or the top bit alone where a side has 64 bits
                   return from.width == 64 || to.width == 64 ? Bits{1} << (to.width - 1) : 0;
                 }
                 return low(static_cast<Bits>(
                                std::min(std::max(rounded(x, mode), to.least()), to.greatest())),
                            to.width);
               });
      }
    }
  }
}

TEST(OpcodeCvt, floats_round_to_integral_floats) {
  // Halfway cases and large values; the sign of zero stays.
  for (const auto& [mode, host] : {std::pair<char, double (*)(double)>{'n', std::nearbyint},
                                   {'z', std::trunc},
                                   {'m', std::floor},
                                   {'p', std::ceil}}) {
    const auto f = floats();
    expect(fmt::format("cvt.r{}i.f32.f32 %q0, %a;", mode), "b32", {b32(f[1].values)},
           [h = host](const Bits* v) { return bits(static_cast<float>(h(f32(v[0])))); });
    expect(
        fmt::format("cvt.r{}i.f64.f64 %q0, %a;", mode), "b64", {b64(f[2].values)},
        [h = host](const Bits* v) { return bits(h(f64(v[0]))); }, same_f64);
    expect(fmt::format("cvt.r{}i.f16.f16 %q0, %a;", mode), "b16", {b16(all_halves())},
           [h = host](const Bits* v) -> Bits {
             const auto& f16 = f16_format();
             if (f16.is_nan(v[0])) return 0x7FFF;
             const auto x = h(static_cast<double>(f16.value(v[0])));
             return f16.rounded(x, 0, std::signbit(x));
           });
  }
}

TEST(OpcodeCvt, integers_round_to_nearest_floats) {
  for (const auto& from : integers) {
    auto values = borders(from.storage());
    if (from.width >= 32) {  // ties of f32 and f64
      for (const Bits x :
           {0x0100'0001ULL, 0x0100'0003ULL, 0xFFFF'FF7FULL, 0xFFFF'FF80ULL, 0xFFFF'FF81ULL,
            0x0020'0000'0000'0001ULL, 0x0020'0000'0000'0003ULL, 0x7FFF'FFBF'FFFF'FFFFULL,
            0x7FFF'FFC0'0000'0000ULL, 0xFFFF'FFFF'FFFF'FBFFULL, 0xFFFF'FFFF'FFFF'FC00ULL}) {
        values.push_back(low(x, from.width));
      }
    }
    for (const auto x : random_words(from.storage(), 200, 31)) values.push_back(x);
    const std::vector<Source> in = {{reg(from.storage()), values}};
    const auto value = [=](const Bits* v) { return from.value(v[0]); };
    expect(fmt::format("cvt.rn.f32.{} %q0, %a;", from.name()), "b32", in,
           [=](const Bits* v) { return bits(static_cast<float>(value(v))); });
    expect(fmt::format("cvt.rn.f64.{} %q0, %a;", from.name()), "b64", in,
           [=](const Bits* v) { return bits(static_cast<double>(value(v))); });
    expect(fmt::format("cvt.rn.f16.{} %q0, %a;", from.name()), "b16", in,
           [=](const Bits* v) -> Bits { return f16_format().rounded(Quad(value(v))); });
  }
}

TEST(OpcodeCvt, widening_is_exact_for_all65536_values) {
  const std::vector<Source> all = {b16(all_halves())};
  const auto widened = [](const NarrowFormat& f, Bits b) {
    return f.is_nan(b) ? NAN : static_cast<float>(f.value(b));
  };
  expect("cvt.f32.f16 %q0, %a;", "b32", all,
         [=](const Bits* v) { return bits(widened(f16_format(), v[0])); });
  expect("cvt.f32.bf16 %q0, %a;", "b32", all,
         [=](const Bits* v) { return bits(widened(bf16_format(), v[0])); });
  expect(
      "cvt.f64.f16 %q0, %a;", "b64", all,
      [=](const Bits* v) { return bits(double{widened(f16_format(), v[0])}); }, same_f64);
  expect(
      "cvt.f64.f32 %q0, %a;", "b64", {b32(f32_values())},
      [](const Bits* v) { return bits(double{f32(v[0])}); }, same_f64);
}

/// Floats around every rounding border of a narrow format: its values, the middles between them,
/// and their float neighbours.
Column around(const NarrowFormat& format, unsigned step) {
  Column v = f32_values();
  for (Bits b = 0; b < format.infinity(); b += step) {
    const auto x = static_cast<float>(format.value(b));
    const auto middle = static_cast<float>((format.value(b) + format.value(b + 1)) / 2);
    for (const float y :
         {x, middle, std::nextafter(middle, 0.0F), std::nextafter(middle, INFINITY)}) {
      v.push_back(bits(y));
      v.push_back(bits(-y));
    }
  }
  return v;
}

TEST(OpcodeCvt, narrowing_rounds_to_nearest_even) {
  const auto narrow = [](const NarrowFormat& f, Quad x, bool negative) -> Bits {
    return f.rounded(x, 0, negative);
  };
  const std::pair<const char*, const NarrowFormat&> formats[] = {{"f16", f16_format()},
                                                                 {"bf16", bf16_format()}};
  for (const auto& [name, format] : formats) {
    const auto& f = format;
    const auto values = around(f, 3);
    expect(fmt::format("cvt.rn.{}.f32 %q0, %a;", name), "b16", {b32(values)},
           [&](const Bits* v) { return narrow(f, f32(v[0]), std::signbit(f32(v[0]))); });
    // The packed form: the first source is the upper half.
    Column others(values.rbegin(), values.rend());
    expect(fmt::format("cvt.rn.{}x2.f32 %q0, %a, %b;", name), "b32", {b32(values), b32(others)},
           [&](const Bits* v) {
             return narrow(f, f32(v[0]), std::signbit(f32(v[0]))) << 16 |
                    narrow(f, f32(v[1]), std::signbit(f32(v[1])));
           });
    // f64 has values between a middle and its float neighbours: one rounding, not two.
    Column doubles = f64_values();
    for (const auto x : values) {
      for (const double y : {double{f32(x)}, std::nextafter(double{f32(x)}, 0.0),
                             std::nextafter(double{f32(x)}, HUGE_VAL)}) {
        doubles.push_back(bits(y));
      }
    }
    expect(fmt::format("cvt.rn.{}.f64 %q0, %a;", name), "b16", {b64(doubles)},
           [&](const Bits* v) { return narrow(f, f64(v[0]), std::signbit(f64(v[0]))); });
  }
  Column doubles = f64_values();
  for (const double x : {1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-52, 1 + 0x3p-24, 0x1p-150, 0x1.000001p-150,
                         0x1.fffffefp127, 0x1.ffffffp127, 1e300}) {
    doubles.push_back(bits(x));
    doubles.push_back(bits(-x));
  }
  expect("cvt.rn.f32.f64 %q0, %a;", "b32", {b64(doubles)},
         [](const Bits* v) { return bits(static_cast<float>(f64(v[0]))); });
}

TEST(OpcodeCvt, source_registers_may_be_wider_than_the_type) {
  // PTX lets cvt read the low part of a wider register.
  expect("cvt.s32.s8 %q0, %a;", "b32", {b32(borders(32))},
         [](const Bits* v) { return low(static_cast<Bits>(sign_extended(v[0], 8)), 32); });
  expect("cvt.u64.u16 %q0, %a;", "b64", {b32(borders(32))},
         [](const Bits* v) { return v[0] & 0xFFFF; });
  expect("cvt.s64.s32 %q0, %a;", "b64", {b64(borders(64))},
         [](const Bits* v) { return static_cast<Bits>(sign_extended(v[0], 32)); });
  expect("cvt.u16.u8 %q0, %a;", "b16", {b64(borders(64))},
         [](const Bits* v) { return v[0] & 0xFF; });
  expect("cvt.rn.f32.s16 %q0, %a;", "b32", {b64(borders(64))},
         [](const Bits* v) { return bits(static_cast<float>(sign_extended(v[0], 16))); });
}

TEST(OpcodeCvt, floats_to_integers_fill_wider_registers) {
  expect("cvt.rzi.s32.f32 %q0, %a;", "b64", {b32({bits(-3.7F), bits(3.7F), bits(-1e30F)})},
         [](const Bits* v) {
           return static_cast<Bits>(
               static_cast<std::int64_t>(std::max(std::trunc(double{f32(v[0])}), -2147483648.0)));
         });
  expect("cvt.rzi.u8.f32 %q0, %a;", "b16", {b32({bits(300.0F), bits(-1.0F), bits(7.9F)})},
         [](const Bits* v) -> Bits { return f32(v[0]) > 255 ? 255
                                            : f32(v[0]) < 0 ? 0
                                                            : 7; });
  expect("cvt.rzi.s8.f32 %q0, %a;", "b32", {b32({bits(-300.0F), bits(-1.9F), bits(127.9F)})},
         [](const Bits* v) {
           return low(static_cast<Bits>(
                          static_cast<std::int64_t>(std::max(std::trunc(f32(v[0])), -128.0F))),
                      32);
         });
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_convert
