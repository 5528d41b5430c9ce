// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 11, 14, 15 and 22: the steps of A's trees at B = 256, against closed formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernels/claims/case_run.hpp"

namespace gauntlet::claims {
namespace {

constexpr std::uint32_t block_size = 256;

TEST(Statement11, v1_has_the_conflicts_of_a_stride_of_2k_words) {
  const TreeSteps steps = tree_steps("interleaved_compacted");
  std::uint32_t k = 1;
  for (std::size_t step = 0; step < 8; ++step, k *= 2) {
    const std::uint32_t active = block_size / (2 * k), lanes = std::min(32U, active);
    const std::uint32_t banks = 32 / std::gcd(2 * k, 32U);
    const std::uint32_t degree = (lanes + banks - 1) / banks;
    EXPECT_EQ(steps.degree[step], degree) << "k = " << k;
    // Two loads and a store for each working warp.
    EXPECT_EQ(steps.conflicts[step], std::uint64_t{3} * steps.warps[step] * (degree - 1));
    EXPECT_EQ(steps.lanes[step], lanes);
    EXPECT_EQ(steps.divergent[step], active % 32 == 0 ? 0U : 1U) << "k = " << k;
  }
}

TEST(Statement11, v2_has_no_conflicts_and_diverges_below_a_warp_only) {
  const TreeSteps steps = tree_steps("sequential");
  std::uint32_t k = block_size / 2;
  for (std::size_t step = 0; step < 8; ++step, k /= 2) {
    EXPECT_EQ(steps.degree[step], 1U);
    EXPECT_EQ(steps.conflicts[step], 0U);
    EXPECT_EQ(steps.lanes[step], std::min(32U, k));
    EXPECT_EQ(steps.divergent[step], k % 32 == 0 ? 0U : 1U) << "k = " << k;
  }
}

TEST(Statement22, v0_diverges_in_every_warp_that_works_and_never_conflicts) {
  const TreeSteps steps = tree_steps("interleaved_bitmask");
  std::uint32_t k = 1;
  for (std::size_t step = 0; step < 8; ++step, k *= 2) {
    const std::uint32_t warps = std::min(8U, block_size / (2 * k));
    EXPECT_EQ(steps.warps[step], warps) << "k = " << k;
    EXPECT_EQ(steps.divergent[step], warps) << "k = " << k;
    EXPECT_EQ(steps.lanes[step], std::max(1U, 16 / k)) << "k = " << k;
    EXPECT_EQ(steps.conflicts[step], 0U) << "k = " << k;
  }
}

TEST(Statement15, a_tree_that_tests_its_threads_leaves_added_cells_alone) {
  for (const char* variant :
       {"interleaved_bitmask", "interleaved_modulo", "interleaved_compacted", "sequential"}) {
    for (const std::uint32_t block : {2U, 32U, 64U, 256U, 1024U}) {
      const Touched touched = touched_again(variant, "fixed", block);
      EXPECT_EQ(touched.added, block - 1) << variant << " B = " << block;
      EXPECT_EQ(touched.again, 0U) << variant << " B = " << block;
    }
  }
}

TEST(Statement15, the_unrolled_warp_tail_touches_them_again) {
  // Near miss of the tree: step o adds cells o .. o + 31, and the next one writes those below 32
  // and reads o/2 .. o/2 + 31.
  const Touched touched = touched_again("volatile_warp_tail", "fixed-syncwarp", 64, true);
  std::uint64_t again = 0;
  for (std::uint32_t o = 32; o > 1; o /= 2) {
    for (std::uint32_t cell = o; cell < o + 32; ++cell) again += cell < o / 2 + 32 ? 1 : 0;
  }
  EXPECT_EQ(touched.added, 6U * 32);
  EXPECT_EQ(touched.again, again);
}

TEST(Statement14, odd_cells_are_read_once_and_even_ones_more_often) {
  const CaseRun run = run_case("interleaved_atomic@fixed i32->i32 sum n=64 block=64 grid=1", true);
  std::vector<std::uint32_t> reads(64);
  for (const Access& access : run.accesses.at(0)) {
    if (access.shared && !access.write) ++reads.at(access.address / 4);
  }
  for (std::uint32_t cell = 1; cell < 64; ++cell) {
    // Cell c is read by its own thread in each step in which it adds, and once by another.
    EXPECT_EQ(reads[cell], static_cast<std::uint32_t>(std::countr_zero(cell)) + 1) << cell;
  }
}

TEST(Statement14, half_the_cells_are_enough_for_half_the_threads_only) {
  const CaseRun whole = run_case("half_shared@fixed i32->i32 sum n=512 block=256 grid=1");
  const CaseRun half = run_case("half_shared_half_block@fixed i32->i32 sum n=512 block=128");
  EXPECT_TRUE(whole.verdict.ok && half.verdict.ok);
  EXPECT_EQ(whole.plan.launches.at(0).shared_bytes, 256U * 4);
  EXPECT_EQ(half.plan.launches.at(0).shared_bytes, 128U * 4);
  EXPECT_FALSE(run_case("half_shared@documented i32->i32 sum n=512 block=256 grid=1")
                   .observation.findings.empty());
}

}  // namespace
}  // namespace gauntlet::claims
