// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that is told to end while a kernel runs.
#include <chrono>
#include <csignal>
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

}  // namespace
}  // namespace gauntlet::test
