// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// mma.sync: products of matrices whose elements lie in registers as PTX says (PTX ISA 9.0,
// 9.7.14.5, one figure for each shape and type), against plain products of the host.
#include "tests/machine/isa/opcode_matrix.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "machine/isa/matrix_sum.hpp"

namespace gauntlet::simt::test::matrix {
namespace {

TEST(OpcodeMatrix, products_of_small_integers_are_exact_in_every_type_and_shape) {
  auto all = instructions();
  std::ranges::copy(of_fp8(), std::back_inserter(all));
  for (const auto& x : all) {
    const auto types = types_of(x);
    std::mt19937 random(7);
    const auto small = [&](const std::string& type) {
      const double v = static_cast<int>(random() % 15) - 7;
      return type[0] == 'u' ? std::fabs(v) : v;
    };
    std::vector<double> a(x.m * x.k), b(x.k * x.n), c(x.m * x.n);
    for (auto& v : a) v = small(types[1]);
    for (auto& v : b) v = small(types[2]);
    for (auto& v : c) v = small(types[3]);
    const auto encoded = [](const std::vector<double>& values, const std::string& type) {
      Words w;
      for (const double v : values) w.push_back(bits_of(type, v));
      return w;
    };
    const auto d = run(x, encoded(a, types[1]), encoded(b, types[2]), encoded(c, types[3]));
    for (unsigned row = 0; row < x.m; ++row) {
      for (unsigned column = 0; column < x.n; ++column) {
        double sum = c[row * x.n + column];
        for (unsigned k = 0; k < x.k; ++k) sum += a[row * x.k + k] * b[k * x.n + column];
        EXPECT_EQ(number(types[0], d[row * x.n + column]), sum)
            << x.shape << "." << x.numbers << " row " << row << " column " << column;
      }
    }
  }
}

TEST(OpcodeMatrix, integer_sums_wrap_or_saturate) {
  const auto x = integers(16, 32, "s8", "s8");
  const Words a(16 * 32, 0x80), b(32 * 8, 0x80);  // 32 products of 2^14
  Words c(16 * 8, 0x7FFF'FFFF);
  c[0] = 5;
  const auto wrapped = run(x, a, b, c), clamped = run(x, a, b, c, ".satfinite");
  EXPECT_EQ(wrapped[0], 5U + (32U << 14));
  EXPECT_EQ(clamped[0], 5U + (32U << 14));
  EXPECT_EQ(wrapped[1], (0x7FFF'FFFFU + (32U << 14)));
  EXPECT_EQ(clamped[1], 0x7FFF'FFFFU);
  const auto negative = run(x, a, Words(32 * 8, 0x7F), Words(16 * 8, 0x8000'0000), ".satfinite");
  EXPECT_EQ(negative[3], 0x8000'0000U);
}

TEST(OpcodeMatrix, f64_is_one_fma_after_the_other) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> real(-1, 1);
  for (const auto& x : {f64_k4, f64_wide(16)}) {
    Words a(x.m * x.k), b(x.k * x.n), c(x.m * x.n);
    for (auto* matrix : {&a, &b, &c}) {
      for (auto& v : *matrix) v = std::bit_cast<std::uint64_t>(real(random));
    }
    const auto d = run(x, a, b, c);
    for (unsigned row = 0; row < x.m; ++row) {
      for (unsigned column = 0; column < x.n; ++column) {
        auto sum = number("f64", c[row * x.n + column]);
        for (unsigned k = 0; k < x.k; ++k) {
          sum = std::fma(number("f64", a[row * x.k + k]), number("f64", b[k * x.n + column]), sum);
        }
        EXPECT_EQ(number("f64", d[row * x.n + column]), sum);
      }
    }
  }
}

/// docs/limits.md: every addend loses less than 2^-25 of the power of two at the highest exponent,
/// and the sum less than one ulp.
TEST(OpcodeMatrix, float_sums_are_within_the_documented_bound) {
  for (const auto& x : {f16_k8, f16_k16, with(f16_k16, "f32.bf16.bf16.f32"), tf32_k4, tf32_k8}) {
    const auto types = types_of(x);
    std::mt19937 random(11);
    const auto value = [&](const std::string& type) {
      const double v = std::ldexp(1 + random() % 4096 / 4096.0, static_cast<int>(random() % 7) - 3);
      return bits_of(type, random() % 2 == 0 ? v : -v);
    };
    Words a(x.m * x.k), b(x.k * x.n), c(x.m * x.n);
    for (auto& v : a) v = value(types[1]);
    for (auto& v : b) v = value(types[2]);
    for (auto& v : c) v = value("f32");
    // The low 13 bits of tf32 are not read.
    const auto read = [&](std::uint64_t bits) {
      return number(types[1], types[1] == "tf32" ? bits & ~0x1FFFULL : bits);
    };
    const auto d = run(x, a, b, c);
    unsigned inexact = 0;
    for (unsigned row = 0; row < x.m; ++row) {
      for (unsigned column = 0; column < x.n; ++column) {
        double exact = number("f32", c[row * x.n + column]);  // all sums here fit a double
        int highest = std::ilogb(exact);
        for (unsigned k = 0; k < x.k; ++k) {
          const double p = read(a[row * x.k + k]), q = read(b[k * x.n + column]);
          exact += p * q;
          highest = std::max(highest, std::ilogb(p) + std::ilogb(q));
        }
        const double got = number("f32", d[row * x.n + column]);
        const double bound = (x.k + 1) * std::ldexp(1, highest - 25) + std::fabs(exact) * 0x1p-23;
        EXPECT_LE(std::fabs(got - exact), bound) << x.shape << "." << x.numbers;
        inexact += got != exact ? 1 : 0;
      }
    }
    EXPECT_GT(inexact, 0U) << "nothing was rounded: the case says nothing";
  }
}

/// Whatever the factors, also where sums are too large or too small, and where some are no numbers:
/// columns side by side give what matrix_sum gives of one element.
TEST(OpcodeMatrix, float_sums_are_the_same_element_by_element) {
  std::vector<Instruction> all = of_fp8();
  for (const auto& x : {f16_k16, with(f16_k16, "f32.bf16.bf16.f32"), tf32_k8,
                        with(f16_k16, "f16.f16.f16.f16", 16)}) {
    all.push_back(x);
  }
  for (const auto& x : all) {
    const auto types = types_of(x);
    std::vector<ptx::ScalarType> as;
    for (const auto& type : types) as.push_back(*parse<ptx::ScalarType>(type));
    std::mt19937 random(5);
    unsigned strange = 0, rounded = 0;
    for (int round = 0; round < 48; ++round) {
      const std::uint32_t near = random() & 0x7C00'0000;
      // Exponents that lie close together mostly, somewhere; at times one that is no number.
      const auto drawn = [&](ptx::ScalarType of, std::uint32_t kept) -> std::uint64_t {
        for (;;) {
          std::uint32_t bits = random();
          if (kept != 0 && round % 4 != 0) bits = (bits & 0x83FF'FFFF) | kept;
          bits >>= of == ptx::ScalarType::tf32 ? 0 : 32 - bits_of(of);
          if (random() % 8 == 0) return 0U;
          const bool number = matrix_factor(of, bits).kind == MatrixFactor::Kind::number;
          strange += number ? 0 : 1;
          if (number || (round % 6 == 5 && random() % 64 == 0)) return bits;
        }
      };
      Words a(x.m * x.k), b(x.k * x.n), c(x.m * x.n);
      for (auto& v : a) v = drawn(as[1], near);
      for (auto& v : b) v = drawn(as[2], near);
      const double size = std::fabs(number(types[1], a[1]) * number(types[2], b[1]));
      const bool alike = round % 2 == 1 && size > 0 && size < 0x1p60;
      for (auto& v : c) {
        v = alike ? bits_of(types[3], size * (static_cast<int>(random() % 4096) - 2048) / 512)
                  : drawn(as[3], 0);
      }
      const auto d = run(x, a, b, c);
      const int bits = fraction_bits(as[1]) + fraction_bits(as[2]);
      for (unsigned row = 0; row < x.m; ++row) {
        for (unsigned column = 0; column < x.n; ++column) {
          std::vector<MatrixFactor> of_a, of_b;
          for (unsigned k = 0; k < x.k; ++k) {
            of_a.push_back(matrix_factor(as[1], static_cast<std::uint32_t>(a[row * x.k + k])));
            of_b.push_back(matrix_factor(as[2], static_cast<std::uint32_t>(b[k * x.n + column])));
          }
          const auto at = row * x.n + column;
          const auto addend = matrix_factor(as[3], static_cast<std::uint32_t>(c[at]));
          const auto expected =
              matrix_sum(of_a, of_b, bits, addend, fraction_bits(as[3]), as[0], sum_bits(as[1]));
          ASSERT_EQ(d[at], expected) << x.numbers << " round " << round << " element " << at;
          rounded += alike && expected != 0 ? 1 : 0;
        }
      }
    }
    EXPECT_GT(strange, 0U);
    EXPECT_GT(rounded, 500U) << x.numbers;
  }
}

TEST(OpcodeMatrix, integer_sums_are_those_of_64_bits_wrapped_or_saturated) {
  for (const auto& x : {integers(16, 32, "s8", "u8"), integers(16, 32, "u8", "s8"),
                        integers(8, 16, "u8", "u8"), integers(16, 64, "s4", "u4")}) {
    const auto types = types_of(x);
    std::mt19937 random(6);
    Words a(x.m * x.k), b(x.k * x.n), c(x.m * x.n);
    for (auto& v : a) v = random() & ((1U << x.a_bits) - 1);
    for (auto& v : b) v = random() & ((1U << x.a_bits) - 1);
    // Some near an end of what there is.
    for (auto& v : c) v = random() % 2 == 0 ? random() : 0x7FFF'F000 + random() % 0x2000;
    const auto value = [&](const std::string& type, std::uint64_t bits) {
      const auto all = std::int64_t{1} << x.a_bits, v = static_cast<std::int64_t>(bits);
      return type[0] == 's' && v >= all / 2 ? v - all : v;
    };
    const auto wrapped = run(x, a, b, c), saturated = run(x, a, b, c, ".satfinite");
    unsigned differ = 0;
    for (unsigned at = 0; at < x.m * x.n; ++at) {
      std::int64_t sum = static_cast<std::int32_t>(c[at]);
      for (unsigned k = 0; k < x.k; ++k) {
        sum += value(types[1], a[at / x.n * x.k + k]) * value(types[2], b[k * x.n + at % x.n]);
      }
      const auto nearest = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
      EXPECT_EQ(wrapped[at], static_cast<std::uint32_t>(sum)) << x.numbers;
      EXPECT_EQ(saturated[at], static_cast<std::uint32_t>(nearest)) << x.numbers;
      differ += sum != nearest ? 1 : 0;
    }
    EXPECT_GT(differ, 0U) << x.numbers;
  }
}

TEST(OpcodeMatrix, a_slot_is_where_the_register_of_a_place_is) {
  for (const MatrixShape shape : {MatrixShape{16, 8, 16}, {8, 8, 16}, {32, 8, 16}, {16, 64, 32}}) {
    for (const auto part : {MatrixPart::a, MatrixPart::b}) {
      constexpr auto f16 = ptx::ScalarType::f16;
      for (unsigned word = 0; word < registers_of(part, shape, f16) * 32; ++word) {
        for (unsigned e = 0; e < 2; ++e) {
          const auto place = matrix_place(part, shape, f16, word % 32, word / 32, e);
          const auto slot = matrix_slot(part, shape, f16, place);
          EXPECT_EQ(slot.word, word);
          EXPECT_EQ(slot.element, e);
        }
      }
    }
  }
}

/// What an H100 gave (driver 580.159.04) for two products, each of them twice, and c.
TEST(OpcodeMatrix, special_sums_are_those_of_an_h100) {
  const float inf = INFINITY, t = 0x1p100F, most = 0x1.fffffep127F, s = 0x1p-20F;
  struct Row {
    float a[2], b[2], c;
    std::uint32_t d;
  };
  const Row rows[] = {
      {{0, s}, {t, s}, 0x1.fffffep-60F, 0x2C00'0007},  // a zero has no exponent; c is cut off
      {{t, 0}, {t, 0}, 1, 0x7F80'0000},
      {{t, t}, {t, -t}, 1, 0},  // 2^201 - 2^201, beside which 1 is nothing
      {{inf, 0}, {0, 0}, 1, 0x7FFF'FFFF},
      {{inf, 0}, {-1, 0}, 1, 0xFF80'0000},
      {{inf, inf}, {1, -1}, 1, 0x7FFF'FFFF},
      {{inf, 0}, {1, 0}, -inf, 0x7FFF'FFFF},
      {{0, 0}, {0, 0}, -0.0F, 0},
      {{0x1p51F, 0}, {0x1p51F, 0}, most, 0x7F7F'FFFF},  // half an ulp more: towards zero
      {{0x1p50F, 0}, {0x1p51F, 0}, most, 0x7F7F'FFFF},
      {{1, 0}, {1, 0}, NAN, 0x7FFF'FFFF},
      {{-t, 0}, {t, 0}, inf, 0x7F80'0000}};
  const auto x = with(f16_k16, "f32.bf16.bf16.f32");
  for (const auto& row : rows) {
    Words a(16 * 16), b(16 * 8), c(16 * 8);
    for (unsigned k = 0; k < 16; ++k) {
      if (k % 8 > 1) continue;
      a[k] = std::bit_cast<std::uint32_t>(row.a[k % 8]) >> 16;
      b[k * 8] = std::bit_cast<std::uint32_t>(row.b[k % 8]) >> 16;
    }
    c[0] = std::bit_cast<std::uint32_t>(row.c);
    EXPECT_EQ(run(x, a, b, c)[0], row.d) << "row " << &row - rows;
  }
}

/// With 25 bits behind the first of a product 16 of them and an addend may need more than 32 bits.
TEST(OpcodeMatrix, the_largest_sums_of_products_are_as_any_other) {
  const double most = 2 - 0x1p-10;
  for (const double addend : {-4.0, 0.0, 0.25, 1.99, 3.9}) {
    const Words a(16 * 16, bits_of("f16", most)), b(16 * 8, bits_of("f16", -most)),
        c(16 * 8, bits_of("f32", -addend));
    const double sum = -16 * most * most - static_cast<float>(addend);  // exact
    const int last = 23 - std::ilogb(sum);
    EXPECT_EQ(number("f32", run(f16_k16, a, b, c)[0]),
              std::ldexp(std::trunc(std::ldexp(sum, last)), -last))
        << addend;
  }
}

TEST(OpcodeMatrix, f16_sums_are_rounded_once_to_nearest) {
  const auto x = with(f16_k16, "f16.f16.f16.f16", 16);
  const auto one_sum = [&](double a, double b, double c) {
    Words am(16 * 16), bm(16 * 8), cm(16 * 8);
    am[0] = bits_of("f16", a);
    bm[0] = bits_of("f16", b);
    cm[0] = bits_of("f16", c);
    return run(x, am, bm, cm)[0];
  };
  EXPECT_EQ(one_sum(1, 0x1p-11, 1), bits_of("f16", 1));  // a tie
  EXPECT_EQ(one_sum(1, 0x1p-11 + 0x1p-21, 1), bits_of("f16", 1 + 0x1p-10));
  EXPECT_EQ(one_sum(60000, 2, 60000), 0x7C00U);
  EXPECT_EQ(one_sum(-0x1p-20, 0x1p-10, 0), 0U);  // what rounds to zero is +0
}

TEST(OpcodeMatrix, movmatrix_transposes) {
  Device device(kernel(".param .u64 out",
                       "mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 1; add.u32 %r2, %r1, 1;\n"
                       "shl.b32 %r2, %r2, 16; or.b32 %r1, %r1, %r2;\n"
                       "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r1;\n"
                       "ld.param.u64 %d0, [out]; mad.wide.u32 %d0, %r0, 4, %d0;\n"
                       "st.global.u32 [%d0], %r3; ret;"));
  const auto out = device.output<std::uint32_t>("out", 32);
  EXPECT_TRUE(silent(device.launch({}, out)));
  const auto d = device.read<std::uint32_t>(out, 32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned e = 0; e < 2; ++e) {
      // Element (r, c) was 8 r + c; now it is at (c, r).
      const unsigned row = lane / 4, column = 2 * (lane % 4) + e;
      EXPECT_EQ(d[lane] >> 16 * e & 0xFFFF, 8 * column + row);
    }
  }
}

TEST(OpcodeMatrix, what_ptx_does_not_have_is_refused) {
  const auto refused = [](const std::string& statement) {
    return load_error(kernel("", statement)).find("instruction not known") != std::string::npos;
  };
  EXPECT_FALSE(
      refused("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%y0, %y1}, {%y2}, {%y3}, "
              "{%y4, %y5};"));
  for (const char* statement :
       {"mma.sync.aligned.m8n8k4.col.col.f64.f64.f64.f64 {%y0, %y1}, {%y2}, {%y3}, {%y4, %y5};",
        "mma.sync.m8n8k4.row.col.f64.f64.f64.f64 {%y0, %y1}, {%y2}, {%y3}, {%y4, %y5};",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%y0, %y1}, {%y2, %y2}, {%y3}, {%y4, "
        "%y5};",
        "mma.sync.aligned.m8n8k4.row.col.satfinite.f64.f64.f64.f64 {%y0, %y1}, {%y2}, {%y3}, "
        "{%y4, %y5};",
        "mma.sync.aligned.m8n8k16.row.col.f64.f64.f64.f64 {%y0, %y1}, {%y2}, {%y3}, {%y4, %y5};",
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s4.s32 {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5};",
        "mma.sync.aligned.m8n8k16.row.col.f32.e4m3.e4m3.f32 {%x0, %x1}, {%r2}, {%r3}, {%x4, %x5};",
        "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.s8.f32 {%x0, %x1, %x2, %x3}, {%r0, %r1}, "
        "{%r2}, "
        "{%x0, %x1, %x2, %x3};",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%x0, %x1, %x2, %x3}, {%r0, %r1}, "
        "{%r2, %r3}, {%x4, %x5, %x6, %x7}, %r4, 0;",
        "ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r0, %r1, %r2}, [%r3];",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0}, [%r3];",
        "ldmatrix.sync.aligned.m8n8.x1.global.b16 {%r0}, [%d3];",
        "wmma.load.d.sync.aligned.row.m16n16k16.f32 {%x0}, [%d0], 16;",
        "wmma.load.a.sync.aligned.row.m16n16k16.f32 {%x0}, [%d0], 16;"}) {
    EXPECT_TRUE(refused(statement)) << statement;
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::matrix
