// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "timing/passed.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gauntlet::timing {
namespace {

using Json = nlohmann::ordered_json;

Json form(const std::string& name, const std::string& outcome, int cases = 5,
          Json expected = Json::array()) {
  return {{"variant", "sequential"},
          {"form", name},
          {"outcome", outcome},
          {"expected", std::move(expected)},
          {"cases", cases}};
}

Json document(Json one, const std::string& executor = "cuda") {
  return {{"schema", "gauntlet.check"},
          {"version", 1},
          {"executor", executor},
          {"forms", Json::array({std::move(one)})}};
}

std::string refusal(const Json& one, const std::string& name = "fixed") {
  return Passed::from_json(document(one)).refusal("sequential", name);
}

TEST(Passed, a_form_that_held_is_timed) { EXPECT_EQ(refusal(form("fixed", "as expected")), ""); }

TEST(Passed, a_form_that_misbehaved_is_refused_by_name) {
  EXPECT_EQ(refusal(form("fixed", "mismatch")), "sequential@fixed did not pass (mismatch)");
  EXPECT_EQ(refusal(form("fixed", "incomplete")), "sequential@fixed did not pass (incomplete)");
}

TEST(Passed, a_form_that_was_not_checked_is_refused) {
  EXPECT_EQ(
      Passed::from_json(document(form("fixed", "as expected"))).refusal("sequential", "other"),
      "sequential@other did not pass (it was not checked)");
  EXPECT_EQ(refusal(form("fixed", "as expected", 0)),
            "sequential@fixed did not pass (no case ran)");
}

TEST(Passed, a_form_that_shows_its_defect_as_expected_has_not_passed) {
  const Json defect = Json::array({{{"kind", "wrong_result"}, {"array", "out"}}});
  EXPECT_EQ(refusal(form("documented", "as expected", 5, defect), "documented"),
            "sequential@documented did not pass (it is a defective form)");
}

std::string error_of(const Json& any) {
  try {
    (void)Passed::from_json(any);
  } catch (const PassedError& error) {
    return error.what();
  }
  return "";
}

TEST(Passed, a_run_of_the_simt_machine_says_nothing_of_a_gpu) {
  EXPECT_EQ(error_of(document(form("fixed", "as expected"), "simt")),
            "its forms ran on simt, not on a GPU; write check --on cuda");
}

TEST(Passed, another_document_is_refused) {
  Json other = document(form("fixed", "as expected"));
  other["schema"] = "gauntlet.agree";
  EXPECT_EQ(error_of(other), "it is no gauntlet.check document of version 1");
  EXPECT_NE(error_of(Json::object()), "");
  EXPECT_NE(error_of(Json(3)), "");
  Json broken = document(form("fixed", "as expected"));
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
