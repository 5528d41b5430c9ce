// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Several threads of a worker launch at once: the results are those of one thread, and each fault
// is its own case's.
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/subject.hpp"
#include "properties/oracle/oracle.hpp"
#include "tests/gpu/executor/gpu.hpp"
#include "tests/gpu/executor/run_all.hpp"

namespace gauntlet::cuda {
namespace {

GpuExecutor& with_launchers(unsigned launchers) {
  static std::map<unsigned, std::unique_ptr<GpuExecutor>> kept;
  auto& executor = kept[launchers];
  if (executor == nullptr) {
    ExecutorOptions options = gpu_options();
    options.launchers = launchers;
    options.pool.batch = 64;  // many batches
    executor = std::make_unique<GpuExecutor>(options);
  }
  return *executor;
}

/// Small ones, which run together; large ones and such with a __device__ array, which run alone.
std::vector<Case> cases_of_all_sizes(std::size_t count) {
  const char* const variants[] = {"sequential",      "shuffle_two_stage", "static_partials",
                                  "grid_stride",     "cub_device",        "single_pass_ticket",
                                  "static_partials", "two_pass",          "full_unroll"};
  std::vector<Case> cases;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(i % 29 == 5 ? 200'000 + i : 1 + 61 * i % 5000);
    cases.push_back(case_of(std::string(variants[i % std::size(variants)]) +
                            "@fixed f32->f32 sum n=" + n +
                            " block=128 data=identities seed=" + std::to_string(1 + i)));
  }
  return cases;
}

TEST(GpuLaunchers, several_give_the_bits_of_one) {
  const std::vector<Case> cases = cases_of_all_sizes(2000);
  const auto one = run_all(with_launchers(1), cases, 4);
  for (const unsigned launchers : {2U, 4U}) {
    const auto several = run_all(with_launchers(launchers), cases, 4);
    EXPECT_EQ(with_launchers(launchers).stats().reruns, 0U);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ASSERT_EQ(found(several[i]), "") << to_string(cases[i]);
      const Plan plan = kernels::plan(cases[i]);
      ASSERT_TRUE(judge(cases[i], plan, several[i]).ok) << to_string(cases[i]);
      if (plan.float_atomics) continue;  // their order is free
      ASSERT_EQ(several[i].buffers.size(), one[i].buffers.size());
      for (std::size_t k = 0; k < one[i].buffers.size(); ++k) {
        ASSERT_EQ(several[i].buffers[k].bytes, one[i].buffers[k].bytes) << to_string(cases[i]);
      }
    }
  }
}

/// Submitted as if they were not expected to fault: in batches beside others.
TEST(GpuLaunchers, a_fault_among_batches_under_way_is_the_answer_of_its_job_alone) {
  PoolOptions options = pool_options(4);
  options.batch = 16;
  Pool pool(options);
  const Job right = job_of("shuffle_two_stage@fixed f32->f32 sum n=1000 block=128 tail=unmapped");
  const Job faulty =
      job_of("sequential@fixed-bounds_check f32->f32 sum n=3 block=256 tail=unmapped");
  JobGroup group;
  const auto is_faulty = [](std::size_t i) { return i == 70 || i == 71 || i == 400; };
  for (std::size_t i = 0; i < 500; ++i) group.add(is_faulty(i) ? faulty : right, false);
  const std::vector<Answer> answers = pool.submit(std::move(group)).get();
  const auto& bytes = answers.front().result.observed.at(0).bytes;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (is_faulty(i)) {
      EXPECT_EQ(answers[i].kind, Answer::Kind::fault) << i;
      EXPECT_EQ(answers[i].error, "cudaErrorIllegalAddress") << i;
    } else {
      ASSERT_EQ(answers[i].kind, Answer::Kind::done) << i << ": " << answers[i].error;
      ASSERT_EQ(answers[i].result.observed.at(0).bytes, bytes) << i;
    }
  }
  EXPECT_EQ(pool.stats().faults, 3U);
}

}  // namespace
}  // namespace gauntlet::cuda
