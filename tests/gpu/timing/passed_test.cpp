// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "gpu/timing/configurations.hpp"
#include "properties/case/case_text.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::timing {
namespace {

properties::FormReport form(const std::string& name, properties::Outcome outcome,
                            std::uint64_t cases = 5) {
  properties::FormReport one;
  one.variant = "sequential";
  one.form = name;
  one.outcome = outcome;
  one.cases = cases;
  return one;
}

/// As `gauntlet check` writes it.
Json document(const properties::FormReport& one, const std::string& executor = "cuda") {
  properties::CheckReport report;
  report.executor = executor;
  report.forms.push_back(one);
  return Json::parse(json_of("check", report).dump());
}

std::string refusal(const properties::FormReport& one, const std::string& name = "fixed") {
  return Passed::from_json(document(one)).refusal("sequential", name);
}

using enum properties::Outcome;

TEST(Passed, a_form_that_held_is_timed) { EXPECT_EQ(refusal(form("fixed", as_expected)), ""); }

TEST(Passed, a_form_that_misbehaved_is_refused_by_name) {
  EXPECT_EQ(refusal(form("fixed", mismatch)), "sequential@fixed did not pass (mismatch)");
  EXPECT_EQ(refusal(form("fixed", incomplete)), "sequential@fixed did not pass (incomplete)");
}

TEST(Passed, a_form_that_was_not_checked_is_refused) {
  EXPECT_EQ(Passed::from_json(document(form("fixed", as_expected))).refusal("sequential", "other"),
            "sequential@other did not pass (it was not checked)");
  EXPECT_EQ(refusal(form("fixed", as_expected, 0)), "sequential@fixed did not pass (no case ran)");
}

TEST(Passed, a_form_that_shows_its_defect_as_expected_has_not_passed) {
  auto one = form("documented", as_expected);
  one.expected.push_back({FindingKind::wrong_result, "out"});
  properties::Counterexample example{};
  example.c = parse_case("sequential@documented f32->f32 sum n=97");
  example.findings.emplace_back().kind = FindingKind::wrong_result;
  example.reference.emplace();
  one.counterexamples.push_back(example);
  EXPECT_EQ(refusal(one, "documented"),
            "sequential@documented did not pass (it is a defective form)");
}

std::string error_of(const Json& any) {
  return message_of<JsonShapeError>([&] { (void)Passed::from_json(any); });
}

TEST(Passed, a_run_of_the_simt_machine_says_nothing_of_a_gpu) {
  EXPECT_EQ(error_of(document(form("fixed", as_expected), "simt")),
            "its forms ran on simt, not on a GPU; write check --on cuda");
}

TEST(Passed, another_document_is_refused) {
  Json other = document(form("fixed", as_expected));
  other["schema"] = "gauntlet.agree";
  EXPECT_EQ(error_of(other), "it is no gauntlet.check document of version 1");
  EXPECT_NE(error_of(Json::object()), "");
  EXPECT_NE(error_of(Json(3)), "");
  Json broken = document(form("fixed", as_expected));
  broken["forms"][0].erase("outcome");
  EXPECT_NE(error_of(broken), "");
}

TEST(Passed, properties_that_ran_just_now_say_the_same) {
  properties::CheckReport report;
  report.forms.resize(2);
  report.forms[0].variant = report.forms[1].variant = "sequential";
  report.forms[0].form = "fixed";
  report.forms[0].outcome = properties::Outcome::as_expected;
  report.forms[0].cases = 3;
  report.forms[1].form = "documented";
  report.forms[1].outcome = properties::Outcome::mismatch;
  const Passed passed = Passed::from_report(report);
  EXPECT_EQ(passed.refusal("sequential", "fixed"), "");
  EXPECT_EQ(passed.refusal("sequential", "documented"),
            "sequential@documented did not pass (mismatch)");
  EXPECT_EQ(passed.forms(), 2u);
}

}  // namespace
}  // namespace gauntlet::timing
