// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels do wrong in whole programs.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

/// Each text comes behind the one before.
void expect_in_order(const std::string& text, const std::vector<std::string>& parts) {
  const std::string line = unwrapped(text);
  std::size_t at = 0;
  for (const std::string& part : parts) {
    const auto found = line.find(part, at);
    EXPECT_NE(found, std::string::npos) << "`" << part << "` is missing in\n" << text;
    if (found != std::string::npos) at = found + part.size();
  }
}

TEST(RunFindings, a_race_of_three_launches_is_told_once_with_its_lines_and_the_launch) {
  const Ran ran = run_program("faults", {"race"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.kinds(), Kinds{"race_write_read 768"}) << ran.err;
  EXPECT_EQ(ran.json.at("processes").at(0).at("findings").at(0).at("launches"), 3);
  expect_in_order(
      ran.err, {"gauntlet run: (anonymous namespace)::missing_barrier(int*) <<<1, 256>>>, launch 1",
                "launched at ", "faults.cu:", " in ", "race()", "error: race_write_read s[",
                "faults.cu:22", "out[threadIdx.x] = s[(threadIdx.x + 37) % n];",
                "gauntlet run: 1 error (1 kernel, 3 launches, "});
  EXPECT_EQ(ran.err.find("launch 2"), std::string::npos) << ran.err;
}

TEST(RunFindings, the_exit_code_for_findings_takes_the_place_of_a_success_only) {
  EXPECT_EQ(run_program("faults", {"race"}, {"--error-exitcode", "9"}).code, 9);
  EXPECT_EQ(run_program("basics", {"vectors"}, {"--error-exitcode", "9"}).code, 0);
  EXPECT_EQ(run_program("faults", {"nothing of that name"}, {"--error-exitcode", "9"}).code, 1);
}

TEST(RunFindings, without_races_there_is_none) {
  const Ran ran = run_program("faults", {"race"}, {"--no-races"});
  EXPECT_EQ(ran.kinds(), Kinds{});
}

TEST(RunFindings, accesses_beyond_an_array_name_it_and_where_it_was_allocated) {
  const Ran write = run_program("faults", {"out_of_bounds_write"});
  EXPECT_EQ(write.kinds(), Kinds{"out_of_bounds_write 1"}) << write.err;
  expect_in_order(
      write.err, {"error: out_of_bounds_write cudaMalloc#1[100], 4 bytes",
                  "cudaMalloc#1 has 100 elements", "faults.cu:25",
                  "cudaMalloc#1: 400 bytes, allocated at", "faults.cu:42, called", "faults.cu:50"});
  const Ran read = run_program("faults", {"out_of_bounds_read"});
  EXPECT_EQ(read.kinds(), Kinds{"out_of_bounds_read 1"}) << read.err;
}

TEST(RunFindings, a_branch_on_memory_that_nobody_wrote) {
  const Ran ran = run_program("faults", {"undefined"});
  ASSERT_EQ(ran.kinds().size(), 1U) << ran.err;
  EXPECT_TRUE(ran.kinds().front().starts_with("poison_branch ")) << ran.err;
  expect_in_order(ran.err, {"error: poison_branch", "the value comes from cudaMalloc#"});
}

TEST(RunFindings, a_barrier_that_part_of_the_block_reaches) {
  const Ran ran = run_program("faults", {"barrier"});
  ASSERT_FALSE(ran.kinds().empty());
  EXPECT_NE(unwrapped(ran.err).find("_barrier"), std::string::npos) << ran.err;
}

TEST(RunFindings, an_assertion_ends_the_device_as_on_a_gpu) {
  const Ran ran = run_program("faults", {"assertion"});
  EXPECT_EQ(ran.kinds(), Kinds{"assertion 1"}) << ran.err;
  EXPECT_EQ(ran.out, "cudaErrorAssert\n");
}

TEST(RunFindings, host_memory_in_a_kernel_is_called_by_its_name) {
  const Ran ran = run_program("faults", {"host_pointer"});
  ASSERT_EQ(ran.kinds().size(), 1U) << ran.err;
  EXPECT_EQ(ran.kinds().front(), "unallocated 256");
  EXPECT_EQ(ran.out, "cudaErrorIllegalAddress\n");
  EXPECT_NE(unwrapped(ran.err).find("host memory (the heap)"), std::string::npos) << ran.err;
}

TEST(RunFindings, a_kernel_that_uses_freed_memory_is_told_who_freed_it) {
  const Ran ran = run_program("faults", {"kernel_after_free"});
  ASSERT_EQ(ran.kinds().size(), 1U) << ran.err;
  EXPECT_EQ(ran.kinds().front(), "use_after_free 256");
  expect_in_order(ran.err, {"cudaMalloc#1 was freed", "cudaMalloc#1: 1024 bytes, allocated at",
                            "faults.cu:68", ", freed at", "faults.cu:69"});
}

TEST(RunKernelHeap, what_kernels_allocate_is_theirs_over_launches) {
  const Ran ran = run_program("kernel_heap", {}, {"--leak-check"});
  EXPECT_EQ(ran.out, expected("kernel_heap")) << ran.err;
  EXPECT_EQ(ran.kinds(), Kinds{}) << ran.err;
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{}) << ran.err;
}

TEST(RunKernelHeap, each_mistake_is_found) {
  const std::pair<const char*, const char*> faults[] = {{"overruns", "out_of_bounds_write 1"},
                                                        {"uses_after_free", "use_after_free 1"},
                                                        {"frees_twice", "use_after_free 1"},
                                                        {"frees_another", "unallocated 1"},
                                                        {"undefined", "poison_branch 1"}};
  for (const auto& [fault, kind] : faults) {
    const Ran ran = run_program("kernel_heap", {fault});
    EXPECT_EQ(ran.kinds(), Kinds{kind}) << fault << ran.err;
    EXPECT_NE(unwrapped(ran.err).find("kernel_heap.cu:"), std::string::npos) << ran.err;
  }
  const Ran leaks = run_program("kernel_heap", {"leaks"}, {"--leak-check"});
  EXPECT_EQ(leaks.kinds("mistakes"), Kinds{"leak 200"}) << leaks.err;
  EXPECT_NE(unwrapped(leaks.err).find("200 arrays that kernels allocated, 3200 bytes in all, were "
                                      "not freed"),
            std::string::npos)
      << leaks.err;
}

TEST(RunFindings, of_a_suite_whose_tests_all_pass) {
  const Ran ran = run_program("suite", {}, {"--error-exitcode", "1"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find("[  PASSED  ] 2 tests."), std::string::npos) << ran.out << ran.err;
  expect_in_order(ran.err,
                  {"warp_tail_sum(int const*, int*)", "race_", "suite.cu:", "gauntlet run: "});
  const Ran filtered = run_program("suite", {"--gtest_filter=*scales"}, {"--error-exitcode", "1"});
  EXPECT_EQ(filtered.code, 0) << filtered.err;
}

}  // namespace
}  // namespace gauntlet::test
