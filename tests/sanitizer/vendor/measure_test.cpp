// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Calibration comes first, and a tool that fails it is shown nothing else; which cases are chosen.
#include "sanitizer/vendor/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "kernels/catalogue.hpp"
#include "properties/launch/simt_executor.hpp"
#include "sanitizer/vendor/expectation.hpp"

namespace gauntlet::sanitizer {
namespace {

MeasureOptions options(std::string selector) {
  MeasureOptions options;
  options.selectors = {std::move(selector)};
  options.tools = {Tool::synccheck};
  options.bench.compute_sanitizer = GAUNTLET_FAKE_TOOL;
  options.bench.worker = {GAUNTLET_FAKE_TOOL};
  return options;
}

TEST(Measure, a_tool_that_misses_its_planted_defects_is_shown_no_case_and_fails) {
  unsetenv("FAKE_MODE");
  const Measurement m = measure(options("sequential@fixed"));
  EXPECT_EQ(calibration_failures(m).size(), 2U);
  ASSERT_EQ(m.forms.size(), 1U);
  for (const CaseMeasure& c : m.forms[0].cases) EXPECT_TRUE(c.tools.empty());
  EXPECT_FALSE(disagreements(m).empty());
}

TEST(Measure, a_calibrated_tool_is_shown_every_case) {
  setenv("FAKE_MODE", "calibrated", 1);
  const Measurement m = measure(options("sequential"));
  unsetenv("FAKE_MODE");
  EXPECT_TRUE(calibration_failures(m).empty());
  EXPECT_TRUE(disagreements(m).empty());
  EXPECT_EQ(m.device, "fake");
  EXPECT_EQ(m.forms.size(), kernels::find_variant("sequential")->forms.size());
  for (const FormMeasure& form : m.forms) {
    ASSERT_FALSE(form.cases.empty());
    for (const CaseMeasure& c : form.cases) {
      EXPECT_TRUE(c.tools.contains(Tool::synccheck));
      EXPECT_FALSE(c.output);  // nobody asked for it
      EXPECT_FALSE(c.simt);
    }
  }
}

TEST(Measure, the_plain_output_and_what_the_machine_finds_stand_beside_the_tools) {
  setenv("FAKE_MODE", "calibrated", 1);
  const auto simt = simt::make_executor();
  MeasureOptions all = options("wide_active@fixed-active_range");
  all.plain = true;
  all.simt = simt.get();
  const Measurement m = measure(all);
  unsetenv("FAKE_MODE");
  ASSERT_EQ(m.forms.size(), 1U);
  bool race = false;
  for (const CaseMeasure& c : m.forms[0].cases) {
    EXPECT_EQ(c.output, Output::right);
    ASSERT_TRUE(c.simt);
    race = race || std::ranges::count(*c.simt, "race_read_write s") != 0;
  }
  EXPECT_TRUE(race);
}

TEST(Cases, every_form_has_some_and_a_defective_one_its_counterexamples) {
  for (const Variant& variant : kernels::catalogue()) {
    for (const Form& form : variant.forms) {
      const auto shown = cases_of(variant, form, "");
      EXPECT_GE(shown.size(), 2U) << variant.id << "@" << form.name;
      for (const Shown& s : shown) {
        EXPECT_EQ(s.c.block_count, 0U);
        EXPECT_NE(s.c.grid, 0U);
        EXPECT_EQ(parse_case(job_of(s.c).line), s.c);
      }
    }
  }
  const Variant* const v = kernels::find_variant("wide_active");
  const auto shown = cases_of(*v, *v->form("documented"), "");
  EXPECT_GE(std::ranges::count_if(shown, &Shown::regression), 1);
}

TEST(Cases, a_window_of_blocks_is_left_to_the_simt_machine) {
  const Variant* const v = kernels::find_variant("int4_coarsened");
  const auto shown = cases_of(*v, *v->form("fixed-index_width"), "");
  EXPECT_EQ(std::ranges::count_if(shown, &Shown::regression), 0);
  EXPECT_FALSE(shown.empty());
}

TEST(Cases, each_tool_is_calibrated_with_pairs) {
  for (const Tool tool : all_tools) {
    std::set<std::string> lines;
    for (const Job& job : calibration_jobs(tool)) lines.insert(job.line);
    EXPECT_GE(lines.size(), 4U);
    EXPECT_EQ(lines.size() % 2, 0U);
  }
}

}  // namespace
}  // namespace gauntlet::sanitizer
