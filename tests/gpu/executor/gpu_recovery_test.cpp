// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Faults, hangs and killed workers on a real GPU: the others' results stay right.
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "kernels/subject.hpp"
#include "properties/hunt/shrink.hpp"
#include "properties/oracle/oracle.hpp"
#include "tests/gpu/executor/gpu.hpp"
#include "tests/gpu/executor/run_all.hpp"

namespace gauntlet::cuda {
namespace {

using namespace std::chrono_literals;

std::vector<Case> mixed_cases(std::size_t count) {
  const char* const variants[] = {"sequential",   "shuffle_two_stage", "int4_shuffle",
                                  "grid_stride",  "static_partials",   "cub_device",
                                  "shuffle_down", "full_unroll"};
  std::vector<Case> cases;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string types = i % 2 == 0 ? "f32->f32" : "i32->i32";
    cases.push_back(case_of(std::string(variants[i % std::size(variants)]) + "@fixed " + types +
                            " sum n=" + std::to_string(1 + 37 * i % 3000) +
                            " block=128 data=identities seed=" + std::to_string(1 + i) +
                            " tail=unmapped"));
  }
  return cases;
}

TEST(GpuRecovery, a_batch_with_faulting_cases_gives_every_other_case_its_result) {
  std::vector<Case> cases = mixed_cases(400);
  for (const std::size_t i : {50U, 51U, 333U}) {
    cases[i] = case_of("sequential@fixed-bounds_check f32->f32 sum n=3 block=256 tail=unmapped");
  }
  const auto observations = run_all(gpu(), cases);
  ASSERT_EQ(observations.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool planted = i == 50 || i == 51 || i == 333;
    ASSERT_EQ(found(observations[i]), planted ? "out_of_bounds_read in" : "")
        << to_string(cases[i]);
    if (planted) continue;
    const Verdict verdict = judge(cases[i], kernels::plan(cases[i]), observations[i]);
    ASSERT_TRUE(verdict.ok) << to_string(cases[i]) << ": " << verdict.findings[0].detail;
    ASSERT_GT(verdict.cells_judged, 0U);
  }
}

TEST(GpuRecovery, killed_workers_lose_no_case) {
  const std::vector<Case> cases = mixed_cases(4000);
  std::atomic<bool> over{false};
  unsigned killed = 0;
  std::jthread killer([&] {
    for (int i = 0; i < 4 && !over; ++i) {
      std::this_thread::sleep_for(60ms);
      for (const long id : gpu().workers()) killed += ::kill(static_cast<pid_t>(id), SIGKILL) == 0;
    }
  });
  const auto before = gpu().stats();
  const auto observations = run_all(gpu(), cases);
  over = true;
  killer.join();
  std::size_t blamed = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (found(observations[i]) == "executor_fault") {
      ++blamed;
      continue;
    }
    ASSERT_EQ(found(observations[i]), "") << to_string(cases[i]);
    ASSERT_TRUE(judge(cases[i], kernels::plan(cases[i]), observations[i]).ok)
        << to_string(cases[i]);
  }
  EXPECT_LE(blamed, killed / 2);
  EXPECT_EQ(gpu().stats().answers - before.answers, gpu().stats().jobs - before.jobs);
}

TEST(GpuRecovery, a_launch_that_takes_too_long_is_ended_and_the_next_one_runs) {
  PoolOptions options = pool_options();
  options.timeout = 300ms;
  options.start_timeout = 60'000ms;
  Pool pool(options);
  // Loads the module, so that only the launch itself can be slow.
  const std::string small = "grid_stride@fixed f32->f32 sum n=100 block=32 grid=1";
  ASSERT_EQ(pool.submit(job_of(small)).get().kind, Answer::Kind::done);
  // One warp over 2^30 elements.
  Job slow = job_of("grid_stride@fixed f32->f32 sum n=1073741824 block=32 grid=1");
  const Answer answer = pool.submit(std::move(slow), true).get();
  EXPECT_EQ(answer.kind, Answer::Kind::hang);
  EXPECT_EQ(pool.stats().hangs, 1U);
  EXPECT_EQ(pool.submit(job_of(small), true).get().kind, Answer::Kind::done);
}

TEST(GpuRecovery, shrinking_goes_on_through_faults_to_the_smallest_case) {
  const Case big = case_of(
      "sequential@fixed-bounds_check f32->f32 sum n=3001 block=256 data=uniform seed=77 "
      "tail=unmapped");
  const auto fails = [](const Case& c) {
    return kernels::plan(c).refusal.empty() &&
           found(kernels::run(gpu(), c)) == "out_of_bounds_read in";
  };
  ASSERT_TRUE(fails(big));
  properties::ShrinkLimits limits;
  limits.steps = 60;
  limits.seconds = 60;
  const auto shrunk =
      properties::shrink(big, fails, limits, [](Case& c) { c.grid = kernels::plan(c).grid; });
  EXPECT_TRUE(fails(shrunk.c));
  EXPECT_LE(shrunk.c.n, 8U) << to_string(shrunk.c);
}

}  // namespace
}  // namespace gauntlet::cuda
