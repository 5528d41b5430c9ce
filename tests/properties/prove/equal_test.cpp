// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which kernels are equal, bit for bit or as reals, and the nearest ones that must not be called
// so.
#include "properties/prove/equal.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/properties/prove/hand_written.hpp"

namespace gauntlet::prove::test {
namespace {

/// A kernel of a few instructions.
class Body final : public properties::Subject {
 public:
  Body(const std::string& body, const HandWritten& how)
      : how_(how), module_(module_of(kernel_of(body), how.longer)) {}

  [[nodiscard]] const std::vector<Variant>& variants() const override { return none_; }
  [[nodiscard]] std::vector<Instance> instances(std::string_view, std::string_view) const override {
    return {{how_.in, how_.acc, how_.op}};
  }
  [[nodiscard]] Plan plan(const Case&) const override {
    Plan plan = plan_of(how_);
    plan.module = [this](const std::string&) { return module_; };
    return plan;
  }
  [[nodiscard]] gauntlet::Verdict judge(const Case&, const Plan&,
                                        const Observation&) const override {
    return {};
  }
  [[nodiscard]] Case completed(Case c) const override { return c; }
  [[nodiscard]] std::vector<Case> smaller(const Case&) const override { return {}; }

 private:
  HandWritten how_;
  std::shared_ptr<const simt::Module> module_;
  std::vector<Variant> none_;
};

Equality compared(const std::string& a, const std::string& b, const HandWritten& how = {}) {
  const Body one(a, how), other(b, how);
  return equal({one, case_of(how)}, {other, case_of(how)});
}
/// Of what is done with %f1..%f4, the first four elements, and leaves its result in %f1.
Equality floats(const std::string& a, const std::string& b) {
  return compared(four_elements + a + thread_0_stores_f1, four_elements + b + thread_0_stores_f1);
}
/// The same of 32-bit integers in %r3..%r6, with the result in %r3.
Equality words(const std::string& a, const std::string& b) {
  return compared(four_words + a + thread_0_stores_r3, four_words + b + thread_0_stores_r3,
                  integers());
}
/// Of doubles in %d1 and %d2.
Equality doubles(const std::string& a, const std::string& b) {
  HandWritten how;
  how.in = how.acc = Type::f64;
  const std::string load = "ld.global.f64 %d1, [%rd1];\nld.global.f64 %d2, [%rd1+8];\n";
  const std::string store =
      "setp.ne.s32 %p9, %r1, 0;\n@%p9 bra done;\nst.global.f64 [%rd2], %d1;\n";
  return compared(load + a + store, load + b + store, how);
}

void expect(Equal verdict, const Equality& e) { EXPECT_EQ(e.verdict, verdict) << text(e); }

const std::string chained =
    "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\nadd.f32 %f1, %f1, %f4;\n";

TEST(Equal, the_same_operations_are_the_same_bits) {
  expect(Equal::bitwise, floats(four_summed, four_summed));
  // The NaN of an f32 instruction is one and the same, whatever the operands' order.
  expect(Equal::bitwise, floats("add.f32 %f1, %f1, %f2;\n", "add.f32 %f1, %f2, %f1;\n"));
  expect(Equal::bitwise, floats("min.f32 %f1, %f1, %f2;\n", "min.f32 %f1, %f2, %f1;\n"));
}

TEST(Equal, another_tree_is_the_same_as_reals_with_the_bound_of_both) {
  const Equality e = floats(four_summed, chained);
  expect(Equal::as_reals, e);
  EXPECT_EQ(e.roundings_a, 2U);
  EXPECT_EQ(e.roundings_b, 3U);
  EXPECT_EQ(e.unit, "2^-24");
  ASSERT_TRUE(e.witness) << text(e);
  EXPECT_NE(e.witness->of_a, e.witness->of_b);
}

TEST(Equal, integers_have_the_same_bits_in_any_tree_and_what_cancels_is_gone) {
  const std::string chain =
      "add.s32 %r3, %r3, %r4;\nadd.s32 %r3, %r3, %r5;\nadd.s32 %r3, %r3, %r6;\n";
  expect(Equal::bitwise, words(words_summed, chain));
  expect(Equal::bitwise,
         words("sub.s32 %r4, %r3, %r3;\nadd.s32 %r3, %r4, %r5;\n", "mov.u32 %r3, %r5;\n"));
  expect(Equal::bitwise,
         words("mul.lo.s32 %r3, %r3, 3;\n", "add.s32 %r4, %r3, %r3;\nadd.s32 %r3, %r3, %r4;\n"));
  expect(Equal::bitwise,
         words("add.s32 %r3, %r3, %r4;\nmul.lo.s32 %r3, %r3, %r5;\n",
               "mul.lo.s32 %r3, %r3, %r5;\nmul.lo.s32 %r4, %r4, %r5;\nadd.s32 %r3, %r3, %r4;\n"));
  expect(Equal::refuted,
         words("sub.s32 %r4, %r3, %r4;\nadd.s32 %r3, %r4, %r5;\n", "mov.u32 %r3, %r5;\n"));
  // Of floats x - x is 0 but for infinities and NaNs.
  const Equality e =
      floats("sub.f32 %f2, %f1, %f1;\nadd.f32 %f1, %f2, %f3;\n", "mov.f32 %f1, %f3;\n");
  expect(Equal::as_reals, e);
}

TEST(Equal, a_double_sum_hands_on_the_first_NaN) {
  expect(Equal::bitwise, doubles("add.f64 %d1, %d1, %d2;\n", "add.f64 %d1, %d1, %d2;\n"));
  expect(Equal::as_reals, doubles("add.f64 %d1, %d1, %d2;\n", "add.f64 %d1, %d2, %d1;\n"));
  expect(Equal::bitwise, doubles("min.f64 %d1, %d1, %d2;\n", "min.f64 %d1, %d2, %d1;\n"));
}

TEST(Equal, a_zero_that_is_added_may_change_a_sign) {
  const Equality e = floats("add.f32 %f1, %f1, 0f00000000;\n", "");
  expect(Equal::as_reals, e);
  ASSERT_TRUE(e.witness) << text(e);
  expect(Equal::bitwise,
         floats("add.f32 %f1, %f1, 0f00000000;\n", "add.f32 %f1, %f1, 0f00000000;\n"));
}

TEST(Equal, a_contraction_is_not_the_same_bits) {
  const std::string apart = "mul.f32 %f2, %f1, %f2;\nadd.f32 %f1, %f2, %f3;\n";
  const Equality e = floats("fma.rn.f32 %f1, %f1, %f2, %f3;\n", apart);
  expect(Equal::as_reals, e);
  EXPECT_EQ(e.roundings_a, 1U);
  EXPECT_EQ(e.roundings_b, 2U);
}

TEST(Equal, rounding_and_subnormals_are_bits) {
  expect(Equal::as_reals, floats("add.rz.f32 %f1, %f1, %f2;\n", "add.f32 %f1, %f1, %f2;\n"));
  expect(Equal::as_reals, floats("add.ftz.f32 %f1, %f1, %f2;\n", "add.f32 %f1, %f1, %f2;\n"));
  expect(Equal::bitwise, floats("add.ftz.f32 %f1, %f1, %f2;\n", "add.ftz.f32 %f1, %f2, %f1;\n"));
  expect(Equal::as_reals, floats("sqrt.rn.f32 %f1, %f1;\n", "sqrt.approx.f32 %f1, %f1;\n"));
}

TEST(Equal, a_choice_is_a_minimum_but_for_NaN_and_zeros) {
  const auto chosen = [](const char* test, const char* sides) {
    return std::string("setp.") + test + ";\nselp.f32 %f1, " + sides + ", %p1;\n";
  };
  const std::string minimum = "min.f32 %f1, %f1, %f2;\n";
  const std::string first = chosen("lt.f32 %p1, %f1, %f2", "%f1, %f2"),
                    second = chosen("lt.f32 %p1, %f2, %f1", "%f2, %f1");
  expect(Equal::bitwise, floats(first, first));
  expect(Equal::as_reals, floats(first, minimum));
  const Equality e = floats(first, second);
  expect(Equal::as_reals, e);
  ASSERT_TRUE(e.witness) << text(e);
  expect(Equal::refuted, floats(chosen("gt.f32 %p1, %f1, %f2", "%f1, %f2"), minimum));
}

TEST(Equal, other_functions_are_refuted_by_data_that_tell) {
  const auto refuted = [](const Equality& e) {
    expect(Equal::refuted, e);
    ASSERT_TRUE(e.witness) << text(e);
    EXPECT_NE(e.witness->of_a, e.witness->of_b);
  };
  refuted(floats("sub.f32 %f1, %f1, %f2;\n", "sub.f32 %f1, %f2, %f1;\n"));
  refuted(floats("min.f32 %f1, %f1, %f2;\n", "max.f32 %f1, %f1, %f2;\n"));
  refuted(floats("sqrt.rn.f32 %f1, %f1;\n", "ex2.approx.f32 %f1, %f1;\n"));
  refuted(words("shr.s32 %r3, %r3, 1;\n", "shr.u32 %r3, %r3, 1;\n"));
  const Equality lost = floats(four_summed, "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n");
  refuted(lost);
  EXPECT_EQ(lost.differs, "out[0] has x3 once, the other one not at all");
}

TEST(Equal, distributes_and_divides_as_reals) {
  expect(Equal::as_reals, floats("add.f32 %f1, %f1, %f2;\nmul.f32 %f1, %f1, %f3;\n",
                                 "mul.f32 %f1, %f1, %f3;\nfma.rn.f32 %f1, %f2, %f3, %f1;\n"));
  expect(Equal::as_reals,
         floats("div.rn.f32 %f1, %f1, %f2;\n", "rcp.rn.f32 %f2, %f2;\nmul.f32 %f1, %f1, %f2;\n"));
  expect(Equal::refuted, floats("div.rn.f32 %f1, %f1, %f2;\n", "div.rn.f32 %f1, %f2, %f1;\n"));
}

TEST(Equal, what_no_run_stands_for_is_not_known_and_says_why) {
  const Equality e =
      floats(four_summed, four_summed + "setp.gt.f32 %p1, %f1, 0f00000000;\n@%p1 bra more;\n" +
                              "red.global.inc.u32 [%rd3], 1;\nmore:\n");
  expect(Equal::not_known, e);
  ASSERT_TRUE(e.cause);
  EXPECT_EQ(e.cause_of, "b");
  EXPECT_NE(e.cause->what.find("depends on data"), std::string::npos) << e.cause->what;
}

TEST(Equal, trees_part_where_the_other_one_has_the_operands_alone) {
  const HandWritten how;
  const Body one(four_elements + four_summed + thread_0_stores_f1, how),
      other(four_elements + chained + thread_0_stores_f1, how);
  const Equality e = equal({one, case_of(how)}, {other, case_of(how)}, true);
  const std::string drawn = parted(e);
  EXPECT_NE(drawn.find("t*"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("a: sum at "), std::string::npos) << drawn;
  const Equality same = equal({one, case_of(how)}, {one, case_of(how)}, true);
  EXPECT_EQ(parted(same).find('*'), std::string::npos) << parted(same);
}

}  // namespace
}  // namespace gauntlet::prove::test
