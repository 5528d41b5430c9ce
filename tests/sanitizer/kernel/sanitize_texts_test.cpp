// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The approved text of every kind of finding, of a small kernel that has it: texts/KIND.txt.
// `ci/approve` rewrites the files after a wanted change; look at the difference before committing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "sanitizer/kernel/told.hpp"
#include "tests/sanitizer/kernel/sanitized.hpp"

namespace gauntlet::test {
namespace {

struct Planted {
  FindingKind kind;
  std::string file, arguments;
  std::set<std::string> elsewhere{};  ///< kinds that other schedules show besides
};
void PrintTo(const Planted& planted, std::ostream* out) { *out << name(planted.kind); }

using Kind = FindingKind;
const Planted all_planted[] = {
    {Kind::out_of_bounds_read, "sanitize_defects",
     "--entry read_past_end<false> --block 64 --arg in:f32[64]=iota --arg out:f32[64] --arg "
     "n:i32=64"},
    {Kind::out_of_bounds_write, "sanitize_defects",
     "--entry write_past_end<false> --block 64 --arg out:i32[63] --arg n:i32=63"},
    {Kind::unallocated, "sanitize_planted", "--entry through_null --block 32 --arg p:ptr=0"},
    {Kind::misaligned, "sanitize_defects",
     "--entry misaligned_vector<false> --block 16 --arg in:f32[68]=iota --arg out:f32[16]"},
    {Kind::write_to_input, "sanitize_defects",
     "--entry write_input<false> --block 32 --arg in:i32[32]=iota --arg out:i32[32]"},
    {Kind::unwritten_output, "sanitize_kernels",
     "--entry halves --block 16 --arg in:u16[16]=7 --arg out:u16[32] --expect out=all:7"},
    {Kind::poison_output, "sanitize_defects",
     "--entry uninitialised_shared<false> --block 64 --arg out:i32[64]"},
    {Kind::poison_address, "sanitize_planted",
     "--entry undefined_index --block 32 --arg out:i32[32]"},
    {Kind::poison_branch, "sanitize_planted",
     "--entry undefined_branch --block 32 --arg out:i32[32]"},
    {Kind::poison_mask, "sanitize_planted", "--entry undefined_mask --block 32 --arg out:i32[32]"},
    {Kind::partial_barrier, "sanitize_defects",
     "--entry partial_barrier<false> --block 64 --arg out:i32[64]"},
    {Kind::not_in_own_mask,
     "sanitize_defects",
     "--entry foreign_mask<false> --block 32 --arg out:i32[32]",
     {"named_lane_exited", "poison_output"}},
    {Kind::named_lane_exited, "sanitize_planted",
     "--entry shuffle_with_nobody --block 24 --arg out:i32[32]"},
    {Kind::named_lane_absent, "sanitize_planted",
     "--entry lane_that_never_comes --block 64 --arg out:i32[64]"},
    {Kind::divergent_barrier, "sanitize_planted",
     "--entry barrier_in_both_branches --block 32 --arg out:i32[32]"},
    {Kind::deadlock, "sanitize_defects",
     "--entry crossed_barriers<false> --block 64 --arg out:i32[64]"},
    {Kind::step_limit, "sanitize_defects",
     "--entry endless_wait<false> --block 64 --arg flag:i32[1]=0 --arg out:i32[64] "
     "--step-limit 2000"},
    {Kind::trap, "sanitize_defects",
     "--entry trapped<false> --block 64 --arg out:i32[64] --arg n:i32=5"},
    {Kind::assertion, "sanitize_planted",
     "--entry asserts --block 32 --arg out:i32[32] --arg n:i32=31"},
    {Kind::race_read_write, "sanitize_planted",
     "--entry reads_what_others_write --block 64 --arg out:i32[64]"},
    {Kind::race_write_read, "sanitize_defects",
     "--entry race_between_warps<false> --block 64 --arg out:i32[64]"},
    {Kind::race_write_write, "sanitize_defects",
     "--entry all_write_one --block 64 --arg out:i32[1]"},
    {Kind::race_atomic, "sanitize_planted",
     "--entry counts_and_resets --block 64 --arg out:i32[1]=0"},
    {Kind::race_read_only, "sanitize_planted",
     "--entry doubles_in_place --block 64 --arg in:ptr=@out --arg out:i32[64]=iota"},
    {Kind::race_same_value, "sanitize_planted",
     "--entry all_raise_a_flag --block 64 --arg out:i32[1]"},
    {Kind::wrong_result, "sanitize_kernels",
     "--entry scan --block 64 --arg in:i32[64]=1 --arg out:i32[64] --arg n:i32=64 --expect "
     "out=all:1"}};

/// What no launch of `gauntlet sanitize` can show: nobody frees an array or makes a tensor map, a
/// vendor's tool words it, or it is said of a case.
constexpr Kind others[] = {Kind::use_after_free, Kind::illegal_instruction,
                           Kind::uninitialised_read, Kind::refused, Kind::executor_fault};

/// Whether the text has it whole, wherever its lines are broken.
bool has_whole(const std::string& text, const std::string& part) {
  return unwrapped(text).find(unwrapped(part)) != std::string::npos;
}

void compare(Kind kind, const std::string& now) {
  const std::filesystem::path path = std::filesystem::path(GAUNTLET_SANITIZE_SOURCES) / "texts" /
                                     (std::string(name(kind)) + ".txt");
  if (std::getenv("GAUNTLET_APPROVE") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << now;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing; ci/approve writes it";
  EXPECT_EQ(now, read_text(path)) << "differs from " << path
                                  << "; if that is wanted: ci/approve, then look at the difference";
}

void expect_lines_of_80_columns(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
    // What is left out of a long source line begins and ends between words.
    if (line.ends_with("...")) {
      EXPECT_FALSE(std::isalnum(static_cast<unsigned char>(line[line.size() - 4]))) << line;
    }
  }
}

class TextsOfFindings : public ::testing::TestWithParam<Planted> {};

TEST_P(TextsOfFindings, are_as_approved_and_whole_and_show_each_party) {
  const Planted& planted = GetParam();
  const auto folder = std::filesystem::current_path();
  std::filesystem::current_path(GAUNTLET_ROOT);  // findings name the source from there
  const Sanitized got = sanitize(ptx(planted.file), words("--grid 1 " + planted.arguments));
  std::filesystem::current_path(folder);
  const bool note =
      planted.kind == Kind::race_same_value || planted.kind == Kind::named_lane_exited;
  EXPECT_EQ(got.code, note ? 0 : 1) << got.out << got.err;
  EXPECT_TRUE(kinds(got.json).contains(std::string(name(planted.kind)))) << got.out;
  expect_lines_of_80_columns(got.out);
  for (const auto& finding : got.json["findings"]) {
    EXPECT_TRUE(has_whole(got.out, finding["detail"])) << finding["detail"] << "\n" << got.out;
    const auto caret = [&](const Json& party) {
      if (party["line"] == 0) return;
      const std::string number = std::to_string(party["line"].get<int>());
      EXPECT_NE(got.out.find("  " + number + " | "), got.out.npos) << number << "\n" << got.out;
    };
    caret(finding["at"]);
    if (finding["other"].is_object()) caret(finding["other"]);
  }
  compare(planted.kind, "gauntlet sanitize " + planted.file + ".ptx --grid 1 " + planted.arguments +
                            "\n" + got.out);
}

INSTANTIATE_TEST_SUITE_P(Sanitize, TextsOfFindings, ::testing::ValuesIn(all_planted),
                         [](const auto& info) { return std::string(name(info.param.kind)); });

/// The kinds of findings in eight schedules.
std::set<std::string> kinds_in_eight(const std::string& launch, int code, bool clean) {
  const Sanitized got = sanitize(defects, words("--grid 1 --schedules 8 " + launch));
  EXPECT_EQ(got.code, code) << launch << got.out << got.err;
  EXPECT_EQ(got.json["clean"].get<bool>(), clean);
  EXPECT_EQ(got.out.find(": clean (8 schedules, ") != got.out.npos, clean) << got.out;
  EXPECT_EQ(got.json["schedules"].size(), 8U) << launch;
  for (const auto& one : got.json["schedules"]) {
    EXPECT_TRUE(!clean || one["completed"].get<bool>()) << launch;
  }
  expect_lines_of_80_columns(got.out);
  return kinds(got.json);
}

TEST(PlantedDefects, show_no_other_kinds_in_other_schedules_and_their_repaired_twins_none) {
  // A launch, and what it shows, beside what lockstep shows.
  std::vector<std::pair<std::string, std::set<std::string>>> launches{
      // What lies before an offset pointer is not mapped either.
      {"--entry read_before_begin<false> --block 32 --arg in:f32[32],offset:64=1 --arg out:f32[32]",
       {"out_of_bounds_read"}},
      {"--entry race_inside_warp<false> --block 32 --arg out:i32[32]",
       {"poison_output", "race_write_read"}}};
  for (const Planted& one : all_planted) {
    if (one.arguments.find("<false>") != std::string::npos)
      launches.emplace_back(one.arguments, one.elsewhere);
  }
  EXPECT_EQ(launches.size(), 13U);
  for (auto& [launch, expected] : launches) {
    const Sanitized lockstep = sanitize(defects, words("--grid 1 " + launch));
    expected.merge(kinds(lockstep.json));
    EXPECT_EQ(kinds_in_eight(launch, 1, false), expected) << launch;
    launch.replace(launch.find("<false>"), 7, "<true>");
    EXPECT_TRUE(kinds_in_eight(launch, 0, true).empty()) << launch;
  }
}

/// Of which no text is approved.
TEST(PlantedDefects, before_an_offset_pointer_and_inside_a_warp_are_told_at_array_and_line) {
  const auto told = [](const std::string& launch, const char* kind, const char* array,
                       const char* line) {
    const auto folder = std::filesystem::current_path();
    std::filesystem::current_path(GAUNTLET_ROOT);  // findings name the source from there
    const Sanitized got = sanitize(defects, words("--grid 1 " + launch));
    std::filesystem::current_path(folder);
    std::size_t there = 0;
    for (const auto& finding : got.json["findings"]) {
      if (finding["kind"] == kind && finding["array"] == array) ++there;
    }
    EXPECT_EQ(there, 1U) << got.out;
    EXPECT_NE(got.out.find(line), got.out.npos) << got.out;
  };
  told("--entry read_before_begin<false> --block 32 --arg in:f32[32],offset:64=1 --arg out:f32[32]",
       "out_of_bounds_read", "in", "in[t - 1]");
  told("--entry race_inside_warp<false> --block 32 --arg out:i32[32]", "race_write_read", "s",
       "out[t] = s[31 - t]");
}

TEST(TextsOfOtherFindings, are_as_approved) {
  for (const Kind kind : others) {
    Finding f;
    f.kind = kind;
    f.kernel = "late_reader";
    f.array = "cells";
    f.index = 7;
    f.size = 4;
    f.at = {"nowhere/late_reader.cu", 12, {1, 2, 0}, 3, 4, ""};
    f.detail = facts(kind).what;
    const std::string text = gauntlet::sanitize::told(std::vector<Finding>{f}, Style(false));
    expect_lines_of_80_columns(text);
    compare(kind, text);
  }
}

TEST(TextsOfOtherFindings, and_of_these_there_is_one_for_every_kind) {
  for (const Kind kind : all<Kind>()) {
    const auto planted = std::ranges::count(all_planted, kind, &Planted::kind);
    // A kernel alone calls nothing of the host.
    const bool shown = facts(kind).of_class != FindingClass::host_calls;
    EXPECT_EQ(planted + std::ranges::count(others, kind), shown ? 1 : 0) << name(kind);
  }
}

}  // namespace
}  // namespace gauntlet::test
