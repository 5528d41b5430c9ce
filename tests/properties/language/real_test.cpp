// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Bounds against independent arithmetic: MPFR with 300 bits is the exact value, float arithmetic in
// several orders the kernel.
#include "properties/language/real.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cfloat>
#include <cmath>
#include <functional>
#include <random>

#include "base/float_format.hpp"
#include "base/scalar.hpp"
#include "properties/language/error_free.hpp"

namespace gauntlet::spec {
namespace {

class Exact {
 public:
  explicit Exact(long double value = 0) {
    mpfr_init2(v_, 300);
    mpfr_set_ld(v_, value, MPFR_RNDN);
  }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  ~Exact() { mpfr_clear(v_); }
  mpfr_ptr get() { return v_; }
  /// |this - x|, rounded up.
  long double distance(long double x) {
    mpfr_t d;
    mpfr_init2(d, 300);
    mpfr_set_ld(d, x, MPFR_RNDN);
    mpfr_sub(d, v_, d, MPFR_RNDA);
    const long double result = std::fabs(mpfr_get_ld(d, MPFR_RNDA));
    mpfr_clear(d);
    return result;
  }

 private:
  mpfr_t v_;
};

std::vector<float> numbers(std::mt19937_64& random, std::size_t count) {
  std::vector<float> x(count);
  for (float& v : x) {
    const auto bits = random();
    v = std::ldexp(static_cast<float>(static_cast<std::int32_t>(bits)),
                   static_cast<int>((bits >> 32) % 30) - 45);
  }
  return x;
}

TEST(SpecReal, sums_in_every_order_lie_within_the_bound_of_the_exact_sum) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const auto x = numbers(random, 1 + random() % 200);
    Arithmetic arithmetic(Type::f32, false);
    Arithmetic::Sum sum;
    Exact exact;
    for (const float v : x) {
      sum.add({v, 0});
      Exact term(v);
      mpfr_add(exact.get(), exact.get(), term.get(), MPFR_RNDN);
    }
    const Real result = sum.result(arithmetic, 0);
    EXPECT_LE(exact.distance(result.value), result.error == 0 ? 0 : result.error / 1000);
    float up = 0, down = 0;
    for (std::size_t i = 0; i < x.size(); ++i) up += x[i];
    for (std::size_t i = x.size(); i-- > 0;) down += x[i];
    EXPECT_LE(std::fabs(up - result.value), result.error);
    EXPECT_LE(std::fabs(down - result.value), result.error);
    // The bound is no licence: that of m - 1 roundings of the magnitudes' sum.
    long double magnitude = 0;
    for (const float v : x) magnitude += std::fabs(v);
    EXPECT_LE(result.error,
              static_cast<long double>(x.size()) * std::ldexp(magnitude, -24) * 1.01L + 1e-30L);
  }
}

TEST(SpecReal, what_an_operation_loses_is_known_to_the_last_bit) {
  std::mt19937_64 random(7);
  const auto draw = [&](int bits, int exponent) {
    auto x = static_cast<long double>(random() >> (64 - bits));
    if constexpr (LDBL_MANT_DIG > 64) x += std::ldexp(static_cast<long double>(random()), -64);
    const int shift = exponent == 0 ? 0 : static_cast<int>(random() % (2 * exponent)) - exponent;
    return std::ldexp(random() % 2 == 0 ? x : -x, shift);
  };
  const auto is_lost = [](mpfr_ptr exact, long double rounded, long double lost) {
    mpfr_sub(exact, exact, Exact(rounded).get(), MPFR_RNDN);
    return mpfr_cmp(exact, Exact(lost).get()) == 0;
  };
  for (int round = 0; round < 20'000; ++round) {
    // Few bits, all, and numbers whose halves or products reach the ends of the range.
    const int bits = round % 3 == 0 ? 24 : 64, exponent = round % 5 == 0 ? 8100 : 60;
    const long double a = draw(bits, exponent), b = draw(bits, round % 7 == 0 ? 0 : exponent);
    if (b == 0 || std::fabs(std::ilogb(a) + std::ilogb(b)) > 16'000 || a <= 0) continue;
    Exact product, sum, left;
    mpfr_mul(product.get(), Exact(a).get(), Exact(b).get(), MPFR_RNDN);
    EXPECT_TRUE(is_lost(product.get(), a * b, lost_in_product(a, b, a * b))) << a << " " << b;
    if (exponent == 60) {
      mpfr_add(sum.get(), Exact(a).get(), Exact(b).get(), MPFR_RNDN);
      EXPECT_TRUE(is_lost(sum.get(), a + b, lost_in_sum(a, b, a + b))) << a << " " << b;
    }
    const long double quotient = a / b, root = std::sqrt(a);
    mpfr_mul(left.get(), Exact(quotient).get(), Exact(b).get(), MPFR_RNDN);
    EXPECT_TRUE(is_lost(left.get(), a, -left_of(a, quotient, b))) << a << " " << b;
    mpfr_sqr(left.get(), Exact(root).get(), MPFR_RNDN);
    EXPECT_TRUE(is_lost(left.get(), a, -left_of(a, root, root))) << a;
  }
}

TEST(SpecReal, operations_without_rounding_have_no_error) {
  Arithmetic f32(Type::f32, false);
  EXPECT_EQ(f32.add({3, 0}, {4, 0}).error, 0);
  EXPECT_EQ(f32.multiply({3, 0}, {0.5L, 0}).error, 0);
  EXPECT_EQ(f32.divide({3, 0}, {4, 0}).error, 0);
  EXPECT_EQ(f32.sqrt({9, 0}).error, 0);
  EXPECT_GT(f32.divide({1, 0}, {3, 0}).error, 0);
  EXPECT_GT(f32.add({16777216, 0}, {1, 0}).error, 0);
  EXPECT_GT(f32.multiply({16777215, 0}, {3, 0}).error, 0);
  EXPECT_GT(f32.sqrt({2, 0}).error, 0);
  Arithmetic f64(Type::f64, false);
  EXPECT_EQ(f64.add({16777216, 0}, {1, 0}).error, 0);
  Arithmetic f16(Type::f16, false);
  EXPECT_EQ(f16.add({2040, 0}, {7, 0}).error, 0);
  EXPECT_GT(f16.add({2048, 0}, {1, 0}).error, 0);
}

TEST(SpecReal, what_a_type_holds_is_without_error_down_to_its_last_bit) {
  const auto is_held = [](Type type, long double x) {
    return Arithmetic(type, false).multiply({x, 0}, {1, 0}).error == 0;
  };
  std::mt19937_64 random(3);
  for (const Type type : {Type::f16, Type::bf16, Type::f32, Type::f64}) {
    const FloatFormat format = format_of(type);
    // Where nothing is flushed the last bits are those of subnormals.
    const bool has_subnormals = type == Type::f16 || type == Type::f64;
    for (int round = 0; round < 2000; ++round) {
      const int bits = 1 + static_cast<int>(random() % (format.precision() + 2));
      const auto significand = static_cast<std::int64_t>((random() | 1) >> (64 - bits)) | 1;
      const int exponent =
          format.least_exponent() - 3 + static_cast<int>(random() % (2 * format.precision()));
      const long double x = std::ldexp(static_cast<long double>(significand), exponent);
      const int length = std::ilogb(x) - exponent + 1, top = std::ilogb(x);
      const bool fits = length <= format.precision() && exponent >= format.least_exponent() &&
                        (has_subnormals || top >= format.min_exponent());
      EXPECT_EQ(is_held(type, x), fits) << name(type) << " " << significand << " 2^" << exponent;
    }
  }
  EXPECT_TRUE(is_held(Type::f16, 65504));
  EXPECT_TRUE(is_held(Type::f16, 0x1p-24L));
  EXPECT_FALSE(is_held(Type::f16, 0x1.8p-24L));
}

TEST(SpecReal, a_sum_is_exact_up_to_the_last_bit_and_not_beyond) {
  for (const int terms : {15, 16, 17}) {
    Arithmetic f32(Type::f32, false);
    Arithmetic::Sum sum;
    for (int k = 0; k < terms; ++k) sum.add({1048576.0L + (k == 0 ? 1 : 0), 0});
    EXPECT_EQ(sum.result(f32, 0).error == 0, terms < 16) << terms;
  }
}

/// Functions and operations of inexact operands: the kernel's operand is any number within the
/// error, its function any within the documented ulps.
TEST(SpecReal, functions_cover_the_error_of_their_operands) {
  struct Function {
    const char* name;
    Real (*own)(Arithmetic&, const Real&);
    float (*single)(float);
    int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
    double least, most;
  };
  const Function functions[] = {
      {"exp", [](Arithmetic& a, const Real& x) { return a.exp(x); }, std::exp, mpfr_exp, -20, 20},
      {"log", [](Arithmetic& a, const Real& x) { return a.log(x); }, std::log, mpfr_log, 0.01, 50},
      {"sqrt", [](Arithmetic& a, const Real& x) { return a.sqrt(x); }, std::sqrt, mpfr_sqrt, 0.01,
       99},
      {"rsqrt", [](Arithmetic& a, const Real& x) { return a.rsqrt(x); },
       [](float x) { return 1 / std::sqrt(x); }, mpfr_rec_sqrt, 0.01, 99},
      {"tanh", [](Arithmetic& a, const Real& x) { return a.tanh(x); }, std::tanh, mpfr_tanh, -3,
       3}};
  std::mt19937_64 random(2);
  for (const Function& f : functions) {
    std::uniform_real_distribution<double> draw(f.least, f.most);
    for (int round = 0; round < 500; ++round) {
      Arithmetic arithmetic(Type::f32, false);
      const auto x = static_cast<float>(draw(random));
      const float spread = std::fabs(x) * 1e-5F;
      const Real exact_operand = f.own(arithmetic, {x, 0});
      const Real inexact = f.own(arithmetic, {x, spread});
      ASSERT_FALSE(arithmetic.undecided());
      Exact exact(x);
      f.exact(exact.get(), exact.get(), MPFR_RNDN);
      EXPECT_LE(exact.distance(exact_operand.value),
                std::max(exact_operand.error / 1000, 1e-18L * std::fabs(exact_operand.value)))
          << f.name << " " << x;
      EXPECT_LE(std::fabs(f.single(x) - exact_operand.value), exact_operand.error)
          << f.name << " " << x;
      EXPECT_LE(exact_operand.error, 8 * std::ldexp(std::fabs(exact_operand.value), -24) + 1e-30L);
      for (const float there : {x - 0.99F * spread, x + 0.99F * spread}) {
        EXPECT_LE(std::fabs(f.single(there) - inexact.value), inexact.error) << f.name << " " << x;
      }
    }
  }
}

/// The errors that the CUDA C++ Programming Guide and the PTX ISA document of the functions that
/// --use_fast_math puts in the place of others: the bound holds them and not much more, and that of
/// precise arithmetic does not.
TEST(SpecReal, fast_functions_may_err_as_documented_and_not_much_more) {
  using R = long double;
  const auto ulp = [](R value) { return std::ldexp(std::fabs(value), -23); };  // at most
  struct Function {
    const char* name;
    Real (*own)(Arithmetic&, const Real&, const Real&);
    std::function<R(R x, R y)> exact, documented;
    double least, most, second;
  };
  const auto log2_error = [](R x) {
    return std::ldexp(std::max(std::fabs(std::log2(x)), R{1}), -22);
  };
  const Function functions[] = {
      {"divide", [](Arithmetic& a, const Real& x, const Real& y) { return a.divide(x, y); },
       [](R x, R y) { return x / y; }, [&](R x, R y) { return 2 * ulp(x / y); }, 0.1, 90, 3},
      {"sqrt", [](Arithmetic& a, const Real& x, const Real&) { return a.sqrt(x); },
       [](R x, R) { return std::sqrt(x); }, [&](R x, R) { return ulp(std::sqrt(x)); }, 0.1, 90, 0},
      {"rsqrt", [](Arithmetic& a, const Real& x, const Real&) { return a.rsqrt(x); },
       [](R x, R) { return 1 / std::sqrt(x); }, [&](R x, R) { return 2 * ulp(1 / std::sqrt(x)); },
       0.1, 90, 0},
      {"exp", [](Arithmetic& a, const Real& x, const Real&) { return a.exp(x); },
       [](R x, R) { return std::exp(x); },
       [&](R x, R) { return (2 + std::floor(std::fabs(1.173L * x))) * ulp(std::exp(x)); }, -40, 40,
       0},
      {"log", [](Arithmetic& a, const Real& x, const Real&) { return a.log(x); },
       [](R x, R) { return std::log(x); },
       [&](R x, R) { return x >= 0.5L && x <= 2 ? std::exp2(-21.41L) : 3 * ulp(std::log(x)); }, 0.1,
       90, 0},
      {"pow", [](Arithmetic& a, const Real& x, const Real& y) { return a.pow(x, y); },
       [](R x, R y) { return std::pow(x, y); },
       [&](R x, R y) {
         const R value = std::pow(x, y);
         const R most = std::exp2(y * (std::log2(x) + log2_error(x)));
         return most - value + 2 * ulp(most);
       },
       0.6, 9, 7},
      {"pow of about one", [](Arithmetic& a, const Real& x, const Real& y) { return a.pow(x, y); },
       [](R x, R y) { return std::pow(x, y); },
       [&](R x, R y) {
         const R value = std::pow(x, y);
         const R most = std::exp2(y * (std::log2(x) + log2_error(x)));
         return most - value + 2 * ulp(most);
       },
       0.99, 1.01, 100},
      {"tanh", [](Arithmetic& a, const Real& x, const Real&) { return a.tanh(x); },
       [](R x, R) { return std::tanh(x); },
       [](R x, R) { return std::ldexp(std::fabs(std::tanh(x)), -11); }, 0.1, 3, 0}};
  std::mt19937_64 random(3);
  for (const Function& f : functions) {
    std::uniform_real_distribution<double> draw(f.least, f.most);
    for (int round = 0; round < 300; ++round) {
      Arithmetic fast(Type::f32, true), precise(Type::f32, false);
      const R x = static_cast<float>(draw(random)), y = static_cast<float>(f.second);
      const Real bounded = f.own(fast, {x, 0}, {y, 0});
      const R documented = f.documented(x, y);
      ASSERT_FALSE(fast.undecided());
      EXPECT_LE(std::fabs(bounded.value - f.exact(x, y)), 1e-17L * std::fabs(bounded.value));
      EXPECT_GE(bounded.error, documented) << f.name << " " << static_cast<double>(x);
      EXPECT_LE(bounded.error, 4 * documented + ulp(bounded.value))
          << f.name << " " << static_cast<double>(x);
      EXPECT_LE(f.own(precise, {x, 0}, {y, 0}).error, bounded.error) << f.name;
    }
  }
}

TEST(SpecReal, fast_arithmetic_may_take_a_subnormal_operand_for_zero) {
  Arithmetic fast(Type::f32, true), precise(Type::f32, false);
  const Real small{std::ldexp(1.0L, -140), 0}, large{std::ldexp(1.0L, 100), 0};
  EXPECT_EQ(precise.multiply(small, large).error, 0);
  EXPECT_GE(fast.multiply(small, large).error, std::ldexp(1.0L, -40));
  // Its division gives 0 where the divisor is beyond 2^126.
  (void)fast.divide({1, 0}, {std::ldexp(1.5L, 126), 0});
  EXPECT_TRUE(fast.undecided());
}

TEST(SpecReal, products_are_exact_for_powers_of_two_only) {
  Arithmetic f32(Type::f32, false);
  Arithmetic::Product powers, thirds;
  for (int k = 0; k < 20; ++k) powers.multiply({k % 2 == 0 ? 2.0L : 0.25L, 0});
  EXPECT_EQ(powers.result(f32).error, 0);
  EXPECT_EQ(powers.result(f32).value, std::ldexp(1.0L, -10));
  float up = 1;
  for (int k = 0; k < 40; ++k) {
    const float factor = 1 + 0.01F * static_cast<float>(k - 20);
    thirds.multiply({factor, 0});
    up *= factor;
  }
  const Real product = thirds.result(f32);
  EXPECT_GT(product.error, 0);
  EXPECT_LE(std::fabs(up - product.value), product.error);
  EXPECT_LE(product.error, 42 * std::ldexp(std::fabs(product.value), -24));
}

TEST(SpecReal, what_the_formula_does_not_decide_is_said) {
  Arithmetic f32(Type::f32, false);
  (void)f32.divide({1, 0}, {1e-3L, 1e-2L});
  EXPECT_TRUE(f32.undecided());
  f32.reset();
  (void)f32.multiply({1e30L, 0}, {1e30L, 0});
  EXPECT_TRUE(f32.undecided());
  f32.reset();
  (void)f32.log({1e-3L, 1e-2L});
  EXPECT_TRUE(f32.undecided());
}

}  // namespace
}  // namespace gauntlet::spec
