// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of elements: in arithmetic no narrower than the spec's, the same for every cell, named
// in full; what a minimum or maximum may begin with. Each false theorem stands beside the right one
// that is nearest.
#include "spelled.hpp"

namespace gauntlet::spec::test {
namespace {

/// Of 64 bits.
Spelled added64(std::string what, std::string x, std::string formula, std::string each,
                std::string why, std::string functions = {}) {
  return {std::move(what),
          std::move(x),
          "i64",
          "y[0] = " + formula,
          "mov.b64 %l1, 0;\n",
          each + "add.s64 %l1, %l1, %l2;",
          "st.global.b64 [%y], %l1;\n",
          std::move(why),
          std::move(functions)};
}

std::vector<Spelled> of_products() {
  const std::string x32 = load("b32", "%r2"), wide = "cvt.s64.s32 %l2, %r2;\n";
  const std::string halves = load("b16", "%h1") + load("b16", "%h2", "w");
  const std::string singles = load("f32", "%f2") + load("f32", "%f3", "w");
  const std::string squares = "sum(x[i] * x[i] for i in 0 .. n)",
                    products = "y[0] = sum(x[i] * w[i] for i in 0 .. n)";
  return {
      added64("i32_is_widened_by_its_sign", "i32", "sum(x)", x32 + wide, ""),
      added64("i32_is_widened_without_its_sign", "i32", "sum(x)", x32 + "cvt.u64.u32 %l2, %r2;\n",
              other),
      added64("u32_is_widened_without_a_sign", "u32", "sum(x)", x32 + "cvt.u64.u32 %l2, %r2;\n",
              ""),
      added64("u32_is_widened_by_a_sign", "u32", "sum(x)", x32 + wide, other),
      added64("a_product_of_all_its_bits", "i32", squares, x32 + "mul.wide.s32 %l2, %r2, %r2;\n",
              "", "mul.wide.s32"),
      added64("a_product_of_32_bits_is_widened", "i32", squares,
              x32 + "mul.lo.s32 %r2, %r2, %r2;\n" + wide, other),
      added64("a_product_of_i16_fits_32_bits", "i16", squares,
              load("s16", "%r2") + "mul.lo.s32 %r2, %r2, %r2;\n" + wide, "",
              "cvt.s64.s32, mul.lo.u32"),
      added64("a_shift_of_32_bits_is_widened", "i32", "sum(x[i] * 8 for i in 0 .. n)",
              x32 + "shl.b32 %r2, %r2, 3;\n" + wide, other),
      added64("a_shift_of_64_bits", "i32", "sum(x[i] * 8 for i in 0 .. n)",
              x32 + wide + "shl.b64 %l2, %l2, 3;\n", "", "shl.b64"),
      added64("a_magnitude_of_32_bits_is_widened", "i32", "sum(abs(x[i]) for i in 0 .. n)",
              x32 + "abs.s32 %r2, %r2;\n" + wide, other),
      added64("a_difference_of_32_bits_is_widened", "i32", "sum(x[i] - w[i] for i in 0 .. n)",
              x32 + load("b32", "%r3", "w") + "sub.s32 %r2, %r2, %r3;\n" + wide, other),
      {"a_product_of_32_bits_is_widened_to_f64", "i32", "f64", "y[0] = " + squares, zero64,
       x32 + "mul.lo.s32 %r2, %r2, %r2;\ncvt.rn.f64.s32 %d2, %r2;\n" + add64, put64, other},
      {"a_product_of_f32", "f16", "f32", products, zero32,
       halves + "cvt.f32.f16 %f2, %h1;\ncvt.f32.f16 %f3, %h2;\nmul.f32 %f2, %f2, %f3;\n" + add32,
       put32, "", "mul.f32"},
      {"a_product_of_halves_in_f32", "f16", "f32", products, zero32,
       halves + "mul.f16 %h1, %h1, %h2;\ncvt.f32.f16 %f2, %h1;\n" + add32, put32,
       "is rounded to 11 bits, fewer than the 24"},
      {"a_product_of_halves_in_halves", "f16", "f32", products + " accumulate f16", zero32,
       halves + "mul.f16 %h1, %h1, %h2;\ncvt.f32.f16 %f2, %h1;\n" + add32, put32, "", "mul.f16"},
      {"what_is_behind_the_end_of_both_rows_adds_nothing", "f32", "f32", products,
       zero32 + "mov.f32 %f4, 0f00000000;\n", singles + "fma.rn.f32 %f1, %f2, %f3, %f1;",
       "fma.rn.f32 %f1, %f4, %f4, %f1;\n" + put32, "", "fma.rn.f32"},
      {"infinity_times_zero_behind_the_rows", "f32", "f32", products,
       zero32 + "mov.f32 %f4, 0f00000000;\nmov.f32 %f5, 0f7F800000;\n",
       singles + "fma.rn.f32 %f1, %f2, %f3, %f1;", "fma.rn.f32 %f1, %f4, %f5, %f1;\n" + put32,
       other},
      {"ones_behind_the_rows", "f32", "f32", products, zero32 + "mov.f32 %f4, 0f3F800000;\n",
       singles + "fma.rn.f32 %f1, %f2, %f3, %f1;", "fma.rn.f32 %f1, %f4, %f4, %f1;\n" + put32,
       other},
      {"a_fused_product", "f32", "f32", products, zero32,
       singles + "fma.rn.f32 %f1, %f2, %f3, %f1;", put32, "", "fma.rn.f32"},
      {"a_product_of_what_went_through_a_half", "f32", "f32", products, zero32,
       singles + "cvt.rn.f16.f32 %h1, %f2;\ncvt.f32.f16 %f2, %h1;\n" +
           "fma.rn.f32 %f1, %f2, %f3, %f1;",
       put32, "is rounded to 11 bits, fewer than the 24"},
      {"products_of_f64_that_are_rounded_to_the_result_s_f32", "f64", "f32", products, zero32,
       load("f64", "%d2") + load("f64", "%d3", "w") +
           "cvt.rn.f32.f64 %f2, %d2;\ncvt.rn.f32.f64 %f3, %d3;\nmul.f32 %f2, %f2, %f3;\n" + add32,
       put32, "", "cvt.rn.f32.f64, mul.f32"},
      {"the_low_byte_in_place_of_a_magnitude",
       "i32",
       "i32",
       "y[0] = sum(abs(x[i]) for i in 0 .. n)",
       "mov.b32 %r3, 0;\n",
       x32 + "and.b32 %r2, %r2, 255;\nadd.s32 %r3, %r3, %r2;",
       "st.global.b32 [%y], %r3;\n",
       other,  // although these data would not show it
       {},
       {},
       "",
       3,
       "1",
       "ones"},
  };
}

/// Functions of one or two elements, without a reduction.
std::vector<Spelled> of_functions() {
  const auto with = [](Spelled s, std::string functions) {
    s.functions = std::move(functions);
    return s;
  };
  const std::string halves = load("b16", "%h1") + load("b16", "%h2", "w"),
                    put = "abs.f32 %f2, %f2;\nst.global.f32 [%y+$4], %f2;";
  return {
      with(mapped("a_root_in_f64", "f32", "f64", "sqrt(x[i])",
                  load("f32", "%f2") + "cvt.f64.f32 %d2, %f2;\nsqrt.rn.f64 %d2, %d2;\n"
                                       "st.global.f64 [%y+$8], %d2;"),
           "sqrt.rn.f64"),
      mapped("a_root_in_f32_for_f64", "f32", "f64", "sqrt(x[i])",
             load("f32", "%f2") + "sqrt.rn.f32 %f2, %f2;\ncvt.f64.f32 %d2, %f2;\n"
                                  "st.global.f64 [%y+$8], %d2;",
             "is rounded to 24 bits, fewer than the 53"),
      with(mapped("the_magnitude_of_a_product", "f16", "f32", "abs(x[i] * w[i])",
                  halves +
                      "cvt.f32.f16 %f2, %h1;\ncvt.f32.f16 %f3, %h2;\n"
                      "mul.f32 %f2, %f2, %f3;\n" +
                      put),
           "abs.f32, mul.f32"),
      mapped("the_magnitude_of_a_product_of_halves", "f16", "f32", "abs(x[i] * w[i])",
             halves + "mul.f16 %h1, %h1, %h2;\ncvt.f32.f16 %f2, %h1;\n" + put,
             "is rounded to 11 bits, fewer than the 24"),
  };
}

/// y[i] is 3 or 7 by a comparison; the odd ones by another.
Spelled chosen(std::string what, std::string each, std::string odd, std::string why,
               std::string functions = {}) {
  const std::string begin = load("b32", "%r2"), end = "st.global.b32 [%y+$4], %r2;";
  auto s =
      mapped(std::move(what), "i32", "i32", "x[i] < 7 ? 3 : 7", begin + each + end, std::move(why));
  s.odd = begin + odd + end;
  s.functions = std::move(functions);
  s.data = "ones";  // below 7
  return s;
}

std::vector<Spelled> for_every_cell() {
  const std::string less = "setp.lt.s32 %p2, %r2, 7;\nselp.b32 %r2, 3, 7, %p2;\n",
                    below = "setp.lt.u32 %p2, %r2, 7;\nselp.b32 %r2, 3, 7, %p2;\n",
                    pair = "setp.lt.s32 %p2|%p3, %r2, 7;\nselp.b32 %r2, 3, 7, %p2;\n",
                    negated = "setp.lt.s32 %p2|%p3, %r2, 7;\nselp.b32 %r2, 7, 3, %p3;\n";
  const std::string others = other;
  auto scaled =
      mapped("twice_and_in_odd_cells_twice_what_went_through_f32", "f64", "f64", "x[i] * 2",
             load("f64", "%d2") + "add.f64 %d2, %d2, %d2;\n" + "st.global.f64 [%y+$8], %d2;",
             "is rounded to 24 bits");
  scaled.odd = load("f64", "%d2") + "cvt.rn.f32.f64 %f2, %d2;\ncvt.f64.f32 %d2, %f2;\n" +
               "add.f64 %d2, %d2, %d2;\nst.global.f64 [%y+$8], %d2;";
  return {
      scaled,
      chosen("one_comparison", less, less, "", "selp.b32, setp.lt.s32"),
      chosen("comparisons_of_two_types", less, below, others),
      chosen("a_comparison_and_its_negation", pair,
             "setp.lt.s32 %p2|%p3, %r2, 7;\n"
             "selp.b32 %r2, 3, 7, %p3;\n",
             others),
      chosen("a_comparison_with_two_results", pair, pair, "", "selp.b32, setp.lt.s32"),
      chosen("the_second_result_of_a_comparison", negated, negated, "",
             "not.pred, selp.b32, setp.lt.s32"),
      chosen("tables_of_two_kinds", "lop3.b32 %r2, %r2, 3, 3, 0xAA;\n",
             "lop3.b32 %r2, %r2, 3, 3, 0xCC;\n", others),
  };
}

/// A maximum of `each` in %r2 from `start`.
Spelled from(std::string what, std::string x, std::string y, std::string formula, std::string op,
             std::string start, std::string each, std::string why, std::string functions = {}) {
  return {std::move(what),
          std::move(x),
          std::move(y),
          "y[0] = " + formula,
          "mov.b32 %r3, " + start + ";\n",
          each + op + " %r3, %r3, %r2;",
          "st.global.b32 [%y], %r3;\n",
          std::move(why),
          std::move(functions)};
}

std::vector<Spelled> starts() {
  const std::string x32 = load("b32", "%r2"), abs = "max(abs(x[i]) for i in 0 .. n)";
  const auto real = [&](std::string what, std::string start, std::string of, std::string with,
                        std::string why, std::string functions = {}, std::string assumed = {}) {
    return Spelled{std::move(what),
                   "f32",
                   "f32",
                   fmt::format("y[0] = max({}for i in 0 .. n)", of),
                   "mov.f32 %f1, 0f" + start + ";\n",
                   load("f32", "%f2") + with + "max.f32 %f1, %f1, %f2;",
                   put32,
                   std::move(why),
                   std::move(functions),
                   std::move(assumed)};
  };
  auto alone = from("one_magnitude_of_i32_from_the_least_number", "i32", "i32", abs, "max.s32",
                    "-2147483648", x32 + "abs.s32 %r2, %r2;\n", "", "abs.s32");
  alone.n = 1;
  auto from_zero = alone;
  from_zero.what = "one_magnitude_of_i32_from_zero";
  from_zero.begin = "mov.b32 %r3, 0;\n";
  from_zero.why = other;
  const std::string i16 = load("s16", "%r2"), u8 = load("u8", "%r2");
  auto least_finite =
      real("f32_from_the_least_finite_one", "FF7FFFFF", "x[i] ", "", "", {}, "finite");
  auto less_than_finite = least_finite;
  less_than_finite.what = "f32_that_may_be_infinite_from_the_least_finite_one";
  less_than_finite.data = "ones with_infinity";
  less_than_finite.why = "the spec's data are infinite";
  auto infinite = less_than_finite;
  infinite.what = "f32_that_may_be_infinite_from_minus_infinity";
  infinite.begin = least32;
  infinite.why = {};
  infinite.assumed = {};
  return {
      alone,
      from_zero,
      from("magnitudes_of_i32_from_zero", "i32", "i32", abs, "max.s32", "0",
           x32 + "abs.s32 %r2, %r2;\n", other),
      // Of -2^31 and 5 the formula's is 2^31.
      from("magnitudes_of_i32_from_the_least_number", "i32", "i32", abs, "max.s32", "-2147483648",
           x32 + "abs.s32 %r2, %r2;\n", other),
      from("magnitudes_of_i16_from_zero", "i16", "i32", abs, "max.s32", "0",
           i16 + "abs.s32 %r2, %r2;\n", "", "abs.s32"),
      from("i16_from_zero", "i16", "i32", "max(x)", "max.s32", "0", i16, other),
      from("i16_from_its_least", "i16", "i32", "max(x)", "max.s32", "-32768", i16, ""),
      from("u8_from_its_greatest", "u8", "i32", "min(x)", "min.u32", "255", u8, ""),
      from("u8_from_less_than_its_greatest", "u8", "i32", "min(x)", "min.u32", "254", u8, other),
      from("a_difference_below_zero_without_a_sign", "u8", "i32", "max(x[i] - 5 for i in 0 .. n)",
           "max.u32", "0", u8 + "add.s32 %r2, %r2, -5;\n", other),
      real("magnitudes_of_f32_from_zero", "00000000", "abs(x[i]) ", "abs.f32 %f2, %f2;\n", "",
           "abs.f32", "finite"),
      real("roots_from_zero", "00000000", "sqrt(x[i]) ", "sqrt.rn.f32 %f2, %f2;\n", "",
           "sqrt.rn.f32", "finite"),
      real("roots_from_minus_infinity", "FF800000", "sqrt(x[i]) ", "sqrt.rn.f32 %f2, %f2;\n", "",
           "sqrt.rn.f32"),
      real("f32_from_zero", "00000000", "x[i] ", "", other),
      least_finite,
      less_than_finite,
      infinite,
  };
}

std::vector<Spelled> subnormals() {
  const std::string both = load("f32", "%f2") + load("f32", "%f3", "w");
  const auto difference = [&](std::string what, const std::string& op, bool flushes) {
    auto s = mapped(std::move(what), "f32", "f32", "x[i] - w[i]",
                    both + op + " %f2, %f2, %f3;\nst.global.f32 [%y+$4], %f2;");
    s.functions = op;
    if (flushes) s.assumed = "no_subnormals";
    return s;
  };
  auto added = summed32("sums_by_atomics_of_f32", "f32", "");
  added.each = load("f32", "%f2") + "red.global.add.f32 [%y], %f2;";
  added.begin = "st.global.f32 [%y], 0f00000000;\n";
  added.end = {};
  added.assumed = "no_subnormals";
  return {difference("a_difference", "sub.f32", false),
          difference("a_difference_that_flushes", "sub.ftz.f32", true), added};
}

/// Functions that are the formula's but for numbers that the data have not.
std::vector<Spelled> far_out() {
  const auto magnitude = [](std::string what, const std::string& beyond, std::string why) {
    auto s = mapped(std::move(what), "f32", "f32", "abs(x[i])",
                    load("f32", "%f2") + "abs.f32 %f2, %f2;\nsetp.gt.f32 %p2, %f2, 0f" + beyond +
                        ";\nselp.f32 %f2, 0f00000000, %f2, %p2;\nst.global.f32 [%y+$4], %f2;");
    s.why = std::move(why);
    if (!s.why.empty()) return s;
    s.functions = "abs.f32, selp.f32, setp.gt.f32";
    return s;
  };
  const auto thrice = [](std::string what, std::string x, const std::string& from,
                         std::string why) {
    auto s = mapped(std::move(what), std::move(x), "i32", "x[i] * 3",
                    from + "mul24.lo.s32 %r2, %r2, 3;\nst.global.b32 [%y+$4], %r2;");
    s.why = std::move(why);
    if (!s.why.empty()) return s;
    s.functions = "mul24.lo.s32";
    return s;
  };
  const std::string x16 = "ld.global.s16 %r2, [%x+$2];\n", x32 = load("b32", "%r2");
  return {magnitude("a_magnitude_that_drops_the_greatest_numbers", "7F61B1E6", other),
          magnitude("a_magnitude_that_drops_nothing_finite", "7F7FFFFF", other),
          thrice("a_product_of_24_bits", "i32", x32, other),
          thrice("a_product_of_24_bits_of_i16", "i16", x16, "")};
}

/// A spec that says through how many additions a term goes.
std::vector<Spelled> heights() {
  auto chain =
      summed32("a_chain_of_no_more_additions_than_the_spec_says", "f32", load("f32", "%f2"));
  chain.formula = "y[0] = sum(x) height 3";
  auto higher = chain;
  higher.what = "a_chain_of_more_additions_than_the_spec_says";
  higher.n = 6;
  higher.why = "height 3`, a term goes through 5 additions";
  // An addition that is rounded towards zero errs by up to two of those to nearest.
  auto directed = chain;
  directed.what = "a_chain_of_as_many_additions_towards_zero";
  directed.each = load("f32", "%f2") + "add.rz.f32 %f1, %f1, %f2;";
  directed.why = "height 3`, a term goes through";
  return {chain, higher, directed};
}

class Functions : public testing::TestWithParam<Spelled> {};
TEST_P(Functions, are_known_in_full) { is_as_spelled(GetParam()); }
INSTANTIATE_TEST_SUITE_P(products, Functions, testing::ValuesIn(of_products()), what);
INSTANTIATE_TEST_SUITE_P(functions, Functions, testing::ValuesIn(of_functions()), what);
INSTANTIATE_TEST_SUITE_P(cells, Functions, testing::ValuesIn(for_every_cell()), what);
INSTANTIATE_TEST_SUITE_P(starts, Functions, testing::ValuesIn(starts()), what);
INSTANTIATE_TEST_SUITE_P(far_out, Functions, testing::ValuesIn(far_out()), what);
INSTANTIATE_TEST_SUITE_P(heights, Functions, testing::ValuesIn(heights()), what);
INSTANTIATE_TEST_SUITE_P(subnormals, Functions, testing::ValuesIn(subnormals()), what);

}  // namespace
}  // namespace gauntlet::spec::test
