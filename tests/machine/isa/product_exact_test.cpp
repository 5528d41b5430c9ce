// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The products of tensor cores that are added in any order, against the sum of each element: as
// close as can be to the limits of what may be added so, on both sides; and their rounding to f16
// against MPFR.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "machine/engine/matrix_product.hpp"
#include "machine/isa/matrix_sum.hpp"
#include "machine/isa/product_rows.hpp"
#include "tests/machine/isa/opcode_mpfr.hpp"

namespace gauntlet::simt::test::product_exact {
namespace {

using N = ptx::ScalarType;
using P = MatrixPart;

struct Form {
  MatrixShape shape;
  N factor, addend, result;
};
const std::vector<Form> forms = {
    {{16, 16, 16}, N::bf16, N::f32, N::f32}, {{16, 8, 8}, N::bf16, N::f32, N::f32},
    {{16, 16, 8}, N::tf32, N::f32, N::f32},  {{16, 8, 4}, N::tf32, N::f32, N::f32},
    {{32, 8, 16}, N::f16, N::f32, N::f32},   {{16, 8, 16}, N::f16, N::f16, N::f16},
    {{16, 16, 16}, N::f16, N::f32, N::f16},  {{16, 16, 16}, N::f16, N::f16, N::f32}};

std::uint32_t encoded(N number, double x) {
  if (number == N::f16) return Half::from_double(x).bits;
  if (number == N::bf16) return Bfloat::from_double(x).bits;
  return std::bit_cast<std::uint32_t>(static_cast<float>(x));
}
MatrixPlace place_of(P part, MatrixShape s, N number, unsigned word, unsigned e) {
  return matrix_place(part, s, number, word % warp_size, word / warp_size, e);
}

/// Elements by row and column, and the registers that hold them.
struct Matrix {
  P part;
  MatrixShape shape;
  N number;
  std::vector<MatrixFactor> factors;
  Fragments registers{part, shape, number};

  /// `draw` gives the element at a place.
  template <class Draw>
  void fill(Draw draw) {
    const unsigned columns = columns_of(part, shape), each = elements_in_register(number);
    factors.resize(std::size_t{rows_of(part, shape)} * columns);
    for (unsigned word = 0; word < registers.value.size(); ++word) {
      registers.value[word] = 0;
      for (unsigned e = 0; e < each; ++e) {
        const auto [row, column] = place_of(part, shape, number, word, e);
        const std::uint32_t bits = encoded(number, draw(MatrixPlace{row, column}));
        factors[row * columns + column] = matrix_factor(number, bits);
        registers.value[word] |= bits << 16 * e;
      }
    }
  }
};

/// Elements whose sum is another one.
unsigned different(const Form& form, const Matrix& a, const Matrix& b, const Matrix& c,
                   const Fragments& d) {
  const auto [m, n, k] = form.shape;
  const N as = form.addend == N::f16 ? form.result : N::f32;
  unsigned different = 0;
  for (unsigned word = 0; word < d.value.size(); ++word) {
    for (unsigned e = 0; e < elements_in_register(form.result); ++e) {
      const auto [row, column] = place_of(P::c, form.shape, form.result, word, e);
      std::vector<MatrixFactor> of_a, of_b;
      for (unsigned at = 0; at < k; ++at) {
        of_a.push_back(a.factors[row * k + at]);
        of_b.push_back(b.factors[at * n + column]);
      }
      std::uint32_t sum = matrix_sum(of_a, of_b, 2 * fraction_bits(form.factor),
                                     c.factors[row * n + column], fraction_bits(form.addend), as);
      if (as != form.result) sum = Half::from_double(std::bit_cast<float>(sum)).bits;
      const std::uint32_t kept = form.result == N::f16 ? 0xFFFF : ~0U;
      different += (d.value[word] >> 16 * e & kept) != sum ? 1 : 0;
    }
  }
  return different;
}

TEST(ProductExact, sums_in_any_order_are_those_of_each_element_at_the_limits_of_what_is_exact) {
  HeldRows held;
  for (const Form& form : forms) {
    SCOPED_TRACE(testing::Message() << form.shape.m << "x" << form.shape.n << "x" << form.shape.k
                                    << " of " << static_cast<int>(form.factor));
    MatrixOp op;
    op.shape = form.shape;
    op.a_number = op.b_number = form.factor;
    op.c_number = form.addend;
    op.d_number = form.result;
    Matrix a{P::a, form.shape, form.factor, {}}, b{P::b, form.shape, form.factor, {}},
        c{P::c, form.shape, form.addend, {}};
    Fragments d(P::c, form.shape, form.result);
    std::mt19937 random(11);
    const auto below = [&](int end) {
      return static_cast<int>(random() % static_cast<unsigned>(end));
    };
    const int most = fraction_bits(form.factor) + 1, low = form.factor == N::f16 ? 24 : 60;
    unsigned taken = 0, left = 0, wrong = 0;
    for (int round = 0; round < 4000; ++round) {
      // All of both factors together have 24 bits less those of k, or one more or less; exponents
      // are far apart or near, also beyond what a product is taken of.
      const int room = 24 - std::bit_width(form.shape.k - 1U) + below(4) - 2;
      const int bits_a = std::clamp(below(room), 1, 15), bits_b = std::clamp(room - bits_a, 1, 15);
      const int at = below(2 * low) - low, bt = round % 2 == 0 ? -at / 2 : below(low) - low / 2;
      const bool one_sign = round % 3 != 0, large = round % 5 == 1;
      const auto drawn = [&](int bits, int exponent) {
        return [=, &random, &below](MatrixPlace) {
          if (below(5) == 0) return below(2) == 0 ? 0.0 : std::ldexp(1, exponent);
          // No more bits than the type has, somewhere among these.
          const int own = std::min(bits, most), shift = below(bits - own + 1);
          // In some rounds near the largest, so that sums are as large as can be.
          const int all = 1 << own, whole = large ? std::max(all - 1 - below(8), 0) : below(all);
          const double x = std::ldexp(whole, exponent + shift);
          return one_sign || below(2) == 0 ? x : -x;
        };
      };
      if (round % 4 != 3) a.fill(drawn(bits_a, at));  // or the same rows once more
      b.fill(drawn(bits_b, bt));
      // Addends of all bits, near those that products are cut off below, or cut it off themselves.
      const int unit = at + bt, top = unit + bits_a + bits_b - 2;
      const int near[] = {unit + 25, top, top - 2, top - 25, unit, unit + 12};
      const int around = near[below(6)] + below(4) - 2;
      const bool negative = round % 7 == 0;
      c.fill([&](MatrixPlace) {
        if (below(8) == 0) return below(2) == 0 ? 0.0 : -0.0;
        const int kept = 1 << (below(3) == 0 ? 2 : 23);
        const double x = std::ldexp(1 + below(kept) / double(kept), around);
        return negative || (!one_sign && below(2) == 0) ? -x : x;
      });
      if (!product_rows().exact_floats(shape_of(op), float_sums(op), a.registers.lanes.data(),
                                       b.registers.lanes.data(), c.registers.lanes.data(),
                                       d.value.data(), held)) {
        ++left;
        continue;
      }
      ++taken;
      wrong += different(form, a, b, c, d) != 0 ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0U);
    EXPECT_GT(taken, 100U);
    EXPECT_GT(left, 100U);
    RecordProperty("taken", static_cast<int>(taken));
  }
}

/// Products that end half an ulp of an f16 above an even or an odd one, and addends that decide by
/// their last bits where that is rounded to, down to those that are cut off before it is.
TEST(ProductExact, a_tie_between_two_f16_is_decided_by_what_is_kept_of_an_f16_addend) {
  const Form form{{16, 8, 16}, N::f16, N::f16, N::f16};
  MatrixOp op;
  op.shape = form.shape;
  op.a_number = op.b_number = op.c_number = op.d_number = N::f16;
  Matrix a{P::a, form.shape, N::f16, {}}, b{P::b, form.shape, N::f16, {}},
      c{P::c, form.shape, N::f16, {}};
  Fragments d(P::c, form.shape, N::f16);
  HeldRows held;
  const NarrowFormat half(5, 10);
  const auto nearest = [&](double sum) {
    return narrow_bits(half, rounded_to(f16_range, exact::same, &sum, 1, MPFR_RNDN));
  };
  unsigned taken = 0, left = 0, decided = 0, cut = 0;
  for (const int top : {-4, 0, 1, 2, 5}) {  // of products; an addend keeps 25 bits below
    for (const double sign : {1.0, -1.0}) {
      for (const bool one_sign : {true, false}) {
        const auto factor_of_a = [](unsigned row, unsigned k) {
          return k == 0 ? 1 + (61 * row) * 0x1p-10 : k == 1 ? 0x1p-6 : 0.0;
        };
        const auto factor_of_b = [&](unsigned k) {
          return k < 2 ? std::ldexp(sign, k == 0 ? top : top - 5) : 0.0;
        };
        const auto addend = [&](MatrixPlace p) {
          const double sizes[] = {0, 1, 2, 3, 5, 1025, 2047, 1};  // of the least f16
          const double x = sign * sizes[(p.row + p.column) % 8] * 0x1p-24;
          return one_sign || p.row % 3 != 0 ? x : -x;
        };
        a.fill([&](MatrixPlace p) { return factor_of_a(p.row, p.column); });
        b.fill([&](MatrixPlace p) { return factor_of_b(p.row); });
        c.fill(addend);
        const auto by = [&](auto give, auto&... more) {
          return give(shape_of(op), float_sums(op), a.registers.lanes.data(),
                      b.registers.lanes.data(), c.registers.lanes.data(), d.value.data(), more...);
        };
        const bool exact = by(product_rows().exact_floats, held);
        ++(exact ? taken : left);
        if (!exact) ASSERT_TRUE(by(product_rows().floats));
        for (unsigned word = 0; word < d.value.size(); ++word) {
          for (unsigned e = 0; e < 2; ++e) {
            const MatrixPlace p = place_of(P::c, form.shape, N::f16, word, e);
            const double products = factor_of_a(p.row, 0) * factor_of_b(0) +
                                    factor_of_a(p.row, 1) * factor_of_b(1),
                         whole = addend(p),
                         kept = std::ldexp(std::trunc(std::ldexp(whole, 25 - top)), top - 25);
            const auto expected = nearest(products + kept);
            EXPECT_EQ(d.value[word] >> 16 * e & 0xFFFF, expected)
                << top << ", row " << p.row << ", column " << p.column;
            decided += expected != nearest(products) ? 1 : 0;
            cut += expected != nearest(products + whole) ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(taken, 0U);
  EXPECT_GT(left, 0U);
  EXPECT_GT(decided, 100U);
  EXPECT_GT(cut, 10U);
}

}  // namespace
}  // namespace gauntlet::simt::test::product_exact
