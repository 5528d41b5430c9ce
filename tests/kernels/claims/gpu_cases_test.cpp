// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements that rest on kernels of the catalogue, on a GPU: 2 (a shift from 32), 14 and 21. What
// else they rest on, accesses and counters, a GPU does not tell.
#include <gtest/gtest.h>

#include "kernels/subject.hpp"
#include "properties/oracle/oracle.hpp"
#include "tests/gpu/executor/gpu.hpp"

namespace gauntlet::cuda {
namespace {

gauntlet::Verdict verdict_of(const std::string& line) {
  const Case c = case_of(line);
  const Observation seen = kernels::run(gpu(), c);
  EXPECT_EQ(found(seen), "") << line;
  EXPECT_TRUE(seen.completed) << line;
  return judge(c, kernels::plan(c), seen);
}

TEST(Statement2, a_tile_of_32_that_shifts_from_32_doubles_each_launch) {
  const auto shifted = verdict_of("grid_stride@fixed-first_offset f32->f32 sum n=32 block=32");
  EXPECT_EQ(shifted.got, "128");
  EXPECT_EQ(shifted.expected, "32");
  EXPECT_TRUE(verdict_of("grid_stride@fixed f32->f32 sum n=32 block=32").ok);
}

TEST(Statement14, half_the_cells_are_enough_for_half_the_threads) {
  for (const char* n : {"1", "255", "256", "257", "512", "100000"}) {
    const auto verdict =
        verdict_of("half_shared_half_block@fixed i32->i32 sum n=" + std::string(n) +
                   " block=128 data=small_integers");
    EXPECT_TRUE(verdict.ok) << n << ": " << verdict.got << ", not " << verdict.expected;
  }
}

TEST(Statement21, one_tile_and_two_passes_are_right_around_the_border) {
  for (const char* n : {"1", "4095", "4096", "4097", "8192", "164840"}) {
    const auto verdict =
        verdict_of("cub_device@fixed i32->i32 sum n=" + std::string(n) + " data=small_integers");
    EXPECT_TRUE(verdict.ok) << n << ": " << verdict.got << ", not " << verdict.expected;
  }
}

}  // namespace
}  // namespace gauntlet::cuda
