// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The mandatory test: in the GPU lane (GAUNTLET_REQUIRE_GPU=1) a missing GPU fails, it does not
// pass with nothing run.
#include <gtest/gtest.h>

#include "kernels/subject.hpp"
#include "properties/oracle/oracle.hpp"
#include "tests/gpu/executor/gpu.hpp"

namespace gauntlet::cuda {
namespace {

TEST(GpuPresence, a_gpu_is_here_and_sums_a_thousand_ones) {
  try {
    const Case c = case_of("sequential@fixed f32->f32 sum n=1000 block=256 data=ones");
    const Observation seen = kernels::run(gpu(), c);
    ASSERT_EQ(found(seen), "");
    ASSERT_TRUE(seen.completed);
    const Verdict verdict = judge(c, kernels::plan(c), seen);
    EXPECT_TRUE(verdict.ok);
    EXPECT_EQ(verdict.got, "1000");
    std::printf("%s\n", describe(gpu().device()).c_str());
  } catch (const Unavailable& error) {
    FAIL() << error.what();
  }
}

}  // namespace
}  // namespace gauntlet::cuda
