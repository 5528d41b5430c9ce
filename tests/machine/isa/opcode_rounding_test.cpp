// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// .rn .rz .rm .rp, .ftz and .sat of floating-point arithmetic (PTX ISA 9.0, 9.7.3 and 9.7.4)
// against MPFR.
#include <fmt/format.h>

#include <iterator>
#include <random>

#include "machine/isa/approximations.hpp"
#include "machine/isa/modifiers.hpp"
#include "tests/machine/isa/opcode_mpfr.hpp"

namespace gauntlet::simt::test::opcode_rounding {
namespace {

struct Operation {
  const char* name;
  Exact exact;
  int operands;
  bool saturates;
};
const std::vector<Operation> operations = {
    {"add", exact::add, 2, true}, {"sub", exact::sub, 2, true},  {"mul", exact::mul, 2, true},
    {"fma", exact::fma, 3, true}, {"div", exact::div, 2, false}, {"sqrt", exact::sqrt, 1, false},
    {"rcp", exact::rcp, 1, false}};
std::string registers(int count) {
  return count == 1 ? "%a" : count == 2 ? "%a, %b" : "%a, %b, %c";
}
std::vector<Source> operands(const std::string& type, const Column& values, int count) {
  return cross(type, std::vector<Column>(static_cast<std::size_t>(count), values));
}
Column every_third(const Column& v) {
  Column some;
  for (std::size_t k = 0; k < v.size(); k += 3) some.push_back(v[k]);
  return some;
}

TEST(OpcodeRounding, f32_in_all_directions_with_ftz_and_sat) {
  for (const auto& op : operations) {
    auto values = op.operands == 3 ? every_third(f32_values()) : f32_values();
    const auto small = f32_near_underflow();
    for (const auto& v : {values, op.operands == 3 ? every_third(small) : small}) {
      const auto in = operands("b32", v, op.operands);
      for (const auto& direction : directions) {
        for (const bool ftz : {false, true}) {
          for (const bool sat : {false, true}) {
            if (sat && !op.saturates) continue;
            const F32How how{direction.mode, ftz, sat};
            expect(fmt::format("{}.{}{}{}.f32 %q0, {};", op.name, direction.name, ftz ? ".ftz" : "",
                               sat ? ".sat" : "", registers(op.operands)),
                   "b32", in,
                   [&](const Bits* row) { return f32_result(op.exact, row, op.operands, how); });
          }
        }
      }
    }
  }
}

TEST(OpcodeRounding, f64_in_all_directions) {
  for (const auto& op : operations) {
    const auto values = op.operands == 3 ? every_third(f64_values()) : f64_values();
    for (const auto& direction : directions) {
      expect(
          fmt::format("{}.{}.f64 %q0, {};", op.name, direction.name, registers(op.operands)), "b64",
          operands("b64", values, op.operands),
          [&](const Bits* row) { return f64_result(op.exact, row, op.operands, direction.mode); },
          same_f64);
    }
  }
}

TEST(OpcodeRounding, an_exact_difference_of_nothing_has_the_sign_of_the_direction) {
  const std::vector<Source> same = {b32({bits(1.5F)}), b32({bits(1.5F)})};
  expect("sub.rm.f32 %q0, %a, %b;", "b32", same, [](const Bits*) { return bits(-0.0F); });
  expect("sub.rp.f32 %q0, %a, %b;", "b32", same, [](const Bits*) { return bits(0.0F); });
  // What comes after is rounded to nearest again.
  const auto got = apply("add.rp.f32 %q0, %a, %b; add.rn.f32 %q1, %a, %b;", {"b32", "b32"},
                         {b32({bits(1.0F)}), b32({bits(0x1p-30F)})});
  EXPECT_EQ(f32(got[0][0]), 1 + 0x1p-23F);
  EXPECT_EQ(f32(got[1][0]), 1.0F);
}

TEST(OpcodeFtz, subnormals_are_kept_without_it_and_the_smallest_normal_always) {
  const Bits least = bits(0x1p-126F), subnormal = bits(0x1p-127F);
  expect("mul.f32 %q0, %a, %b;", "b32", {b32({least}), b32({bits(0.5F)})},
         [=](const Bits*) { return subnormal; });
  expect("mul.ftz.f32 %q0, %a, %b;", "b32", {b32({least}), b32({bits(-0.5F)})},
         [](const Bits*) { return bits(-0.0F); });
  expect("mul.ftz.f32 %q0, %a, %b;", "b32", {b32({subnormal}), b32({bits(2.0F)})},
         [](const Bits*) { return bits(0.0F); });
  expect("mul.f32 %q0, %a, %b;", "b32", {b32({subnormal}), b32({bits(2.0F)})},
         [=](const Bits*) { return least; });
  expect("mul.ftz.f32 %q0, %a, %b;", "b32", {b32({least}), b32({bits(-1.0F)})},
         [=](const Bits*) { return least | 0x8000'0000; });
}

TEST(OpcodeFtz, of_min_max_neg_abs) {
  auto v = f32_values();
  for (const auto x : f32_near_underflow()) v.push_back(x);
  const auto flushed = [](Bits x) { return bits(flush_f32(f32(x))); };
  const auto less = [](float a, float b) {
    return a != b ? a < b : std::signbit(a) && !std::signbit(b);
  };
  const auto two = cross("b32", {v, v});
  expect("min.ftz.f32 %q0, %a, %b;", "b32", two, [=](const Bits* row) {
    const float a = flush_f32(f32(row[0])), b = flush_f32(f32(row[1]));
    return bits(a != a ? b : b != b ? a : less(a, b) ? a : b);
  });
  expect("max.ftz.f32 %q0, %a, %b;", "b32", two, [=](const Bits* row) {
    const float a = flush_f32(f32(row[0])), b = flush_f32(f32(row[1]));
    return bits(a != a ? b : b != b ? a : less(a, b) ? b : a);
  });
  const auto or_nan = [](Bits operand, Bits result) -> Bits {
    return f32(operand) != f32(operand) ? 0x7FFF'FFFF : result;
  };
  expect("neg.ftz.f32 %q0, %a;", "b32", {b32(v)},
         [=](const Bits* row) { return or_nan(row[0], flushed(row[0]) ^ 0x8000'0000); });
  expect("abs.ftz.f32 %q0, %a;", "b32", {b32(v)},
         [=](const Bits* row) { return or_nan(row[0], flushed(row[0]) & 0x7FFF'FFFF); });
}

TEST(OpcodeFtz, of_comparisons) {
  const auto v = f32_near_underflow();
  const auto two = cross("b32", {v, v});
  expect("setp.lt.ftz.f32 %q0, %a, %b;", "pred", two,
         [](const Bits* row) { return flush_f32(f32(row[0])) < flush_f32(f32(row[1])); });
  expect("setp.lt.f32 %q0, %a, %b;", "pred", two,
         [](const Bits* row) { return f32(row[0]) < f32(row[1]); });
  expect("setp.equ.ftz.f32 %q0, %a, %b;", "pred", two,
         [](const Bits* row) { return flush_f32(f32(row[0])) == flush_f32(f32(row[1])); });
}

/// f16 results by the table of all its values; a subnormal has no bit of the exponent.
std::uint16_t flush_f16(std::uint64_t x) {
  return static_cast<std::uint16_t>((x & 0x7C00) == 0 ? x & 0x8000 : x);
}
TEST(OpcodeFtz, of_half_precision) {
  const auto& f = f16_format();
  Column a, b, c;
  for (const Bits x : {0x0000, 0x8000, 0x0001, 0x03FF, 0x83FF, 0x0400, 0x0401, 0x8400, 0x0600,
                       0x3800, 0xB800, 0x3BFF, 0x3C00, 0x4000, 0x7C00, 0xFC00, 0x7E00, 0x1FFF}) {
    a.push_back(x);
  }
  for (const auto x : random_words(16, 40, 51)) a.push_back(x);
  const auto two = cross("b16", {a, a});
  using Two = std::uint16_t (NarrowFormat::*)(std::uint64_t, std::uint64_t) const;
  for (const auto& [name, op] : {std::pair<const char*, Two>{"add", &NarrowFormat::add},
                                 {"sub", &NarrowFormat::sub},
                                 {"mul", &NarrowFormat::mul}}) {
    expect(fmt::format("{}.ftz.f16 %q0, %a, %b;", name), "b16", two, [&, op = op](const Bits* v) {
      return Bits{flush_f16((f.*op)(flush_f16(v[0]), flush_f16(v[1])))};
    });
    expect(fmt::format("{}.rn.sat.f16 %q0, %a, %b;", name), "b16", two,
           [&, op = op](const Bits* v) -> Bits {
             const Bits x = (f.*op)(v[0], v[1]);
             if (f.is_nan(x) || (x & 0x8000) != 0) return 0;
             return std::min<Bits>(x, 0x3C00);
           });
  }
  const auto three = cross("b16", {every_third(a), every_third(a), every_third(a)});
  expect("fma.rn.ftz.f16 %q0, %a, %b, %c;", "b16", three, [&](const Bits* v) {
    return Bits{flush_f16(f.fma(flush_f16(v[0]), flush_f16(v[1]), flush_f16(v[2])))};
  });
  const auto relu = [](const NarrowFormat& format, Bits x) -> Bits {
    return format.is_nan(x) ? 0x7FFF : (x & 0x8000) != 0 ? 0 : x;
  };
  expect("fma.rn.relu.f16 %q0, %a, %b, %c;", "b16", three,
         [&](const Bits* v) { return relu(f, f.fma(v[0], v[1], v[2])); });
  expect("fma.rn.relu.bf16 %q0, %a, %b, %c;", "b16", three,
         [&](const Bits* v) { return relu(bf16_format(), bf16_format().fma(v[0], v[1], v[2])); });
}

TEST(OpcodeApproximation, f32_is_the_correctly_rounded_result) {
  const auto all = f32_of_every_exponent();
  for (const auto& op : std::vector<Operation>{{"ex2", exact::ex2, 1, false},
                                               {"lg2", exact::lg2, 1, false},
                                               {"sin", exact::sin, 1, false},
                                               {"cos", exact::cos, 1, false},
                                               {"tanh", exact::tanh, 1, false},
                                               {"rcp", exact::rcp, 1, false},
                                               {"sqrt", exact::sqrt, 1, false}}) {
    for (const bool ftz : {false, true}) {
      if (ftz && op.name == std::string("tanh")) continue;
      expect(fmt::format("{}.approx{}.f32 %q0, %a;", op.name, ftz ? ".ftz" : ""), "b32", {b32(all)},
             [&](const Bits* v) {
               return f32_result(op.exact, v, 1, {MPFR_RNDN, ftz, false});
             });
    }
  }
}

/// The tables of special values of PTX ISA 9.0, 9.7.3.
TEST(OpcodeApproximation, special_values_are_the_manuals) {
  const Bits nan = 0x7FFF'FFFF, inf = 0x7F80'0000, minus = 0x8000'0000, sub = 0x0000'0123;
  const auto is = [](const std::string& instruction, Bits a, Bits expected) {
    expect(instruction + ".f32 %q0, %a;", "b32", {b32({a})}, [=](const Bits*) { return expected; });
  };
  for (const std::string ftz : {"", ".ftz"}) {
    is("ex2.approx" + ftz, minus | inf, 0);
    is("ex2.approx" + ftz, minus | sub, bits(1.0F));
    is("ex2.approx" + ftz, 0, bits(1.0F));
    is("ex2.approx" + ftz, inf, inf);
    is("lg2.approx" + ftz, minus | inf, nan);
    is("lg2.approx" + ftz, minus, minus | inf);
    is("lg2.approx" + ftz, inf, inf);
    is("sin.approx" + ftz, inf, nan);
    is("sin.approx" + ftz, minus, minus);
    is("cos.approx" + ftz, minus | inf, nan);
    is("cos.approx" + ftz, sub, bits(1.0F));
    is("rcp.approx" + ftz, minus | inf, minus);
    is("rcp.approx" + ftz, minus, minus | inf);
    is("rsqrt.approx" + ftz, minus, minus | inf);
    is("rsqrt.approx" + ftz, minus | inf, nan);
    is("rsqrt.approx" + ftz, inf, 0);
    is("sqrt.approx" + ftz, minus, minus);
    is("sqrt.approx" + ftz, bits(-1.0F), nan);
  }
  is("lg2.approx", minus | sub, nan);
  is("lg2.approx.ftz", minus | sub, minus | inf);
  is("lg2.approx.ftz", sub, minus | inf);
  is("sin.approx", sub, sub);
  is("sin.approx.ftz", minus | sub, minus);
  is("rcp.approx.ftz", minus | sub, minus | inf);
  is("rsqrt.approx.ftz", sub, inf);
  is("sqrt.approx.ftz", minus | sub, minus);
  is("tanh.approx", inf, bits(1.0F));
  is("tanh.approx", minus | inf, bits(-1.0F));
  is("tanh.approx", minus | sub, minus | sub);
}

/// All lanes at once as each by itself: anything, and more where results are, or are not, decided
/// by a guess.
template <class F>
void expect_all_lanes_alike(const char* name) {
  std::mt19937 draw(1);
  constexpr float widths[] = {0x1p-121F, 0x1p-12F, 2, 130, 0x1p15F, 0x1.1p15F, 0x1p30F};
  for (int round = 0; round < 4000; ++round) {
    std::uint32_t x[32], d[32];
    for (std::uint32_t& one : x) {
      const float width = widths[static_cast<std::size_t>(round) % std::size(widths)];
      one = static_cast<std::uint32_t>(draw());
      if (round % 3 != 0) one = bits(std::uniform_real_distribution(-width, width)(draw));
      if (round % 5 == 0) one = bits(1 + std::uniform_real_distribution(-0x1p-9F, 0x1p-9F)(draw));
    }
    F::template all_lanes<F>(d, x, ~0U);
    for (unsigned l = 0; l < 32; ++l) {
      ASSERT_EQ(d[l], bits(F{}(f32(x[l])))) << name << " of " << f32(x[l]);
    }
  }
}
TEST(OpcodeApproximation, is_the_same_for_all_lanes_at_once) {
  expect_all_lanes_alike<ops::Ex2>("ex2");
  expect_all_lanes_alike<ops::Lg2>("lg2");
  expect_all_lanes_alike<ops::Sin>("sin");
  expect_all_lanes_alike<ops::Cos>("cos");
  expect_all_lanes_alike<Ftz<ops::Lg2, float>>("lg2.ftz");
  expect_all_lanes_alike<Ftz<ops::Sin, float>>("sin.ftz");
}

TEST(OpcodeApproximation, rsqrt_flushes_subnormals) {
  Column v = f32_near_underflow();
  expect("rsqrt.approx.ftz.f32 %q0, %a;", "b32", {b32(v)}, [](const Bits* row) {
    const float x = flush_f32(f32(row[0]));
    return bits(x == 0  ? std::copysign(INFINITY, x)
                : x < 0 ? NAN
                        : float(1 / std::sqrt(double(x))));
  });
}

TEST(OpcodeApproximation, div_by_a_huge_divisor_is_zero_unless_infinite) {
  const auto v = f32_values();
  const auto in = cross("b32", {v,
                                {bits(0x1p126F), bits(0x1.000002p126F), bits(-0x1p127F), bits(3.0F),
                                 bits(-INFINITY), 0, bits(0x1p-127F)}});
  for (const bool ftz : {false, true}) {
    const auto quotient = [=](const Bits* row, bool huge_is_zero) {
      float a = f32(row[0]), b = f32(row[1]);
      if (ftz) a = flush_f32(a), b = flush_f32(b);
      const bool huge = std::fabs(b) > 0x1p126F && !std::isinf(b);
      const Bits two[] = {bits(a), bits(b)};
      if (huge && huge_is_zero) return bits(a * std::copysign(0.0F, b));
      return f32_result(exact::div, two, 2, {MPFR_RNDN, ftz, false});
    };
    const std::string suffix = ftz ? ".ftz.f32" : ".f32";
    expect("div.approx" + suffix + " %q0, %a, %b;", "b32", in,
           [=](const Bits* row) { return quotient(row, true); });
    expect("div.full" + suffix + " %q0, %a, %b;", "b32", in,
           [=](const Bits* row) { return quotient(row, false); });
  }
}

TEST(OpcodeApproximation, half_precision_of_all65536_values) {
  Column all(65536), pairs(65536);
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k] = k;
    pairs[k] = k | (0xFFFF - k) << 16;
  }
  struct Narrow {
    const char* name;
    const NarrowFormat& format;
    const Format& range;
  };
  const Narrow half{"f16", f16_format(), f16_range}, bfloat{"bf16", bf16_format(), bf16_range};
  const auto one = [](const Narrow& n, const Exact& f, Bits x, bool ftz) -> Bits {
    if (n.format.is_nan(x)) return 0x7FFF;
    const Bits exponents = n.format.infinity();
    const auto flush = [=](Bits b) { return ftz && (b & exponents) == 0 ? b & 0x8000 : b; };
    const auto operand = static_cast<double>(n.format.value(flush(x)));
    return flush(narrow_bits(n.format, rounded_to(n.range, f, &operand, 1, MPFR_RNDN)));
  };
  const auto check = [&](const std::string& opcode, const Narrow& n, const Exact& f, bool ftz) {
    Column results;
    for (const Bits x : all) results.push_back(one(n, f, x, ftz));
    expect(fmt::format("{}.{} %q0, %a;", opcode, n.name), "b16", {b16(all)},
           [&](const Bits* v) { return results[v[0]]; });
    expect(fmt::format("{}.{}x2 %q0, %a;", opcode, n.name), "b32", {b32(pairs)},
           [&](const Bits* v) { return results[v[0] & 0xFFFF] | results[v[0] >> 16] << 16; });
  };
  check("tanh.approx", half, exact::tanh, false);
  check("tanh.approx", bfloat, exact::tanh, false);
  check("ex2.approx", half, exact::ex2, false);
}

TEST(OpcodeApproximation, reciprocals_of_the_upper_word_of_a_double) {
  const auto v = f64_values();
  const auto check = [&](const char* opcode, const Exact& exact) {
    expect(
        fmt::format("{}.approx.ftz.f64 %q0, %a;", opcode), "b64", {b64(v)},
        [&](const Bits* row) -> Bits {
          double x = f64(row[0] & 0xFFFF'FFFF'0000'0000);
          if (f64(row[0]) != f64(row[0])) return bits(NAN + 0.0);
          if (std::fpclassify(x) == FP_SUBNORMAL) x = std::copysign(0.0, x);
          // 21 bits of mantissa, rounded once: the upper word.
          const double y = rounded_to({21, -1021, 1024}, exact, &x, 1, MPFR_RNDN);
          return bits(y);
        },
        [](Bits a, Bits b) {
          // The machine rounds a double to its upper word: one unit where that is twice.
          return same_f64(a, b) || a - b == 1ULL << 32 || b - a == 1ULL << 32;
        });
  };
  check("rcp", exact::rcp);
  check("rsqrt", [](mpfr_t r, const mpfr_t* x, mpfr_rnd_t m) {
    const int ternary = mpfr_rec_sqrt(r, x[0], m);
    if (mpfr_zero_p(x[0])) mpfr_set_inf(r, mpfr_signbit(x[0]) != 0 ? -1 : 1);  // MPFR: +inf
    return ternary;
  });
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_rounding
