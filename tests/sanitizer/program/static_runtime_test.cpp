// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs as nvcc builds them by default, with the runtime inside, and libraries with one of their
// own.
#include <regex>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunStatic, programs_print_what_those_with_the_shared_runtime_do) {
  expect_clean(run_program("tiny_static", {}, {"--leak-check"}), expected("tiny"));
  expect_clean(run_program("basics_static"), expected("basics"));  // -O3, at a fixed address
  expect_clean(run_program("linked_static", {}, {"--leak-check"}), expected("linked"));
}

/// What was found, without what says which program it was, and where its memory lies.
std::string found(const Ran& ran, const std::string& program) {
  auto process = ran.json.at("processes").at(0);
  process.erase("program");
  process.erase("process");
  std::string text = process.dump(1);
  for (auto at = text.find(program); at != text.npos; at = text.find(program, at)) {
    text.replace(at, program.size(), "PROGRAM");
  }
  return std::regex_replace(text, std::regex("0x[0-9a-f]+"), "ADDRESS");
}

class RunStaticFaults : public ::testing::TestWithParam<const char*> {};

TEST_P(RunStaticFaults, are_found_with_the_same_lines_as_with_the_shared_runtime) {
  const Ran with_shared = run_program("faults", {GetParam()}, {"--leak-check"});
  const Ran with_static = run_program("faults_static", {GetParam()}, {"--leak-check"});
  EXPECT_EQ(with_static.out, with_shared.out);
  EXPECT_EQ(with_static.code, with_shared.code);
  EXPECT_FALSE(with_static.json.at("clean").get<bool>());
  EXPECT_EQ(found(with_static, "\"faults_static\""), found(with_shared, "\"faults\""));
}

INSTANTIATE_TEST_SUITE_P(Of, RunStaticFaults,
                         ::testing::Values("race", "out_of_bounds_write", "assertion",
                                           "host_pointer", "kernel_after_free", "copy_after_free",
                                           "double_free_in_thread", "wrong_direction",
                                           "unread_error", "undefined_copy", "leak", "missing"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(RunStatic, the_runtimes_of_a_program_and_its_libraries_are_one) {
  expect_clean(run_program("parts", {GAUNTLET_PROGRAMS "/libpart_loaded.so"}, {"--leak-check"}),
               "linked: 192, its constructor made 17\n"
               "refused -1, and 192 as before\n"
               "cudaErrorInvalidValue, then cudaSuccess\n"
               "loaded: 192, its constructor made 17\n"
               "refused -1, and 192 as before\n"
               "cudaErrorInvalidValue, then cudaSuccess\n"
               "0 64 128 192 \n");
}

TEST(RunStatic, a_race_between_two_libraries_is_found_with_the_lines_of_both) {
  const Ran ran = run_program("parts", {GAUNTLET_PROGRAMS "/libpart_loaded.so", "race"});
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{"race_write_write 1"}) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find("parts.cu:"), std::string::npos) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find("part.cu:"), std::string::npos) << ran.err;
}

TEST(RunStatic, a_library_with_a_runtime_of_its_own_shares_that_of_the_program) {
  const Ran ran = run_program("own_runtime", {GAUNTLET_PROGRAMS "/libown_runtime.so"});
  expect_clean(ran, "created: 0\n");
}

TEST(RunStatic, what_a_script_starts_is_checked) {
  const Ended ended =
      run({"run", "--error-exitcode", "3", "--", "/bin/sh", "-c",
           GAUNTLET_PROGRAMS "/tiny_static; " GAUNTLET_PROGRAMS "/faults_static race"});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(ended.out, expected("tiny"));
}

TEST(RunStatic, a_makefile_builds_with_the_flags_that_the_message_names) {
  const Ended ended = run_in_shell(
      "cd \"$(mktemp -d)\" && printf 'all: ; " GAUNTLET_NVCC
      " -cudart static -o tiny " GAUNTLET_PROGRAM_SOURCES
      "/tiny.cu -Xlinker -s\n' > Makefile && "
      "NVCC_APPEND_FLAGS='-cudart shared -lineinfo -g' make && \"$GAUNTLET\" run -- ./tiny");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(ended.out.ends_with(expected("tiny"))) << ended.out;
}

}  // namespace
}  // namespace gauntlet::test
