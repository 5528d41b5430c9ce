// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a result accepts and what it does not: both ways for each.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/usage_error.hpp"
#include "tests/properties/language/judge.hpp"

namespace gauntlet::spec {
namespace {

using test::Judge;
using test::wrong_in;

std::vector<float> counted(std::size_t n) {
  std::vector<float> x(n);
  std::iota(x.begin(), x.end(), 1.0F);
  return x;
}

Judge sum_of(const std::vector<float>& x, const std::string& result = "y[0] = sum(x)") {
  Judge judge("in x:f32[n]\nout y:f32[1]\nresult " + result + "\n", {x.size()});
  judge.array("x", x);
  return judge;
}

TEST(SpecResult, a_sum_of_whole_numbers_is_exact) {
  auto judge = sum_of(counted(100));
  EXPECT_EQ(judge.wrong(5050), "");
  EXPECT_EQ(judge.wrong(5050 - 57), "got 4993, expected 5050");  // lost
  EXPECT_EQ(judge.wrong(5050 + 1), "got 5051, expected 5050");   // counted twice
}

TEST(SpecResult, any_order_of_a_real_sum_is_right_and_a_lost_element_is_not) {
  std::vector<float> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(std::sin(static_cast<double>(i) * 12.9898) + 1.5);
  }
  auto judge = sum_of(x);
  float up = 0, down = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    up += x[i];
    down += x[x.size() - 1 - i];
  }
  std::vector<float> tree = x;
  for (std::size_t width = x.size(); width > 1; width = (width + 1) / 2) {
    for (std::size_t i = 0; i + (width + 1) / 2 < width; ++i) tree[i] += tree[i + (width + 1) / 2];
  }
  EXPECT_NE(up, down);
  for (const float right : {up, down, tree[0]}) EXPECT_EQ(judge.wrong(right), "");
  EXPECT_NE(judge.wrong(up - x[7]), "");
  EXPECT_NE(judge.wrong(up + x[999]), "");
  // A height tells more than "any order".
  auto low = sum_of(x, "y[0] = sum(x) height 10");
  EXPECT_EQ(low.wrong(tree[0]), "");
  EXPECT_LT(static_cast<double>(low.cells()[0].value.real.error),
            static_cast<double>(judge.cells()[0].value.real.error) / 50);
}

TEST(SpecResult, tiles_are_slices_that_end_with_the_array) {
  Judge judge(
      "size b = 8\nsize m = 1..9\nin x:f32[n]\nout y:f32[m]\n"
      "result y[t] = sum(x[t * b .. (t + 1) * b])\n",
      {20, 8, 3});
  judge.array("x", counted(20));
  const auto cells = judge.cells();
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(wrong_in(Type::f32, float_bits(Type::f32, 36), cells[0].value), "");
  EXPECT_EQ(wrong_in(Type::f32, float_bits(Type::f32, 100), cells[1].value), "");
  EXPECT_EQ(wrong_in(Type::f32, float_bits(Type::f32, 74), cells[2].value), "");
  // One element early is another sum.
  EXPECT_NE(wrong_in(Type::f32, float_bits(Type::f32, 92), cells[1].value), "");
}

TEST(SpecResult, a_reduction_is_evaluated_once_for_all_that_it_does_not_depend_on) {
  // Cell by cell, and term by term, this would take a million million steps.
  constexpr std::size_t rows = 2, columns = 10'000;
  Judge judge(
      "size r = 2\nsize c = 1..10000\nin x:f64[r, c]\nout y:f64[r, c]\n"
      "result y[i, j] = x[i, j] + max(x[i, ..]) + sum(x[i, ..] - max(x[i, ..])) + max(x)\n",
      {rows, columns});
  std::vector<double> x(rows * columns);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k % 7 + k / columns);
  judge.array("x", x);
  const auto cells = judge.cells();
  ASSERT_EQ(cells.size(), x.size());
  for (const std::size_t k : {std::size_t{0}, columns - 1, columns, x.size() - 1}) {
    const std::size_t row = k / columns;
    const double most = 6.0 + static_cast<double>(row);
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) sum += x[row * columns + j] - most;
    EXPECT_EQ(static_cast<double>(cells[k].value.real.value), x[k] + most + sum + 7) << k;
  }
}

TEST(SpecResult, a_reduction_is_evaluated_for_each_value_of_what_it_depends_on) {
  // 1 * 1 + 2 * (1 + 2) + 3 * (1 + 2 + 3)
  for (const char* const formula :
       {"y[0] = sum(x[i] * sum(x[0 .. i + 1]) for i in 0 .. n)",
        "y[0] = fold(a, b: a + b * sum(x[k] for k in 0 .. n if x[k] <= b), 0, x)"}) {
    const auto cell = sum_of(counted(3), formula).cells().at(0);
    EXPECT_EQ(static_cast<double>(to_real(cell.value).value), 25) << formula;
  }
  Judge judge(
      "in x:f64[n]\nout y:f64[n]\nresult y[i] = sum(m * max(x[0 .. i + 1]) for k in 0 .. 2) where "
      "m "
      "= max(x[i .. n])\n",
      {4});
  judge.array("x", std::vector<double>{3, 1, 5, 2});
  const auto cells = judge.cells();
  ASSERT_EQ(cells.size(), 4U);
  const double expected[] = {30, 30, 50, 20};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(static_cast<double>(cells[k].value.real.value), expected[k]) << k;
  }
}

TEST(SpecResult, nothing_is_summed_to_zero) {
  auto judge = sum_of({});
  EXPECT_EQ(judge.wrong(0), "");
  EXPECT_NE(judge.wrong(1), "");
  EXPECT_THROW((void)sum_of({}, "y[0] = max(x)").cells(), UsageError);
  EXPECT_EQ(sum_of({}, "y[0] = n == 0 ? 7.0 : max(x)").wrong(7), "");
}

TEST(SpecResult, na_n_and_infinity_go_by_class) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  auto with_nan = sum_of({1, nan, 2});
  EXPECT_EQ(with_nan.wrong(nan), "");
  EXPECT_EQ(with_nan.wrong(3), "got 3, expected nan");
  auto with_infinity = sum_of({1, infinity, 2});
  EXPECT_EQ(with_infinity.wrong(infinity), "");
  EXPECT_NE(with_infinity.wrong(-infinity), "");
  EXPECT_NE(with_infinity.wrong(3), "");
  EXPECT_EQ(sum_of({infinity, -infinity}).wrong(nan), "");
  // Which of two numbers comes out where one is none is not decided by "max".
  EXPECT_EQ(sum_of({1, nan}, "y[0] = max(x)").wrong(1), "undecided");
  // Some order overflows.
  EXPECT_EQ(sum_of({3e38F, 3e38F, -3e38F}).wrong(3e38), "undecided");
}

TEST(SpecResult, integers_wrap_as_their_output_does) {
  Judge judge("in x:i32[n]\nout y:i32[1]\nresult y[0] = sum(x)\n", {3});
  judge.array("x", std::vector<std::int32_t>{2147483647, 2147483647, 5});
  EXPECT_EQ(judge.wrong(3), "");
  EXPECT_EQ(judge.wrong(4), "got 4, expected 3");
  Judge wide("in x:i32[n]\nout y:i64[1]\nresult y[0] = sum(x)\n", {3});
  wide.array("x", std::vector<std::int32_t>{2147483647, 2147483647, 5});
  EXPECT_EQ(wide.wrong(4294967299.0), "");
  EXPECT_NE(wide.wrong(3), "");
}

TEST(SpecResult, ties_of_argmax_go_to_the_lowest_index_or_the_highest) {
  const std::string head = "in x:f32[n]\nout y:i32[1]\nresult y[0] = ";
  const std::vector<float> x{1, 5, 2, 5, 0};
  Judge first(head + "argmax(x)\n", {5}), last(head + "argmax_last(x)\n", {5});
  Judge least(head + "argmin(x[i] for i in 0 .. n if i < 4)\n", {5});
  for (Judge* judge : {&first, &last, &least}) judge->array("x", x);
  EXPECT_EQ(first.wrong(1), "");
  EXPECT_NE(first.wrong(3), "");
  EXPECT_EQ(last.wrong(3), "");
  EXPECT_NE(last.wrong(1), "");
  EXPECT_EQ(least.wrong(0), "");
}

TEST(SpecResult, rows_and_columns_and_names_behind_where) {
  const std::string arrays = "in x:f32[rows, columns]\nout y:f32[rows, columns]\n";
  Judge norm(arrays +
                 "result y[r, c] = (x[r, c] - m) * rsqrt(v + 0.5)\n"
                 "  where m = mean(x[r, ..]), v = sum((x[r, k] - m) * (x[r, k] - m) for k in 0 .. "
                 "columns) / columns\n",
             {2, 3});
  norm.array("x", std::vector<float>{1, 2, 6, 4, 4, 4});
  const auto cells = norm.cells();
  ASSERT_EQ(cells.size(), 6U);
  const auto judged = [&](std::size_t k, float got) {
    return wrong_in(Type::f32, float_bits(Type::f32, got), cells[k].value);
  };
  const float scale = 1 / std::sqrt(14.0F / 3 + 0.5F);
  EXPECT_EQ(judged(0, -2 * scale), "");
  EXPECT_EQ(judged(2, 3 * scale), "");
  EXPECT_NE(judged(2, 3 * scale * 1.0001F), "");
  EXPECT_EQ(judged(4, 0), "");
  EXPECT_NE(judged(3, 1), "");
  Judge columns("in x:f32[rows, columns]\nout y:f32[columns]\nresult y[c] = sum(x[.., c])\n",
                {2, 3});
  columns.array("x", std::vector<float>{1, 2, 6, 4, 4, 4});
  EXPECT_EQ(wrong_in(Type::f32, float_bits(Type::f32, 10), columns.cells()[2].value), "");
  EXPECT_NE(wrong_in(Type::f32, float_bits(Type::f32, 12), columns.cells()[2].value), "");
}

TEST(SpecResult, several_slices_go_in_step) {
  Judge dot(
      "in x:f32[n]\nin w:f32[n + 1]\nout y:f32[1]\nresult y[0] = sum(x[0 .. n] * w[1 .. n + 1])\n",
      {3});
  dot.array("x", std::vector<float>{1, 2, 3}).array("w", std::vector<float>{9, 10, 20, 30});
  EXPECT_EQ(dot.wrong(140), "");
  EXPECT_NE(dot.wrong(9 + 20 + 60), "");
  Judge uneven("in x:f32[n]\nin w:f32[n + 1]\nout y:f32[1]\nresult y[0] = sum(x * w)\n", {3});
  uneven.array("x", std::vector<float>{1, 2, 3}).array("w", std::vector<float>{9, 10, 20, 30});
  EXPECT_THROW((void)uneven.cells(), UsageError);
}

TEST(SpecResult, fold_takes_any_operator) {
  Judge gcd("in x:i32[n]\nout y:i32[1]\nresult y[0] = fold(a, b: a > b ? a : b, 0, x)\n", {4});
  gcd.array("x", std::vector<std::int32_t>{3, 9, 2, 4});
  EXPECT_EQ(gcd.wrong(9), "");
  EXPECT_NE(gcd.wrong(4), "");
  Judge inexact("in x:f32[n]\nout y:f32[1]\nresult y[0] = fold(a, b: a + b, 0, x)\n", {3});
  inexact.array("x", std::vector<float>{0.1F, 1e8F, 0.7F});
  EXPECT_EQ(inexact.wrong(1), "undecided");
}

TEST(SpecResult, an_index_beyond_an_array_is_told) {
  auto judge = sum_of(counted(4), "y[0] = sum(x[i] for i in 0 .. n + 1)");
  try {
    (void)judge.cells();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "t.gauntlet:5: `result y[0] = sum(x[i] for i in 0 .. n + 1)`: index 4 is beyond x, "
              "which has 4, with n=4");
  }
}

TEST(SpecResult, a_row_without_an_element_sums_to_nothing) {
  Judge rows("in x:f32[n, 0]\nout y:f32[n]\nresult y[r] = sum(x[r, ..])\n", {3});
  rows.array("x", std::vector<float>{});
  EXPECT_EQ(rows.wrong(0), "");
  EXPECT_NE(rows.wrong(1), "");
}

TEST(SpecResult, half_accumulation_is_judged_by_its_own_roundoff) {
  const std::vector<float> x(64, 0.1F);
  Judge f32("in x:f32[n]\nout y:f32[1]\nresult y[0] = sum(x)\n", {64});
  Judge f16("in x:f32[n]\nout y:f32[1]\nresult y[0] = sum(x) accumulate f16\n", {64});
  f32.array("x", x);
  f16.array("x", x);
  EXPECT_NE(f32.wrong(6.41), "");
  EXPECT_EQ(f16.wrong(6.41), "");
  EXPECT_NE(f16.wrong(7.5), "");
}

TEST(SpecResult, kahans_sum_stands_beside_a_sum_of_elements_and_of_nothing_else) {
  auto judge = sum_of({0.1F, 0.2F, 1e8F, 0.7F}, "y[0] = sum(x[1 .. 4])");
  (void)judge.cells();
  ASSERT_TRUE(judge.reference.has_value());
  EXPECT_EQ(judge.reference->exact, 0.2F + (1e8 + 0.7F));
  EXPECT_TRUE(judge.reference->kahan_in_bound);
  for (const char* const other : {"y[0] = sum(x * x)", "y[0] = max(x)", "y[0] = sum(x) / 2"}) {
    auto none = sum_of({1, 2}, other);
    (void)none.cells();
    EXPECT_FALSE(none.reference.has_value()) << other;
  }
}

TEST(SpecResult, what_is_missing_of_a_plain_reduction_is_named) {
  const auto reason = [](const std::string& result, double got) {
    auto judge = sum_of({1, 2, 4, 8}, result);
    judge.got = got;
    (void)judge.cells();
    return judge.reason;
  };
  EXPECT_EQ(reason("y[0] = sum(x)", 11), "element 2 lost");
  EXPECT_EQ(reason("y[0] = sum(x[1 .. 4])", 22), "element 3 counted twice");
  EXPECT_EQ(reason("y[0] = sum(x * x)", 85 - 64), "term 3 lost");
  EXPECT_EQ(reason("y[0] = max(x)", 4), "element 3, the maximum, missed");
  EXPECT_EQ(reason("y[0] = sum(x)", 15), "");
  EXPECT_EQ(reason("y[0] = sum(x) + 1", 12), "");
}

}  // namespace
}  // namespace gauntlet::spec
