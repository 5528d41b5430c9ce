// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Branches on data whose ways only compute, and arrays that a proof is given as they are drawn.
// Each false theorem stands beside the right one that is nearest.
#include "spelled.hpp"

namespace gauntlet::spec::test {
namespace {

/// y[i] = x[i] < 7 ? 3 : 7, of words.
Spelled branching(std::string what, const std::string& each, std::string why,
                  std::string functions = {}, const std::string& odd = "") {
  const std::string begin = load("b32", "%r2");
  Spelled s{std::move(what), "i32", "i32",          "y[i] = x[i] < 7 ? 3 : 7", "",
            begin + each,    "",    std::move(why), std::move(functions)};
  if (!odd.empty()) s.odd = begin + odd;
  s.cells = "n";
  s.data = "ones";  // all below 7
  return s;
}

std::vector<Spelled> branches() {
  const std::string put = "st.global.b32 [%y+$4], %r3;\n", less = "setp.lt.s32 %p2, %r2, 7;\n",
                    below = "setp.lt.u32 %p2, %r2, 7;\n",
                    way = "mov.b32 %r3, 7;\n@!%p2 bra L$1;\nmov.b32 %r3, 3;\nL$1:\n" + put;
  const std::string compared = "selp.b32, setp.lt.s32";
  const std::string steered = "depends on data";
  const auto added = [&](std::string what, const std::string& number, std::string why,
                         std::string functions = {}) {
    Spelled s = branching(
        std::move(what),
        less + "mov.b32 %r3, 0;\n" + put + "@!%p2 red.global.add.s32 [%y+$4], " + number + ";\n",
        std::move(why), std::move(functions));
    s.formula = "y[i] = x[i] < 7 ? 0 : 4";
    return s;
  };
  return {
      branching("a_branch", less + way, "", compared),
      branching("a_guard", less + "mov.b32 %r3, 7;\n@%p2 mov.b32 %r3, 3;\n" + put, "", compared),
      branching("a_store_behind_another",
                less + "mov.b32 %r3, 7;\n" + put + "@!%p2 bra L$1;\n" +
                    "st.global.b32 [%y+$4], 3;\nL$1:\n",
                "", compared),
      branching("a_branch_by_another_comparison_in_odd_cells", less + way, steered, {},
                below + way),
      branching("a_branch_of_which_odd_cells_take_the_other_way", less + way, steered, {},
                less + "mov.b32 %r3, 3;\n@!%p2 bra L$1;\nmov.b32 %r3, 7;\nL$1:\n" + put),
      branching("a_register_that_one_way_leaves_undefined",
                less + "@!%p2 bra L$1;\nmov.b32 %r3, 3;\nL$1:\n" + put, steered),
      branching("a_store_on_one_way_only", less + "@%p2 st.global.b32 [%y+$4], 3;\n", steered),
      branching("a_store_behind_the_end_that_these_data_do_not_make",
                less + "mov.b32 %r3, 7;\n@!%p2 bra L$1;\nmov.b32 %r3, 3;\nL$1:\n" + put +
                    "@!%p2 st.global.b32 [%y+4000], 3;\n",
                steered),
      branching("a_loop", less + "mov.b32 %r3, 3;\n" + put + "L$1:\n@!%p2 bra L$1;\n", steered),
      added("an_atomic_on_a_way", "4", "", "not.pred (0x1), selp.b32, setp.lt.s32"),
      added("another_atomic_on_a_way", "5", steered),
      branching("a_maximum_by_an_atomic_on_a_way",
                less + "mov.b32 %r3, 3;\n" + put + "@!%p2 red.global.max.s32 [%y+$4], 7;\n", "",
                "max.s32, not.pred (0x1), selp.b32, setp.lt.s32"),
      branching("a_minimum_by_an_atomic_on_a_way",
                less + "mov.b32 %r3, 3;\n" + put + "@!%p2 red.global.min.s32 [%y+$4], 7;\n",
                steered),
      branching(
          "an_atomic_on_a_way_that_is_looked_at",
          less + "mov.b32 %r3, 3;\n" + put +
              "@!%p2 atom.global.add.s32 %r4, [%y+$4], 4;\n@!%p2 st.global.b32 [%y+$4], %r4;\n",
          steered),
      branching("an_end", less + "mov.b32 %r3, 3;\n" + put + "@!%p2 exit;\n", steered),
  };
}

/// y[0] = 0, whatever the data, which are all 1.
Spelled without_data(std::string what, std::string formula, std::string why) {
  Spelled s{std::move(what),
            "i32",
            "i32",
            "y[0] = " + std::move(formula),
            "",
            "",
            "mov.b32 %r3, 0;\nst.global.b32 [%y], %r3;\n",
            std::move(why)};
  s.data = "ones";
  return s;
}

/// What these data decide, others decide in another way; what the sizes decide is decided.
std::vector<Spelled> conditions() {
  return {
      without_data("a_condition_on_the_size", "n > 100 ? 1 : 0", ""),
      without_data("a_condition_on_an_element", "x[0] > 100 ? 1 : 0", other),
      without_data("a_condition_on_a_slice", "max(x[0 .. 2]) > 100 ? 1 : 0", other),
      without_data("a_condition_on_an_array", "max(x) > 100 ? 1 : 0", other),
      without_data("a_condition_on_what_is_counted", "count(x > 100) > 0 ? 1 : 0", other),
      without_data("what_is_counted_of_an_array", "count(x > 100)", other),
      without_data("whether_any_of_an_array_is", "any(x > 100)", other),
  };
}

/// The sum of x where w says; `each` begins with w's element in %r2.
Spelled gathered(std::string what, const std::string& each, std::string why,
                 std::string formula = "sum(x[w[i] % n] for i in 0 .. n)",
                 std::string made = " = random(0, 9)") {
  Spelled s{std::move(what),
            "u32",
            "u32",
            "y[0] = " + std::move(formula),
            "mov.b32 %r4, 0;\n",
            load("b32", "%r2", "w") + each,
            "st.global.b32 [%y], %r4;\n",
            std::move(why)};
  s.w = std::move(made);
  return s;
}

std::vector<Spelled> given() {
  const std::string take =
      "rem.u32 %r3, %r2, 3;\nmul.wide.u32 %l2, %r3, 4;\nadd.s64 %l2, %x, %l2;\n"
      "ld.global.u32 %r3, [%l2];\nadd.u32 %r4, %r4, %r3;\n";
  const std::string those = "sum(x[i] for i in 0 .. n if w[i] > 1)";
  const std::string where = "setp.le.u32 %p2, %r2, 1;\n@%p2 bra L$1;\n", own = load("b32", "%r3"),
                    add = "add.u32 %r4, %r4, %r3;\nL$1:\n";
  return {
      gathered("indices", take, ""),
      gathered("indices_that_are_drawn_like_any_data", take, "depends on data",
               "sum(x[w[i] % n] for i in 0 .. n)", ""),
      gathered("an_index_that_is_added", take + "add.u32 %r4, %r4, %r2;\n", other),
      gathered("an_index_that_is_a_factor", take + "mul.lo.u32 %r4, %r4, %r2;\n", other),
      gathered("an_array_that_is_an_index_and_a_number", take, "depends on data",
               "sum(x[w[i] % n] * w[i] for i in 0 .. n)"),
      gathered("an_array_of_its_own_indices", take, "depends on data",
               "sum(w[w[i] % n] for i in 0 .. n)"),
      gathered("conditions", where + own + add, "", those),
      gathered("conditions_that_are_drawn_like_any_data", where + own + add, "data", those, ""),
      gathered("a_condition_that_is_not_looked_at", own + "add.u32 %r4, %r4, %r3;\n",
               "wrong_result", those),
      gathered("a_count_that_no_other_data_are_in", where + "mov.b32 %r3, 1;\n" + add,
               "depends on data", "sum(1 for i in 0 .. n if w[i] > 1)"),
  };
}

/// y[i] = x[i] < 100003 ? 3 : 7, of any words; `each` makes %r3 of %r2.
Spelled limited(std::string what, const std::string& each, bool proved) {
  Spelled s{std::move(what),
            "i32",
            "i32",
            "y[i] = x[i] < 100003 ? 3 : 7",
            "",
            load("b32", "%r2") + each + "st.global.b32 [%y+$4], %r3;\n",
            "",
            proved ? "" : other};
  if (proved) {
    s.functions = "selp.b32, setp.lt.s32";
  }
  s.cells = "n";
  s.data = "uniform";
  return s;
}

/// y[i] = x[i] < w[i] ? 3 : 7.
Spelled compared(std::string what, const std::string& relation, bool proved) {
  Spelled s = limited(std::move(what),
                      load("b32", "%r3", "w") + "setp." + relation +
                          ".s32 %p2, %r2, %r3;\nselp.b32 %r3, 3, 7, %p2;\n",
                      proved);
  s.formula = "y[i] = x[i] < w[i] ? 3 : 7";
  if (!proved) s.why = other;
  return s;
}

std::vector<Spelled> limits() {
  const std::string pick = "selp.b32 %r3, 3, 7, %p2;\n";
  return {
      limited("the_same_comparison", "setp.lt.s32 %p2, %r2, 100003;\n" + pick, true),
      limited("a_limit_that_is_within", "setp.le.s32 %p2, %r2, 100003;\n" + pick, false),
      limited("a_limit_that_is_one_more", "setp.lt.s32 %p2, %r2, 100004;\n" + pick, false),
      limited("a_value_that_the_kernel_alone_knows",
              "setp.lt.s32 %p2, %r2, 100003;\n" + pick +
                  "setp.eq.s32 %p3, %r2, 77777;\nselp.b32 %r3, 7, %r3, %p3;\n",
              false),
      compared("two_elements", "lt", true),
      compared("two_elements_that_may_be_equal", "le", false),
  };
}

/// y[i] = 2 x[i], but where a comparison holds that samples need not show.
Spelled bumped(std::string what, const std::string& compared, const std::string& test,
               bool proved) {
  Spelled s = limited(std::move(what), "", proved);
  s.x = s.y = "f32";
  s.formula = proved ? "y[i] = x[i] < 3 ? 5 : x[i] * 2" : "y[i] = x[i] * 2";
  s.each = load("f32", "%f2") + "mul.rn.f32 %f3, %f2, 0f40000000;\n" + compared + "setp." + test +
           ";\nselp.f32 %f3, 0f40A00000, %f3, %p2;\nst.global.f32 [%y+$4], %f3;\n";
  if (!proved) s.why = other;
  if (proved) s.functions = "mul.f32, selp.f32, setp.lt.f32";
  return s;
}

std::vector<Spelled> bumps() {
  const std::string apart = "sub.rn.f32 %f4, %f2, 0f44424FDF;\n";
  return {
      bumped("a_comparison_of_the_number", "", "lt.f32 %p2, %f2, 0f40400000", true),
      bumped("a_distance_from_a_number", apart + "abs.f32 %f4, %f4;\n",
             "lt.f32 %p2, %f4, 0f3A83126F", false),
      bumped("a_square_that_is_a_number", "mul.rn.f32 %f4, %f2, %f2;\n",
             "eq.f32 %p2, %f4, 0f42443333", false),
      bumped("a_parabola_above_a_number",
             "add.rn.f32 %f4, %f2, 0fC4424FDF;\nmul.rn.f32 %f4, %f4, %f2;\n",
             "gt.f32 %p2, %f4, 0f7E000000", false),
  };
}

/// y[i] of x[i] and w[i], f32: what few pairs tell apart, which no sample has.
Spelled of_two(std::string what, const std::string& formula, const std::string& each,
               std::string functions) {
  Spelled s = limited(std::move(what), "", !functions.empty());
  s.x = s.y = "f32";
  s.formula = "y[i] = " + formula;
  s.each = load("f32", "%f2") + load("f32", "%f4", "w") + each + "st.global.f32 [%y+$4], %f3;\n";
  if (functions.empty()) s.why = other;
  s.functions = std::move(functions);
  return s;
}

std::vector<Spelled> pairs() {
  const std::string product = "mul.rn.f32 %f3, %f2, %f4;\n", greater = "max(x[i], w[i])";
  return {
      of_two("a_product", "x[i] * w[i]", product, "mul.f32"),
      of_two("a_product_but_where_the_sum_is_a_number", "x[i] * w[i]",
             product + "add.rn.f32 %f5, %f2, %f4;\nsetp.eq.f32 %p2, %f5, 0f40500000;\n"
                       "selp.f32 %f3, 0f00000000, %f3, %p2;\n",
             {}),
      of_two("the_greater_one", greater,
             "setp.gt.f32 %p2, %f2, %f4;\nselp.f32 %f3, %f2, %f4, %p2;\n", "selp.f32, setp.gt.f32"),
      of_two("the_greater_one_but_for_a_little", greater,
             "mul.rn.f32 %f5, %f4, 0f3F800001;\nsetp.ge.f32 %p2, %f2, %f5;\n"
             "selp.f32 %f3, %f2, %f4, %p2;\n",
             {}),
      of_two("a_constant_that_is_added", "x[i] * w[i] + 1",
             product + "add.rn.f32 %f3, %f3, 0f3F800000;\n", "add.f32, mul.f32"),
      of_two("a_constant_that_large_products_do_not_get", "x[i] * w[i] + 1",
             product + "add.rn.f32 %f5, %f3, 0f3F800000;\nsetp.gt.f32 %p2, %f3, 0f4B000000;\n"
                       "selp.f32 %f3, %f3, %f5, %p2;\n",
             {}),
  };
}

/// y[i] of x[i], of any floats: the right kernel beside those that differ at few of them.
Spelled turning(std::string what, const std::string& formula, const std::string& each,
                std::string functions) {
  Spelled s = limited(std::move(what), "", !functions.empty());
  s.x = s.y = "f32";
  s.formula = "y[i] = " + formula;
  s.each = load("f32", "%f2") + each + "st.global.f32 [%y+$4], %f3;\n";
  s.functions = std::move(functions);
  return s;
}

std::vector<Spelled> turns() {
  const std::string positive = "selp.f32 %f3, %f2, 0f00000000, %p2;\n",
                    pick = "selp.f32 %f3, 0f3F800000, 0f40000000, %p2;\n", relu = "max(x[i], 0)",
                    below = "x[i] < 0.3 ? 1 : 2", low = "x[i] < 0.7 ? 1 : 2",
                    square = "x[i] * x[i] > 2 ? 1 : 2";
  const auto by = [](const std::string& test) { return "setp." + test + ";\n"; };
  return {
      turning("a_square", square,
              "mul.rn.f32 %f3, %f2, %f2;\n" + by("gt.f32 %p2, %f3, 0f40000000") + pick,
              "mul.f32, selp.f32, setp.gt.f32"),
      turning("a_sign", relu, by("gt.f32 %p2, %f2, 0f00000000") + positive,
              "selp.f32, setp.gt.f32"),
      turning("a_sign_that_an_addition_swallows", relu,
              "add.f32 %f3, %f2, 0f3F000000;\n" + by("gt.f32 %p2, %f3, 0f3F000000") + positive, {}),
      turning("the_bits_of_a_sign", "x[i] < 0 ? 1 : 2",
              "mov.b32 %r2, %f2;\n" + by("lt.s32 %p2, %r2, 0") + pick, {}),
      turning("a_limit_that_is_no_float", below, by("lt.f32 %p2, %f2, 0f3E99999A") + pick,
              "selp.f32, setp.lt.f32"),
      turning("the_float_above_it_within", below, by("le.f32 %p2, %f2, 0f3E99999A") + pick, {}),
      turning("a_limit_whose_float_is_less", low, by("lt.f32 %p2, %f2, 0f3F333333") + pick,
              "selp.f32, setp.lt.f32"),
      turning("the_same_as_a_double", low,
              "cvt.f64.f32 %d2, %f2;\n" + by("lt.f64 %p2, %d2, 0d3FE6666666666666") + pick,
              "selp.f32, setp.lt.f64"),
      turning("the_next_float_within", low, by("le.f32 %p2, %f2, 0f3F333334") + pick, {}),
      turning("a_power", "pow(2.0, x[i])", "ex2.approx.f32 %f3, %f2;\n", "ex2.approx.f32"),
      turning("a_power_and_another_that_counts_about_a_constant_alone", "pow(2.0, x[i])",
              "ex2.approx.f32 %f3, %f2;\nsub.f32 %f4, 0fC47A0000, %f2;\n"
              "ex2.approx.f32 %f4, %f4;\nadd.f32 %f3, %f3, %f4;\n",
              {}),
  };
}

class ProofChoices : public testing::TestWithParam<Spelled> {};
TEST_P(ProofChoices, are_proved_as_they_are_spelled) { is_as_spelled(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Branches, ProofChoices, testing::ValuesIn(branches()), what);
INSTANTIATE_TEST_SUITE_P(Conditions, ProofChoices, testing::ValuesIn(conditions()), what);
INSTANTIATE_TEST_SUITE_P(Limits, ProofChoices, testing::ValuesIn(limits()), what);
INSTANTIATE_TEST_SUITE_P(Bumps, ProofChoices, testing::ValuesIn(bumps()), what);
INSTANTIATE_TEST_SUITE_P(Pairs, ProofChoices, testing::ValuesIn(pairs()), what);
INSTANTIATE_TEST_SUITE_P(Turns, ProofChoices, testing::ValuesIn(turns()), what);
INSTANTIATE_TEST_SUITE_P(Given, ProofChoices, testing::ValuesIn(given()), what);

}  // namespace
}  // namespace gauntlet::spec::test
