// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// `gauntlet sanitize` as a user runs it: right kernels that are no reductions, arrays in and out,
// schedules, repeated launches. Kernels with a defect: sanitize_texts_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/sanitizer/kernel/sanitized.hpp"

namespace gauntlet::test {
namespace {

TEST(SanitizeSchedules, of_a_lock_are_five_by_default_and_find_what_one_order_hides) {
  const Words launch = words("--grid 2 --block 32 --arg lock:i32[1]=0 --arg out:i32[1]=0 --entry");
  const auto run = [&](const std::string& entry, const std::string& schedule) {
    Words arguments = launch;
    arguments.push_back(entry);
    if (!schedule.empty()) arguments.insert(arguments.end(), {"--schedule", schedule});
    return sanitize(defects, arguments);
  };
  const auto hidden = run("lock_without_acquire<false>", "lockstep");
  EXPECT_EQ(hidden.code, 0) << hidden.out;
  const auto found = run("lock_without_acquire<false>", "");
  EXPECT_EQ(found.code, 1) << found.out;
  EXPECT_EQ(kinds(found.json), (std::set<std::string>{"race_read_write", "race_write_write"}));
  EXPECT_EQ(found.json["schedules"].size(), 5U);
  EXPECT_EQ(run("lock_without_acquire<true>", "").code, 0);
}

TEST(SanitizeSchedules, of_a_kernel_that_barriers_order_are_one) {
  const auto got = sanitize(defects, words("--grid 1 --block 64 --arg out:i32[64] --entry "
                                           "race_between_warps<false>"));
  EXPECT_EQ(got.json["schedules"].size(), 1U) << got.out;
}

TEST(SanitizeRaces, are_shown_between_the_parties_that_are_farthest_apart) {
  const auto race = [](const std::string& grid, const std::string& block) {
    const auto got = sanitize(defects, {"--entry", "all_write_one", "--grid", grid, "--block",
                                        block, "--arg", "out:i32[1]"});
    EXPECT_EQ(got.json["findings"].size(), 1U) << got.out;
    return got;
  };
  const auto lanes = race("1", "32"), warps = race("1", "64"), blocks = race("2", "64");
  EXPECT_EQ(lanes.json["findings"][0]["severity"], "warning");
  EXPECT_NE(lanes.out.find("nothing orders the writes of two lanes at"), std::string::npos)
      << lanes.out;
  EXPECT_EQ(warps.json["findings"][0]["severity"], "error");
  EXPECT_NE(warps.out.find("no barrier orders"), std::string::npos) << warps.out;
  EXPECT_EQ(blocks.json["findings"][0]["severity"], "error");
  EXPECT_NE(blocks.out.find("no device-scope release and acquire"), std::string::npos);
  EXPECT_EQ(blocks.json["findings"][0]["count"], 127) << blocks.out;
}

TEST(SanitizeRepeat, finds_state_that_the_first_launch_left_and_only_then) {
  const Words once = words("--grid 1 --block 64 --arg out:i32[1] --expect out=2016 --entry");
  for (const bool fixed : {false, true}) {
    for (const bool repeat : {false, true}) {
      Words arguments = once;
      arguments.push_back(fmt::format("leaves_state<{}>", fixed));
      if (repeat) arguments.emplace_back("--repeat");
      const Sanitized got = sanitize(defects, arguments);
      EXPECT_EQ(got.code, repeat && !fixed ? 1 : 0) << got.out << got.err;
      if (!repeat || fixed) continue;
      EXPECT_EQ(kinds(got.json), (std::set<std::string>{"wrong_result"}));
      EXPECT_EQ(got.json["findings"][0]["launch"], 2);
      EXPECT_NE(got.out.find("in the second launch"), got.out.npos) << got.out;
    }
  }
}

TEST(SanitizeRepeat, compares_without_an_expectation_and_leaves_scratch_out) {
  const std::string launch = "--grid 1 --block 64 --entry leaves_state<false> --repeat --arg ";
  EXPECT_EQ(sanitize(defects, words(launch + "out:i32[1]")).code, 1);
  EXPECT_EQ(sanitize(defects, words(launch + "out:i32[1],scratch")).code, 0);
}

TEST(SanitizeSchedules, tell_which_results_depend_on_them_without_calling_that_a_defect) {
  const std::string launch =
      "--entry order_of_blocks --grid 8 --block 32 --arg next:u32[1]=0 --arg out:i32[8]";
  const Sanitized many = sanitize(defects, words(launch + " --schedules 5"));
  EXPECT_EQ(many.code, 0) << many.out << many.err;
  ASSERT_EQ(many.json["depends_on_schedule"].size(), 1U) << many.out;
  const Json& depends = many.json["depends_on_schedule"][0];
  EXPECT_EQ(depends["array"], "out");
  EXPECT_EQ(depends["values"][0], (Json{{"schedule", "lockstep"}, {"value", "0"}}));
  EXPECT_EQ(depends["values"][1], (Json{{"schedule", "block_reversed"}, {"value", "7"}}));
  EXPECT_NE(many.out.find("out[0] depends on the schedule"), many.out.npos);

  const Sanitized reversed = sanitize(
      defects, words(launch + " --schedule block_reversed --expect out=iota:7:-1 --dump out"));
  EXPECT_EQ(reversed.code, 0) << reversed.out << reversed.err;
  EXPECT_EQ(reversed.out.substr(0, reversed.out.find('\n')), "out = 7, 6, 5, 4, 3, 2, 1, 0");
  EXPECT_EQ(reversed.json["schedules"][0]["schedule"], "block_reversed");
}

TEST(SanitizeSchedules, say_under_which_one_a_finding_appeared_first) {
  const Sanitized got =
      sanitize(defects, words("--entry race_inside_warp<false> --grid 1 --block 32 --schedules 3 "
                              "--arg out:i32[32]"));
  EXPECT_EQ(got.code, 1);
  std::set<std::pair<std::string, std::string>> first;
  for (const auto& finding : got.json["findings"]) {
    first.emplace(finding["kind"], finding["schedule"]);
  }
  // The race is there under every schedule; a wrong value needs lanes that do not advance together.
  EXPECT_TRUE(first.contains({"race_write_read", "lockstep"})) << got.out;
  EXPECT_TRUE(first.contains({"poison_output", "low_lane_first"})) << got.out;
  EXPECT_NE(got.out.find("under low_lane_first\nerror: poison_output"), got.out.npos) << got.out;
}

TEST(SanitizeRaces, are_left_out_on_request) {
  const Sanitized got =
      sanitize(defects, words("--entry race_inside_warp<false> --grid 1 --block 32 --no-races "
                              "--arg out:i32[32]"));
  EXPECT_EQ(got.code, 0) << got.out;
}

TEST(SanitizeKernels, histogram_with_shared_atomics_is_clean_and_right) {
  const Sanitized got = sanitize(
      kernels, words("--entry histogram<16> --grid 2 --block 64 --arg in:i32[1000]=iota --arg "
                     "out:i32[16]=0 --arg n:i32=1000 --schedules 7 --expect "
                     "out=63,63,63,63,63,63,63,63,62,62,62,62,62,62,62,62"));
  EXPECT_EQ(got.code, 0) << got.out << got.err;
  EXPECT_TRUE(got.json["depends_on_schedule"].empty());
  // The array behind a pointer to const was taken as an input.
  EXPECT_TRUE(got.json["arguments"][0]["read_only"].get<bool>());
}

TEST(SanitizeKernels, transpose_with_a_padded_tile_is_clean_and_right) {
  const TemporaryFolder folder;
  const std::string once = (folder.path() / "once.npy").string();
  const auto with_input = [&](const std::string& in, const std::string& rest) {
    return words("--entry transpose --block 16,16 --schedules 3 --arg " + in + " " + rest);
  };
  const Sanitized got = sanitize(
      kernels, with_input("in:f32[1500]=iota",
                          "--arg out:f32[1500] --arg w:i32=50 --arg h:i32=30 --grid 4,2 --expect "
                          "out=0,50,100 --dump out=" +
                              once));
  ASSERT_EQ(got.code, 0) << got.out << got.err;
  // Transposed again, it is what it was.
  const Sanitized again = sanitize(
      kernels, with_input("in:f32[]=" + once,
                          "--arg out:f32[1500] --arg w:i32=30 --arg h:i32=50 --grid 2,4 --expect "
                          "out=iota"));
  EXPECT_EQ(again.code, 0) << again.out << again.err;
}

TEST(SanitizeKernels, stencil_in_dynamic_shared_memory_is_clean_and_needs_all_of_it) {
  const std::string launch =
      "--entry stencil --grid 3 --block 64 --arg in:f64[180]=iota --arg out:f64[180] --arg "
      "n:i32=180 --expect out=1,3,6,9 --shared ";
  const Sanitized got = sanitize(kernels, words(launch + "528"));
  EXPECT_EQ(got.code, 0) << got.out << got.err;
  const Sanitized less = sanitize(kernels, words(launch + "520"));
  EXPECT_EQ(less.code, 1) << less.out;
  EXPECT_TRUE(kinds(less.json).contains("out_of_bounds_write")) << less.out;
  EXPECT_EQ(less.out.find("hint:"), std::string::npos) << less.out;
  const std::string none = launch.substr(0, launch.find("--shared"));
  const Sanitized without = sanitize(kernels, words(none));
  EXPECT_NE(without.out.find("add --shared BYTES"), std::string::npos) << without.out;
}

TEST(SanitizeKernels, scan_in_a_namespace_is_clean_and_right) {
  const Sanitized got = sanitize(
      kernels, words("--entry scan --grid 1 --block 128 --arg in:i32[100]=1 --arg out:i32[100] "
                     "--arg n:i32=100 --expect out=iota:1:1 --schedules 6"));
  EXPECT_EQ(got.code, 0) << got.out << got.err;
  EXPECT_EQ(got.json["kernel"], "prefix::scan");
}

TEST(SanitizeArguments, by_value_reach_the_kernel_in_every_size) {
  const std::string launch =
      "--entry by_value --grid 1 --block 32 --arg v:f32x4=1,2,3,4 --arg add:u8=1 --arg "
      "out:f64[32] ";
  EXPECT_EQ(sanitize(kernels, words(launch + "--expect out=all:11")).code, 0);
  const Sanitized wrong = sanitize(kernels, words(launch + "--expect out=all:10.5"));
  EXPECT_EQ(wrong.code, 1);
  ASSERT_EQ(kinds(wrong.json), (std::set<std::string>{"wrong_result"}));
  EXPECT_EQ(wrong.json["findings"][0]["count"], 32);
  EXPECT_EQ(wrong.json["findings"][0]["detail"], "holds 11; 10.5 is expected");
  EXPECT_EQ(sanitize(kernels, words(launch + "--expect out=all:10.5 --tolerance 0.1")).code, 0);
  EXPECT_EQ(sanitize(kernels, words(launch + "--expect out=all:10.5 --tolerance 0.01")).code, 1);
}

TEST(SanitizeArguments, an_element_that_nobody_wrote_is_not_what_is_expected) {
  const Sanitized got = sanitize(
      kernels, words("--entry halves --grid 1 --block 16 --arg in:u16[16]=7 --arg out:u16[32] "
                     "--expect out=all:7"));
  EXPECT_EQ(got.code, 1);
  EXPECT_EQ(kinds(got.json), (std::set<std::string>{"unwritten_output"})) << got.out;
  EXPECT_EQ(got.json["findings"][0]["index"], 16);
  EXPECT_EQ(got.json["findings"][0]["count"], 16);
}

TEST(SanitizeArguments, offset_moves_the_pointer_and_pad_maps_what_lies_behind) {
  const auto run_with = [&](const std::string& in) {
    Words all = words("--entry misaligned_vector<true> --grid 1 --block 16");
    all.insert(all.end(), {"--arg", in, "--arg", "out:f32[16]"});
    return sanitize(defects, all);
  };
  EXPECT_EQ(run_with("in:f32[64]=iota").code, 0);
  EXPECT_EQ(run_with("in:f32[64],offset:16=iota").code, 0);
  const Sanitized moved = run_with("in:f32[64],offset:4=iota");
  EXPECT_EQ(moved.code, 1);
  EXPECT_EQ(kinds(moved.json), (std::set<std::string>{"misaligned"})) << moved.out;

  const Sanitized shorter = run_with("in:f32[62]=iota");
  EXPECT_EQ(kinds(shorter.json), (std::set<std::string>{"out_of_bounds_read"})) << shorter.out;
  const Sanitized padded = run_with("in:f32[62],pad:2=iota");
  EXPECT_EQ(kinds(padded.json), (std::set<std::string>{"poison_output"})) << padded.out;
  EXPECT_EQ(run_with("in:f32[62],pad:2:0=iota").code, 0);
}

TEST(SanitizeArguments, values_nobody_defined_may_be_kept_in_scratch) {
  const std::string launch = "--entry uninitialised_shared<false> --grid 1 --block 64 --arg ";
  EXPECT_EQ(sanitize(defects, words(launch + "out:i32[64]")).code, 1);
  EXPECT_EQ(sanitize(defects, words(launch + "out:i32[64],scratch")).code, 0);
}

TEST(SanitizeDump, prints_undefined_elements_as_such) {
  const Sanitized got = sanitize(
      kernels, words("--entry halves --grid 1 --block 4 --arg in:u16[4]=1,2,3,4 --arg out:u16[6] "
                     "--dump out"));
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_TRUE(got.out.starts_with("out = 1, 2, 3, 4, undefined, undefined\n")) << got.out;
  EXPECT_EQ(got.json["dumped"][0]["values"],
            (Json::array({"1", "2", "3", "4", "undefined", "undefined"})));
}

TEST(SanitizeJson, is_the_same_for_two_runs) {
  const Words launch = words(
      "--entry race_between_warps<false> --grid 2 --block 64 --schedules 8 "
      "--arg out:i32[64]");
  const Sanitized one = sanitize(defects, launch), two = sanitize(defects, launch);
  EXPECT_EQ(one.json, two.json);
  EXPECT_EQ(one.out, two.out);
  EXPECT_EQ(one.json["schema"], "gauntlet.sanitize");
  EXPECT_EQ(one.json["version"], 1);
}

}  // namespace
}  // namespace gauntlet::test
