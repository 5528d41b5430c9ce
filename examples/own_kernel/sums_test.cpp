// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels declared in C++, with a reference of ordinary host code.
#include <gtest/gtest.h>

#include <gauntlet/gauntlet.hpp>
#include <numeric>

namespace {

gauntlet::Kernel kernel(const std::string& entry) {
  gauntlet::Kernel k(OWN_KERNEL "/sums.cu", entry);
  k.flags("-I" OWN_KERNEL "/include");
  return k;
}

TEST(Sums, block_sum_holds) {
  gauntlet::Kernel k = kernel("block_sum");
  k.in<float>("x", "n")
      .out<float>("y", "grid")
      .arg<unsigned>("n", "n")
      .launch("grid=max(1, ceil(n / block)) block=32..1024")
      .require("block % 32 == 0")
      .result("y[b] = sum(x[b * block .. (b + 1) * block])");
  EXPECT_TRUE(gauntlet::holds(k));
}

TEST(Sums, lost_tail_loses_the_last_elements) {
  gauntlet::Kernel k = kernel("lost_tail");
  k.in<float>("x", "n").out<float>("y", "1").arg<unsigned>("n", "n").launch("grid=1 block=32");
  // Whole numbers: every order of additions gives the same sum.
  k.data("ones small_integers");
  k.reference([](std::span<const float> x, std::span<float> y, unsigned) {
    y[0] = std::accumulate(x.begin(), x.end(), 0.0f);
  });
  // Of a right kernel this would be EXPECT_TRUE(gauntlet::holds(k)).
  const gauntlet::Result result = gauntlet::holds(k);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failures().at(0).line, "n=1");
  EXPECT_TRUE(gauntlet::holds_at(k, "n=4"));
}

}  // namespace
