// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "gpu/timing/bench.hpp"

namespace gauntlet::timing {
namespace {

TEST(Samples, are_the_given_times_one_for_each_repetition) {
  double next = 1e-6;
  const Samples samples = sample("a/b/32", 1, 3, [&] {
    const double now = next;
    next += 1e-6;
    return now;
  });
  ASSERT_EQ(samples.microseconds.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(samples.microseconds[i], i + 1, 1e-9);
}

TEST(Samples, are_means_over_their_iterations) {
  int calls = 0;
  const Samples samples = sample("a", 4, 2, [&] { return ++calls <= 4 ? 1e-6 : 3e-6; });
  EXPECT_EQ(calls, 8);
  ASSERT_EQ(samples.microseconds.size(), 2u);
  EXPECT_NEAR(samples.microseconds[0], 1, 1e-9);
  EXPECT_NEAR(samples.microseconds[1], 3, 1e-9);
}

TEST(Samples, keep_the_entry_of_the_median_as_google_benchmark_writes_it) {
  int calls = 0;
  const double times[] = {5e-6, 1e-6, 2e-6};
  const Json entry = sample("x/y", 1, 3, [&] { return times[calls++]; }).google;
  EXPECT_EQ(entry.at("aggregate_name"), "median");
  EXPECT_EQ(entry.at("time_unit"), "us");
  EXPECT_NEAR(entry.at("real_time").get<double>(), 2.0, 1e-9);
  // The same in every run: two files are compared by it.
  EXPECT_EQ(entry.at("name"), "x/y");
  EXPECT_TRUE(entry.contains("cpu_time"));
}

TEST(Samples, of_a_single_repetition_have_an_entry_too) {
  const Samples samples = sample("z", 2, 1, [] { return 4e-6; });
  ASSERT_EQ(samples.microseconds.size(), 1u);
  EXPECT_NEAR(samples.google.at("real_time").get<double>(), 4.0, 1e-9);
}

TEST(Samples, do_not_name_the_host) {
  const Json context = sample("c", 1, 1, [] { return 1e-6; }).context;
  EXPECT_TRUE(context.contains("num_cpus"));
  EXPECT_FALSE(context.contains("host_name"));
  EXPECT_FALSE(context.contains("executable"));
}

TEST(Samples, a_failure_comes_through_and_the_next_sample_works) {
  EXPECT_THROW((void)sample("f", 2, 2, []() -> double { throw std::runtime_error("lost"); }),
               std::runtime_error);
  EXPECT_EQ(sample("g", 1, 2, [] { return 1e-6; }).microseconds.size(), 2u);
}

}  // namespace
}  // namespace gauntlet::timing
