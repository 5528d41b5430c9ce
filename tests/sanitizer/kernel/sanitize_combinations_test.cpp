// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Several values, blocks, grids and kernels in one command line of `gauntlet sanitize`: all
// combinations from one compilation.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "base/os/process.hpp"
#include "tests/sanitizer/kernel/sanitized.hpp"

namespace gauntlet::test {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(SanitizeCombinations, of_values_and_blocks_are_all_run_and_named) {
  const Sanitized got =
      sanitize(kernels, words("--entry scan --grid 1 --block 32,64,256 --arg in:i32[256]=1 "
                              "--arg out:i32[256],scratch --arg n:i32=1,32"));
  EXPECT_EQ(got.code, 0) << got.out << got.err;
  std::set<std::string> names;
  for (const auto& one : got.json["combinations"]) {
    names.insert(one["combination"].get<std::string>());
    EXPECT_EQ(one["kernel"], "prefix::scan");
    EXPECT_TRUE(one["clean"].get<bool>());
    EXPECT_NE(got.out.find("prefix::scan " + names.rbegin()->substr(0, 4)), got.out.npos);
  }
  EXPECT_EQ(names, (std::set<std::string>{"n=1 block=32", "n=1 block=64", "n=1 block=256",
                                          "n=32 block=32", "n=32 block=64", "n=32 block=256"}));
  EXPECT_NE(got.out.find("prefix::scan n=32 block=256: clean (lockstep, "), got.out.npos)
      << got.out;
  EXPECT_TRUE(got.out.ends_with("6 combinations: clean\n")) << got.out;
  EXPECT_TRUE(got.json["clean"].get<bool>());
}

TEST(SanitizeCombinations, tell_a_finding_once_and_count_it_in_each) {
  const Sanitized got =
      sanitize(defects, words("--entry read_past_end<false> --grid 1 --grid 2 --block 64 "
                              "--arg in:f32[64]=iota --arg out:f32[64] --arg n:i32=32,64"));
  EXPECT_EQ(got.code, 1) << got.out << got.err;
  EXPECT_EQ(occurrences(got.out, "error: out_of_bounds_read"), 1U) << got.out;
  EXPECT_EQ(occurrences(got.out, ": 1 error ("), 2U) << got.out;
  EXPECT_EQ(got.json["combinations"][2]["findings"].size(), 1U);
  EXPECT_EQ(got.json["combinations"][3]["findings"].size(), 1U);
  EXPECT_NE(got.out.find("4 combinations: 2 with findings; the first of these again:\n"
                         "  gauntlet sanitize "),
            got.out.npos)
      << got.out;
}

TEST(SanitizeCombinations, print_a_line_that_runs_the_first_one_with_a_finding_again) {
  const Sanitized got = sanitize(
      defects,
      words("--entry read_past_end<true> --entry read_past_end<false> --grid 1 --grid 2 "
            "--block 64 --arg in:f32[64],offset:4=iota --arg out:f32[64] --arg n:i32=32,64 "
            "--schedule high_lane_first"));
  EXPECT_EQ(got.code, 1) << got.out << got.err;
  const auto at = got.out.find("  gauntlet sanitize ");
  ASSERT_NE(at, got.out.npos) << got.out;
  const std::string command = got.out.substr(at + 2);
  EXPECT_NE(command.find("--entry 'read_past_end<false>'"), command.npos) << command;
  EXPECT_NE(unwrapped(command).find("--grid 1 "), command.npos) << command;
  EXPECT_NE(command.find("n:i32=64"), command.npos) << command;
  // As pasted into a shell.
  const std::string program = GAUNTLET_PROGRAM;
  const auto again =
      os::run({"/bin/sh", "-c", program + command.substr(std::string("gauntlet").size())}, "", 60);
  EXPECT_NE(again.out.find("error: out_of_bounds_read in[64]"), again.out.npos) << again.out;
  EXPECT_NE(again.out.find("read_past_end<false>: 1 error (high_lane_first"), again.out.npos)
      << again.out;
}

TEST(SanitizeCombinations, size_arrays_by_the_value_that_they_are_named_after) {
  const Sanitized got =
      sanitize(defects, words("--entry write_past_end<false> --grid 1 --block 64 --arg out:i32[n] "
                              "--arg n:i32=1,33,64"));
  EXPECT_EQ(got.code, 1) << got.out << got.err;
  ASSERT_EQ(got.json["combinations"].size(), 3U);
  for (const auto& one : got.json["combinations"]) {
    const auto count = one["arguments"][0]["count"].get<int>();
    EXPECT_EQ(one["combination"], "n=" + std::to_string(count));
    // One thread goes too far, where there are more threads than elements.
    EXPECT_EQ(one["findings"].size(), count == 64 ? 0U : 1U) << one;
    if (count != 64) {
      EXPECT_EQ(one["findings"][0]["index"], count);
    }
  }
  EXPECT_NE(got.out.find("--arg 'out:i32[n]'"), got.out.npos) << got.out;
}

TEST(SanitizeCombinations, of_a_source_are_compiled_once) {
  const TemporaryFolder folder;
  const auto nvcc = folder.path() / "nvcc";
  const std::string calls = (folder.path() / "calls").string();
  std::ofstream(nvcc) << "#!/bin/sh\necho called >> " << calls
                      << "\nwhile [ \"$1\" != -o ]; do shift; done\ncp " << kernels << " \"$2\"\n";
  chmod(nvcc.c_str(), 0755);
  std::ofstream(folder.path() / "k.cu") << "\n";
  const Ended ended =
      run({"sanitize", (folder.path() / "k.cu").string(), "--entry", "histogram<16>", "--entry",
           "histogram<64>", "--grid", "1", "--grid", "2", "--block", "32,64", "--arg",
           "in:i32[100]=iota", "--arg", "out:i32[64]=0", "--arg", "n:i32=1,100"},
          {"PATH=" + folder.path().string() + ":/usr/bin:/bin"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_TRUE(ended.out.ends_with("16 combinations: clean\n")) << ended.out;
  EXPECT_EQ(read_text(calls), "called\n");
}

TEST(SanitizeCombinations, of_blocks_in_two_dimensions_are_written_with_an_x) {
  const std::string launch =
      "--entry transpose --grid 4,4 --arg in:f32[256]=iota --arg out:f32[256],scratch "
      "--arg w:i32=16 --arg h:i32=16 --block ";
  const Sanitized list = sanitize(kernels, words(launch + "16x16,16x8"));
  ASSERT_EQ(list.json["combinations"].size(), 2U) << list.out << list.err;
  EXPECT_EQ(list.json["combinations"][0]["block"], (Json{16, 16, 1}));
  EXPECT_EQ(list.json["combinations"][1]["combination"], "block=16x8");
  const Sanitized one = sanitize(kernels, words(launch + "16,16"));
  EXPECT_EQ(one.code, 0) << one.out << one.err;
  EXPECT_EQ(one.json["block"], (Json{16, 16, 1}));
}

TEST(SanitizeCombinations, what_is_wrong_with_them_is_one_line_and_exit_code_2) {
  const std::string scan = "--entry scan --grid 1 --arg in:i32[9]=1 --arg out:i32[9] ";
  const std::pair<std::string, std::string> wrong[] = {
      {scan + "--arg n:i32=1,x --block 32", "`x`"},
      {scan + "--arg n:i32=1,2,1 --block 32", "`n:i32=1` is given twice"},
      {scan + "--arg n:i32=1, --block 32", "an expression is missing at the end"},
      {scan + "--arg n:i32=1,2 --block 64,64", "64 is named twice; as one, it has more than 1024"},
      {scan + "--arg n:i32=1 --block 32 --block 32", "32 is named twice"},
      {scan + "--arg n:i32=1 --block 32x", "--block 32x"},
      {scan + "--arg n:i32=1 --block 32,33x2x2x2", "--block 32,33x2x2x2"},
      {scan + "--arg n:i32=1,2 --block 32 --dump out=/tmp/never.npy", "2 combinations would write"},
      {scan + "--arg n:i32=1 --block 32 --entry prefix::scan", "prefix::scan is named twice"},
      {scan + "--arg n:i32=1 --block 32 --entry transpose", "takes f32"}};
  for (const auto& [text, part] : wrong) {
    expect_one_line(sanitize(kernels, words(text)), 2, part, text);
  }
}

TEST(SanitizeCombinations, beyond_ten_thousand_are_refused) {
  std::string many = "1";
  for (int k = 2; k <= 200; ++k) many += "," + std::to_string(k);
  const Sanitized got =
      sanitize(kernels, words("--entry transpose --grid 1 --block 1 --arg in:f32[9]=1 --arg "
                              "out:f32[9] --arg w:i32=" +
                              many + " --arg h:i32=" + many));
  EXPECT_EQ(got.code, 2);
  EXPECT_NE(got.err.find("more than 10000 combinations"), got.err.npos) << got.err;
}

}  // namespace
}  // namespace gauntlet::test
