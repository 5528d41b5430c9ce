// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The SIMT machine and the GPU give the same bits. `gauntlet agree` does the same at length.
#include <gtest/gtest.h>

#include "kernels/subject.hpp"
#include "properties/hunt/agree.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/oracle/oracle.hpp"
#include "tests/gpu/executor/gpu.hpp"
#include "tests/gpu/executor/run_all.hpp"

namespace gauntlet::cuda::gpu_agreement {
namespace {

TEST(GpuAgreement, every_fixed_form_gives_the_bits_of_the_simt_machine) {
  const auto simt = simt::make_executor();
  properties::AgreeOptions options;
  options.selectors = {"*@fixed"};
  options.cases = 1;
  options.repeats = 2;
  options.jobs = 32;
  const auto report = properties::run_agree(*simt, gpu(), options, kernels::compiled_kernels());
  EXPECT_GT(report.compared(), 300U);
  for (const auto& form : report.forms) {
    for (const auto& example : form.examples) {
      ADD_FAILURE() << to_string(example.c) << "\n" << example.what;
    }
  }
  EXPECT_EQ(report.disagreements(), 0U);
}

TEST(GpuAgreement, fifty_launches_without_float_atomics_give_the_same_bits) {
  const std::vector<Case> same(
      50, case_of("sequential@fixed f32->f32 sum n=100003 block=256 data=uniform seed=3"));
  const auto observations = run_all(gpu(), same);
  for (const Observation& seen : observations) {
    ASSERT_EQ(found(seen), "");
    ASSERT_EQ(seen.buffers.at(0).bytes, observations[0].buffers.at(0).bytes);
  }
}

TEST(GpuAgreement, float_atomics_stay_within_the_bound_in_whatever_order_they_come) {
  const Case c = case_of("shuffle_down@fixed f32->f32 sum n=100003 block=32 data=uniform seed=3");
  const Plan plan = kernels::plan(c);
  ASSERT_TRUE(plan.float_atomics);
  for (const Observation& seen : run_all(gpu(), std::vector<Case>(50, c))) {
    ASSERT_EQ(found(seen), "");
    const Verdict verdict = judge(c, plan, seen);
    EXPECT_FALSE(verdict.exact);
    EXPECT_TRUE(verdict.ok) << verdict.findings[0].detail;
  }
}

}  // namespace
}  // namespace gauntlet::cuda::gpu_agreement
