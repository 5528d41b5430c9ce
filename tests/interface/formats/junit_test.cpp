// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "interface/formats/formats.hpp"

namespace gauntlet::formats {
namespace {

using properties::FormReport;
using properties::Outcome;

FormReport form(const std::string& variant, const std::string& name, Outcome outcome) {
  FormReport report;
  report.variant = variant;
  report.form = name;
  report.outcome = outcome;
  return report;
}

pugi::xml_document parsed(const properties::CheckReport& report) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(junit(report).c_str()));
  return document;
}

TEST(Junit, has_a_suite_for_each_variant_and_a_test_for_each_form) {
  properties::CheckReport report;
  report.forms = {form("tree", "documented", Outcome::as_expected),
                  form("tree", "fixed", Outcome::incomplete),
                  form("wide", "fixed", Outcome::as_expected)};
  const auto document = parsed(report);
  const auto suites = document.child("testsuites");
  EXPECT_EQ(suites.attribute("tests").as_int(), 3);
  EXPECT_EQ(suites.attribute("skipped").as_int(), 1);
  const auto tree = suites.find_child_by_attribute("testsuite", "name", "tree");
  EXPECT_EQ(tree.attribute("tests").as_int(), 2);
  const auto fixed = tree.find_child_by_attribute("testcase", "name", "fixed");
  EXPECT_STREQ(fixed.attribute("classname").value(), "tree");
  EXPECT_TRUE(fixed.child("skipped"));
  EXPECT_FALSE(tree.find_child_by_attribute("testcase", "name", "documented").first_child());
}

TEST(Junit, failure_has_the_case_line_and_the_findings) {
  properties::CheckReport report;
  report.forms = {form("tree", "fixed", Outcome::mismatch)};
  FormReport& bad = report.forms[0];
  bad.extra = bad.found = {{FindingKind::wrong_result, "out"}};
  properties::Counterexample example;
  example.c = parse_case("tree@fixed f32->f32 sum n=3 block=32 grid=1");
  Finding finding;
  finding.kind = FindingKind::wrong_result;
  finding.array = "out";
  finding.detail = "got <1> & \x1b[31m";
  example.findings = {finding};
  example.shows = bad.found;
  bad.counterexamples = {example};
  const auto document = parsed(report);
  const auto suites = document.child("testsuites");
  EXPECT_EQ(suites.attribute("failures").as_int(), 1);
  const auto failure = suites.child("testsuite").child("testcase").child("failure");
  EXPECT_STREQ(failure.attribute("message").value(), "not expected: wrong_result out");
  const std::string text = failure.text().get();
  EXPECT_NE(text.find("gauntlet repro 'tree@fixed f32->f32 sum n=3"), std::string::npos) << text;
  EXPECT_NE(text.find("got <1> & ?[31m"), std::string::npos) << text;
}

}  // namespace
}  // namespace gauntlet::formats
