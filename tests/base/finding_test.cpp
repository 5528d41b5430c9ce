// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/finding.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gauntlet {
namespace {

Finding overrun() {
  Finding f;
  f.kind = FindingKind::out_of_bounds_read;
  f.kernel = "half_shared__documented__i32_i32_sum";
  f.at = {"kernels/half_shared.cuh", 41, {2, 0, 0}, 1, 5, ""};
  f.array = "s";
  f.index = 256;
  f.size = 4;
  f.detail = "0 bytes behind the end of the array of 1024 bytes";
  f.count = 12;
  return f;
}

TEST(FindingText, says_what_where_and_which) {
  EXPECT_EQ(to_string(overrun()),
            "error: out_of_bounds_read s[256], 4 bytes (12 times)\n"
            "  by block 2 warp 1 lane 5 of half_shared__documented__i32_i32_sum\n"
            "  at kernels/half_shared.cuh:41\n"
            "  0 bytes behind the end of the array of 1024 bytes");
}

TEST(FindingText, names_the_other_party) {
  Finding f = overrun();
  f.kind = FindingKind::race_write_read;
  f.severity = Severity::warning;
  f.count = 1;
  f.detail = "no barrier between";
  f.at.value = "17";
  f.other = Party{"kernels/half_shared.cuh", 43, {2, 1, 0}, 0, 16, "5"};
  EXPECT_EQ(to_string(f),
            "warning: race_write_read s[256], 4 bytes\n"
            "  by block 2 warp 1 lane 5 of half_shared__documented__i32_i32_sum\n"
            "  at kernels/half_shared.cuh:41, value 17\n"
            "  no barrier between\n"
            "  other party block (2,1,0) warp 0 lane 16 at kernels/half_shared.cuh:43, value 5");
}

TEST(FindingText, is_a_line_for_each_part_however_long) {
  Finding f = overrun();
  f.at.file = std::string(200, 'd').append("/sum.cuh");
  f.detail.clear();
  for (int i = 0; i < 100; ++i) f.detail += "word\n ";
  EXPECT_EQ(lines(f).size(), 4U);
  f.other = f.at;
  const auto all = lines(f);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[3].size(), 2 + f.detail.size()) << "nothing of it is cut";
  EXPECT_NE(all[2].find("/sum.cuh:41"), std::string::npos) << "the end of a path tells";
  EXPECT_LT(all[2].size(), 60U);
  EXPECT_EQ(to_string(f).find("\n\n"), std::string::npos);
}

TEST(FindingText, shows_no_control_characters) {
  Finding f = overrun();
  f.kernel = "a\x1b[31m\a";
  f.at.file = "b\x1b]0;title\a.cu";
  f.detail = std::string("c\0d", 3);
  const std::string text = to_string(f);
  EXPECT_NE(text.find("of a\\x1b[31m\\x07\n"), std::string::npos) << text;
  EXPECT_NE(text.find("at b\\x1b]0;title\\x07.cu:41\n"), std::string::npos) << text;
  EXPECT_NE(text.find("c\\x00d"), std::string::npos) << text;
}

TEST(FindingText, leaves_out_what_a_wrong_result_does_not_have) {
  Finding f;
  f.kind = FindingKind::wrong_result;
  f.array = "out";
  f.detail = "got 96, expected 97: element 57 lost";
  EXPECT_EQ(to_string(f), "error: wrong_result out[0]\n  got 96, expected 97: element 57 lost");
}

TEST(FindingKinds, are_spelled_once_each) {
  std::set<std::string_view> spellings;
  for (const FindingKind kind : all<FindingKind>()) {
    EXPECT_EQ(parse<FindingKind>(name(kind)), kind) << name(kind);
    spellings.insert(name(kind));
    EXPECT_FALSE(facts(kind).what.empty() || facts(kind).what.ends_with('.')) << name(kind);
  }
  EXPECT_EQ(spellings.size(), all<FindingKind>().size());
  EXPECT_EQ(name(FindingKind::race_same_value), "race_same_value");
  EXPECT_EQ(name(FindingKind::executor_fault), "executor_fault");
  EXPECT_EQ(parse<FindingKind>("race"), std::nullopt);
}

TEST(FindingKinds, know_which_are_races_and_which_end_a_launch) {
  for (const FindingKind kind : all<FindingKind>()) {
    const bool named = name(kind).starts_with("race_");
    EXPECT_EQ(facts(kind).of_class == FindingClass::race_free, named) << name(kind);
    EXPECT_EQ(is_race(kind), named && kind != FindingKind::race_same_value) << name(kind);
  }
  EXPECT_EQ(facts(FindingKind::named_lane_absent).effect, Effect::fatal);
  EXPECT_EQ(facts(FindingKind::named_lane_exited).effect, Effect::none);
  EXPECT_EQ(facts(FindingKind::poison_mask).of_class, FindingClass::defined_values);
}

TEST(TypeSpelling, round_trips_and_knows_sizes) {
  for (const Type type : all<Type>()) EXPECT_EQ(parse<Type>(name(type)), type);
  for (const Op op : all<Op>()) EXPECT_EQ(parse<Op>(name(op)), op);
  EXPECT_EQ(parse<Type>("f31"), std::nullopt);
  EXPECT_EQ(size_of(Type::bf16), 2U);
  EXPECT_EQ(size_of(Type::u64), 8U);
  EXPECT_TRUE(is_float(Type::bf16));
  EXPECT_FALSE(is_signed(Type::u8));
}

}  // namespace
}  // namespace gauntlet
