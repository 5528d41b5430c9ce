// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The pass on a GPU. Without one these fail.
#include <gtest/gtest.h>

#include <set>

#include "gpu/timing/pass.hpp"
#include "gpu/timing/report/derive.hpp"
#include "kernels/catalogue.hpp"

namespace gauntlet::timing {
namespace {

Passed all_passed() {
  properties::CheckReport report;
  for (const Variant& one : kernels::catalogue()) {
    properties::FormReport form;
    form.variant = one.id;
    form.form = "fixed";
    form.outcome = properties::Outcome::as_expected;
    form.cases = 1;
    report.forms.push_back(form);
  }
  return Passed::from_report(report);
}

PassResult pass(std::vector<std::string> selectors, std::vector<std::uint64_t> sizes,
                std::vector<TypePair> types, const std::atomic<bool>* cancel = nullptr) {
  PassOptions options;
  options.request = {std::move(selectors), std::move(sizes), std::move(types), true};
  options.repetitions = 5;
  options.cancel = cancel;
  return run_pass(options, all_passed());
}

TEST(TimedPass, no_form_is_faster_than_reading_the_input) {
  const PassResult result = pass({"vector_batch@fixed", "sequential@fixed", "global_inplace@fixed"},
                                 {std::uint64_t{1} << 26}, {{Type::f32, Type::f32}});
  EXPECT_TRUE(result.as_expected);
  EXPECT_TRUE(result.report.not_timed.empty());
  std::set<std::string> seen;
  for (const Measurement& m : result.report.measurements) {
    seen.insert(m.variant);
    ASSERT_EQ(m.samples_us.size(), 5u);
    EXPECT_GT(m.median_us(), 0.0);
    if (m.kind == Kind::kernel) {
      EXPECT_LT(percent_of_limit(result.report, m).value(), 103.0) << m.variant;
    }
  }
  EXPECT_EQ(seen, (std::set<std::string>{"limit", "cub", "vector_batch", "sequential",
                                         "global_inplace"}));
}

TEST(TimedPass, cubs_recorded_launches_are_as_fast_as_cub_itself) {
  const PassResult result = pass({"cub_device@fixed"}, {1 << 12, 1 << 20, 1 << 26},
                                 {{Type::f32, Type::f32}, {Type::f16, Type::f32}});
  unsigned compared = 0;
  for (const Measurement& m : result.report.measurements) {
    if (m.kind != Kind::kernel) continue;
    ++compared;
    EXPECT_NEAR(ratio_to_cub(result.report, m).value(), 1.0, 0.08) << m.n;
  }
  EXPECT_EQ(compared, 6u);
}

TEST(TimedPass, a_form_that_lacks_a_fix_is_timed_only_where_it_is_right) {
  PassOptions options;
  // Drops the last warp of such a block? Not at 256 threads: right. A shift of 32: always wrong.
  options.request = {
      {"shuffle_two_stage", "grid_stride"}, {1 << 20}, {{Type::f32, Type::f32}}, false};
  options.repetitions = 3;
  const Report report = run_pass(options, all_passed()).report;
  std::set<std::string> costs;
  for (const FixCost& cost : fix_costs(report)) costs.insert(cost.fix);
  EXPECT_EQ(costs.count("partial_warp"), 1u);
  EXPECT_EQ(costs.count("first_offset"), 0u);
  bool refused = false;
  for (const NotTimed& one : report.not_timed) {
    refused |= one.what == "grid_stride@fixed-first_offset";
  }
  EXPECT_TRUE(refused);
}

TEST(TimedPass, what_was_measured_before_an_interrupt_is_kept) {
  std::atomic<bool> cancel{false};
  PassOptions options;
  options.request = {{"sequential@fixed"}, {1 << 10, 1 << 12}, {{Type::f32, Type::f32}}, true};
  options.repetitions = 2;
  options.cancel = &cancel;
  options.progress = [&](std::size_t done, std::size_t, const std::string&) {
    if (done == 2) cancel = true;
  };
  const Report report = run_pass(options, all_passed()).report;
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.measurements.size(), 3u);
}

TEST(TimedPass, a_size_that_does_not_fit_is_skipped_with_a_word) {
  const Report report = pass({"sequential@fixed"}, {1 << 10, (std::uint64_t{1} << 31) - 1},
                             {{Type::i32, Type::i32}, {Type::i64, Type::i64}})
                            .report;
  for (const NotTimed& one : report.not_timed) {
    EXPECT_NE(one.why.find("do not fit"), std::string::npos) << one.why;
  }
  EXPECT_GE(report.measurements.size(), 4u);
}

}  // namespace
}  // namespace gauntlet::timing
