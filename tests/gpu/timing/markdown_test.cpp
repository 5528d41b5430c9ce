// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "gpu/timing/report/report.hpp"
#include "tests/gpu/timing/sample_report.hpp"

namespace gauntlet::timing::markdown_test {
namespace {

constexpr std::uint64_t sample_size = 1 << 20;

std::string page(const Report& report) { return markdown(report); }

bool has(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

TEST(Tables, show_bandwidth_share_of_the_limit_and_ratio_to_cub_by_size) {
  const std::string text = page(report_of({
      measured(Kind::limit, "limit", sample_size, {2.0}),
      measured(Kind::cub, "cub", sample_size, {5.0}),
      measured(Kind::kernel, "sequential", sample_size, {4.0}),
      measured(Kind::kernel, "sequential", 100'000'000, {100.0}),
  }));
  EXPECT_TRUE(has(text, "| GB/s | 2^20 | 10^8 |")) << text;
  EXPECT_TRUE(has(text, "| sequential | 1049 | 4000 |"));
  EXPECT_TRUE(has(text, "| % of the limit | 2^20 |"));
  EXPECT_TRUE(has(text, "| sequential | 50.0 |"));
  EXPECT_TRUE(has(text, "| time of CUB / time | 2^20 |"));
  EXPECT_TRUE(has(text, "| sequential | 1.25 |"));
}

TEST(Tables, put_a_cost_below_the_noise_in_brackets) {
  const auto text = [](double noisy) {
    return page(report_of({
        measured(Kind::kernel, "sequential", sample_size, {11.0, 11.0, 11.0 + noisy}),
        measured(Kind::fix, "sequential", sample_size, {10.0}, Type::f32, "fixed-bounds_check"),
    }));
  };
  EXPECT_TRUE(has(text(0.1), "| sequential | bounds_check | f32 | +10.0 |"));
  EXPECT_TRUE(has(text(2.0), "| sequential | bounds_check | f32 | (+10.0) |"));
}

TEST(Tables, mark_the_best_launch_of_a_sweep) {
  Measurement few = measured(Kind::sweep, "two_pass", sample_size, {4.0});
  few.grid = 132;
  Measurement many = measured(Kind::sweep, "two_pass", sample_size, {2.0}, Type::f32, "fixed", 512);
  many.grid = 264;
  const std::string text = page(report_of({few, many}));
  EXPECT_TRUE(has(text, "| blocks | 256 threads | 512 threads |")) << text;
  EXPECT_TRUE(has(text, "| 132 | 1049 |  |"));
  EXPECT_TRUE(has(text, "| 264 |  | **2097** |"));
}

TEST(Tables, say_what_was_not_timed_and_that_a_run_was_interrupted) {
  Report report = report_of({measured(Kind::kernel, "sequential", sample_size, {4.0})});
  report.not_timed.push_back({"wide_active@fixed", "", "", 0, "wide_active@fixed did not pass"});
  report.not_timed.push_back({"2^30", "f64", "f64", std::uint64_t{1} << 30, "too large"});
  report.interrupted = true;
  const std::string text = page(report);
  EXPECT_TRUE(has(text, "| wide_active@fixed | wide_active@fixed did not pass | all |")) << text;
  EXPECT_TRUE(has(text, "| 2^30 | too large | f64 2^30 |"));
  EXPECT_NE(text.find("| interrupted | yes"), std::string::npos);
}

TEST(Tables, compare_cub_with_itself) {
  const std::string text = page(report_of({
      measured(Kind::cub, "cub", sample_size, {5.0}),
      measured(Kind::kernel, "cub_device", sample_size, {4.9}),
  }));
  EXPECT_NE(text.find("In 1 comparisons they differ by at most 2.0 %."), std::string::npos) << text;
}

TEST(Tables, depend_on_the_document_alone) {
  Report report = report_of({
      measured(Kind::limit, "limit", sample_size, {2.0, 2.5}),
      measured(Kind::cub, "cub", sample_size, {5.0, 5.0}),
      measured(Kind::kernel, "vector_batch", sample_size, {4.0, 4.5}),
  });
  report.accuracy.push_back({"grid_stride", "fixed", "a case", "1.5", "1", 0.5});
  EXPECT_EQ(page(report_from_json(to_json(report))), page(report));
}

TEST(GoalsText, says_met_not_met_or_not_judged) {
  const std::string text = goals_text(report_of({
      measured(Kind::cub, "cub", sample_size, {5.0}),
      measured(Kind::kernel, "vector_batch", sample_size, {4.9}),
  }));
  EXPECT_NE(text.find("met        vector_batch: at least as fast as CUB"), std::string::npos)
      << text;
  EXPECT_NE(
      text.find("not met    vector_batch: at least 1.2 times as fast as CUB up to 2^20, or 95 % of "
                "the read limit (worst 1.02: f32 2^20 by vector_batch)"),
      std::string::npos);
  EXPECT_NE(text.find("not judged vector_batch: at least 97 %"), std::string::npos);
}

}  // namespace
}  // namespace gauntlet::timing::markdown_test
