// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the number of threads, a program prints the same bits, and the same is found.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

/// What `gauntlet run` says of the program with so many threads, without the number of its process.
Ran with_threads(const std::string& part, int threads) {
  Ran ran = run_program("blocks", {part}, {"--jobs", std::to_string(threads)});
  for (auto& process : ran.json.at("processes")) process.erase("process");
  ran.json.erase("options");
  return ran;
}

/// `told`: of what is found; empty: nothing is.
void expect_same(const std::string& part, const std::string& told) {
  const Ran alone = with_threads(part, 1);
  EXPECT_EQ(alone.kinds().empty(), told.empty()) << alone.err;
  EXPECT_NE(alone.err.find(told), std::string::npos) << alone.err;
  EXPECT_NE(alone.out.find(part + ": sum "), std::string::npos) << alone.out;
  for (const int threads : {2, 5}) {
    const Ran ran = with_threads(part, threads);
    EXPECT_EQ(ran.code, alone.code);
    EXPECT_EQ(ran.out, alone.out);
    EXPECT_EQ(ran.err, alone.err);
    EXPECT_EQ(ran.json.at("processes"), alone.json.at("processes"));
  }
}

TEST(RunThreads, print_and_count_the_same) { expect_same("clean", ""); }

TEST(RunThreads, find_the_same_race_of_late_blocks) {
  expect_same("race", "error: race_write_write ");
}

TEST(RunThreads, find_the_same_overrun_of_the_last_thread) {
  expect_same("overrun", "error: out_of_bounds_write ");
}

TEST(RunMemory, a_race_is_found_in_an_array_that_the_detector_could_not_keep_as_a_whole) {
  const Ran ran = run_program("blocks", {"large"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.kinds(), Kinds{"race_write_write 16"}) << ran.err;
  EXPECT_EQ(ran.err.find("races were looked for"), std::string::npos) << ran.err;
}

TEST(RunMemory, that_runs_out_for_races_ends_the_search_and_is_told) {
  const std::string program = std::string(GAUNTLET_PROGRAMS) + "/blocks scattered";
  const std::string told = "races were looked for in the beginning of launch 1 only",
                    counted = "; 1 of the launches checked for races in the beginning only";
  const Ran low =
      run_command({"/bin/sh", "-c", "ulimit -v 300000; exec " + program}, {"--jobs", "1"});
  EXPECT_EQ(low.code, 0) << low.err;
  EXPECT_EQ(low.kinds(), Kinds{}) << low.err;
  EXPECT_NE(unwrapped(low.err).find(told), std::string::npos) << low.err;
  EXPECT_NE(unwrapped(low.err).find(counted), std::string::npos) << low.err;
  const Ran high = run_program("blocks", {"scattered"});
  EXPECT_EQ(high.code, 0) << high.err;
  EXPECT_EQ(unwrapped(high.err).find("in the beginning"), std::string::npos) << high.err;
}

TEST(RunProgress, is_told_of_a_long_launch_on_a_terminal) {
  const Terminal terminal;
  Program program({"run", "--step-limit", "1000000000000", "--",
                   std::string(GAUNTLET_PROGRAMS) + "/blocks", "long"},
                  {}, {}, terminal.name());
  ASSERT_TRUE(terminal.has_text(60)) << "no progress line";
  program.signal(SIGINT);
  program.wait();
  const std::string text = terminal.text();
  EXPECT_NE(text.find("0/1 blocks  "), std::string::npos) << text;
  EXPECT_NE(text.find(" M warp instructions/s  "), std::string::npos) << text;
  EXPECT_EQ(run_program("blocks", {"clean"}).err.find(" blocks  "), std::string::npos);
}

TEST(RunThreads, of_no_number_are_refused) {
  const Ran ran = run_program("blocks", {"clean"}, {"--jobs", "0"});
  EXPECT_EQ(ran.code, 2);
}

}  // namespace
}  // namespace gauntlet::test
