// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// `gauntlet --on cuda` where there is no GPU. CUDA_VISIBLE_DEVICES hides one that is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/os/process.hpp"

namespace {

struct Outcome {
  int code = -1;
  std::string text;
};

Outcome run(const std::string& arguments) {
  // The program lies in the build folder, this test in its bin/.
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  const std::string command = "CUDA_VISIBLE_DEVICES= " + (here / GAUNTLET_PROGRAM_NAME).string() +
                              " " + arguments + " 2>&1";
  const gauntlet::os::Ran ran = gauntlet::os::run({"/bin/sh", "-c", command}, "", 300);
  return {ran.end.code(), ran.out};
}

void expect_no_gpu(const Outcome& outcome, const std::string& instead = "use --on simt") {
  EXPECT_EQ(outcome.code, 3) << outcome.text;
  EXPECT_TRUE(outcome.text.starts_with("gauntlet: no usable GPU: ")) << outcome.text;
  EXPECT_NE(outcome.text.find(instead), std::string::npos) << outcome.text;
  EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
}

TEST(AbsentGpu, check_repro_and_agree_say_so_in_one_line_and_exit_with_3) {
  expect_no_gpu(run("check --on cuda sequential"));
  expect_no_gpu(run("repro --on cuda 'sequential@fixed f32->f32 sum n=10 block=32'"));
  expect_no_gpu(run("agree sequential"), "; agree compares with one; gauntlet check runs without");
}

TEST(AbsentGpu, the_simt_machine_needs_none) {
  const Outcome outcome = run("repro 'sequential@fixed f32->f32 sum n=10 block=32' --alone");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
}

TEST(AbsentGpu, the_worker_is_no_verb_for_people) {
  const Outcome outcome = run("--help");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.text.find("worker"), std::string::npos) << outcome.text;
}

}  // namespace
