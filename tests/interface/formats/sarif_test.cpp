// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What alerts say, and when two runs' alerts count as the same. (That SARIF's schema accepts them
// is tried by validate_sarif.py.)
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "base/os/temporary_folder.hpp"
#include "interface/formats/formats.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::formats {
namespace {

Finding race(const std::string& file, std::uint32_t line) {
  Finding f;
  f.kind = FindingKind::race_write_read;
  f.kernel = "sum";
  f.at = {file, line, {0, 0, 0}, 0, 1, "2"};
  f.array = "s";
  f.index = 1;
  f.other = Party{file, line + 1, {0, 0, 0}, 0, 0, ""};
  return f;
}

std::string fingerprint(const Finding& finding) { return alerts({finding}, "").front().cause; }

TEST(Sarif, fingerprint_is_the_same_after_lines_have_moved) {
  const os::TemporaryFolder folder;
  const std::string path = (folder.path() / "sum.cu").string();
  std::ofstream(path) << "a\n  s[i] = 1;\nb\n";
  const std::string before = fingerprint(race(path, 2));
  EXPECT_NE(before, fingerprint(race(path, 1))) << "another line is another cause";
  std::ofstream(path) << "a\n\n\n\ts[i]  = 1;\nb\n";
  EXPECT_EQ(before, fingerprint(race(path, 4)));
}

TEST(Sarif, fingerprint_does_not_count_the_allocations_before) {
  Finding of_seventh = race("k.cu", 2), of_eighth = of_seventh, of_another = of_seventh;
  of_seventh.array = "cudaMalloc#7";
  of_eighth.array = "cudaMalloc#8";
  of_another.array = "cudaMallocManaged#7";
  EXPECT_EQ(fingerprint(of_seventh), fingerprint(of_eighth));
  EXPECT_NE(fingerprint(of_seventh), fingerprint(of_another));
}

TEST(Sarif, same_cause_twice_has_two_fingerprints) {
  const auto both = alerts({race("sum.cu", 2), race("sum.cu", 2)}, "");
  EXPECT_NE(both[0].cause, both[1].cause);
}

TEST(Sarif, names_the_other_party_and_the_file_of_a_finding_without_a_place) {
  const auto list = alerts({race("sum.cu", 2)}, "kernel.cu");
  ASSERT_EQ(list[0].related.size(), 1U);
  EXPECT_EQ(list[0].related[0].line, 3U);
  Finding wrong;
  wrong.kind = FindingKind::wrong_result;
  EXPECT_EQ(alerts({wrong}, "kernel.cu")[0].at->file, "kernel.cu");
  EXPECT_FALSE(alerts({wrong}, "")[0].at.has_value());
}

TEST(Sarif, a_finding_of_no_thread_names_none) {
  Finding wrong;
  wrong.kind = FindingKind::wrong_result;
  wrong.array = "y";
  wrong.detail = "got 1, expected 2";
  const std::string what(facts(wrong.kind).what);
  EXPECT_EQ(alerts({wrong}, "").front().message, what + " y[0]: got 1, expected 2");
  wrong.kernel = "sum";
  EXPECT_EQ(alerts({wrong}, "").front().message,
            what + " y[0] of sum by block 0,0,0 warp 0 lane 0: got 1, expected 2");
}

TEST(Sarif, rules_have_different_names) {
  std::set<std::string> ids;
  for (const Rule& rule : rules()) ids.insert(rule.id);
  EXPECT_EQ(ids.size(), rules().size());
  EXPECT_TRUE(ids.count("use_after_free") == 1 && ids.count("host_use_after_free") == 1);
}

properties::CheckReport one_form(std::vector<Expected> expected) {
  properties::FormReport form;
  form.variant = "volatile_warp_tail";
  form.form = "fixed-syncwarp";
  form.outcome = properties::Outcome::as_expected;
  form.expected = std::move(expected);
  form.found = {{FindingKind::race_write_read, "s"}};
  properties::Counterexample example;
  example.c = parse_case("volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 block=3 grid=1");
  example.findings = {race("kernels/volatile_warp_tail.cu", 72)};
  example.shows = form.found;
  form.counterexamples = {example};
  properties::CheckReport report;
  report.forms = {form};
  return report;
}

TEST(Sarif, finding_that_the_catalogue_expects_is_accepted_and_another_is_not) {
  const Expected race_on_s{FindingKind::race_write_read, "s"};
  const auto expected = alerts(one_form({race_on_s}), {});
  ASSERT_EQ(expected.size(), 1U);
  EXPECT_NE(expected[0].accepted, "");
  const auto news = alerts(one_form({{FindingKind::race_write_read, "t"}}), {});
  EXPECT_EQ(news[0].accepted, "");
}

TEST(Sarif, expected_finding_that_no_case_shows_is_an_alert) {
  properties::CheckReport report = one_form({});
  report.forms[0].found.clear();
  report.forms[0].missing = {{FindingKind::race_write_read, "s"}};
  const auto list = alerts(report, {});
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].rule, missing_rule);
  EXPECT_EQ(list[0].severity, Severity::error);
}

TEST(Sarif, code_flow_of_a_committed_witness_has_a_thread_for_each_lane) {
  const auto report = one_form({});
  const auto log = sarif("check", alerts(report, witnesses(report, kernels::compiled_kernels())));
  const Json& flow = log["runs"][0]["results"][0].at("codeFlows").at(0);
  ASSERT_EQ(flow["threadFlows"].size(), 2U);
  const Json& first = flow["threadFlows"][0]["locations"][0];
  EXPECT_EQ(first["executionOrder"], 1);
  const Json& place = first["location"]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "kernels/volatile_warp_tail.cu");
  EXPECT_GT(place["region"]["startLine"], 0);
}

}  // namespace
}  // namespace gauntlet::formats
