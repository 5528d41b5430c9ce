// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// More elements than 31 and 32 bits count.
#include <gtest/gtest.h>

#include "kernels/subject.hpp"
#include "properties/oracle/oracle.hpp"
#include "tests/gpu/executor/gpu.hpp"

namespace gauntlet::cuda::gpu_large {
namespace {

/// The tests say how much device memory they need; a smaller GPU skips them by name.
#define NEEDS_GIB(gib)                                                    \
  if (gpu().device().memory < (std::uint64_t{gib} << 30)) {               \
    GTEST_SKIP() << "needs a GPU with " << (gib) << " GiB, this one has " \
                 << (gpu().device().memory >> 30);                        \
  }

void expect_right(const std::string& line) {
  const Case c = case_of(line);
  const Observation seen = kernels::run(gpu(), c);
  ASSERT_EQ(found(seen), "") << line;
  ASSERT_TRUE(seen.completed) << line;
  const Verdict verdict = judge(c, kernels::plan(c), seen);
  EXPECT_TRUE(verdict.ok) << line << "\n" << verdict.findings[0].detail;
  EXPECT_GT(verdict.cells_judged, 0U);
  std::printf("%s: %s\n", line.c_str(), verdict.got.c_str());
}

TEST(GpuLarge, sums_of_two_to_the_31_and_three_floats_are_exact) {
  NEEDS_GIB(20);
  const std::string data = " n=2147483651 data=small_integers seed=5 tail=unmapped";
  expect_right("two_pass@fixed f32->f32 sum block=256" + data);
  expect_right("grid_stride@fixed f32->f32 sum block=256 grid=1024" + data);
  expect_right("cub_device@fixed f32->f32 sum block=256" + data);
  expect_right("int4_shuffle@fixed f32->f32 sum block=256" + data);
  expect_right("sequential@fixed f32->f32 sum block=1024" + data);
}

TEST(GpuLarge, real_data_stay_within_the_bound_of_the_summation_tree) {
  NEEDS_GIB(20);
  expect_right("two_pass@fixed f32->f32 sum block=256 n=2147483651 data=uniform seed=5");
}

TEST(GpuLarge, more_bytes_than_32_bits_count_elements) {
  NEEDS_GIB(12);
  expect_right("two_pass@fixed i8->i32 sum block=256 n=4294967299 data=uniform seed=6");
  expect_right("int4_coarsened@fixed i8->i32 sum block=256 n=4294967299 data=uniform seed=6");
}

TEST(GpuLarge, an_index_of_32_bits_wraps_and_is_caught) {
  NEEDS_GIB(40);
  const Case c = case_of(
      "int4_coarsened@fixed-index_width i32->i32 sum block=256 n=4294967299 data=identities "
      "seed=8 tail=unmapped");
  const Observation seen = kernels::run(gpu(), c);
  const bool wrong = seen.completed && !judge(c, kernels::plan(c), seen).ok;
  EXPECT_TRUE(wrong || !seen.findings.empty()) << "32 bits would have counted 2^32 + 3 elements";
  expect_right(
      "int4_coarsened@fixed i32->i32 sum block=256 n=4294967299 data=identities seed=8 "
      "tail=unmapped");
}

}  // namespace
}  // namespace gauntlet::cuda::gpu_large
