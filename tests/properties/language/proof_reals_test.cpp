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
const std::string division = "div.rn.f32";

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
                 const std::string& why, const std::string& of = {}) {
  return {what, "f32", "f32", formula, three, "", body, why, of, why.empty() ? "no_underflow" : ""};
}
Spelled of_words(const std::string& what, const std::string& formula, const std::string& body,
                 const std::string& why) {
  return {what, "i32", "i32", formula, words, "", body + put_word, why};
}

/// %f8 becomes the exponential of %f5, as nvcc writes expf, or something near it.
std::string exponential(const std::string& limit = ".sat", const std::string& scale = "0f437C0000",
                        const std::string& bias = "0f4B400001", const std::string& place = "23") {
  return "fma.rn" + limit + ".f32 %f6, %f5, 0f3BBB989D, 0f3F000000;\nfma.rm.f32 %f6, %f6, " +
         scale + ", " + bias +
         ";\nadd.f32 %f7, %f6, 0fCB40007F;\nneg.f32 %f7, %f7;\n"
         "fma.rn.f32 %f7, %f5, 0f3FB8AA3B, %f7;\nfma.rn.f32 %f7, %f5, 0f32A57060, %f7;\n"
         "mov.b32 %r2, %f6;\nshl.b32 %r2, %r2, " +
         place + ";\nmov.b32 %f6, %r2;\nex2.approx.ftz.f32 %f7, %f7;\nmul.f32 %f8, %f7, %f6;\n";
}
/// The first of three, exponentiated, by the sum of all, which is scaled as their maximum grows.
/// `up`: from which maximum to which.
std::string softmax(const std::string& e, const std::string& up = "%f1, %f0") {
  std::string text = "mov.f32 %f4, 0f00000000;\nmov.f32 %f1, 0fF149F2CA;\n";
  for (const std::string at : {"", "+4", "+8"}) {
    text += "ld.global.f32 %f2, [%x" + at + "];\nmax.f32 %f0, %f1, %f2;\nsub.f32 %f5, " + up +
            ";\n" + e + "mul.f32 %f4, %f4, %f8;\nsub.f32 %f5, %f2, %f0;\n" + e +
            "add.f32 %f4, %f4, %f8;\nmov.f32 %f1, %f0;\n";
  }
  return text + "ld.global.f32 %f5, [%x];\nsub.f32 %f5, %f5, %f1;\n" + e +
         "div.rn.f32 %f1, %f8, %f4;\n" + put32;
}
Spelled of_softmax(const std::string& what, const std::string& body, const std::string& why) {
  Spelled s{what, "f32", "f32", "y[0] = exp(x[0]) / sum(exp(x))", "", "", body, why};
  if (!why.empty()) return s;
  s.functions = "div.rn.f32, ex2.approx.ftz.f32, fma.rm.f32, fma.rn.sat.f32, shl.b32";
  s.assumed = "no_subnormals, no_underflow";
  return s;
}

std::vector<Spelled> softmaxes() {
  return {
      of_softmax("scaled_as_it_goes", softmax(exponential()), ""),
      of_softmax("scaled_the_other_way", softmax(exponential(), "%f0, %f1"), other),
      of_softmax("an_exponent_of_no_number_to_1", softmax(exponential("")), other),
      of_softmax("an_exponent_of_another_range", softmax(exponential(".sat", "0f437D0000")), other),
      of_softmax("another_bias", softmax(exponential(".sat", "0f437C0000", "0f4B400002")), other),
      of_softmax("another_place", softmax(exponential(".sat", "0f437C0000", "0f4B400001", "22")),
                 other),
  };
}

std::vector<Spelled> all() {
  const std::string greatest = "y[0] = max(abs(x))";
  const auto chosen = [](const std::string& start) {
    std::string text = "mov.f32 %f4, " + start + ";\n";
    for (const std::string of : {"%f1", "%f2", "%f3"}) {
      text += "abs.f32 " + of + ", " + of + ";\nsetp.gt.f32 %p2, " + of + ", %f4;\nselp.f32 %f4, " +
              of + ", %f4, %p2;\n";
    }
    return text + "st.global.f32 [%y], %f4;\n";
  };
  // Nothing is rounded: it is the element.
  auto cancels = of_words("what_cancels_in_integers", "y[0] = x[1]",
                          "add.s32 %r3, %r2, %r3;\nsub.s32 %r2, %r3, %r2;\n", "");
  cancels.functions = "sub.s32";
  auto magnitude = of_three("a_greatest_magnitude_chosen_from_0", greatest, chosen("0f00000000"),
                            "", "abs.f32, selp.f32");
  magnitude.assumed = "";
  const std::string put_squares = "st.global.f32 [%y], %f4;\n";
  return {
      of_three("a_running_mean", mean, welford(by_three) + put32, "", division),
      of_three("a_running_mean_by_another_count", mean, welford(by_four) + put32, other),
      of_three("squares_about_a_running_mean", squares, welford(by_three) + put_squares, "",
               division),
      of_three("squares_about_a_wrong_mean", squares, welford(by_four) + put_squares, other),
      of_three("fold_of_an_addition", "y[0] = fold(a, b: a + b, 0, x)",
               "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n" + put32, ""),
      // What is scaled down and up again: small elements vanish, which is assumed away.
      of_three("scaled_down_and_up", "y[0] = x[0]",
               "mul.f32 %f1, %f1, 0f08800000;\nmul.f32 %f1, %f1, 0f76800000;\n" + put32, ""),
      magnitude,
      of_three("a_greatest_magnitude_chosen_from_1", greatest, chosen("0f3F800000"), other),
      of_three("fold_of_an_addition_lacks_one", "y[0] = fold(a, b: a + b, 0, x)",
               "add.f32 %f1, %f1, %f2;\n" + put32, other),
      cancels,
      of_words("what_does_not_cancel", "y[0] = x[1]",
               "add.s32 %r3, %r2, %r3;\nsub.s32 %r2, %r3, %r4;\n", other),
      of_words("a_greatest_of_sums_that_wrap_is_no_greatest", "y[0] = max(x[0] + x[1], x[2])",
               "add.s32 %r2, %r2, %r3;\nmax.s32 %r2, %r2, %r4;\n", other),
  };
}

class ProofReals : public testing::TestWithParam<Spelled> {};
TEST_P(ProofReals, are_proved_as_they_are_spelled) { is_as_spelled(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Softmax, ProofReals, testing::ValuesIn(softmaxes()), what);
INSTANTIATE_TEST_SUITE_P(Each, ProofReals, testing::ValuesIn(all()), what);

}  // namespace
}  // namespace gauntlet::spec::test
