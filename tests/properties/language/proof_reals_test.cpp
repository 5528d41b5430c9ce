// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that compute a formula in another way than it is written: running means, sums of squares
// about a mean, sums that are scaled as they go, what cancels in integers, operators of fold.
// Beside each the nearest wrong one.
#include "spelled.hpp"

namespace gauntlet::spec::test {
namespace {

const std::string three =
    "ld.global.f32 %f1, [%x];\nld.global.f32 %f2, [%x+4];\n"
    "ld.global.f32 %f3, [%x+8];\n";
const std::string words =
    "ld.global.b32 %r2, [%x];\nld.global.b32 %r3, [%x+4];\n"
    "ld.global.b32 %r4, [%x+8];\n";
const std::string put_word = "st.global.b32 [%y], %r2;\n";
const std::vector<std::string> division = {"div.rn.f32"};

/// %f1 becomes the mean of three, %f4 the sum of squares about it (Welford). `last`: by what the
/// third step divides.
std::string welford(const std::string& last) {
  return "mov.f32 %f4, 0f00000000;\n"
         "sub.f32 %f5, %f2, %f1;\ndiv.rn.f32 %f6, %f5, 0f40000000;\nadd.f32 %f1, %f1, %f6;\n"
         "sub.f32 %f6, %f2, %f1;\nfma.rn.f32 %f4, %f5, %f6, %f4;\n"
         "sub.f32 %f5, %f3, %f1;\ndiv.rn.f32 %f6, %f5, " +
         last +
         ";\nadd.f32 %f1, %f1, %f6;\n"
         "sub.f32 %f6, %f3, %f1;\nfma.rn.f32 %f4, %f5, %f6, %f4;\n";
}
const std::string by_three = "0f40400000", by_four = "0f40800000";
const std::string mean = "y[0] = mean(x)",
                  squares = "y[0] = sum((x[k] - m) * (x[k] - m) for k in 0 .. n) where m = mean(x)";

Spelled of_three(const std::string& what, const std::string& formula, const std::string& body,
                 const std::string& why, const std::vector<std::string>& of = {}) {
  return {what,
          "f32",
          "f32",
          formula,
          three,
          "",
          body,
          why,
          of,
          !why.empty() ? std::vector<std::string>{}
          : of.empty() ? std::vector<std::string>{"no_underflow"}
                       : std::vector<std::string>{"no_underflow", "functions"}};
}
Spelled of_words(const std::string& what, const std::string& formula, const std::string& body,
                 const std::string& why) {
  return {what, "i32", "i32", formula, words, "", body + put_word, why};
}

std::vector<Spelled> all() {
  const std::string put_squares = "st.global.f32 [%y], %f4;\n";
  return {
      of_three("a_running_mean", mean, welford(by_three) + put32, "", division),
      of_three("a_running_mean_by_another_count", mean, welford(by_four) + put32, "not by"),
      of_three("squares_about_a_running_mean", squares, welford(by_three) + put_squares, "",
               division),
      of_three("squares_about_a_wrong_mean", squares, welford(by_four) + put_squares, "not at all"),
      of_three("fold_of_an_addition", "y[0] = fold(a, b: a + b, 0, x)",
               "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n" + put32, ""),
      // What is scaled down and up again: small elements vanish, which is assumed away.
      of_three("scaled_down_and_up", "y[0] = x[0]",
               "mul.f32 %f1, %f1, 0f08800000;\nmul.f32 %f1, %f1, 0f76800000;\n" + put32, ""),
      of_three("fold_of_an_addition_lacks_one", "y[0] = fold(a, b: a + b, 0, x)",
               "add.f32 %f1, %f1, %f2;\n" + put32, "fold"),
      of_words("what_cancels_in_integers", "y[0] = x[1]",
               "add.s32 %r3, %r2, %r3;\nsub.s32 %r2, %r3, %r2;\n", ""),
      of_words("what_does_not_cancel", "y[0] = x[1]",
               "add.s32 %r3, %r2, %r3;\nsub.s32 %r2, %r3, %r4;\n", "y[0] is made of"),
      of_words("a_greatest_of_sums_that_wrap_is_no_greatest", "y[0] = max(x[0] + x[1], x[2])",
               "add.s32 %r2, %r2, %r3;\nmax.s32 %r2, %r2, %r4;\n", "upper bits"),
  };
}

class ProofReals : public testing::TestWithParam<Spelled> {};
TEST_P(ProofReals, are_proved_as_they_are_spelled) { is_as_spelled(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Each, ProofReals, testing::ValuesIn(all()),
                         [](const auto& info) { return info.param.what; });

}  // namespace
}  // namespace gauntlet::spec::test
