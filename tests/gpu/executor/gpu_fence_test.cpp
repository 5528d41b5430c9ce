// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Each detector against a planted defect and a near miss.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/subject.hpp"
#include "properties/oracle/oracle.hpp"
#include "tests/gpu/executor/gpu.hpp"

namespace gauntlet::cuda {
namespace {

Answer answer(Pool& pool, Job job) { return pool.submit(std::move(job)).get(); }

TEST(GpuFence, a_read_past_the_input_faults_at_full_speed_and_is_named) {
  EXPECT_EQ(found(run("sequential@fixed-bounds_check f32->f32 sum n=97 block=256 tail=unmapped")),
            "out_of_bounds_read in");
  EXPECT_EQ(found(run("interleaved_modulo@documented f32->f32 sum n=1 block=128 tail=unmapped")),
            "out_of_bounds_read in");
}

TEST(GpuFence, the_fixed_form_of_the_same_case_is_clean) {
  EXPECT_EQ(found(run("sequential@fixed f32->f32 sum n=97 block=256 tail=unmapped")), "");
  EXPECT_EQ(found(run("interleaved_modulo@fixed f32->f32 sum n=1 block=128 tail=unmapped")), "");
}

TEST(GpuFence, a_block_that_needs_no_bounds_check_touches_no_fence) {
  EXPECT_EQ(found(run("sequential@fixed-bounds_check f32->f32 sum n=512 block=256 tail=unmapped")),
            "");
}

TEST(GpuFence, an_overrun_inside_a_mapped_tail_is_seen_by_its_value) {
  const Case c = case_of("sequential@fixed-bounds_check f32->f32 sum n=97 block=256 tail=dirty");
  const Observation seen = kernels::run(gpu(), c);
  EXPECT_EQ(found(seen), "");
  EXPECT_FALSE(judge(c, kernels::plan(c), seen).ok);
}

TEST(GpuFence, a_misaligned_vector_load_is_named) {
  EXPECT_EQ(found(run("int4_coarsened@fixed-alignment i32->i32 sum n=1024 block=64 offset=4")),
            "misaligned in");
  EXPECT_EQ(found(run("int4_coarsened@fixed i32->i32 sum n=1024 block=64 offset=4")), "");
}

TEST(GpuFence, a_write_past_the_output_faults_and_is_named) {
  Pool pool(pool_options());
  Job job = job_of("sequential@fixed f32->f32 sum n=1024 block=256");
  job.launches[0].args[1].byte_offset = 16;  // behind the fourth and last cell
  const Answer fault = answer(pool, job);
  EXPECT_EQ(fault.kind, Answer::Kind::fault);
  EXPECT_EQ(fault.error, "cudaErrorIllegalAddress");
  job.open = open_all;
  const Answer opened = answer(pool, job);
  ASSERT_EQ(opened.kind, Answer::Kind::done);
  EXPECT_EQ(opened.result.buffers[0].outside, 4U);
  EXPECT_EQ(opened.result.buffers[0].first_outside, 4);
  EXPECT_EQ(opened.result.input.outside, 0U);
}

TEST(GpuFence, a_write_before_the_output_changes_a_guard_cell) {
  Pool pool(pool_options());
  Job job = job_of("sequential@fixed f32->f32 sum n=1024 block=256");
  EXPECT_EQ(answer(pool, job).result.buffers.at(0).outside, 0U);
  job.launches[0].args[1].byte_offset = ~std::uint64_t{3};  // minus four
  const Answer early = answer(pool, job);
  ASSERT_EQ(early.kind, Answer::Kind::done);
  EXPECT_EQ(early.result.buffers[0].outside, 1U);
  EXPECT_EQ(early.result.buffers[0].first_outside, -1);
}

TEST(GpuFence, a_write_to_the_input_is_seen_and_allowed_only_to_the_kernel_that_works_in_place) {
  Pool pool(pool_options());
  Job job = job_of("sequential@fixed f32->f32 sum n=1024 block=256");
  EXPECT_EQ(answer(pool, job).result.input.inside, 0U);
  job.launches[0].args[1].array = Plan::input;
  job.launches[0].args[1].byte_offset = 40;
  const Answer written = answer(pool, job);
  ASSERT_EQ(written.kind, Answer::Kind::done);
  EXPECT_EQ(written.result.input.inside, 4U);
  EXPECT_EQ(written.result.input.first_inside, 10);
  EXPECT_EQ(found(run("global_inplace@fixed f32->f32 sum n=1000 block=64 data=uniform")), "");
}

TEST(GpuFence, an_output_that_nobody_writes_keeps_its_poison) {
  Pool pool(pool_options());
  Job job = job_of("sequential@fixed f32->f32 sum n=1024 block=256");
  const Answer whole = answer(pool, job);
  EXPECT_EQ(whole.result.observed.at(0).kept, std::vector<std::uint8_t>(4, 0));
  job.launches[0].grid.x = 3;
  const Answer partial = answer(pool, job);
  const std::vector<std::uint8_t> wanted{0, 0, 0, 1};
  EXPECT_EQ(partial.result.observed.at(0).kept, wanted);
  job.launches.clear();
  const Answer none = answer(pool, job);
  const auto& kept = none.result.observed.at(0).kept;
  EXPECT_EQ(std::count(kept.begin(), kept.end(), 1), 4);
}

TEST(GpuFence, a_launch_that_cuda_refuses_is_a_finding_and_costs_no_worker) {
  Pool pool(pool_options());
  Job job = job_of("sequential@fixed f32->f32 sum n=1024 block=256");
  job.launches[0].block.x = 2048;
  const Answer refused = answer(pool, job);
  EXPECT_EQ(refused.kind, Answer::Kind::rejected);
  EXPECT_NE(refused.error.find("cudaError"), std::string::npos) << refused.error;
  job.launches[0].block.x = 256;
  EXPECT_EQ(answer(pool, job).kind, Answer::Kind::done);
  EXPECT_EQ(pool.stats().workers, 1U);
}

TEST(GpuFence, a_window_of_blocks_is_refused) {
  EXPECT_TRUE(run("sequential@fixed f32->f32 sum n=1024 block=256 grid=4 blocks=1+2")
                  .refused.starts_with("blocks="));
}

}  // namespace
}  // namespace gauntlet::cuda
