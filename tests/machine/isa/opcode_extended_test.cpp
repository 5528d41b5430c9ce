// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Carries, dot products, 24-bit and saturating arithmetic, set, slct and testp (PTX ISA 9.0, 9.7.1
// to 9.7.6). Expected values are computed in 128 bits, or written out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/machine/isa/opcode_mpfr.hpp"

namespace gauntlet::simt::test::opcode_extended {
namespace {

using Wide = __int128;
using Unsigned = unsigned __int128;

TEST(OpcodeCarry, sums_and_differences_of_two_words) {
  for (const unsigned width : {32U, 64U}) {
    const auto type = fmt::format("u{}", width), reg = fmt::format("b{}", width);
    const auto b = borders(width);
    const auto few = Column(b.begin() + 14, b.begin() + 20);
    const auto in = cross(reg, {b, b, few, few});
    const auto word = [=](Unsigned x, unsigned k) { return low(Bits(x >> (k * width)), width); };
    expect_pair(fmt::format("add.cc.{0} %q0, %a, %b; addc.{0} %q1, %c, %e;", type), reg, reg, in,
                [=](const Bits* v) -> std::pair<Bits, Bits> {
                  const Unsigned low_sum = Unsigned(v[0]) + v[1];
                  return {word(low_sum, 0), low(v[2] + v[3] + Bits(low_sum >> width), width)};
                });
    expect_pair(fmt::format("sub.cc.{0} %q0, %a, %b; subc.{0} %q1, %c, %e;", type), reg, reg, in,
                [=](const Bits* v) -> std::pair<Bits, Bits> {
                  return {low(v[0] - v[1], width), low(v[2] - v[3] - (v[0] < v[1] ? 1 : 0), width)};
                });
    // The carry of a carried sum: all ones and a carry in hand one on.
    expect_pair(
        fmt::format("add.cc.{0} %q0, %a, %b; addc.cc.{0} %q0, %c, %e; addc.{0} %q1, 0, 0;", type),
        reg, reg, in, [=](const Bits* v) -> std::pair<Bits, Bits> {
          const Bits carry = Bits((Unsigned(v[0]) + v[1]) >> width);
          const Unsigned x = Unsigned(v[2]) + v[3] + carry;
          return {word(x, 0), word(x, 1)};
        });
    expect_pair(
        fmt::format("sub.cc.{0} %q0, %a, %b; subc.cc.{0} %q0, %c, %e; subc.{0} %q1, 0, 0;", type),
        reg, reg, in, [=](const Bits* v) -> std::pair<Bits, Bits> {
          const Wide x = Wide(v[2]) - Wide(v[3]) - (v[0] < v[1] ? 1 : 0);
          return {low(Bits(x), width), x < 0 ? low(~Bits{0}, width) : 0};
        });
    // Of four words, of which the third and the fourth are shown.
    const auto chain = [&](const char* op) {
      return fmt::format(
          "{0}.cc.{1} %q0, %a, %b; {0}c.cc.{1} %q0, %c, %e; {0}c.cc.{1} %q0, %b, %a;"
          "{0}c.{1} %q1, %e, %c;",
          op, type);
    };
    expect_pair(chain("add"), reg, reg, in, [=](const Bits* v) -> std::pair<Bits, Bits> {
      const Unsigned first = Unsigned(v[0]) + v[1],
                     second = Unsigned(v[2]) + v[3] + Bits(first >> width),
                     third = Unsigned(v[1]) + v[0] + Bits(second >> width);
      return {word(third, 0), low(v[3] + v[2] + Bits(third >> width), width)};
    });
    expect_pair(chain("sub"), reg, reg, in, [=](const Bits* v) -> std::pair<Bits, Bits> {
      const Wide first = Wide(v[0]) - Wide(v[1]), second = Wide(v[2]) - Wide(v[3]) - (first < 0),
                 third = Wide(v[1]) - Wide(v[0]) - (second < 0);
      return {low(Bits(third), width), low(v[3] - v[2] - (third < 0 ? 1 : 0), width)};
    });
  }
}

// As nvcc divides 128-bit numbers: it asks by addc whether a subc has borrowed. Measured on an
// H200, as is what a subc takes for a borrow behind a sum: that there was no carry.
TEST(OpcodeCarry, a_difference_that_borrows_has_no_carry) {
  for (const unsigned width : {32U, 64U}) {
    const auto type = fmt::format("u{}", width), reg = fmt::format("b{}", width);
    const auto b = borders(width);
    expect_pair(fmt::format("sub.cc.{0} %q0, %a, %b; addc.{0} %q1, 0, 0;", type), reg, reg,
                cross(reg, {b, b}), [=](const Bits* v) -> std::pair<Bits, Bits> {
                  return {low(v[0] - v[1], width), v[0] >= v[1] ? 1 : 0};
                });
    expect_pair(fmt::format("add.cc.{0} %q0, %a, %b; subc.{0} %q1, 0, 0;", type), reg, reg,
                cross(reg, {b, b}), [=](const Bits* v) -> std::pair<Bits, Bits> {
                  const Bits sum = low(v[0] + v[1], width);
                  return {sum, sum < low(v[0], width) ? 0 : low(~Bits{0}, width)};
                });
  }
}

TEST(OpcodeCarry, products_of_two_words) {
  const auto b = borders(32);
  const auto in = cross("b32", {b, b, {0, 1, 0x8000'0000, 0xFFFF'FFFF}, {0, 7, 0xFFFF'FFFF}});
  // (c, e) + a * b, as nvcc multiplies 64-bit numbers.
  const auto sum = [](const Bits* v) { return (v[3] << 32 | v[2]) + v[0] * v[1]; };
  expect_pair("mad.lo.cc.u32 %q0, %a, %b, %c; madc.hi.u32 %q1, %a, %b, %e;", "b32", "b32", in,
              [=](const Bits* v) -> std::pair<Bits, Bits> {
                return {low(sum(v), 32), sum(v) >> 32};
              });
  expect_pair("mad.lo.cc.u32 %q0, %a, %b, %c; madc.hi.cc.u32 %q1, %a, %b, %e;", "b32", "b32", in,
              [=](const Bits* v) -> std::pair<Bits, Bits> {
                return {low(sum(v), 32), sum(v) >> 32};
              });
  expect_pair("mad.hi.cc.s32 %q0, %a, %b, %c; madc.lo.s32 %q1, %a, %b, %e;", "b32", "b32", in,
              [](const Bits* v) -> std::pair<Bits, Bits> {
                const std::int64_t product = sign_extended(v[0], 32) * sign_extended(v[1], 32);
                const Bits x = low(Bits(product) >> 32, 32) + v[2];
                return {low(x, 32), low(v[0] * v[1] + v[3] + (x >> 32), 32)};
              });
  const auto wide = borders(64);
  expect_pair("mad.lo.cc.u64 %q0, %a, %b, %c; madc.hi.u64 %q1, %a, %b, 0;", "b64", "b64",
              cross("b64", {wide, wide, {0, 1, ~Bits{0}}}),
              [](const Bits* v) -> std::pair<Bits, Bits> {
                const Unsigned x = Unsigned(v[0]) * v[1] + v[2];
                return {Bits(x), Bits(x >> 64)};
              });
}

using I = std::int64_t;
std::int64_t part(Bits x, unsigned width, unsigned k, bool is_signed) {
  const Bits y = low(x >> (width * k), width);
  return is_signed ? sign_extended(y, width) : std::int64_t(y);
}

TEST(OpcodeDot, four_bytes_and_two_half_words) {
  const auto in = [] {
    auto s = std::vector<Source>{b32(random_words(32, 600, 61)), b32(random_words(32, 600, 62)),
                                 b32(random_words(32, 600, 63))};
    s[0].values[0] = s[1].values[0] = 0x8080'8080;
    s[0].values[1] = s[1].values[1] = 0xFFFF'FFFF;
    return s;
  }();
  for (const bool sa : {false, true}) {
    for (const bool sb : {false, true}) {
      const auto types = fmt::format("{}32.{}32", sa ? 's' : 'u', sb ? 's' : 'u');
      expect(fmt::format("dp4a.{} %q0, %a, %b, %c;", types), "b32", in, [=](const Bits* v) {
        std::int64_t sum = std::int64_t(v[2]);
        for (unsigned k = 0; k < 4; ++k) sum += part(v[0], 8, k, sa) * part(v[1], 8, k, sb);
        return low(Bits(sum), 32);
      });
      for (const unsigned first : {0U, 2U}) {
        expect(fmt::format("dp2a.{}.{} %q0, %a, %b, %c;", first == 0 ? "lo" : "hi", types), "b32",
               in, [=](const Bits* v) {
                 std::int64_t sum = std::int64_t(v[2]);
                 for (unsigned k = 0; k < 2; ++k) {
                   sum += part(v[0], 16, k, sa) * part(v[1], 8, first + k, sb);
                 }
                 return low(Bits(sum), 32);
               });
      }
    }
  }
}

TEST(OpcodeBytes, absolute_differences_of_four_bytes) {
  const auto in = cross("b32", {random_words(32, 12, 1), random_words(32, 12, 2), borders(32)});
  for (const bool is_signed : {false, true}) {
    const char t = is_signed ? 's' : 'u';
    const auto difference = [=](const Bits* v, unsigned k) {
      return std::abs(part(v[0], 8, k, is_signed) - part(v[1], 8, k, is_signed));
    };
    expect(fmt::format("vabsdiff4.u32.{0}32.{0}32 %q0, %a, %b, %c;", t), "b32", in,
           [=](const Bits* v) {
             Bits d = 0;
             for (unsigned k = 0; k < 4; ++k) d |= Bits(difference(v, k)) << 8 * k;
             return d;
           });
    expect(fmt::format("vabsdiff4.u32.{0}32.{0}32.add %q0, %a, %b, %c;", t), "b32", in,
           [=](const Bits* v) {
             auto sum = std::int64_t(v[2]);
             for (unsigned k = 0; k < 4; ++k) sum += difference(v, k);
             return low(Bits(sum), 32);
           });
  }
}

TEST(OpcodePair, integers_in_both_halves) {
  const auto in = cross("b32", {borders(32), random_words(32, 40, 3)});
  const auto halves = [](const Bits* v, bool is_signed, const auto& f) {
    Bits d = 0;
    for (unsigned k = 0; k < 2; ++k) {
      d |= low(Bits(f(part(v[0], 16, k, is_signed), part(v[1], 16, k, is_signed))), 16) << 16 * k;
    }
    return d;
  };
  for (const bool is_signed : {false, true}) {
    const auto type = is_signed ? "s16x2" : "u16x2";
    expect(fmt::format("add.{} %q0, %a, %b;", type), "b32", in,
           [=](const Bits* v) { return halves(v, is_signed, [](I x, I y) { return x + y; }); });
    expect(fmt::format("min.{} %q0, %a, %b;", type), "b32", in, [=](const Bits* v) {
      return halves(v, is_signed, [](I x, I y) { return std::min(x, y); });
    });
    expect(fmt::format("max.{} %q0, %a, %b;", type), "b32", in, [=](const Bits* v) {
      return halves(v, is_signed, [](I x, I y) { return std::max(x, y); });
    });
  }
  expect("max.relu.s16x2 %q0, %a, %b;", "b32", in, [=](const Bits* v) {
    return halves(v, true, [](I x, I y) { return std::max({x, y, I{0}}); });
  });
  expect("min.relu.s16x2 %q0, %a, %b;", "b32", in, [=](const Bits* v) {
    return halves(v, true, [](I x, I y) { return std::max(std::min(x, y), I{0}); });
  });
}

TEST(OpcodeFns, finds_the_nth_set_bit) {
  const Column masks = {0, 1, 0x8000'0000, 0xFFFF'FFFF, 0x0010'8421, 0xA5A5'0000};
  expect("fns.b32 %q0, %a, %b, %c;", "b32",
         cross("b32", {masks, {0, 1, 5, 16, 31}, {0, 1, 2, 7, 32, 33, 0xFFFF'FFFF, 0xFFFF'FFFD}}),
         [](const Bits* v) -> Bits {
           const auto set = [&](I at) { return at >= 0 && at < 32 && (v[0] >> at & 1) != 0; };
           const I n = sign_extended(v[2], 32), from = I(v[1]);
           if (n == 0) return set(from) ? Bits(from) : 0xFFFF'FFFF;
           std::vector<I> places;
           for (I at = from; at >= 0 && at<32; at += n> 0 ? 1 : -1) {
             if (set(at)) places.push_back(at);
           }
           const auto k = std::size_t(n > 0 ? n : -n);
           return k <= places.size() ? Bits(places[k - 1]) : 0xFFFF'FFFF;
         });
}

TEST(OpcodeInteger24, products_of_the_low24_bits) {
  auto v = borders(32);
  for (const Bits x : {0x007F'FFFF, 0x0080'0000, 0x00FF'FFFF, 0x0100'0000}) v.push_back(x);
  for (const bool is_signed : {false, true}) {
    const char t = is_signed ? 's' : 'u';
    const auto value = [=](Bits x) {
      return is_signed ? sign_extended(low(x, 24), 24) : std::int64_t(low(x, 24));
    };
    const auto product = [=](const Bits* v) { return Bits(value(v[0]) * value(v[1])); };
    expect(fmt::format("mul24.lo.{}32 %q0, %a, %b;", t), "b32", cross("b32", {v, v}),
           [=](const Bits* v) { return low(product(v), 32); });
    expect(fmt::format("mul24.hi.{}32 %q0, %a, %b;", t), "b32", cross("b32", {v, v}),
           [=](const Bits* v) { return low(product(v) >> 16, 32); });
    const auto three = cross("b32", {v, v, {0, 1, 0x8000'0000, 0xFFFF'FFFF}});
    expect(fmt::format("mad24.lo.{}32 %q0, %a, %b, %c;", t), "b32", three,
           [=](const Bits* v) { return low(product(v) + v[2], 32); });
    expect(fmt::format("mad24.hi.{}32 %q0, %a, %b, %c;", t), "b32", three,
           [=](const Bits* v) { return low((product(v) >> 16) + v[2], 32); });
  }
}

TEST(OpcodeBitMask, clamps_or_wraps_its_numbers) {
  Column v;
  for (Bits k = 0; k < 70; ++k) v.push_back(k);
  for (const Bits x : {0xFFFF'FFFFULL, 0x8000'0000ULL, 0x1'0005ULL}) v.push_back(x);
  const auto mask = [](Bits from, Bits bits) {  // bit for bit
    Bits x = 0;
    for (Bits k = from; k < from + bits && k < 32; ++k) x |= Bits{1} << k;
    return x;
  };
  const auto two = cross("b32", {v, v});
  expect("bmsk.clamp.b32 %q0, %a, %b;", "b32", two,
         [=](const Bits* x) { return mask(std::min<Bits>(x[0], 32), std::min<Bits>(x[1], 32)); });
  expect("bmsk.wrap.b32 %q0, %a, %b;", "b32", two,
         [=](const Bits* x) { return mask(x[0] % 32, x[1] % 32); });
  const auto words = cross("b32", {borders(32), v});
  for (const bool is_signed : {false, true}) {
    for (const bool clamp : {false, true}) {
      expect(fmt::format("szext.{}.{}32 %q0, %a, %b;", clamp ? "clamp" : "wrap",
                         is_signed ? 's' : 'u'),
             "b32", words, [=](const Bits* x) -> Bits {
               const Bits bits = clamp ? std::min<Bits>(x[1], 32) : x[1] % 32;
               if (bits == 0) return 0;
               const auto n = static_cast<unsigned>(bits);
               return is_signed ? low(Bits(sign_extended(low(x[0], n), n)), 32) : low(x[0], n);
             });
    }
  }
}

TEST(OpcodeIntegerSat, of_s32) {
  const auto b = borders(32);
  const auto clamp = [](std::int64_t x) {
    return low(Bits(std::clamp<std::int64_t>(x, INT32_MIN, INT32_MAX)), 32);
  };
  const auto s = [](Bits x) { return sign_extended(x, 32); };
  expect("add.sat.s32 %q0, %a, %b;", "b32", cross("b32", {b, b}),
         [=](const Bits* v) { return clamp(s(v[0]) + s(v[1])); });
  expect("sub.sat.s32 %q0, %a, %b;", "b32", cross("b32", {b, b}),
         [=](const Bits* v) { return clamp(s(v[0]) - s(v[1])); });
  expect("mad.hi.sat.s32 %q0, %a, %b, %c;", "b32", cross("b32", {b, b, b}),
         [=](const Bits* v) { return clamp((s(v[0]) * s(v[1]) >> 32) + s(v[2])); });
}

TEST(OpcodeSet, gives_all_ones_or_one) {
  const auto v = f32_values();
  const auto two = cross("b32", {v, v});
  const auto lt = [](const Bits* v) { return f32(v[0]) < f32(v[1]); };
  for (const char* type : {"u32", "s32"}) {
    expect(fmt::format("set.lt.{}.f32 %q0, %a, %b;", type), "b32", two,
           [=](const Bits* v) -> Bits { return lt(v) ? 0xFFFF'FFFF : 0; });
  }
  expect("set.lt.f32.f32 %q0, %a, %b;", "b32", two,
         [=](const Bits* v) { return bits(lt(v) ? 1.0F : 0.0F); });
  expect("set.gtu.ftz.f32.f32 %q0, %a, %b;", "b32", two, [](const Bits* v) {
    const float a = flush_f32(f32(v[0])), b = flush_f32(f32(v[1]));
    return bits(a <= b ? 0.0F : 1.0F);
  });
  const auto b = borders(32);
  expect("set.ge.u32.s32 %q0, %a, %b;", "b32", cross("b32", {b, b}), [](const Bits* v) -> Bits {
    return sign_extended(v[0], 32) >= sign_extended(v[1], 32) ? 0xFFFF'FFFF : 0;
  });
}

TEST(OpcodeSet, compares_halves_of_a_pair) {
  const Column h = {0, 0x8000, 1, 0x3C00, 0xBC00, 0x3C01, 0x7C00, 0x7E00, 0x03FF};
  const auto two = cross("b32", {h, h, h, h});
  Column a, b;
  for (std::size_t k = 0; k < two[0].values.size(); ++k) {
    a.push_back(two[0].values[k] | two[1].values[k] << 16);
    b.push_back(two[2].values[k] | two[3].values[k] << 16);
  }
  const auto& f = f16_format();
  const auto value = [&](Bits x) { return f.is_nan(x) ? Quad(NAN) : f.value(x); };
  const auto half = [&](const Bits* v, int shift) {
    return value(v[0] >> shift & 0xFFFF) > value(v[1] >> shift & 0xFFFF);
  };
  expect("set.gt.f16x2.f16x2 %q0, %a, %b;", "b32", {b32(a), b32(b)}, [=](const Bits* v) -> Bits {
    return (half(v, 0) ? 0x3C00U : 0U) | (half(v, 16) ? 0x3C00'0000U : 0U);
  });
  expect("set.gt.u32.f16x2 %q0, %a, %b;", "b32", {b32(a), b32(b)}, [=](const Bits* v) -> Bits {
    return (half(v, 0) ? 0xFFFFU : 0U) | (half(v, 16) ? 0xFFFF'0000U : 0U);
  });
}

TEST(OpcodeSlct, chooses_by_sign) {
  const auto c = f32_values();
  const auto in = cross("b32", {{11}, {22}, c});
  expect("slct.b32.f32 %q0, %a, %b, %c;", "b32", in,
         [](const Bits* v) { return f32(v[2]) >= 0 ? v[0] : v[1]; });
  expect("slct.ftz.u32.f32 %q0, %a, %b, %c;", "b32", in,
         [](const Bits* v) { return flush_f32(f32(v[2])) >= 0 ? v[0] : v[1]; });
  expect("slct.f32.s32 %q0, %a, %b, %c;", "b32", in,
         [](const Bits* v) { return sign_extended(v[2], 32) >= 0 ? v[0] : v[1]; });
  expect("slct.f64.s32 %q0, %a, %b, %c;", "b64",
         {b64({1, 1}), b64({Bits{1} << 40, Bits{1} << 40}), b32({0, 0xFFFF'FFFF})},
         [](const Bits* v) { return v[2] == 0 ? v[0] : v[1]; });
}

TEST(OpcodeTestp, knows_every_class) {
  const auto check = [](const char* property, const std::function<bool(double, int)>& f) {
    expect(fmt::format("testp.{}.f32 %q0, %a;", property), "pred", {b32(f32_values())},
           [&](const Bits* v) { return f(f32(v[0]), std::fpclassify(f32(v[0]))); });
    expect(fmt::format("testp.{}.f64 %q0, %a;", property), "pred", {b64(f64_values())},
           [&](const Bits* v) { return f(f64(v[0]), std::fpclassify(f64(v[0]))); });
  };
  check("finite", [](double x, int) { return x - x == 0; });
  check("infinite", [](double x, int) { return x == x && x - x != 0; });
  check("number", [](double x, int) { return x == x; });
  check("notanumber", [](double x, int) { return x != x; });
  check("normal", [](double, int c) { return c == FP_NORMAL; });
  check("subnormal", [](double, int c) { return c == FP_SUBNORMAL; });
  expect("copysign.f64 %q0, %a, %b;", "b64", cross("b64", {f64_values(), f64_values()}),
         [](const Bits* v) { return (v[1] & ~(Bits{1} << 63)) | (v[0] & Bits{1} << 63); });
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_extended
