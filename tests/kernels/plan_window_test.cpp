// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// plan() of a case that runs some blocks of a grid only.
#include <gtest/gtest.h>

#include <string>

#include "kernels/subject.hpp"
#include "tests/kernels/cases.hpp"

namespace gauntlet::kernels {
namespace {

TEST(Plan, refuses_a_window_outside_the_grid) {
  Case c = make_case("sequential", "fixed", f32_pair, 256, 64);
  c.first_block = 3;
  c.block_count = 2;
  EXPECT_NE(plan(c).refusal.find("the grid has 4 blocks"), std::string::npos);
  c.block_count = 1;
  EXPECT_EQ(plan(c).refusal, "");
}

TEST(Plan, refuses_a_window_of_a_kernel_that_writes_to_its_input) {
  Case c = make_case("global_inplace", "fixed", f32_pair, 1ULL << 32, 64);
  c.block_count = 1;
  EXPECT_NE(plan(c).refusal.find("writes to its input"), std::string::npos);
}

TEST(Plan, a_window_has_the_partials_of_its_blocks_alone) {
  Case c = make_case("sequential", "fixed", f32_pair, 1ULL << 32, 64);
  c.first_block = 1U << 25;
  c.block_count = 2;
  const Plan window = plan(c);
  EXPECT_EQ(window.refusal, "");
  EXPECT_EQ(window.buffers.at(0).bytes, 2U * 4);
  EXPECT_EQ(window.observed.at(0).cells, 2U);
  EXPECT_EQ(window.observed.at(0).coverage.first, 1U << 25);
  const Arg& out = window.launches.at(0).args.at(1);
  EXPECT_EQ(out.byte_offset + (std::uint64_t{1} << 25) * 4, 0U);  // out[2^25] is the first cell
}

TEST(Plan, refuses_a_window_of_blocks_that_step_through_the_input) {
  for (const char* variant : {"single_pass_ticket", "vector_batch", "redux", "dependent_launch"}) {
    Case c = make_case(variant, "fixed", i32_pair, 1 << 20, 64);
    c.grid = 4;
    c.block_count = 2;
    EXPECT_NE(plan(c).refusal.find("blocks=FIRST+COUNT"), std::string::npos) << variant;
    c.block_count = 0;
    EXPECT_EQ(plan(c).refusal, "") << variant;
  }
}

TEST(Plan, a_window_of_a_two_launch_kernel_ends_with_its_blocks_partials) {
  for (const char* variant : {"grid_stride", "static_partials", "two_pass"}) {
    Case c = make_case(variant, "fixed", f32_pair, std::uint64_t{1} << 32, 64);
    c.first_block = 5;
    c.block_count = 2;
    const Plan p = plan(c);
    EXPECT_EQ(p.refusal, "") << variant;
    EXPECT_EQ(p.launches.size(), 1U) << variant;
    ASSERT_EQ(p.observed.size(), 1U) << variant;
    EXPECT_EQ(p.observed[0].buffer, std::string(variant) == "grid_stride" ? "out" : "partials");
    EXPECT_EQ(p.observed[0].coverage.kind, Coverage::Kind::grid_stride) << variant;
    // The few blocks of the window are not given most of the input.
    EXPECT_GE(p.grid, 10240U) << variant;
    c.block_count = 0;
    c.first_block = 0;
    EXPECT_EQ(plan(c).launches.size(), 2U) << variant;
  }
}

}  // namespace
}  // namespace gauntlet::kernels
