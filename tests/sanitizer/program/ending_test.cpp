// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that is told to end while a kernel runs, and one whose `gauntlet run` is killed.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

/// The signals come all at once, as `timeout` sends them: to a process and to its group.
Ended interrupted(const std::string& json, const std::vector<int>& signals) {
  Program program({"run", "--json", json, "--step-limit", "1000000000000", "--",
                   std::string(GAUNTLET_PROGRAMS) + "/blocks", "endless"});
  EXPECT_TRUE(program.wrote_error_text(60)) << "the program was not started";
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  for (const int signal : signals) {
    program.signal(signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return program.wait();
}

TEST(RunTold, to_end_keeps_what_was_found_in_the_launch_under_way) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const TemporaryFolder folder;
    const auto json = (folder.path() / "run.json").string();
    const Ended ended = interrupted(json, {signal, signal});
    EXPECT_EQ(ended.code, 128 + SIGTERM) << ended.err;
    EXPECT_NE(ended.err.find("race_write_write cudaMalloc#2[0]"), std::string::npos) << ended.err;
    EXPECT_NE(unwrapped(ended.err).find("endless(float*) <<<1, 32>>> was interrupted, launch 1,"),
              std::string::npos)
        << ended.err;
    const auto process = nlohmann::json::parse(read_text(json)).at("processes").at(0);
    EXPECT_EQ(process.at("kernels").at(0).at("launches"), 1);
    EXPECT_EQ(process.at("findings").at(0).at("finding").at("kind"), "race_write_write");
  }
}

TEST(RunDying, keeps_what_was_counted_until_then) {
  struct Way {
    const char* name;
    int signal, launches = 2;
  };
  for (const auto& [way, signal, launches] :
       {Way{"abort", SIGABRT}, Way{"terminate", SIGABRT}, Way{"assert", SIGABRT},
        Way{"divide", SIGFPE}, Way{"null", SIGSEGV}, Way{"freed_twice", SIGABRT},
        Way{"terminated", SIGTERM, 1}, Way{"out_of_time", SIGXCPU, 1}}) {
    const Ran ran = run_program("dies", {way});
    EXPECT_EQ(ran.code, 128 + signal) << way << ran.err;
    const std::string counted = launches == 1 ? "(1 kernel, 1 launch, " : "(1 kernel, 2 launches, ";
    EXPECT_NE(unwrapped(ran.err).find(counted), std::string::npos) << way << ran.err;
    EXPECT_EQ(ran.json.at("processes").at(0).at("kernels").at(0).at("launches"), launches) << way;
  }
}

TEST(RunLeaving, without_exit_handlers_keeps_what_was_counted_until_then) {
  for (const char* const way : {"_exit", "_Exit", "quick_exit", "copy_exits"}) {
    const Ran ran = run_program("dies", {way});
    EXPECT_EQ(ran.code, 3) << way << ran.err;
    EXPECT_NE(unwrapped(ran.err).find("clean (1 kernel, 2 launches, "), std::string::npos)
        << way << ran.err;
    EXPECT_EQ(run_program("dies", {way, "idle"}).code, 3) << way;
  }
}

TEST(RunLeaving, without_exit_handlers_tells_what_is_left) {
  const Ran ran = run_program("dies", {"_exit"}, {"--leak-check"});
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{"leak 1"}) << ran.err;
}

TEST(RunDying, by_a_kill_says_that_counts_are_missing) {
  const Ran ran = run_program("dies", {"killed"});
  EXPECT_EQ(ran.code, 128 + SIGKILL) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find("what it launched in its last second is not counted"),
            std::string::npos)
      << ran.err;
}

TEST(RunDying, without_a_launch_says_so) {
  const Ran ran = run_program("dies", {"abort", "idle"});
  EXPECT_EQ(ran.code, 128 + SIGABRT) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find("0 launches, 0 warp instructions); no kernel was launched"),
            std::string::npos)
      << ran.err;
}

TEST(RunDying, leaves_a_program_its_own_handler) {
  const Ran ran = run_program("dies", {"own_handler"});
  EXPECT_EQ(ran.code, 5) << ran.err;
  EXPECT_EQ(ran.out, "mine\n");
}

/// Whether a process has this word among its arguments.
bool runs(const std::string& word) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    const std::string words{std::istreambuf_iterator<char>(file), {}};
    if (words.find(word + '\0') != words.npos) return true;
  }
  return false;
}

TEST(RunKilled, ends_its_program_too) {
  const std::string word = "of_" + std::to_string(getpid());
  Program program({"run", "--step-limit", "1000000000000", "--",
                   std::string(GAUNTLET_PROGRAMS) + "/blocks", "endless", word});
  ASSERT_TRUE(program.wrote_error_text(60)) << "the program was not started";
  ASSERT_TRUE(runs(word));
  program.signal(SIGKILL);
  EXPECT_EQ(program.wait().code, 1000 + SIGKILL);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (runs(word) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(runs(word));
}

TEST(RunEnding, static_objects_free_their_arrays) {
  expect_clean(run_program("late_frees"), "cudaSuccess\n");
}

}  // namespace
}  // namespace gauntlet::test
