// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What data choose: where a minimum or maximum is, what is counted or added under a condition, the
// cell that an atomic finds. Beside each the nearest wrong one.
#include "spelled.hpp"

namespace gauntlet::spec::test::places {
namespace {

/// Whatever the reason.
const std::string not_proved = " ";

/// The place of a float: %f1 is the best so far, %r4 where it is.
Spelled placed(std::string what, const std::string& formula, const std::string& test,
               const std::string& why = "", const std::string& start = "0fFF800000",
               const std::string& at = "$1", std::string functions = "selp.b32, selp.f32") {
  Spelled s{std::move(what),
            "f32",
            "i32",
            "y[0] = " + formula,
            "mov.f32 %f1, " + start + ";\nmov.b32 %r4, 0;\n",
            load("f32", "%f2") + test + "selp.f32 %f1, %f2, %f1, %p2;\nselp.b32 %r4, " + at +
                ", %r4, %p2;\n",
            "st.global.b32 [%y], %r4;\n",
            why,
            std::move(functions)};
  s.n = 5;
  return s;
}

std::vector<Spelled> floats_placed() {
  const std::string more = "setp.gt.f32 %p2, %f2, %f1;\n", less = "setp.lt.f32 %p2, %f2, %f1;\n",
                    not_less = "setp.ge.f32 %p2, %f2, %f1;\n", above = "0f7F800000";
  const std::string tie = more +
                          "setp.eq.f32 %p3, %f2, %f1;\nsetp.lt.s32 %p4, $1, %r4;\n"
                          "and.pred %p3, %p3, %p4;\nor.pred %p2, %p2, %p3;\n";
  const std::string no_tie = more +
                             "setp.eq.f32 %p3, %f2, %f1;\nsetp.gt.s32 %p4, $1, %r4;\n"
                             "and.pred %p3, %p3, %p4;\nor.pred %p2, %p2, %p3;\n";
  const std::string moved =
      "add.f32 %f3, %f2, 0f3F800000;\nadd.f32 %f3, %f3, 0fBF800000;\n"
      "add.f32 %f4, %f1, 0f3F800000;\nadd.f32 %f4, %f4, 0fBF800000;\n"
      "setp.gt.f32 %p2, %f3, %f4;\n";
  const std::string halved =
      "cvt.rn.f16.f32 %h1, %f2;\ncvt.f32.f16 %f3, %h1;\n"
      "setp.gt.f32 %p2, %f3, %f1;\n";
  return {
      placed("the_first_of_the_greatest", "argmax(x)", more),
      placed("the_last_of_the_greatest", "argmax_last(x)", not_less),
      placed("the_first_of_the_least", "argmin(x)", less, "", above),
      placed("a_tie_that_is_asked_for", "argmax(x)", tie, "", "0fFF800000", "$1",
             "and.pred, or.pred, selp.b32, selp.f32"),
      placed("the_last_where_the_first_is_asked_for", "argmax(x)", not_less, not_proved),
      placed("the_first_where_the_last_is_asked_for", "argmax_last(x)", more, not_proved),
      placed("the_last_by_a_tie_that_is_asked_for", "argmax(x)", no_tie, not_proved),
      placed("the_least_where_the_greatest_is_asked_for", "argmax(x)", less, not_proved, above),
      placed("a_start_that_elements_may_be_below", "argmax(x)", more, not_proved, "0f00000000"),
      placed("a_start_that_is_the_least_finite_number", "argmax(x)", more, not_proved,
             "0fFF7FFFFF"),
      placed("one_place_for_all", "argmax(x)", more, not_proved, "0fFF800000", "2"),
      placed("what_is_rounded_before_it_is_compared", "argmax(x)", moved, not_proved),
      placed("halves_that_are_compared", "argmax(x)", halved, not_proved),
      placed("another_slice", "argmax(x[0 .. n - 1])", more, not_proved),
  };
}

/// The same of words, from the first on.
Spelled of_words(std::string what, const std::string& x, const std::string& relation,
                 const std::string& why = "") {
  Spelled s{std::move(what),
            x,
            "i32",
            "y[0] = argmax(x)",
            "ld.global.b32 %r3, [%x];\nmov.b32 %r4, 0;\n",
            load("b32", "%r2") + "setp." + relation +
                " %p2, %r2, %r3;\nselp.b32 %r3, %r2, %r3, %p2;\nselp.b32 %r4, $1, %r4, %p2;\n",
            "st.global.b32 [%y], %r4;\n",
            why,
            "selp.b32"};
  s.n = 5;
  return s;
}

std::vector<Spelled> words() {
  return {
      of_words("signed_words", "i32", "gt.s32"),
      of_words("unsigned_words", "u32", "gt.u32"),
      of_words("signed_words_that_are_compared_as_unsigned", "i32", "gt.u32", not_proved),
      of_words("unsigned_words_that_are_compared_as_signed", "u32", "gt.s32", not_proved),
      of_words("words_of_which_the_last_is_taken", "i32", "ge.s32", not_proved),
  };
}

/// A number that conditions choose: %r4, of elements in %r2.
Spelled chosen(std::string what, const std::string& formula, const std::string& each,
               const std::string& why = "", const std::string& start = "0") {
  Spelled s{std::move(what),
            "i32",
            "i32",
            "y[0] = " + formula,
            "mov.b32 %r4, " + start + ";\n",
            load("b32", "%r2") + each,
            "st.global.b32 [%y], %r4;\n",
            why,
            "selp.b32"};
  s.n = 6;
  s.data = "uniform";
  return s;
}
/// The choices are those of the formula, so that no function is compared by runs.
Spelled exactly(Spelled s) {
  s.functions.clear();
  s.assumed.clear();
  return s;
}
std::string test(const std::string& comparison) { return "setp." + comparison + ";\n"; }

std::vector<Spelled> choices() {
  const std::string last = "fold(a, b: b != 0 ? b : a, 0, x)",
                    take = "selp.b32 %r4, %r2, %r4, %p2;\n";
  const std::string added = "add.s32 %r5, %r4, %r2;\nselp.b32 %r4, %r5, %r4, %p2;\n",
                    counted = "add.s32 %r5, %r4, 1;\nselp.b32 %r4, %r5, %r4, %p2;\n";
  const std::string some = "sum(x[i] > 7 ? x[i] : 0 for i in 0 .. n)",
                    count = "count(x[i] > 7 for i in 0 .. n)",
                    any = "any(x[i] > 7 for i in 0 .. n)", all = "all(x[i] > 7 for i in 0 .. n)",
                    yes = "selp.b32 %r4, 1, %r4, %p2;\n", no = "selp.b32 %r4, %r4, 0, %p2;\n";
  const std::string above = test("gt.s32 %p2, %r2, 7"), not_below = test("ge.s32 %p2, %r2, 7"),
                    unsigned_above = test("gt.u32 %p2, %r2, 7");
  return {
      chosen("the_last_that_is_set", last, test("ne.s32 %p2, %r2, 0") + take),
      chosen("the_first_that_is_set", last,
             test("eq.s32 %p2, %r4, 0") + "selp.b32 %r4, %r2, %r4, %p2;\n", not_proved),
      chosen("the_last_that_is_positive", last, test("gt.s32 %p2, %r2, 0") + take, not_proved),
      chosen("the_last_behind_another_start", last, test("ne.s32 %p2, %r2, 0") + take, not_proved,
             "1"),
      chosen("a_sum_of_some", some, above + added),
      chosen("a_sum_of_one_more", some, not_below + added, not_proved),
      chosen("a_sum_of_others", some, unsigned_above + added, not_proved),
      chosen("a_sum_that_keeps_only_the_last", some, above + take, not_proved),
      chosen("a_count", count, above + counted),
      chosen("a_count_with_equal_ones", count, not_below + counted, not_proved),
      chosen("a_count_as_unsigned", count, unsigned_above + counted, not_proved),
      chosen("a_count_from_one", count, above + counted, not_proved, "1"),
      chosen("any", any, above + yes),
      chosen("any_or_equal", any, not_below + yes, not_proved),
      chosen("any_but_the_first", any, test("gt.s32 %p2, %r2, %r3") + yes, not_proved),
      chosen("all", all, above + no, "", "1"),
      chosen("all_from_none", all, above + no, not_proved, "0"),
      chosen("all_where_any_is_asked_for", any, above + no, not_proved, "1"),
      chosen("what_is_limited", "sum(x[i] > 7 ? x[i] < 100 ? x[i] : 100 : 0 for i in 0 .. n)",
             above + test("lt.s32 %p3, %r2, 100") +
                 "add.s32 %r5, %r4, 100;\nadd.s32 %r6, %r4, %r2;\nselp.b32 %r5, %r6, %r5, %p3;\n"
                 "selp.b32 %r4, %r5, %r4, %p2;\n"),
      chosen("what_is_limited_to_one_more",
             "sum(x[i] > 7 ? x[i] < 100 ? x[i] : 100 : 0 for i in 0 .. n)",
             above + test("lt.s32 %p3, %r2, 100") +
                 "add.s32 %r5, %r4, 101;\nadd.s32 %r6, %r4, %r2;\nselp.b32 %r5, %r6, %r5, %p3;\n"
                 "selp.b32 %r4, %r5, %r4, %p2;\n",
             not_proved),
      exactly(chosen("a_greatest_that_is_folded", "fold(a, b: b > a ? b : a, 0, x)",
                     test("gt.s32 %p2, %r2, %r4") + take, "", "0")),
      chosen("a_greatest_that_is_folded_from_another_start", "fold(a, b: b > a ? b : a, 0, x)",
             test("gt.s32 %p2, %r2, %r4") + take, not_proved, "1"),
      chosen("all_by_the_number_below", "all(x[i] >= 7 for i in 0 .. n)",
             test("gt.s32 %p2, %r2, 6") + no, "", "1"),
      chosen("all_by_the_number_itself", "all(x[i] >= 7 for i in 0 .. n)",
             test("gt.s32 %p2, %r2, 7") + no, not_proved, "1"),
      chosen("any_where_all_is_asked_for", all, above + yes, not_proved),
  };
}

/// The last or first place where something is; %r4 is the best so far.
std::vector<Spelled> settled() {
  const std::string last = "max(x[i] != 0 ? i : -1 for i in 0 .. n)",
                    first = "min(x[i] != 0 ? i : n for i in 0 .. n)",
                    set = test("ne.s32 %p2, %r2, 0"), take = "selp.b32 %r4, $1, %r4, %p2;\n",
                    most = "selp.b32 %r5, $1, -1, %p2;\nmax.s32 %r4, %r4, %r5;\n",
                    least = "selp.b32 %r5, $1, 6, %p2;\nmin.s32 %r4, %r4, %r5;\n";
  const std::string unsigned_most = "selp.b32 %r5, $1, -1, %p2;\nmax.u32 %r4, %r4, %r5;\n";
  const auto as_written = [](Spelled s) {
    s.functions = "selp.b32, setp.ne.s32";
    return s;
  };
  return {
      chosen("the_last_place", last, set + take, "", "-1"),
      as_written(chosen("the_greatest_place", last, set + most, "", "-1")),
      as_written(chosen("the_least_place", first, set + least, "", "6")),
      chosen("the_last_place_from_0", last, set + take, not_proved, "0"),
      chosen("the_last_place_of_what_is_positive", last, test("gt.s32 %p2, %r2, 0") + take,
             not_proved, "-1"),
      chosen("the_first_place_where_the_last_is_asked_for", last, set + least, not_proved, "-1"),
      chosen("the_greatest_place_as_unsigned", last, set + unsigned_most, not_proved, "0"),
      chosen("the_least_place_that_ends_too_early", first, set + least, not_proved, "5"),
  };
}

/// Whether words are negative, by the bits of two that are joined.
Spelled negative(std::string what, const std::string& formula, const std::string& join,
                 const std::string& comparison, const std::string& why = "") {
  return chosen(std::move(what), formula + "(x[i] < 0 for i in 0 .. n)",
                join + " %r5, %r2, %r3;\nsetp." + comparison +
                    ";\nselp.b32 %r4, %r4, 1, %p2;\nmov.b32 %r3, %r2;\n",
                why, "0;\nld.global.b32 %r3, [%x]");
}

std::vector<Spelled> signs() {
  const auto of = [](std::string what, const std::string& join, const std::string& comparison,
                     const std::string& why = "") {
    Spelled s = negative(std::move(what), "any", join, comparison, why);
    s.functions = "or.b32, selp.b32";
    return s;
  };
  return {
      of("a_sign_of_two", "or.b32", "gt.s32 %p2, %r5, -1"),
      of("a_sign_of_two_from_0_on", "or.b32", "ge.s32 %p2, %r5, 0"),
      of("a_sign_of_both", "and.b32", "gt.s32 %p2, %r5, -1", not_proved),
      of("two_that_are_positive", "or.b32", "gt.s32 %p2, %r5, 0", not_proved),
      of("two_that_are_compared_as_unsigned", "or.b32", "gt.u32 %p2, %r5, -1", not_proved),
      of("two_of_which_one_differs", "xor.b32", "gt.s32 %p2, %r5, -1", not_proved),
  };
}

/// How many floats are above a number; the kernel's is a float.
Spelled floats(std::string what, const std::string& limit, const std::string& relation,
               const std::string& number, const std::string& why = "") {
  Spelled s = chosen(std::move(what), "count(x[i] > " + limit + " for i in 0 .. n)", "", why);
  s.x = "f32";
  s.each = load("f32", "%f2") + "setp." + relation + ".f32 %p2, %f2, " + number +
           ";\nadd.s32 %r5, %r4, 1;\nselp.b32 %r4, %r5, %r4, %p2;\n";
  return s;
}

std::vector<Spelled> limits() {
  return {
      floats("floats_above_a_half", "0.5", "gt", "0f3F000000"),
      floats("floats_not_below_a_half", "0.5", "ge", "0f3F000000", not_proved),
      floats("floats_above_the_next_number", "0.5", "gt", "0f3F000001", not_proved),
      // 0.3 is no float, and stands for the nearest one, which is above it.
      floats("a_limit_that_is_no_float", "0.3", "gt", "0f3E99999A"),
      floats("the_float_above_it", "0.3", "gt", "0f3E99999B", not_proved),
  };
}

/// The greatest of floats, and what is made of it.
Spelled greatest(std::string what, const std::string& formula, const std::string& begin,
                 const std::string& each, const std::string& why = "",
                 std::string functions = "selp.f32") {
  Spelled s{std::move(what),
            "f32",
            "f32",
            "y[0] = " + formula,
            "ld.global.f32 %f1, [%x];\n" + begin,
            load("f32", "%f2") + each,
            put32,
            why,
            std::move(functions),
            "no_underflow"};
  s.data = "ones iota";
  return s;
}

std::vector<Spelled> scaled() {
  const std::string sum = "sum(pow(2.0, x[i]) for i in 0 .. n)",
                    start = "mov.f32 %f4, 0f00000000;\n";
  // %f4 is the sum of the powers, scaled by that of %f1.
  const auto step = [](const std::string& up, const std::string& one, const std::string& relation) {
    return "setp." + relation + ".f32 %p2, %f2, %f1;\n" + "sub.f32 %f5, " + up +
           ";\nex2.approx.f32 %f5, %f5;\nfma.rn.f32 %f6, %f4, %f5, " + one +
           ";\nsub.f32 %f7, %f2, %f1;\nex2.approx.f32 %f7, %f7;\nadd.f32 %f7, %f4, %f7;\n"
           "selp.f32 %f4, %f6, %f7, %p2;\nselp.f32 %f1, %f2, %f1, %p2;\n";
  };
  const auto of = [&](std::string what, const std::string& each, const std::string& why = "",
                      const std::string& begin = "") {
    Spelled s =
        greatest(std::move(what), sum, start + begin, each, why, "ex2.approx.f32, selp.f32");
    s.end = "ex2.approx.f32 %f1, %f1;\nmul.f32 %f1, %f4, %f1;\n" + put32;
    return s;
  };
  const std::string up = "%f1, %f2", one = "0f3F800000";
  return {
      of("a_sum_that_is_scaled_where_a_greater_one_comes", step(up, one, "gt")),
      of("a_sum_that_is_scaled_where_an_equal_one_comes_too", step(up, one, "ge")),
      of("a_sum_without_the_greater_one_itself", step(up, "0f00000000", "gt"), not_proved),
      of("a_sum_that_is_scaled_the_other_way", step("%f2, %f1", one, "gt"), not_proved),
      of("a_sum_that_is_scaled_where_a_less_one_comes", step(up, one, "lt"), not_proved),
  };
}

/// y[b] counts x[i] % 4; `place` makes the bin in %r3 of the element in %r2.
Spelled counted(std::string what, const std::string& place, const std::string& why = "",
                const std::string& add = "red.global.add.u32 [%l2], 1;\n",
                const std::string& x = "u8") {
  Spelled s{std::move(what),
            x,
            "u32",
            "y[b] = count(x[i] % 4 == b for i in 0 .. n)",
            "mov.b32 %r4, 0;\nst.global.v4.b32 [%y], {%r4, %r4, %r4, %r4};\n",
            (x == "i8" ? "ld.global.s8" : "ld.global.u8") + std::string(" %r2, [%x+$1];\n") +
                place + "mul.wide.u32 %l2, %r3, 4;\nadd.s64 %l2, %y, %l2;\n" + add,
            "",
            why,
            "and.b32, mul.wide.u32, selp.b32, setp.eq.u64"};
  s.n = 6;
  s.cells = "4";
  s.data = "uniform";
  return s;
}

std::vector<Spelled> histograms() {
  const std::string low = "and.b32 %r3, %r2, 3;\n";
  return {
      counted("bins_that_data_find", low),
      counted("bins_of_another_bit", "and.b32 %r3, %r2, 6;\nshr.u32 %r3, %r3, 1;\n", not_proved),
      counted("bins_one_further", low + "add.u32 %r3, %r3, 1;\nand.b32 %r3, %r3, 3;\n", not_proved),
      counted("bins_beyond_the_array", low + "add.u32 %r3, %r3, 1;\n", not_proved),
      counted("bins_that_few_elements_leave", "min.u32 %r3, %r2, 250;\nand.b32 %r3, %r3, 3;\n",
              not_proved),
      counted("bins_beyond_the_array_for_one_element",
              "setp.eq.u32 %p2, %r2, 255;\nselp.b32 %r3, 7, 0, %p2;\nand.b32 %r5, %r2, 3;\n"
              "or.b32 %r3, %r3, %r5;\n",
              not_proved),
      counted("bins_that_are_counted_twice", low, not_proved, "red.global.add.u32 [%l2], 2;\n"),
      counted("bins_whose_count_is_looked_at", low, not_proved,
              "atom.global.add.u32 %r5, [%l2], 1;\nst.global.b32 [%y], %r5;\n"),
      counted("bins_that_are_set", low, not_proved, "atom.global.exch.b32 %r5, [%l2], 1;\n"),
      counted("bins_of_the_greatest", low, not_proved, "red.global.max.u32 [%l2], 1;\n"),
      counted("bins_of_bytes_with_a_sign", low, not_proved, "red.global.add.u32 [%l2], 1;\n", "i8"),
  };
}

/// y[b] sums x[i] where x[i] % 4 is b.
std::vector<Spelled> weighted() {
  const auto of = [](std::string what, const std::string& weight, const std::string& why = "",
                     const std::string& which = "x[i] % 4 == b ? x[i] : 0",
                     const std::string& limit = "") {
    Spelled s = counted(std::move(what), "and.b32 %r3, %r2, 3;\n", why,
                        limit + weight + "red.global.add.u32 [%l2], %r4;\n");
    if (!limit.empty()) {
      s.each += "L$1:\n";
      s.functions = "and.b32, mul.wide.u32, not.pred (0x1), selp.b32, setp.eq.u64, setp.ge.u32";
    }
    s.formula = "y[b] = sum(" + which + " for i in 0 .. n)";
    return s;
  };
  const std::string some = "x[i] < 100 && x[i] % 4 == b ? x[i] : 0",
                    less = "setp.ge.u32 %p2, %r2, 100;\n@%p2 bra L$1;\n",
                    not_more = "setp.gt.u32 %p2, %r2, 100;\n@%p2 bra L$1;\n",
                    own = "mov.b32 %r4, %r2;\n";
  return {
      of("weights", own),
      of("weights_with_a_sign", "cvt.s32.s8 %r4, %r2;\n", not_proved),
      of("weights_of_seven_bits", "and.b32 %r4, %r2, 127;\n", not_proved),
      of("weights_that_are_one_more", "add.u32 %r4, %r2, 1;\n", not_proved),
      of("weights_of_some", own, "", some, less),
      of("weights_of_one_more", own, not_proved, some, not_more),
  };
}

class ProofPlaces : public testing::TestWithParam<Spelled> {};
TEST_P(ProofPlaces, are_proved_as_they_are_spelled) { is_as_spelled(GetParam()); }
const auto named = what;
INSTANTIATE_TEST_SUITE_P(Floats, ProofPlaces, testing::ValuesIn(floats_placed()), named);
INSTANTIATE_TEST_SUITE_P(Words, ProofPlaces, testing::ValuesIn(words()), named);
INSTANTIATE_TEST_SUITE_P(Chosen, ProofPlaces, testing::ValuesIn(choices()), named);
INSTANTIATE_TEST_SUITE_P(Signs, ProofPlaces, testing::ValuesIn(signs()), named);
INSTANTIATE_TEST_SUITE_P(Settled, ProofPlaces, testing::ValuesIn(settled()), named);
INSTANTIATE_TEST_SUITE_P(Scaled, ProofPlaces, testing::ValuesIn(scaled()), named);
INSTANTIATE_TEST_SUITE_P(Weights, ProofPlaces, testing::ValuesIn(weighted()), named);
INSTANTIATE_TEST_SUITE_P(Limits, ProofPlaces, testing::ValuesIn(limits()), named);
INSTANTIATE_TEST_SUITE_P(Bins, ProofPlaces, testing::ValuesIn(histograms()), named);

}  // namespace
}  // namespace gauntlet::spec::test::places
