// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Branches on data whose ways only compute, and arrays that a proof is given as they are drawn.
// Each false theorem stands beside the right one that is nearest.
#include "spelled.hpp"

namespace gauntlet::spec::test {
namespace {

/// y[i] = x[i] < 7 ? 3 : 7, of words.
Spelled chosen(std::string what, const std::string& each, std::string why,
               std::vector<std::string> functions = {}, const std::string& odd = "") {
  const std::string begin = load("b32", "%r2");
  Spelled s{std::move(what), "i32", "i32",          "y[i] = x[i] < 7 ? 3 : 7", "",
            begin + each,    "",    std::move(why), std::move(functions)};
  if (!odd.empty()) s.odd = begin + odd;
  if (s.why.empty()) s.assumed = {"functions"};
  s.cells = "n";
  s.data = "ones";  // all below 7
  return s;
}

std::vector<Spelled> branches() {
  const std::string put = "st.global.b32 [%y+$4], %r3;\n", less = "setp.lt.s32 %p2, %r2, 7;\n",
                    below = "setp.lt.u32 %p2, %r2, 7;\n",
                    way = "mov.b32 %r3, 7;\n@!%p2 bra L$1;\nmov.b32 %r3, 3;\nL$1:\n" + put;
  const std::vector<std::string> compared{"selp.b32", "setp.lt.s32"};
  const std::string steered = "depends on data";
  return {
      chosen("a_branch", less + way, "", compared),
      chosen("a_guard", less + "mov.b32 %r3, 7;\n@%p2 mov.b32 %r3, 3;\n" + put, "", compared),
      chosen("a_store_behind_another",
             less + "mov.b32 %r3, 7;\n" + put + "@!%p2 bra L$1;\n" +
                 "st.global.b32 [%y+$4], 3;\nL$1:\n",
             "", compared),
      chosen("a_branch_by_another_comparison_in_odd_cells", less + way, steered, {}, below + way),
      chosen("a_branch_of_which_odd_cells_take_the_other_way", less + way, steered, {},
             less + "mov.b32 %r3, 3;\n@!%p2 bra L$1;\nmov.b32 %r3, 7;\nL$1:\n" + put),
      chosen("a_register_that_one_way_leaves_undefined",
             less + "@!%p2 bra L$1;\nmov.b32 %r3, 3;\nL$1:\n" + put, steered),
      chosen("a_store_on_one_way_only", less + "@%p2 st.global.b32 [%y+$4], 3;\n", steered),
      chosen("a_store_behind_the_end_that_these_data_do_not_make",
             less + "mov.b32 %r3, 7;\n@!%p2 bra L$1;\nmov.b32 %r3, 3;\nL$1:\n" + put +
                 "@!%p2 st.global.b32 [%y+4000], 3;\n",
             steered),
      chosen("a_loop", less + "mov.b32 %r3, 3;\n" + put + "L$1:\n@!%p2 bra L$1;\n", steered),
      chosen("an_atomic_on_a_way",
             less + "mov.b32 %r3, 3;\n" + put + "@!%p2 red.global.add.s32 [%y+$4], 4;\n", steered),
      chosen("an_end", less + "mov.b32 %r3, 3;\n" + put + "@!%p2 exit;\n", steered),
  };
}

/// The sum of x where w says; `each` begins with w's element in %r2.
Spelled gathered(std::string what, const std::string& each, std::string why,
                 std::string formula = "sum(x[w[i] % n] for i in 0 .. n)") {
  return {std::move(what),
          "u32",
          "u32",
          "y[0] = " + std::move(formula),
          "mov.b32 %r4, 0;\n",
          load("b32", "%r2", "w") + each,
          "st.global.b32 [%y], %r4;\n",
          std::move(why)};
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
      gathered("an_index_that_is_added", take + "add.u32 %r4, %r4, %r2;\n", "a constant"),
      gathered("an_index_that_is_a_factor", take + "mul.lo.u32 %r4, %r4, %r2;\n", "wrong_result"),
      gathered("an_array_that_is_an_index_and_a_number", take, "depends on data",
               "sum(x[w[i] % n] * w[i] for i in 0 .. n)"),
      gathered("an_array_of_its_own_indices", take, "depends on data",
               "sum(w[w[i] % n] for i in 0 .. n)"),
      gathered("conditions", where + own + add, "", those),
      gathered("a_condition_that_is_not_looked_at", own + "add.u32 %r4, %r4, %r3;\n",
               "there it is a constant", those),
  };
}

/// The sum of those x that are positive.
Spelled positive(std::string what, const std::string& each, std::string why,
                 std::vector<std::string> functions = {}, const std::string& odd = "") {
  const std::string begin = load("f32", "%f2");
  Spelled s{std::move(what),
            "f32",
            "f32",
            "y[0] = sum(x[i] for i in 0 .. n if x[i] > 0)",
            zero32,
            begin + each,
            put32,
            std::move(why),
            std::move(functions)};
  if (!odd.empty()) s.odd = begin + odd;
  if (s.why.empty()) s.assumed = {"functions"};
  return s;
}
/// How many x are positive, of words.
Spelled counted(std::string what, const std::string& each, std::string why,
                std::vector<std::string> functions = {}, const std::string& odd = "") {
  auto s = positive(std::move(what), "", std::move(why), std::move(functions));
  s.x = s.y = "i32";
  s.formula = "y[0] = count(x[i] > 0 for i in 0 .. n)";
  s.begin = "mov.b32 %r4, 0;\n";
  s.each = load("b32", "%r2") + each;
  if (!odd.empty()) s.odd = load("b32", "%r2") + odd;
  s.end = "st.global.b32 [%y], %r4;\n";
  return s;
}

std::vector<Spelled> chosen_terms() {
  const std::string more = "setp.gt.f32 %p2, %f2, 0f00000000;\n", some = "setp.ge.f32",
                    sum = "add.f32 %f3, %f1, %f2;\n", take = "selp.f32 %f1, %f3, %f1, %p2;\n",
                    leave = "selp.f32 %f1, %f1, %f3, %p2;\n";
  const std::string words = "setp.gt.s32 %p2, %r2, 0;\n",
                    one = "@!%p2 bra L$1;\nadd.s32 %r4, %r4, 1;\nL$1:\n";
  const std::vector<std::string> floats{"selp.f32", "setp.gt.f32"};
  const std::string steered = "depends on data", others = "other operations than the others";
  const auto as = [&](std::string all, const std::string& from, const std::string& to) {
    const auto at = all.find(from);
    return all.replace(at, from.size(), to);
  };
  return {
      positive("a_sum_that_goes_on_or_not", more + sum + take, "", floats),
      positive("a_branch_around_an_addition",
               more + "@!%p2 bra L$1;\nadd.f32 %f1, %f1, %f2;\nL$1:\n", "", floats),
      positive("odd_terms_by_another_comparison", more + sum + take, others, {},
               as(more, "setp.gt.f32", some) + sum + take),
      positive("odd_terms_where_the_others_are_not", more + sum + take, others, {},
               more + sum + leave),
      positive("odd_terms_always", more + sum + take, "not at all in its sum", {},
               "add.f32 %f1, %f1, %f2;\n"),
      positive("odd_terms_twice", more + sum + take, others, {},
               more + "add.f32 %f2, %f2, %f2;\n" + sum + take),
      positive("odd_terms_that_are_halved_on_their_way", more + sum + take, others, {},
               "cvt.rn.f16.f32 %h1, %f2;\ncvt.f32.f16 %f2, %h1;\n" + more + sum + take),
      positive("a_sum_that_begins_again", more + "selp.f32 %f1, %f2, %f1, %p2;\n",
               "not at all in its sum"),
      positive("a_greatest_in_place_of_a_sum", more + "max.f32 %f3, %f1, %f2;\n" + take,
               "not at all in its sum"),
      counted("a_branch_around_an_increment", words + one, "", {"selp.b32", "setp.gt.s32"}),
      counted("odd_ones_by_a_comparison_without_a_sign", words + one, steered, {},
              as(words, "s32", "u32") + one),
      counted("odd_ones_count_twice", words + one, steered, {}, words + as(one, "1;\nL", "2;\nL")),
      counted("the_last_predicate_for_all",
              "setp.gt.s32 %p3, %r2, 0;\n" + as(one, "%p2", "%p3") +
                  "@!%p3 bra M$1;\nadd.s32 %r4, %r4, 1;\nM$1:\n",
              steered),
  };
}

class ProofChoices : public testing::TestWithParam<Spelled> {};
TEST_P(ProofChoices, are_proved_as_they_are_spelled) { is_as_spelled(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Branches, ProofChoices, testing::ValuesIn(branches()),
                         [](const auto& info) { return info.param.what; });
INSTANTIATE_TEST_SUITE_P(Terms, ProofChoices, testing::ValuesIn(chosen_terms()),
                         [](const auto& info) { return info.param.what; });
INSTANTIATE_TEST_SUITE_P(Given, ProofChoices, testing::ValuesIn(given()),
                         [](const auto& info) { return info.param.what; });

}  // namespace
}  // namespace gauntlet::spec::test
