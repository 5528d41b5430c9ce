// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Quotients, remainders and bits of whole numbers, and what is chosen by comparing what is
// computed. Each false theorem stands beside the right one that is nearest. The data of the runs
// are small and not negative, and show nothing of this.
#include "spelled.hpp"

namespace gauntlet::spec::test {
namespace {

/// y[i] of x[i]; `each` makes %r3 of %r2. Without functions it is refused.
Spelled word(std::string what, std::string x, std::string formula, const std::string& each,
             std::string functions = {}) {
  const std::string from =
      x == "i32" || x == "u32" ? "b32" : (x[0] == 'i' ? "s" : "u") + x.substr(1);
  Spelled s = mapped(std::move(what), x, x[0] == 'i' ? "i32" : "u32", std::move(formula),
                     load(from, "%r2") + each + "st.global.b32 [%y+$4], %r3;\n",
                     functions.empty() ? other : "");
  s.functions = std::move(functions);
  return s;
}

std::vector<Spelled> of_quotients() {
  const std::string half = "x[i] * x[i] / 2", fourth = "x[i] / 4", third = "x[i] / 3",
                    rescaled = "(x[i] * 13 + 128) / 256";
  const std::string sign = "shr.s32 %r3, %r2, 31;\nshr.u32 %r3, %r3, 30;\n",
                    bias = sign + "add.s32 %r3, %r2, %r3;\n",
                    high = "mul.hi.s32 %r3, %r2, 1431655766;\n",
                    scale = "mul.lo.s32 %r3, %r2, 13;\nadd.s32 %r3, %r3, 128;\n";
  auto byte = word("a_byte_of_a_word", "u32", "x[i] / 256 % 256",
                   "shr.u32 %r3, %r2, 8;\nand.b32 %r3, %r3, 255;\n");
  byte.why = {};
  return {
      word("a_square_of_64_bits_is_halved", "u32", half,
           "mul.wide.u32 %l2, %r2, %r2;\nshr.u64 %l2, %l2, 1;\ncvt.u32.u64 %r3, %l2;\n",
           "mul.wide.u32, shr.u64"),
      word("a_square_of_32_bits_is_halved", "u32", half,
           "mul.lo.u32 %r3, %r2, %r2;\nshr.u32 %r3, %r3, 1;\n"),
      word("a_square_of_16_bits_in_32_is_halved", "u16", half,
           "mul.lo.u32 %r3, %r2, %r2;\nshr.u32 %r3, %r3, 1;\n", "mul.lo.u32, shr.u32"),
      word("a_square_of_16_bits_as_if_it_had_a_sign", "u16", half,
           "mul.lo.u32 %r3, %r2, %r2;\nshr.s32 %r3, %r3, 1;\n"),
      word("a_square_of_16_bits_in_16", "u16", half,
           "mul.lo.u32 %r3, %r2, %r2;\nand.b32 %r3, %r3, 65535;\nshr.u32 %r3, %r3, 1;\n"),
      word("a_fourth_towards_zero_by_a_shift", "i32", fourth, bias + "shr.s32 %r3, %r3, 2;\n",
           "add.u32, shr.s32, shr.u32"),
      word("a_fourth_rounded_down", "i32", fourth, "shr.s32 %r3, %r2, 2;\n"),
      word("a_fourth_whose_bias_is_another", "i32", fourth,
           "shr.s32 %r3, %r2, 31;\nshr.u32 %r3, %r3, 31;\nadd.s32 %r3, %r2, %r3;\n"
           "shr.s32 %r3, %r3, 2;\n"),
      word("a_fourth_without_a_sign", "u32", fourth, "shr.u32 %r3, %r2, 2;\n", "shr.u32"),
      word("a_fourth_of_i32_without_a_sign", "i32", fourth, "shr.u32 %r3, %r2, 2;\n"),
      word("a_third_by_a_division", "i32", third, "div.s32 %r3, %r2, 3;\n", "div.s32"),
      word("a_third_by_a_division_without_a_sign", "i32", third, "div.u32 %r3, %r2, 3;\n"),
      word("a_third_by_a_product_rounded_down", "i32", third, high),
      word("a_third_by_a_product_that_is_too_small", "i32", third,
           "mul.hi.s32 %r3, %r2, 1431655765;\nshr.u32 %r4, %r3, 31;\nadd.s32 %r3, %r3, %r4;\n"),
      word("a_third_by_a_product_without_a_sign", "u32", third,
           "mul.hi.u32 %r3, %r2, -1431655765;\nshr.u32 %r3, %r3, 1;\n", "mul.hi.u32, shr.u32"),
      word("a_third_by_a_product_of_too_few_bits", "u32", third,
           "mul.hi.u32 %r3, %r2, 1431655766;\n"),
      word("a_quotient_by_a_negative_number", "i32", "x[i] / (0 - 3)", "div.s32 %r3, %r2, -3;\n",
           "div.s32"),
      word("a_remainder", "i32", "x[i] % 3", "rem.s32 %r3, %r2, 3;\n", "rem.s32"),
      word("a_remainder_without_a_sign", "i32", "x[i] % 3", "rem.u32 %r3, %r2, 3;\n"),
      word("the_last_bits_of_u32", "u32", "x[i] % 16", "and.b32 %r3, %r2, 15;\n", "and.b32"),
      word("the_last_bits_of_i32", "i32", "x[i] % 16", "and.b32 %r3, %r2, 15;\n"),
      word("the_bits_of_a_place", "u32", "x[i] / 8 % 4",
           "shr.u32 %r3, %r2, 3;\nand.b32 %r3, %r3, 3;\n", "and.b32, shr.u32"),
      word("the_bits_of_the_next_place", "u32", "x[i] / 8 % 4",
           "shr.u32 %r3, %r2, 4;\nand.b32 %r3, %r3, 3;\n"),
      word("a_byte_of_a_word_with_a_sign", "i32", "x[i] / 256 % 256",
           "shr.s32 %r3, %r2, 8;\nand.b32 %r3, %r3, 255;\n"),
      byte,
      word("a_fixed_point_number_of_u16", "u16", rescaled, scale + "shr.u32 %r3, %r3, 8;\n",
           "add.u32, mul.lo.u32"),
      word("a_fixed_point_number_of_i16_rounded_down", "i16", rescaled,
           scale + "shr.s32 %r3, %r3, 8;\n"),
      word("a_fixed_point_number_of_u32_that_wraps", "u32", rescaled,
           scale + "shr.u32 %r3, %r3, 8;\n"),
      word("a_fixed_point_number_rounded_otherwise", "u16", rescaled,
           "mul.lo.s32 %r3, %r2, 13;\nadd.s32 %r3, %r3, 127;\nshr.u32 %r3, %r3, 8;\n"),
  };
}

/// y[0] of all x; each adds to %r4.
Spelled pooled(std::string what, std::string x, const std::string& from, std::string formula,
               std::string each, std::string end, std::string functions = {}) {
  Spelled s{std::move(what),
            std::move(x),
            "i32",
            "y[0] = " + std::move(formula),
            "mov.b32 %r4, 0;\n",
            load(from, "%r2") + std::move(each),
            std::move(end) + "st.global.b32 [%y], %r4;\n",
            functions.empty() ? other : ""};
  s.functions = std::move(functions);
  return s;
}

std::vector<Spelled> of_several() {
  const std::string mean = "sum(x) / 3", add = "add.s32 %r4, %r4, %r2;\n",
                    count = "count(x[i] * x[i] > 1000 for i in 0 .. n)",
                    square =
                        "mul.lo.s32 %r3, %r2, %r2;\nsetp.gt.s32 %p2, %r3, 1000;\n"
                        "selp.b32 %r3, 1, 0, %p2;\nadd.s32 %r4, %r4, %r3;\n";
  return {
      pooled("a_mean_of_bytes", "u8", "u8", mean, add, "div.s32 %r4, %r4, 3;\n", "div.s32"),
      pooled("a_mean_of_words_that_wraps", "i32", "b32", mean, add, "div.s32 %r4, %r4, 3;\n"),
      pooled("a_mean_of_i16_rounded_down", "i16", "s16", "sum(x) / 4", add,
             "shr.s32 %r4, %r4, 2;\n"),
      pooled("squares_of_i16_that_are_counted", "i16", "s16", count, square, "",
             "mul.lo.u32, selp.b32, setp.gt.s32"),
      pooled("squares_of_i32_that_wrap", "i32", "b32", count, square, ""),
  };
}

std::vector<Spelled> kept_within() {
  const std::string clamped = "min(max(x[i], 0), 255)", size = "abs(x[i])";
  const std::string turns =
                        "setp.lt.s32 %p2, %r2, 0;\nmin.s32 %r3, %r2, 255;\n"
                        "selp.b32 %r3, 0, %r3, %p2;\n",
                    negated =
                        "neg.s32 %r3, %r2;\nsetp.lt.s32 %p2, %r2, 0;\n"
                        "selp.b32 %r3, %r3, %r2, %p2;\n";
  return {
      word("a_number_within_limits_by_turns", "i32", clamped, turns,
           "min.s32, selp.b32, setp.lt.s32"),
      word("a_number_within_limits_the_other_way_round", "i32", clamped,
           "min.s32 %r3, %r2, 255;\nmax.s32 %r3, %r3, 0;\n", "max.s32, min.s32"),
      word("a_number_within_another_limit", "i32", clamped,
           "min.s32 %r3, %r2, 254;\nmax.s32 %r3, %r3, 0;\n"),
      word("a_number_within_limits_without_a_sign", "i32", clamped, "min.u32 %r3, %r2, 255;\n"),
      word("a_number_that_wraps_is_within_limits", "i32", "min(max(x[i] + 1, 0), 255)",
           "add.s32 %r3, %r2, 1;\nmin.s32 %r3, %r3, 255;\nmax.s32 %r3, %r3, 0;\n"),
      word("a_magnitude_that_is_chosen", "i16", size, negated, "neg.s32, selp.b32, setp.lt.s32"),
      word("what_is_at_least_its_negative", "i32", "x[i] < 0 ? 0 : x[i]", "max.u32 %r3, %r2, 0;\n"),
  };
}

class Whole : public testing::TestWithParam<Spelled> {};
TEST_P(Whole, numbers_are_followed_through_what_rounds_them) { is_as_spelled(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Quotients, Whole, testing::ValuesIn(of_quotients()), what);
INSTANTIATE_TEST_SUITE_P(Pools, Whole, testing::ValuesIn(of_several()), what);
INSTANTIATE_TEST_SUITE_P(Limits, Whole, testing::ValuesIn(kept_within()), what);

/// y[i] of floats x[i] and w[i]; without functions it is refused.
Spelled real_choice(std::string what, const std::string& formula, const std::string& each,
                    std::string functions = {}, const std::string& why = other) {
  Spelled s = mapped(std::move(what), "f32", "f32", formula,
                     load("f32", "%f2") + load("f32", "%f4", "w") + each +
                         "selp.f32 %f3, 0f3F800000, 0f40000000, %p2;\nst.global.f32 [%y+$4], %f3;",
                     functions.empty() ? why : "");
  s.functions = std::move(functions);
  s.data = "uniform";
  return s;
}

std::vector<Spelled> compared_as_computed() {
  const std::string apart = "abs(x[i] - w[i]) < 0.5 ? 1 : 2", square = "x[i] * x[i] > 2 ? 1 : 2",
                    scaled = "0.1 * (x[i] - w[i]) > 0 ? 1 : 2";
  return {
      real_choice("how_far_two_numbers_are_apart", apart,
                  "sub.f32 %f3, %f4, %f2;\nneg.f32 %f3, %f3;\nabs.f32 %f3, %f3;\nsetp.lt.f32 %p2, "
                  "%f3, 0f3F000000;\n",
                  "abs.f32, neg.f32, selp.f32, setp.lt.f32"),
      real_choice("how_far_two_numbers_are_apart_through_a_half", apart,
                  "sub.f32 %f3, %f2, %f4;\ncvt.rn.f16.f32 %h1, %f3;\ncvt.f32.f16 %f3, %h1;\n"
                  "abs.f32 %f3, %f3;\nsetp.lt.f32 %p2, %f3, 0f3F000000;\n",
                  {}, "is rounded to 11 bits"),
      real_choice(
          "how_far_two_numbers_are_apart_with_a_detour", apart,
          "add.f32 %f3, %f2, 0f49742400;\nsub.f32 %f3, %f3, %f4;\nsub.f32 %f3, %f3, 0f49742400;\n"
          "abs.f32 %f3, %f3;\nsetp.lt.f32 %p2, %f3, 0f3F000000;\n"),
      real_choice("a_square", square, "mul.f32 %f3, %f2, %f2;\nsetp.gt.f32 %p2, %f3, 0f40000000;\n",
                  "mul.f32, selp.f32, setp.gt.f32"),
      real_choice("a_square_without_its_limit", square,
                  "mul.f32 %f3, %f2, %f2;\nsetp.ge.f32 %p2, %f3, 0f40000000;\n"),
      real_choice("the_root_of_a_limit", square,
                  "abs.f32 %f3, %f2;\nsetp.gt.f32 %p2, %f3, 0f3FB504F3;\n"),
      real_choice("a_difference_that_is_scaled", scaled,
                  "sub.f32 %f3, %f2, %f4;\nmul.f32 %f3, %f3, 0f3DCCCCCD;\nsetp.gt.f32 %p2, %f3, "
                  "0f00000000;\n",
                  "mul.f32, selp.f32, setp.gt.f32, sub.f32"),
      real_choice(
          "a_difference_of_what_is_scaled", scaled,
          "mul.f32 %f3, %f2, 0f3DCCCCCD;\nmul.f32 %f5, %f4, 0f3DCCCCCD;\nsub.f32 %f3, %f3, %f5;\n"
          "setp.gt.f32 %p2, %f3, 0f00000000;\n"),
      real_choice("a_double_that_is_no_f32", "x[i] < 0.7 ? 1 : 2",
                  "cvt.f64.f32 %d2, %f2;\nsetp.lt.f64 %p2, %d2, 0d3FE6666666666666;\n",
                  "selp.f32, setp.lt.f64"),
      real_choice("a_double_beside_it", "x[i] < 0.7 ? 1 : 2",
                  "cvt.f64.f32 %d2, %f2;\nsetp.lt.f64 %p2, %d2, 0d3FE6666666666667;\n"),
      real_choice("a_double_beside_a_number_that_f32_has", "x[i] < 0.5 ? 1 : 2",
                  "cvt.f64.f32 %d2, %f2;\nsetp.lt.f64 %p2, %d2, 0d3FE0000000000001;\n"),
      real_choice("a_magnitude_beyond_all_numbers",
                  "abs(x[i]) > 340282346638528859811704183484516925440.0 ? 1 : 2",
                  "abs.f32 %f3, %f2;\nsetp.gt.f32 %p2, %f3, 0f7F7FFFFF;\n",
                  "abs.f32, selp.f32, setp.gt.f32"),
  };
}

class Computed : public testing::TestWithParam<Spelled> {};
TEST_P(Computed, numbers_are_compared_as_they_are_written) { is_as_spelled(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Floats, Computed, testing::ValuesIn(compared_as_computed()), what);

TEST(Maximum, without_roundings_is_a_plain_proof) {
  const auto plain = proof_of(greatest32("of_maxima", "f32", load("f32", "%f2")));
  EXPECT_TRUE(plain.proved());
  EXPECT_EQ(plain.as, "");
  auto chosen = greatest32("of_what_is_chosen", "f32", "");
  chosen.formula = "y[0] = max(x[i] > w[i] ? x[i] : w[i] for i in 0 .. n)";
  chosen.each = load("f32", "%f2") + load("f32", "%f3", "w") +
                "max.f32 %f2, %f2, %f3;\nmax.f32 %f1, %f1, %f2;";
  const auto maxima = proof_of(chosen);
  EXPECT_TRUE(maxima.proved()) << prove::text(maxima);
  EXPECT_EQ(maxima.as, "");
}

/// The greatest of numbers that are computed of bytes, from `start` on.
Spelled greatest_from(int start, std::string what, std::string formula, std::string computed,
                      std::string function, std::string why = {}) {
  Spelled s{
      std::move(what),
      "i8",
      "i32",
      "y[0] = max(" + std::move(formula) + " for i in 0 .. n)",
      fmt::format("mov.u32 %r1, {};\n", start),
      load("s8", "%r2") + load("s8", "%r3", "w") + std::move(computed) + "max.s32 %r1, %r1, %r2;",
      "st.global.u32 [%y], %r1;\n",
      std::move(why)};
  s.functions = std::move(function);
  return s;
}

std::vector<Spelled> greatest_of_computed() {
  const std::string product = "mul.lo.s32 %r2, %r2, %r3;\n", shift = "shl.b32 %r2, %r2, 4;\n";
  return {
      greatest_from(-16256, "no_product_is_below", "x[i] * w[i]", product, "mul.lo.u32"),
      greatest_from(-128, "a_product_may_be_below", "x[i] * w[i]", product, {}, other),
      greatest_from(-2048, "nothing_that_is_shifted_is_below", "x[i] * 16", shift, "shl.b32"),
      greatest_from(-128, "what_is_shifted_may_be_below", "x[i] * 16", shift, {}, other),
  };
}

class Greatest : public testing::TestWithParam<Spelled> {};
TEST_P(Greatest, may_begin_with_what_none_is_below) { is_as_spelled(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Computed, Greatest, testing::ValuesIn(greatest_of_computed()), what);

}  // namespace
}  // namespace gauntlet::spec::test
