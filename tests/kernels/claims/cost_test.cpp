// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 12, 16 to 20, 36 and 63: what made-up figures say about them, on both sides of every
// line.
#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/claims/evidence.hpp"

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
    return judge_issue({"a device", {scalar, int4}}).verdict;
  };
  const auto busy = issue("wide_active", 50, 1050, 1000);
  const auto idle = issue("wide_active", 0, 1000, 1000);
  EXPECT_EQ(verdict(busy, issue("int4_through_shared", 0, 1000, 1000)), Verdict::is_true);
  EXPECT_EQ(verdict(busy, issue("int4_through_shared", 40, 1040, 1000)), Verdict::half_true);
  EXPECT_EQ(verdict(idle, issue("int4_through_shared", 0, 1000, 1000)), Verdict::is_false);
  // Conflicts that the addresses account for say nothing about issue.
  EXPECT_FALSE(verdict(issue("wide_active", 50, 1050, 1050), idle).has_value());
  EXPECT_FALSE(judge_issue({}).verdict.has_value());
}

constexpr std::uint64_t floats_of_a = std::uint64_t{1} << 27, ints_of_c = 100'000'000;

/// One repetition of a fixed form.
Measurement fixed(const std::string& variant, Type type, std::uint64_t n, double us,
                  std::uint32_t block = 256, std::uint32_t grid = 1) {
  Measurement m;
  m.variant = variant;
  m.form = "fixed";
  m.in = m.acc = type;
  m.n = n;
  m.block = block;
  m.grid = grid;
  m.samples_us = {us};
  return m;
}

Measurement limit(Type type, std::uint64_t n, double us) {
  Measurement m = fixed("limit", type, n, us, 1024);
  m.kind = timing::Kind::limit;
  m.form = "";
  return m;
}

/// Makes a second repetition so much slower.
Measurement apart(Measurement m, double percent) {
  m.samples_us.push_back(m.samples_us[0] * (1 + percent / 100));
  return m;
}

/// A's ladder with these speed-ups over its first kernel.
Report ladder(const std::vector<double>& speedups) {
  const char* const variants[] = {"interleaved_bitmask", "interleaved_compacted", "sequential",
                                  "first_add_on_load",   "volatile_warp_tail",    "full_unroll",
                                  "shuffle_two_stage"};
  Report report;
  report.device.name = "a device";
  report.date = "2026-11-21T02:03:04Z";
  for (std::size_t k = 0; k < speedups.size(); ++k) {
    report.measurements.push_back(fixed(variants[k], Type::f32, floats_of_a, 3230 / speedups[k]));
  }
  return report;
}

TEST(Statement16, a_ladder_near_the_documents_is_true) {
  const Evidence evidence = judge_ladder(ladder({1, 1.3, 1.5, 2.9, 4.6, 4.9, 5.1}));
  EXPECT_EQ(evidence.verdict, Verdict::is_true);
  EXPECT_EQ(evidence.source, "a device, 2026-11-21");
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
  Report report = ladder({1, 1.3, 1.5, 2.9, 4.6, 4.9, 5.1});
  report.measurements[2] = apart(report.measurements[2], 0.2);
  report.measurements[5] = apart(report.measurements[5], 0.7);
  const Measurement others[] = {fixed("full_unroll", Type::f32, floats_of_a / 2, 9),
                                fixed("full_unroll", Type::i32, floats_of_a, 9),
                                fixed("two_pass", Type::f32, floats_of_a, 9)};
  for (const Measurement& m : others) report.measurements.push_back(apart(m, 5));
  EXPECT_NE(judge_ladder(report).number.find("; repetitions lie at most 0.7 % apart"),
            std::string::npos);
}

TEST(Statement16, no_figures_no_verdict) { EXPECT_FALSE(judge_ladder({}).verdict.has_value()); }

constexpr double first_of_c_us = 14390;

/// C's table with these speed-ups, in C's launches or in as many blocks of 32 for all.
Report vector_kernels(double staged, double coarsened, double shuffled, bool own_launches) {
  const auto row = [&](const std::string& variant, double speedup, std::uint32_t block,
                       std::uint32_t grid) {
    return fixed(variant, Type::i32, ints_of_c, first_of_c_us / speedup, own_launches ? block : 32,
                 own_launches ? grid : 1);
  };
  Report report;
  report.measurements = {
      fixed("wide_active", Type::i32, ints_of_c, 1, 8), row("wide_active", 1, 32, 3'125'000),
      row("int4_through_shared", staged, 32, 3'125'000),
      row("int4_coarsened", coarsened, 32, 781'250), row("int4_shuffle", shuffled, 128, 195'313)};
  return report;
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
  Report report = vector_kernels(2, 2, 2, false);
  for (const Measurement& m : vector_kernels(3, 9, 9, true).measurements) {
    report.measurements.push_back(m);
  }
  EXPECT_EQ(launches_of_c(report).size(), 4U);
  EXPECT_EQ(judge_vector_kernels(report).verdict, Verdict::is_true);
}

TEST(Statement36, needs_a_kernel_that_reads_as_fast_as_memory_can) {
  const auto verdict = [](double last, double best) {
    Report report;
    report.measurements = {limit(Type::f32, floats_of_a, 100),
                           fixed("shuffle_two_stage", Type::f32, floats_of_a, last),
                           fixed("vector_batch", Type::f32, floats_of_a, best)};
    return judge_memory_bound(report).verdict;
  };
  EXPECT_EQ(verdict(105, 101), Verdict::is_true);
  EXPECT_EQ(verdict(150, 101), Verdict::true_if);
  EXPECT_EQ(verdict(300, 150), Verdict::is_false);
  EXPECT_FALSE(judge_memory_bound({}).verdict.has_value());
}

TEST(Statement63, is_about_the_share_of_what_reading_alone_reaches) {
  const auto verdict = [](double coarsened) {
    Report report = vector_kernels(3.06, coarsened, 9.17, true);
    report.measurements.push_back(limit(Type::i32, ints_of_c, 0.1069 * first_of_c_us));
    return judge_dram_throughput(report).verdict;
  };
  EXPECT_EQ(verdict(9.17), Verdict::is_true);
  EXPECT_EQ(verdict(1.9), Verdict::not_reproduced);
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

Report many(double one_us, double many_us, double one_error, double many_error, double malloc_us) {
  Report report;
  report.measurements = {fixed("shuffle_down", Type::f32, floats_of_a, one_us),
                         fixed("grid_stride", Type::f32, floats_of_a, many_us)};
  report.accuracy.resize(2);
  report.accuracy[0].variant = "shuffle_down";
  report.accuracy[0].relative_error = one_error;
  report.accuracy[1].variant = "grid_stride";
  report.accuracy[1].relative_error = many_error;
  report.allocation = {{"a static array", {5}}, {"cudaMalloc", {malloc_us}}};
  return report;
}

TEST(Statement19, has_three_parts_and_each_counts) {
  EXPECT_EQ(judge_many_elements(many(300, 200, 1e-6, 1e-7, 50)).verdict, Verdict::is_true);
  EXPECT_EQ(judge_many_elements(many(200, 200, 1e-6, 1e-7, 50)).verdict, Verdict::true_if);
  EXPECT_EQ(judge_many_elements(many(200, 200, 1e-7, 1e-6, 5)).verdict, Verdict::is_false);
  EXPECT_FALSE(judge_many_elements({}).verdict.has_value());
}

TEST(Statement20, is_about_the_largest_size_and_the_most_blocks) {
  Report report;
  const auto add = [&](std::uint64_t n, std::uint32_t grid, double us) {
    report.measurements.push_back(fixed("two_pass", Type::f32, n, us, 256, grid));
    report.measurements.back().kind = timing::Kind::sweep;
  };
  EXPECT_FALSE(judge_fat_blocks(report).verdict.has_value());
  add(1000, 10, 1);
  add(1000, 100, 9);
  add(4000, 10, 20);
  add(4000, 100, 10);
  EXPECT_EQ(judge_fat_blocks(report).verdict, Verdict::is_false);
  add(4000, 50, 8);
  EXPECT_EQ(judge_fat_blocks(report).verdict, Verdict::is_true);
}

TEST(Timing, a_time_is_that_of_the_fixed_form_with_these_elements_and_a_row_that_of_its_statement) {
  Report report = ladder({1, 2});
  report.measurements.push_back(limit(Type::f32, floats_of_a, 7));
  EXPECT_EQ(source_of(report), "a device, 2026-11-21");
  const Measurement* m = time_of(report, "interleaved_compacted", Type::f32, floats_of_a);
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->median_us(), 1615);
  EXPECT_EQ(time_of(report, "interleaved_compacted", Type::f32, 2048), nullptr);
  EXPECT_EQ(time_of(report, "interleaved_compacted", Type::i32, floats_of_a), nullptr);
  ASSERT_NE(limit_of(report, Type::f32, floats_of_a), nullptr);
  EXPECT_EQ(limit_of(report, Type::i32, floats_of_a), nullptr);
  EXPECT_EQ(rows_of(report, 16).size(), 2U);
  EXPECT_TRUE(rows_of(report, 17).empty());
}

TEST(Text, figures_are_grouped_by_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(12'500'000), "12,500,000");
}

}  // namespace
}  // namespace gauntlet::claims
