// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 12, 16 to 20, 36 and 63: what made-up figures say about them, on both sides of every
// line.
#include "claims/cost.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "claims/text.hpp"

namespace gauntlet::claims {
namespace {

IssueCount issue(const std::string& variant, std::uint64_t conflicts, std::uint64_t wavefronts,
                 std::uint64_t of_addresses) {
  IssueCount count;
  count.c = parse_case(variant + "@fixed i32->i32 sum n=100000000 block=32");
  count.requests = 1000;
  count.conflicts = conflicts;
  count.wavefronts = wavefronts;
  count.of_addresses = of_addresses;
  return count;
}

TEST(Statement12, is_about_passes_that_no_address_asks_for_with_4_bytes_and_with_16) {
  const auto verdict = [](const IssueCount& scalar, const IssueCount& int4) {
    return judge_issue({scalar, int4}, "a device").verdict;
  };
  const auto busy = issue("wide_active", 50, 1050, 1000);
  const auto idle = issue("wide_active", 0, 1000, 1000);
  EXPECT_EQ(verdict(busy, issue("int4_through_shared", 0, 1000, 1000)), Verdict::is_true);
  EXPECT_EQ(verdict(busy, issue("int4_through_shared", 40, 1040, 1000)), Verdict::half_true);
  EXPECT_EQ(verdict(idle, issue("int4_through_shared", 0, 1000, 1000)), Verdict::is_false);
  // Conflicts that the addresses account for say nothing about issue.
  EXPECT_FALSE(verdict(issue("wide_active", 50, 1050, 1050), idle).has_value());
  EXPECT_FALSE(judge_issue({}, "a device").verdict.has_value());
}

TEST(Statement12, a_recording_that_lacks_launches_is_refused_in_one_line) {
  const std::string head = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n";
  try {
    (void)read_issue(head + "\"0\",\"k\",\"m\",\"1\"\n");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "issue.csv: 1 launches instead of 9; record it with ci/gpu-issue");
  }
  EXPECT_EQ(source_of_folder("2026-11-21-NVIDIA-H100-80GB-HBM3"),
            "NVIDIA H100 80GB HBM3, 2026-11-21");
}

Timing ladder(const std::vector<double>& measured) {
  const char* const variants[] = {"interleaved_bitmask", "interleaved_compacted", "sequential",
                                  "first_add_on_load",   "volatile_warp_tail",    "full_unroll",
                                  "shuffle_two_stage"};
  const double documented[] = {1, 1.39, 1.44, 2.78, 4.82, 4.79, 5.18};
  Timing timing;
  timing.source = "a device, a date";
  for (std::size_t k = 0; k < measured.size(); ++k) {
    timing.speedups.push_back({16, variants[k], 256, 3230 / measured[k], 0, measured[k],
                               3230 / documented[k], documented[k]});
  }
  return timing;
}

TEST(Statement16, a_ladder_near_the_documents_is_true) {
  const Evidence evidence = judge_ladder(ladder({1, 1.3, 1.5, 2.9, 4.6, 4.9, 5.1}));
  EXPECT_EQ(evidence.verdict, Verdict::is_true);
  EXPECT_EQ(evidence.source, "a device, a date");
  EXPECT_NE(evidence.number.find("sequential 1.50 (documented 1.44)"), std::string::npos);
}

TEST(Statement16, the_same_order_with_other_factors_is_conditional) {
  EXPECT_EQ(judge_ladder(ladder({1, 1.1, 1.2, 2, 2.4, 2.35, 2.4})).verdict, Verdict::true_if);
}

TEST(Statement16, a_step_that_loses_does_not_reproduce_it) {
  EXPECT_EQ(judge_ladder(ladder({1, 1.1, 0.9, 2, 2.4, 2.35, 2.4})).verdict,
            Verdict::not_reproduced);
}

TEST(Statement16, the_worst_spread_of_what_it_rests_on_stands_beside_the_figures) {
  Timing timing = ladder({1, 1.3, 1.5, 2.9, 4.6, 4.9, 5.1});
  EXPECT_EQ(judge_ladder(timing).number.find("repetitions"), std::string::npos);
  const std::uint64_t n = 1 << 27;
  timing.measurements = {{"kernel", "sequential", "fixed", "f32", "f32", n, 256, 1, 9, 0.2, 1},
                         {"kernel", "full_unroll", "fixed", "f32", "f32", n, 256, 1, 9, 0.7, 1},
                         {"kernel", "full_unroll", "fixed", "f32", "f32", n / 2, 256, 1, 9, 5, 1},
                         {"kernel", "full_unroll", "fixed", "i32", "i32", n, 256, 1, 9, 6, 1},
                         {"kernel", "two_pass", "fixed", "f32", "f32", n, 256, 1, 9, 7, 1}};
  EXPECT_NE(judge_ladder(timing).number.find("; repetitions lie at most 0.7 % apart"),
            std::string::npos);
}

TEST(Statement16, no_figures_no_verdict) { EXPECT_FALSE(judge_ladder({}).verdict.has_value()); }

Timing vector_kernels(double staged, double coarsened, double shuffled, bool own_launches) {
  Timing timing;
  timing.speedups = {{17, "wide_active", 8, 1, 0, 1, 1, 1},
                     {17, "wide_active", 32, 14390, 0, 1, 14390, 1},
                     {17, "int4_through_shared", 32, 1, 0, staged, 4590, 3.14},
                     {17, "int4_coarsened", 32, 1, 540, coarsened, 1460, 9.86},
                     {17, "int4_shuffle", 32, 1, 0, shuffled, 1520, 9.47}};
  if (own_launches) {
    for (std::size_t k = 1; k < timing.speedups.size(); ++k) timing.speedups[k].own_launch = true;
  }
  return timing;
}

TEST(Statement17, factors_near_the_document_make_it_true_and_the_order_alone_conditional) {
  const auto verdict = [](double staged, double coarsened, double shuffled) {
    return judge_vector_kernels(vector_kernels(staged, coarsened, shuffled, true)).verdict;
  };
  EXPECT_EQ(verdict(3, 9, 9), Verdict::is_true);
  EXPECT_EQ(verdict(2, 4, 4.1), Verdict::true_if);
  EXPECT_EQ(verdict(2, 4, 5), Verdict::not_reproduced);
  EXPECT_EQ(verdict(2, 2, 2), Verdict::not_reproduced);
  EXPECT_FALSE(judge_vector_kernels({}).verdict.has_value());
}

TEST(Statement17, other_launches_than_the_documents_cannot_make_it_true) {
  EXPECT_EQ(judge_vector_kernels(vector_kernels(3, 9, 9, false)).verdict, Verdict::not_reproduced);
}

TEST(Statement17, the_documents_launches_are_taken_where_they_were_measured) {
  Timing timing = vector_kernels(2, 2, 2, false);
  for (const auto& row : vector_kernels(3, 9, 9, true).speedups) {
    if (row.own_launch) timing.speedups.push_back(row);
  }
  EXPECT_EQ(launches_of_c(timing).size(), 4U);
  EXPECT_EQ(judge_vector_kernels(timing).verdict, Verdict::is_true);
}

Timing with_limit(Timing timing, double limit_us, double last_us, double best_us) {
  const std::uint64_t n = std::uint64_t{1} << 27;
  timing.measurements = {
      {"limit", "limit", "", "f32", "f32", n, 1024, 1, limit_us, 0, 0},
      {"kernel", "shuffle_two_stage", "fixed", "f32", "f32", n, 256, 1, last_us, 0, 0},
      {"kernel", "vector_batch", "fixed", "f32", "f32", n, 256, 1, best_us, 0, 0},
      {"limit", "limit", "", "i32", "i32", 100'000'000, 1024, 1, 1, 0, 1000}};
  return timing;
}

TEST(Statement36, needs_a_kernel_that_reads_as_fast_as_memory_can) {
  const auto verdict = [](double last, double best) {
    return judge_memory_bound(with_limit({}, 100, last, best)).verdict;
  };
  EXPECT_EQ(verdict(105, 101), Verdict::is_true);
  EXPECT_EQ(verdict(150, 101), Verdict::true_if);
  EXPECT_EQ(verdict(300, 150), Verdict::is_false);
  EXPECT_FALSE(judge_memory_bound({}).verdict.has_value());
}

TEST(Statement63, is_about_the_share_of_what_reading_alone_reaches) {
  Timing timing = with_limit(vector_kernels(3, 9, 9, true), 1, 1, 1);
  const double near[] = {0, 106.9, 327.1, 980.5, 980.4};
  for (std::size_t k = 1; k < 5; ++k) timing.speedups[k].gb_per_s = near[k];
  EXPECT_EQ(judge_dram_throughput(timing).verdict, Verdict::is_true);
  timing.speedups[3].gb_per_s = 200;
  EXPECT_EQ(judge_dram_throughput(timing).verdict, Verdict::not_reproduced);
  EXPECT_FALSE(judge_dram_throughput({}).verdict.has_value());
}

TEST(Statement18, needs_unrolling_to_matter_little_and_barriers_much) {
  const auto verdict = [](double first_add, double tail, double unrolled) {
    return judge_unrolling(ladder({1, 1, 1, first_add, tail, unrolled})).verdict;
  };
  EXPECT_EQ(verdict(2, 4, 4.1), Verdict::is_true);
  EXPECT_EQ(verdict(4, 4.1, 4.1), Verdict::true_if);
  EXPECT_EQ(verdict(2, 4, 5), Verdict::true_if);
  EXPECT_EQ(verdict(4, 4, 5), Verdict::is_false);
  EXPECT_FALSE(judge_unrolling(ladder({1, 1})).verdict.has_value());
}

Timing many(double one_us, double many_us, double one_error, double many_error, double malloc_us) {
  Timing timing;
  Timing::Measurement m;
  m.kind = "kernel";
  m.form = "fixed";
  m.in = m.acc = "f32";
  m.n = std::uint64_t{1} << 27;
  m.variant = "shuffle_down";
  m.median_us = one_us;
  timing.measurements.push_back(m);
  m.variant = "grid_stride";
  m.median_us = many_us;
  timing.measurements.push_back(m);
  timing.accuracies = {{"shuffle_down", one_error}, {"grid_stride", many_error}};
  timing.allocations = {{"a static array", 5}, {"cudaMalloc", malloc_us}};
  return timing;
}

TEST(Statement19, has_three_parts_and_each_counts) {
  EXPECT_EQ(judge_many_elements(many(300, 200, 1e-6, 1e-7, 50)).verdict, Verdict::is_true);
  EXPECT_EQ(judge_many_elements(many(200, 200, 1e-6, 1e-7, 50)).verdict, Verdict::true_if);
  EXPECT_EQ(judge_many_elements(many(200, 200, 1e-7, 1e-6, 5)).verdict, Verdict::is_false);
  EXPECT_FALSE(judge_many_elements({}).verdict.has_value());
}

TEST(Statement20, is_about_the_largest_size_and_the_most_blocks) {
  Timing timing;
  const auto add = [&](std::uint64_t n, std::uint64_t grid, double us) {
    Timing::Measurement m;
    m.kind = "sweep";
    m.variant = "two_pass";
    m.in = "f32";
    m.n = n;
    m.grid = grid;
    m.median_us = us;
    timing.measurements.push_back(m);
  };
  EXPECT_FALSE(judge_fat_blocks(timing).verdict.has_value());
  add(1000, 10, 1);
  add(1000, 100, 9);
  add(4000, 10, 20);
  add(4000, 100, 10);
  EXPECT_EQ(judge_fat_blocks(timing).verdict, Verdict::is_false);
  add(4000, 50, 8);
  EXPECT_EQ(judge_fat_blocks(timing).verdict, Verdict::is_true);
}

TEST(Timing, reads_what_gauntlet_time_writes_and_refuses_other_documents_in_one_line) {
  const Timing timing = read_timing(R"({
    "schema": "gauntlet.time", "version": 1, "date": "2026-11-21T02:03:04Z",
    "device": {"name": "NVIDIA H100"},
    "benchmarks": [{"run_type": "aggregate", "aggregate_name": "median", "kind": "kernel",
      "variant": "sequential", "form": "fixed", "in": "f32", "acc": "f32", "n": 1024,
      "block": 256, "grid": 4, "median_us": 2.5, "spread_percent": 1.0, "gb_per_s": 3.0}],
    "speedups": [{"statement": 16, "variant": "sequential", "block": 256, "median_us": 5.0, "gb_per_s": 2.0,
      "speedup": 1.5, "documented_us": 2250.0, "documented_speedup": 1.44}],
    "allocation": [{"what": "cudaMalloc", "median_us": 40.0}],
    "accuracy": [{"variant": "grid_stride", "relative_error": 1e-7}]})");
  EXPECT_EQ(timing.source, "NVIDIA H100, 2026-11-21");
  const auto* m = timing.find("kernel", "sequential", "f32", 1024);
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->median_us, 2.5);
  EXPECT_EQ(timing.find("kernel", "sequential", "f32", 2048), nullptr);
  EXPECT_EQ(timing.of_statement(16).size(), 1U);
  EXPECT_TRUE(timing.of_statement(17).empty());
  for (const char* wrong : {"", "{}", R"({"schema": "gauntlet.list"})", "[1]"}) {
    try {
      (void)read_timing(wrong);
      ADD_FAILURE() << wrong;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(Text, figures_are_grouped_by_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(12'500'000), "12,500,000");
}

}  // namespace
}  // namespace gauntlet::claims
