// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Several GPUs at once, all that are visible. With fewer than two these tests are skipped, or fail
// where GAUNTLET_REQUIRE_GPU=1.
#include <gtest/gtest.h>

#include <set>

#include "kernels/subject.hpp"
#include "properties/oracle/oracle.hpp"
#include "tests/gpu/executor/gpu.hpp"
#include "tests/gpu/executor/run_all.hpp"
#include "tests/gpu_or_skip.hpp"

namespace gauntlet::cuda {
namespace {

GpuExecutor& all_gpus() {
  static const auto executor = std::make_unique<GpuExecutor>(ExecutorOptions{});
  return *executor;
}

class MultiGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (all_gpus().devices() < 2 && !gpu_is_required()) {
      GTEST_SKIP() << "these tests need two GPUs or more";
    }
    ASSERT_GE(all_gpus().devices(), 2U) << "these tests need two GPUs or more";
  }
};

std::vector<Case> cases_of_several_variants(std::size_t count) {
  const char* const variants[] = {"sequential",  "shuffle_two_stage", "int4_shuffle",
                                  "grid_stride", "static_partials",   "cub_device"};
  std::vector<Case> cases;
  for (std::size_t i = 0; i < count; ++i) {
    cases.push_back(case_of(std::string(variants[i % std::size(variants)]) +
                            "@fixed f32->f32 sum n=" + std::to_string(1 + 61 * i % 5000) +
                            " block=128 data=identities seed=" + std::to_string(1 + i)));
  }
  return cases;
}

TEST_F(MultiGpu, every_pool_drives_a_gpu_of_its_own) {
  std::set<std::string> uuids;
  for (std::size_t i = 0; i < all_gpus().devices(); ++i) uuids.insert(all_gpus().device(i).uuid);
  EXPECT_EQ(uuids.size(), all_gpus().devices());
}

TEST_F(MultiGpu, cases_are_shared_out_evenly_and_give_the_bits_of_one_gpu) {
  const std::vector<Case> cases = cases_of_several_variants(1200);
  std::vector<PoolStats> before;
  for (std::size_t i = 0; i < all_gpus().devices(); ++i) before.push_back(all_gpus().stats(i));
  const auto together = run_all(all_gpus(), cases);
  for (std::size_t i = 0; i < all_gpus().devices(); ++i) {
    EXPECT_EQ(all_gpus().stats(i).jobs - before[i].jobs, cases.size() / all_gpus().devices());
  }
  ExecutorOptions first;
  first.gpus = {0};
  GpuExecutor one(first);
  const auto alone = run_all(one, cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(found(together[i]), "") << to_string(cases[i]);
    ASSERT_TRUE(judge(cases[i], kernels::plan(cases[i]), together[i]).ok) << to_string(cases[i]);
    if (kernels::plan(cases[i]).float_atomics) continue;  // their order is free
    ASSERT_EQ(together[i].buffers.size(), alone[i].buffers.size());
    for (std::size_t k = 0; k < alone[i].buffers.size(); ++k) {
      ASSERT_EQ(together[i].buffers[k].bytes, alone[i].buffers[k].bytes) << to_string(cases[i]);
    }
  }
}

TEST_F(MultiGpu, a_fault_on_one_gpu_leaves_the_results_of_the_others_right) {
  std::vector<Case> cases = cases_of_several_variants(300);
  for (const std::size_t i : {7U, 100U, 201U}) {
    cases[i] = case_of("sequential@fixed-bounds_check f32->f32 sum n=" + std::to_string(3 + i) +
                       " block=256 tail=unmapped");
  }
  const auto observations = run_all(all_gpus(), cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool planted = cases[i].form != "fixed";
    ASSERT_EQ(found(observations[i]), planted ? "out_of_bounds_read in" : "")
        << to_string(cases[i]);
    if (!planted) {
      ASSERT_TRUE(judge(cases[i], kernels::plan(cases[i]), observations[i]).ok)
          << to_string(cases[i]);
    }
  }
}

}  // namespace
}  // namespace gauntlet::cuda
