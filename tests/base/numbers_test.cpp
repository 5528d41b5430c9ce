// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gauntlet {
namespace {

TEST(ParseNumber, takes_the_whole_text_and_nothing_else) {
  EXPECT_EQ(parse_number<int>("17"), 17);
  EXPECT_EQ(parse_number<int>("-17"), -17);
  for (const char* text : {"", " 17", "17 ", "+17", "1.5", "0x11", "seventeen", "17s"}) {
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<unsigned>("ff", 0, 255, 16), 255U);
}

TEST(ParseNumber, keeps_to_the_range_with_both_ends) {
  EXPECT_EQ(parse_number<int>("2", 2, 4), 2);
  EXPECT_EQ(parse_number<int>("4", 2, 4), 4);
  EXPECT_EQ(parse_number<int>("1", 2, 4), std::nullopt);
  EXPECT_EQ(parse_number<int>("5", 2, 4), std::nullopt);
  EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
  EXPECT_EQ(parse_number<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551616"), std::nullopt);
}

TEST(ParseNumber, reads_infinities_and_nan_where_no_range_is_asked_for) {
  EXPECT_EQ(parse_number<double>("1e3"), 1000.0);
  EXPECT_TRUE(std::isinf(parse_number<float>("-inf").value()));
  EXPECT_TRUE(std::isnan(parse_number<double>("nan").value()));
  EXPECT_EQ(parse_number<double>("inf", 0, 1), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e999"), std::nullopt);
}

TEST(TakeNumber, leaves_what_follows) {
  std::string_view text = "12,34";
  EXPECT_EQ(take_number<int>(text), 12);
  EXPECT_EQ(text, ",34");
  EXPECT_EQ(take_number<int>(text), std::nullopt);
  EXPECT_EQ(text, ",34");
}

TEST(RoundingUp, holds_at_the_ends_of_the_range) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(ceil_div(0, 7), 0U);
  EXPECT_EQ(ceil_div(7, 7), 1U);
  EXPECT_EQ(ceil_div(8, 7), 2U);
  EXPECT_EQ(ceil_div(most, 2), most / 2 + 1);
  EXPECT_EQ(round_up(0, 8), 0U);
  EXPECT_EQ(round_up(9, 8), 16U);
  EXPECT_EQ(round_up(16, 8), 16U);
}

}  // namespace
}  // namespace gauntlet
