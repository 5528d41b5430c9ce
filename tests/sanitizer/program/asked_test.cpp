// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a program asks of what was found in it (gauntlet/run.h, gauntlet/gtest.hpp).
#include <fstream>
#include <string>
#include <vector>

#include "base/os/process.hpp"
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

/// The names behind `[  FAILED  ]` in GoogleTest's summary.
std::vector<std::string> failed(const std::string& out) {
  std::vector<std::string> all;
  const std::string tag = "\n[  FAILED  ] ";
  for (auto at = out.find("listed below:"); (at = out.find(tag, at)) != out.npos;) {
    at += tag.size();
    all.push_back(out.substr(at, out.find('\n', at) - at));
  }
  return all;
}

using Names = std::vector<std::string>;

TEST(RunGoogleTest, the_test_that_launched_a_wrong_kernel_fails_and_no_other) {
  const Ran ran = run_program("googletest");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_EQ(failed(ran.out), Names{"Sums.of_neighbours"}) << ran.out;
  EXPECT_NE(ran.out.find("[       OK ] Sums.doubled"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("[       OK ] Sums.reversed"), std::string::npos) << ran.out;
  // As the file's head says.
  EXPECT_NE(unwrapped(ran.out).find("error: race_write_read s[63], 4 bytes (64 times) no barrier "
                                    "orders the write at googletest.cu:48 and the read at :49"),
            std::string::npos)
      << ran.out;
  EXPECT_EQ(ran.out.find('\033'), std::string::npos);
}

TEST(RunGoogleTest, so_it_does_where_the_finding_is_known) {
  const Ran ran = run_program("googletest", {"--gtest_repeat=3"});
  EXPECT_EQ(failed(ran.out.substr(ran.out.find("Repeating all tests (iteration 3)"))),
            Names{"Sums.of_neighbours"})
      << ran.out;
}

TEST(RunGoogleTest, what_is_left_out_fails_no_test) {
  const TemporaryFolder folder;
  const std::string ignored = (folder.path() / "ignored").string();
  std::ofstream(ignored) << "* kernel=sums_of_neighbours\nundefined_copy function=result\n";
  const Ran ran = run_program("googletest", {}, {"--ignore", ignored});
  EXPECT_EQ(ran.code, 0) << ran.out;
}

TEST(RunGoogleTest, without_gauntlet_run_a_program_is_as_it_was) {
  // No test that needs a device is asked for.
  os::Process process(
      {.argv = {std::string(GAUNTLET_PROGRAMS) + "/googletest", "--gtest_filter=-*"},
       .environment = {"LD_LIBRARY_PATH=" GAUNTLET_TOOLKIT_LIBRARIES},
       .out = "/dev/null",
       .err = "/dev/null"});
  EXPECT_EQ(process.wait().code(), 0);
}

TEST(RunAsked, findings_since_a_moment_are_counted_and_told) {
  const Ran ran = run_program("forgotten", {"none"});
  EXPECT_EQ(ran.out,
            "0 before a call\n1, the first with its name: 1, behind the last: 0\n"
            "0 of nothing\n1 again, 2 in all\n")
      << ran.err;
  EXPECT_EQ(ran.kinds().size(), 2U) << ran.err;
}

TEST(RunAsked, what_is_forgotten_does_not_count) {
  const Ran first = run_program("forgotten", {"first"});
  EXPECT_EQ(first.kinds().size(), 2U) << "it is found again\n" << first.err;
  const Ran second = run_program("forgotten", {"second"});
  EXPECT_EQ(second.kinds().size(), 1U) << second.err;
  EXPECT_EQ(second.json.at("processes").at(0).at("kernels").at(1).at("findings"), 0);
  EXPECT_NE(second.err.find("gauntlet run: 1 error (2 kernels"), std::string::npos) << second.err;
}

}  // namespace
}  // namespace gauntlet::test
