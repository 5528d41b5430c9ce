// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel makes of its elements before it reduces them: whatever a conversion may lose is a
// function, and none stands where a formula has none. Each false theorem stands beside the right
// one that is nearest. The data are small whole numbers, which show nothing of this in a run.
#include "spelled.hpp"

namespace gauntlet::spec::test {
namespace {

std::vector<Spelled> floats() {
  const std::string x32 = load("f32", "%f2"), x64 = load("f64", "%d2"), x16 = load("b16", "%h1");
  const std::string to_half = "cvt.rn.f16.f32 %h1, %f2;\ncvt.f32.f16 %f2, %h1;\n",
                    to_single = "cvt.rn.f32.f64 %f2, %d2;\ncvt.f64.f32 %d2, %f2;\n";
  return {
      summed32("f32_is_added_as_it_is", "f32", x32),
      summed32("f32_through_f64_loses_nothing", "f32",
               x32 + "cvt.f64.f32 %d2, %f2;\ncvt.rn.f32.f64 %f2, %d2;\n"),
      summed32("f32_through_a_half", "f32", x32 + to_half, function),
      summed32("f32_through_bf16", "f32",
               x32 + "cvt.rn.bf16.f32 %h1, %f2;\ncvt.f32.bf16 %f2, %h1;\n", function),
      summed32("a_half_through_bf16", "f16",
               x16 + "cvt.rn.bf16.f16 %h1, %h1;\ncvt.f32.bf16 %f2, %h1;\n", other),
      summed32("f32_that_is_saturated", "f32", x32 + "cvt.sat.f32.f32 %f2, %f2;\n", other),
      summed32("f32_that_is_cut_to_a_whole_number", "f32",
               x32 + "cvt.rzi.s32.f32 %r2, %f2;\ncvt.rn.f32.s32 %f2, %r2;\n", other),
      summed32("a_half_is_widened", "f16", x16 + "cvt.f32.f16 %f2, %h1;\n"),
      summed32("a_half_is_taken_for_bf16", "f16", x16 + "cvt.f32.bf16 %f2, %h1;\n", other),
      summed32("bf16_is_the_upper_half_of_a_word", "bf16",
               x16 + "mov.b16 %h2, 0;\nmov.b32 %f2, {%h2, %h1};\n"),
      summed32("the_upper_half_of_a_word_is_no_half", "f16",
               x16 + "mov.b16 %h2, 0;\nmov.b32 %f2, {%h2, %h1};\n", other),
      summed32("a_whole_number_s_bits_are_no_float", "i32",
               load("b32", "%r2") + "mov.b32 %f2, %r2;\n", other),
      greatest32("the_greatest_f32", "f32", x32),
      greatest32("the_greatest_of_halves_is_not_the_greatest_f32", "f32", x32 + to_half, function),
      greatest32("the_greatest_half_widened", "f16", x16 + "cvt.f32.f16 %f2, %h1;\n"),
      summed64("f64_is_added_as_it_is", "f64", x64),
      summed64("f64_through_f32", "f64", x64 + to_single, function),
      {"the_greatest_f64_through_f32", "f64", "f64", "y[0] = max(x)", least64,
       x64 + to_single + "max.f64 %d1, %d1, %d2;", put64, function},
      {"f64_is_rounded_to_the_f32_of_the_result", "f64", "f32", "y[0] = max(x)", least32,
       x64 + "cvt.rn.f32.f64 %f2, %d2;\nmax.f32 %f1, %f1, %f2;", put32, "", "cvt.rn.f32.f64"},
      {"each_f64_is_rounded_before_it_is_added", "f64", "f32", "y[0] = sum(x)", zero32,
       x64 + "cvt.rn.f32.f64 %f2, %d2;\n" + add32, put32, function},
      {"a_sum_of_f64_is_rounded_once", "f64", "f32", "y[0] = sum(x)", zero64, x64 + add64,
       "cvt.rn.f32.f64 %f1, %d1;\n" + put32, ""},
      {"a_sum_of_f32_is_rounded_to_bf16_at_its_end", "f32", "bf16", "y[0] = sum(x) accumulate f32",
       zero32, x32 + add32, "cvt.rn.bf16.f32 %h1, %f1;\nst.global.b16 [%y], %h1;\n", ""},
      {"a_sum_of_f32_is_rounded_to_bf16_on_its_way",
       "f32",
       "f32",
       "y[0] = sum(x)",
       zero32,
       x32 + add32,
       put32,
       "is rounded to 8 bits, fewer than the 24",
       {},
       {},
       x32 + add32 + "cvt.rn.bf16.f32 %h1, %f1;\ncvt.f32.bf16 %f1, %h1;\n"},
      mapped("a_copy_of_f32", "f32", "f32", "x[i]", x32 + "st.global.f32 [%y+$4], %f2;"),
      mapped("a_copy_of_f32_through_a_half", "f32", "f32", "x[i]",
             x32 + to_half + "st.global.f32 [%y+$4], %f2;", function),
      mapped("a_copy_to_a_half", "f32", "f16", "x[i]",
             x32 + "cvt.rn.f16.f32 %h1, %f2;\nst.global.b16 [%y+$2], %h1;"),
      mapped("a_copy_to_a_half_by_cutting", "f32", "f16", "x[i]",
             x32 + "cvt.rz.f16.f32 %h1, %f2;\nst.global.b16 [%y+$2], %h1;", other),
      mapped("f64_is_rounded_to_a_half", "f64", "f16", "x[i]",
             x64 + "cvt.rn.f16.f64 %h1, %d2;\nst.global.b16 [%y+$2], %h1;"),
      mapped("f64_is_rounded_to_a_half_in_two_steps", "f64", "f16", "x[i]",
             x64 + "cvt.rn.f32.f64 %f2, %d2;\ncvt.rn.f16.f32 %h1, %f2;\n"
                   "st.global.b16 [%y+$2], %h1;",
             function),
      mapped("a_copy_of_whole_numbers", "i32", "i32", "x[i]",
             load("b32", "%r2") + "st.global.b32 [%y+$4], %r2;"),
      // As a float a NaN, a subnormal and -0 become other bits.
      mapped("a_float_zero_is_added_to_whole_numbers", "i32", "i32", "x[i]",
             load("f32", "%f2") + "add.f32 %f2, %f2, 0f00000000;\nst.global.f32 [%y+$4], %f2;",
             other),
      mapped("bits_are_copied_for_a_number", "i32", "f32", "x[i]",
             load("b32", "%r2") + "st.global.b32 [%y+$4], %r2;", other),
  };
}

std::vector<Spelled> whole_numbers() {
  const std::string x32 = load("b32", "%r2"), to_f64 = "cvt.rn.f64.s32 %d2, %r2;\n";
  auto many = summed32("more_than_f32_holds_of_i16_are_added", "i16",
                       load("s16", "%h1") + "cvt.rn.f32.s16 %f2, %h1;\n",
                       "floats that cannot hold each of them");
  many.n = 600;
  auto in_f64 = many;
  in_f64.what = "as_many_i16_are_added_in_f64";
  in_f64.begin = zero64;
  in_f64.each = load("s16", "%h1") + "cvt.rn.f64.s16 %d2, %h1;\n" + add64;
  in_f64.end = "cvt.rn.f32.f64 %f1, %d1;\n" + put32;
  in_f64.why = {};
  const std::string f32_of_16 = load("s16", "%h1") + "cvt.rn.f32.s16 %f2, %h1;\n",
                    f32_of_8 = load("s8", "%h1") + "cvt.rn.f32.s16 %f2, %h1;\n";
  const auto squares = [](std::string what, std::string type, const std::string& x,
                          std::string why = {}) {
    return Spelled{std::move(what), std::move(type),
                   "f32",           "y[0] = sum(x * x)",
                   zero32,          x + "mul.f32 %f2, %f2, %f2;\n" + add32,
                   put32,           std::move(why)};
  };
  // The greatest magnitude of i16 is 2^15; 2^24 + 1 is the first number that f32 lacks.
  Spelled magnitudes{"magnitudes_of_i16_and_one_more_come_to_more_than_f32_holds",
                     "i16",
                     "f32",
                     "y[0] = 1 + sum(abs(x))",
                     "mov.f32 %f1, 0f3F800000;\n",
                     f32_of_16 + "abs.f32 %f2, %f2;\n" + add32,
                     put32,
                     "floats that cannot hold each of them"};
  magnitudes.n = 512;
  auto fewer = magnitudes;
  fewer.what = "fewer_magnitudes_of_i16_and_one_more_are_held";
  fewer.n = 511;
  fewer.why = {};
  fewer.functions = "abs.f32";
  auto of_bytes = squares("squares_of_i8_are_held", "i8", f32_of_8);
  of_bytes.functions = "mul.f32";
  return {
      many,
      in_f64,
      magnitudes,
      fewer,
      squares("squares_of_i16_are_more_than_f32_holds", "i16", f32_of_16,
              "floats that cannot hold each of them"),
      of_bytes,
      summed64("i32_fits_f64", "i32", x32 + to_f64),
      summed64("i32_through_f32", "i32", x32 + "cvt.rn.f32.s32 %f2, %r2;\ncvt.f64.f32 %d2, %f2;\n",
               function),
      summed64("i32_through_a_half", "i32",
               x32 + "cvt.rn.f16.s32 %h1, %r2;\ncvt.f64.f16 %d2, %h1;\n", function),
      summed64("i32_as_if_it_had_no_sign", "i32", x32 + "cvt.rn.f64.u32 %d2, %r2;\n", other),
      summed64("u32_fits_f64", "u32", x32 + "cvt.rn.f64.u32 %d2, %r2;\n"),
      summed64("u32_as_if_it_had_a_sign", "u32", x32 + to_f64, other),
      summed64("the_low_half_of_i32", "i32", x32 + "cvt.rn.f64.s16 %d2, %r2;\n", other),
      summed64("i64_does_not_fit_f64", "i64", load("b64", "%l1") + "cvt.rn.f64.s64 %d2, %l1;\n",
               function),
      summed32("i32_does_not_fit_f32", "i32", x32 + "cvt.rn.f32.s32 %f2, %r2;\n", function),
      summed32("i16_fits_f32", "i16", load("s16", "%h1") + "cvt.rn.f32.s16 %f2, %h1;\n"),
      summed32("i16_fits_f32_from_a_wider_register_too", "i16",
               load("s16", "%r2") + "cvt.rn.f32.s32 %f2, %r2;\n"),
      summed32("u8_fits_a_half", "u8",
               load("u8", "%h1") + "cvt.rn.f16.u16 %h1, %h1;\ncvt.f32.f16 %f2, %h1;\n"),
      summed32("u16_does_not_fit_a_half", "u16",
               load("u16", "%h1") + "cvt.rn.f16.u16 %h1, %h1;\ncvt.f32.f16 %f2, %h1;\n", function),
      {"the_greatest_i32_is_rounded_to_the_result", "i32", "f32", "y[0] = max(x)",
       "mov.b32 %r3, -2147483648;\n", x32 + "max.s32 %r3, %r3, %r2;",
       "cvt.rn.f32.s32 %f1, %r3;\n" + put32, "", "cvt.rn.f32.s32"},
      {"the_greatest_i32_is_rounded_as_if_it_had_no_sign", "i32", "f32", "y[0] = max(x)",
       "mov.b32 %r3, -2147483648;\n", x32 + "max.s32 %r3, %r3, %r2;",
       "cvt.rn.f32.u32 %f1, %r3;\n" + put32, other},
      {"whole_numbers_are_saturated", "i32", "u8", "y[0] = max(x)", "mov.b32 %r3, -2147483648;\n",
       x32 + "max.s32 %r3, %r3, %r2;", "cvt.sat.u8.s32 %r3, %r3;\nst.global.u8 [%y], %r3;\n",
       other},
  };
}

class Conversions : public testing::TestWithParam<Spelled> {};
TEST_P(Conversions, are_looked_through_where_they_lose_nothing) { is_as_spelled(GetParam()); }
INSTANTIATE_TEST_SUITE_P(floats, Conversions, testing::ValuesIn(floats()), what);
INSTANTIATE_TEST_SUITE_P(whole_numbers, Conversions, testing::ValuesIn(whole_numbers()), what);

}  // namespace
}  // namespace gauntlet::spec::test
