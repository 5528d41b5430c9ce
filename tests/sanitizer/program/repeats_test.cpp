// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches that do what an earlier one did are not executed again, and nobody sees it: output,
// findings and counts are those of a program of which each launch is executed.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

const nlohmann::json& kernel(const Ran& ran, std::size_t index = 0) {
  return ran.json.at("processes").at(0).at("kernels").at(index);
}
std::string times(const std::string& text, int count) {
  std::string all;
  for (int k = 0; k < count; ++k) all += text;
  return all;
}
constexpr int launches = 12;
// Of k mod 5, k below 4096: 819 rounds of 0 to 4 and a 0, each counted 16 times.
constexpr int sum = 16 * 819 * 10;

TEST(RunRepeats, of_the_same_data_are_executed_once) {
  const Ran ran = run_program("repeats", {"equal"});
  expect_clean(ran, times(std::to_string(sum) + " ", launches) + "\n");
  EXPECT_EQ(kernel(ran).at("launches"), launches);
  EXPECT_EQ(kernel(ran).at("repeated"), launches - 1);
  // As many as without: --no-races executes all.
  const Ran all = run_program("repeats", {"equal"}, {"--no-races"});
  EXPECT_EQ(kernel(all).at("repeated"), 0);
  EXPECT_EQ(kernel(all).at("warp_instructions"), kernel(ran).at("warp_instructions"));
  EXPECT_NE(unwrapped(ran.err).find("of the launches had the data of one before"),
            std::string::npos)
      << ran.err;
}

TEST(RunRepeats, give_what_other_data_give) {
  // Element 17, which was 2, is 3, 7 and 11 from launches 3, 7 and 11 on.
  std::string changed = times(std::to_string(sum) + " ", 3);
  for (const int value : {3, 7}) changed += times(std::to_string(sum + 16 * (value - 2)) + " ", 4);
  changed += std::to_string(sum + 16 * (11 - 2)) + " \n";
  const Ran element = run_program("repeats", {"one_element"});
  expect_clean(element, changed);
  EXPECT_LT(kernel(element).at("repeated"), launches - 4 + 1);

  std::string by_constant;
  for (const int value : {0, 1, 2}) by_constant += times(std::to_string(sum * value) + " ", 4);
  const Ran constant = run_program("repeats", {"constant"});
  expect_clean(constant, by_constant + "\n");
  EXPECT_GT(kernel(constant).at("repeated"), 0);

  // Element 5, which was 0, is 0 and from launch 6 on 1: no call of the program says so.
  const Ran managed = run_program("repeats", {"managed"});
  expect_clean(managed, times(std::to_string(sum) + " ", 6) +
                            times(std::to_string(sum + 16) + " ", 6) + "\n");
  EXPECT_GT(kernel(managed).at("repeated"), 4);
}

TEST(RunRepeats, know_a_texture_by_what_it_is_of) {
  const Ran ran = run_program("repeats", {"textures_anew"});
  const Ran all = run_program("repeats", {"textures_anew"}, {"--no-races"});
  expect_clean(ran, all.out);
  EXPECT_EQ(kernel(ran).at("repeated"), launches - 2);
}

TEST(RunRepeats, know_arrays_by_what_the_parameters_make_of_them) {
  const std::string same = times(std::to_string(sum) + " ", launches) + "\n";
  for (const char* const how : {"anew", "added_anew", "counts_anew"}) {
    const Ran ran = run_program("repeats", {how});
    expect_clean(ran, same);
    EXPECT_EQ(kernel(ran).at("repeated"), launches - 2) << how;
  }
  const Ran other = run_program("repeats", {"next_anew"});
  expect_clean(other, "\n");
  EXPECT_EQ(kernel(other).at("repeated"), launches - 2);
}

TEST(RunRepeats, may_access_their_arrays_in_many_places) {
  const Ran ran = run_program("repeats", {"scattered"});
  expect_clean(ran, "65535\n");
  EXPECT_EQ(kernel(ran).at("repeated"), launches - 1);
}

/// What is said of a value that nobody defined is where it comes from. After a launch with other
/// data some are not compared.
TEST(RunRepeats, know_undefined_values_by_where_they_come_from) {
  struct Expected {
    const char* how;
    int fewest, most;
  };
  for (const auto& [how, fewest, most] :
       {Expected{"half", launches - 1, launches - 1},
        Expected{"half_overwritten", launches - 2, launches - 2},
        Expected{"half_from_elsewhere", 5, launches - 2}, Expected{"half_to_managed", 0, 0},
        Expected{"half_anew", 0, 0}}) {
    const Ran ran = run_program("repeats", {how});
    const Ran all = run_program("repeats", {how}, {"--no-races"});
    EXPECT_GE(kernel(ran).at("repeated"), fewest) << how;
    EXPECT_LE(kernel(ran).at("repeated"), most) << how;
    EXPECT_EQ(ran.out, all.out) << how;
    const auto& mistakes = ran.json.at("processes").at(0).at("mistakes");
    EXPECT_FALSE(mistakes.empty()) << how;
    EXPECT_EQ(mistakes, all.json.at("processes").at(0).at("mistakes")) << how;
  }
}

/// An element that is not read changes before every fourth launch: it lies between two that are,
/// and counts as one of them.
TEST(RunRepeats, may_read_pieces_of_an_array) {
  const Ran ran = run_program("repeats", {"thin"});
  const Ran all = run_program("repeats", {"thin"}, {"--no-races"});
  expect_clean(ran, all.out);
  EXPECT_GT(kernel(ran).at("repeated"), 4);
}

/// The nearest to what came before, of which something is wrong with the seventh.
TEST(RunRepeats, are_looked_at_where_arrays_stand_to_each_other_in_another_way) {
  using Expected = std::pair<const char*, const char*>;
  for (const auto& [how, kind] :
       {Expected{"one_array", "race_read_write"}, Expected{"smaller", "out_of_bounds_write"},
        Expected{"further_on", "out_of_bounds_write"},
        Expected{"which_is_first", "race_write_write"}}) {
    const Ran ran = run_program("repeats", {how});
    const auto& findings = ran.json.at("processes").at(0).at("findings");
    ASSERT_EQ(findings.size(), 1U) << how << "\n" << ran.err;
    EXPECT_EQ(findings[0].at("finding").at("kind"), kind) << how;
    EXPECT_EQ(findings[0].at("launch"), 7) << how;
  }
}

TEST(RunRepeats, leave_memory_as_the_first_one_did) {
  const std::string same = times(std::to_string(sum) + " ", launches) + "\n";
  for (const char* const how : {"overwritten", "in_place", "counted_anew"}) {
    const Ran ran = run_program("repeats", {how});
    expect_clean(ran, same);
    EXPECT_GT(kernel(ran).at("repeated"), launches / 2) << how;
  }
  std::string growing;
  for (int k = 1; k <= launches; ++k) growing += std::to_string(sum * k) + " ";
  for (const char* const how : {"growing", "counted", "counted_in_blocks"}) {
    const Ran ran = run_program("repeats", {how});
    expect_clean(ran, growing + "\n");
    EXPECT_EQ(kernel(ran).at("repeated"), 0) << how;
  }
}

TEST(RunRepeats, show_what_was_found_again) {
  const Ran ran = run_program("repeats", {"racy"});
  ASSERT_EQ(ran.kinds().size(), 1U) << ran.err;
  EXPECT_EQ(ran.json.at("processes").at(0).at("findings").at(0).at("launches"), launches);
  EXPECT_EQ(kernel(ran).at("repeated"), launches - 1);
  const Ran none = run_program("repeats", {"racy"}, {"--schedule", "high_lane_first"});
  EXPECT_EQ(kernel(none).at("repeated"), 0);
  EXPECT_EQ(none.kinds(), ran.kinds());
}

/// The same undefined values have other numbers in each launch, but not another story.
TEST(RunRepeats, know_undefined_values_that_they_read_and_write_by_where_they_come_from) {
  const Ran ran = run_program("repeats", {"half_or_to"});
  EXPECT_GE(kernel(ran).at("repeated"), launches - 3);
  const Ran all = run_program("repeats", {"half_or_to"}, {"--no-races"});
  EXPECT_EQ(ran.out, all.out);
  EXPECT_EQ(ran.json.at("processes").at(0).at("mistakes"),
            all.json.at("processes").at(0).at("mistakes"));
}

/// What a launch overwrites matters to one that reads it, too; an overrun reads nothing.
TEST(RunRepeats, show_what_was_found_in_each_launch_equal_or_not) {
  for (const auto& [how, repeated] : {std::pair("racy_to", 0), std::pair("beyond", launches - 3)}) {
    const Ran ran = run_program("repeats", {how});
    ASSERT_EQ(ran.kinds().size(), 1U) << how << "\n" << ran.err;
    EXPECT_EQ(ran.json.at("processes").at(0).at("findings").at(0).at("launches"), launches) << how;
    EXPECT_EQ(kernel(ran).at("repeated"), repeated) << how;
    EXPECT_EQ(ran.out, run_program("repeats", {how}, {"--no-races"}).out) << how;
  }
}

/// What other data lead to, and nothing before, where the accesses of a launch depend on them.
TEST(RunRepeats, are_looked_at_where_data_decide) {
  for (const char* const how : {"where", "whether", "what", "what_in_block"}) {
    const Ran ran = run_program("repeats", {how});
    const auto& findings = ran.json.at("processes").at(0).at("findings");
    const auto race = std::ranges::find(findings, "race_write_write", [](const auto& one) {
      return one.at("finding").at("kind").template get<std::string>();
    });
    ASSERT_NE(race, findings.end()) << how << "\n" << ran.err;
    EXPECT_EQ(race->at("launch"), 13) << how;  // each second one is `sum_of`
  }
}

/// The accesses of the seventh launch are known from the first, and it is ordered as any.
TEST(RunRepeats, are_compared_with_other_streams) {
  using Expected = std::pair<const char*, const char*>;
  for (const auto& [how, race] : {Expected{"behind_another", "race_write_read"},
                                  Expected{"before_another", "race_read_write"}}) {
    const Ran ran = run_program("repeats", {how});
    ASSERT_EQ(ran.kinds("mistakes").size(), 1U) << how << "\n" << ran.err;
    EXPECT_TRUE(ran.kinds("mistakes")[0].starts_with(race)) << ran.kinds("mistakes")[0];
  }
}

/// Each begins with barriers at which nobody has arrived, whatever the one before has left there.
TEST(RunRepeats, meet_at_barriers_of_the_grid) {
  for (const auto& [how, fewest, most] :
       {std::tuple("met", launches - 3, launches - 3), std::tuple("met_other_data", 3, 8),
        std::tuple("met_once", launches - 3, launches - 3)}) {
    const Ran ran = run_program("repeats", {how});
    const Ran all = run_program("repeats", {how}, {"--no-races"});
    EXPECT_GE(kernel(ran).at("repeated"), fewest) << how;
    EXPECT_LE(kernel(ran).at("repeated"), most) << how;
    EXPECT_EQ(kernel(ran).at("warp_instructions"), kernel(all).at("warp_instructions")) << how;
    EXPECT_EQ(ran.out, all.out) << how;
    const auto& findings = ran.json.at("processes").at(0).at("findings");
    ASSERT_EQ(findings.size(), how == std::string("met_once") ? 1U : 0U) << how << "\n" << ran.err;
    if (!findings.empty()) EXPECT_EQ(findings[0].at("launches"), launches);
  }
  // The seventh launch is not cooperative.
  const Ran trap = run_program("repeats", {"met_no_more"});
  ASSERT_EQ(trap.kinds().size(), 1U) << trap.err;
  EXPECT_TRUE(trap.kinds()[0].starts_with("trap")) << trap.kinds()[0];
}

TEST(RunRepeats, are_none_where_more_than_memory_decides) {
  std::string by_number;
  for (int k = 0; k < launches; ++k) by_number += std::to_string(sum * (2 * k + 1)) + " ";
  const Ran numbered = run_program("repeats", {"numbered"});
  expect_clean(numbered, by_number + "\n");
  EXPECT_EQ(kernel(numbered).at("repeated"), 0);
  EXPECT_EQ(kernel(run_program("repeats", {"undefined"})).at("repeated"), 0);
  // The object is gone in the last launch.
  const Ran texture = run_program("repeats", {"texture"});
  ASSERT_EQ(texture.kinds().size(), 1U) << texture.err;
  EXPECT_TRUE(texture.kinds()[0].starts_with("unallocated")) << texture.kinds()[0];
  EXPECT_EQ(kernel(texture).at("repeated"), launches - 2);
}

}  // namespace
}  // namespace gauntlet::test
