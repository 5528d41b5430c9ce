// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What cannot be run says so in one line, with what to do, and ends with code 2.
#include "tests/runtime/run_program.hpp"

namespace gauntlet::test {
namespace {

void expect_refused(const Ended& ended, const std::string& because) {
  EXPECT_EQ(ended.code, 2) << ended.err;
  std::string line = ended.err;
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  // Lines are broken at 80 columns and indented.
  for (auto at = line.find("  "); at != line.npos; at = line.find("  ")) line.erase(at, 1);
  EXPECT_NE(line.find(because), std::string::npos) << ended.err;
}

TEST(RunRefuses, an_entry_of_the_runtime_that_is_not_there_by_its_name) {
  const Ran ran = run_program("faults", {"missing"});
  expect_refused(ran, "gauntlet run: the program calls cudaMallocArray, which is not supported");
  EXPECT_EQ(ran.out, "before\n");
  EXPECT_NE(unwrapped(ran.err).find("nothing found until it ended"), std::string::npos) << ran.err;
}

TEST(RunRefuses, the_static_runtime_with_the_way_to_build) {
  const Ran ran = run_program("tiny_static");
  expect_refused(ran, "static CUDA runtime");
  EXPECT_NE(unwrapped(ran.err).find("-cudart shared"), std::string::npos);
  EXPECT_EQ(ran.out, "");
}

TEST(RunRefuses, a_library_with_the_static_runtime_by_its_name_and_the_call) {
  const Ran ran = run_program("own_runtime", {GAUNTLET_PROGRAMS "/libown_runtime.so"});
  expect_refused(ran, "libown_runtime.so, called at ");
  EXPECT_NE(unwrapped(ran.err).find("own_runtime.cpp:15 in main, has the static CUDA runtime"),
            std::string::npos)
      << ran.err;
}

TEST(RunRefuses, machine_code_alone_with_the_way_to_build) {
  const Ran ran = run_program("tiny_machine_code");
  expect_refused(ran, "only machine code of hello(char const*), and no PTX to run");
  EXPECT_NE(unwrapped(ran.err).find("arch=compute_75,code=compute_75"), std::string::npos)
      << ran.err;
}

TEST(RunRefuses, commands_that_cannot_be_started) {
  expect_refused(run({"run"}), "the program is missing");
  expect_refused(run({"run", "--", "/nowhere/at/all"}), "/nowhere/at/all: No such file");
  expect_refused(run({"run", "--device", "sm_1", "--", "/bin/true"}), "--device sm_1");
  expect_refused(run({"run", "--schedule", "never", "--", "/bin/true"}), "never");
}

TEST(RunRefuses, nothing_of_a_program_without_cuda_but_says_that_nothing_was_checked) {
  const Ended ended = run({"run", "--", "/bin/sh", "-c", "echo out; exit 5"});
  EXPECT_EQ(ended.code, 5);
  EXPECT_EQ(ended.out, "out\n");
  EXPECT_NE(unwrapped(ended.err).find("nothing was checked"), std::string::npos);
}

TEST(RunRefuses, nothing_that_a_script_starts) {
  const Ended ended =
      run({"run", "--error-exitcode", "3", "--", "/bin/sh", "-c",
           std::string(GAUNTLET_PROGRAMS) + "/faults race; " + GAUNTLET_PROGRAMS + "/tiny"});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(ended.out, expected("tiny"));
  EXPECT_NE(unwrapped(ended.err).find("1 error (2 kernels, 4 launches"), std::string::npos)
      << ended.err;
}

}  // namespace
}  // namespace gauntlet::test
