// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs without a mistake: what they print is what a GPU prints, and nothing is found.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunClean, memory_streams_errors_variables_and_launches_of_every_kind) {
  expect_clean(run_program("basics"), expected("basics"));
}

TEST(RunClean, the_summary_counts_launches_and_instructions_of_each_kernel) {
  const Ran ran = run_program("basics", {"many"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto& kernels = ran.json.at("processes").at(0).at("kernels");
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels.at(0).at("launches"), 1000);
  EXPECT_EQ(kernels.at(0).at("warp_instructions").get<std::uint64_t>() % 16000, 0U);
  EXPECT_NE(kernels.at(0).at("name").get<std::string>().find("increment(int*, int)"),
            std::string::npos);
}

TEST(RunClean, cub_and_thrust_with_their_host_code) {
  expect_clean(run_program("libraries"), expected("libraries"));
}

TEST(RunClean, graphs_that_streams_capture_and_that_are_put_together) {
  expect_clean(run_program("graphs"), expected("graphs"));
}

TEST(RunClean, device_code_in_every_packing_and_a_path_of_the_program_to_another_runtime) {
  for (const char* name : {"tiny", "tiny_lz4_rpath", "tiny_not_packed"}) {
    expect_clean(run_program(name), expected("tiny"));
  }
}

TEST(RunClean, what_is_asked_of_the_device_follows_the_option) {
  const Ran ran = run_program("basics", {"device"}, {"--device", "sm_75"});
  EXPECT_NE(ran.out.find("compute capability 7.5\ndevice: 4 blocks"), std::string::npos) << ran.out;
}

TEST(RunClean, other_schedules_give_the_same) {
  expect_clean(run_program("basics", {}, {"--schedule", "random:3"}), expected("basics"));
}

TEST(RunClean, no_leak_where_all_is_freed) {
  for (const char* part : {"vectors", "sums", "rows", "streams", "cooperative"}) {
    const Ran ran = run_program("basics", {part}, {"--leak-check"});
    EXPECT_EQ(ran.kinds("mistakes"), Kinds{}) << ran.err;
  }
}

TEST(RunClean, names_of_kernels_are_made_readable_when_they_are_told) {
  const Ran ran = run_program("names");
  expect_clean(ran, "registered: 0 processes\nlaunched: 1 processes\nlaunched: 1 processes\n");
  EXPECT_EQ(ran.json.at("processes")
                .at(0)
                .at("kernels")
                .at(0)
                .at("name")
                .get<std::string>()
                .find("void (anonymous namespace)::sum<float>(float const*, float const*, "),
            0U)
      << ran.err;
}

}  // namespace
}  // namespace gauntlet::test
