// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/page/fixes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gauntlet::report {
namespace {

Json checked(const std::string& variant, const std::string& form, const std::string& line) {
  const Json example{{"case", line}};
  const Json tested{
      {"variant", variant}, {"form", form}, {"counterexamples", Json::array({example})}};
  return Json{{"forms", Json::array({tested})}};
}

TEST(ReportFixes, show_the_case_on_both_forms) {
  const auto all = fixes(checked("grid_stride", "fixed-first_offset",
                                 "grid_stride@fixed-first_offset f32->f32 sum n=32 block=32 grid=1 "
                                 "data=ones seed=1 offset=0 tail=poison schedule=lockstep"));
  ASSERT_EQ(all.size(), 1U);
  const Fix& fix = all.front();
  EXPECT_EQ(fix.name, "first_offset");
  EXPECT_NE(fix.what, "");
  EXPECT_NE(fix.without.total, fix.without.reference);
  EXPECT_EQ(fix.with.total, fix.with.reference);
  EXPECT_EQ(fix.with.reference, fix.without.reference);
  EXPECT_FALSE(fix.without.findings.empty());
  EXPECT_TRUE(fix.with.findings.empty());
  EXPECT_TRUE(fix.without.tree.starts_with("<svg")) << fix.without.tree.substr(0, 40);
  EXPECT_TRUE(std::ranges::any_of(
      fix.source, [](const DiffRow& row) { return row.kind != DiffRow::Kind::same; }));
  EXPECT_FALSE(fix.race.has_value());
}

TEST(ReportFixes, show_the_whole_run_of_a_committed_witness) {
  const auto all = fixes(checked("volatile_warp_tail", "fixed-syncwarp",
                                 "volatile_warp_tail@fixed-syncwarp f32->f32 sum n=1 block=256 "
                                 "grid=1 data=ones seed=1 offset=0 tail=poison schedule=lockstep"));
  ASSERT_EQ(all.size(), 1U);
  ASSERT_TRUE(all[0].race.has_value());
  EXPECT_NE(all[0].race->got, all[0].race->right);
  const auto& events = all[0].race->trace.events;
  EXPECT_EQ(std::ranges::count_if(events, &witness::TraceEvent::decides), 2);
  EXPECT_EQ(all[0].race->trace.more, 0U);
}

TEST(ReportFixes, are_those_of_forms_that_lack_one_fix_and_have_a_counterexample) {
  const std::string line =
      "grid_stride@documented f32->f32 sum n=32 block=32 grid=1 data=ones seed=1 offset=0 "
      "tail=poison schedule=lockstep";
  EXPECT_TRUE(fixes(checked("grid_stride", "documented", line)).empty());
  EXPECT_TRUE(fixes(checked("my.gauntlet", "spec", line)).empty());
  Json none = checked("grid_stride", "fixed-first_offset", line);
  none["forms"][0]["counterexamples"] = Json::array();
  EXPECT_TRUE(fixes(none).empty());
}

}  // namespace
}  // namespace gauntlet::report
