// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// --sarif of `gauntlet sanitize`: what SARIF 2.1.0 requires of a log, and what it says.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/finding_kinds.hpp"
#include "tests/sanitizer/kernel/sanitized.hpp"

namespace gauntlet::test {
namespace {

Json sarif_of(const std::string& launch, int code) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "out.sarif";
  const Sanitized got =
      sanitize(ptx("sanitize_defects"), words(launch + " --sarif " + path.string()));
  EXPECT_EQ(got.code, code) << got.out << got.err;
  return std::filesystem::exists(path) ? Json::parse(read_text(path)) : Json();
}

/// A location as 3.28 to 3.30 of the standard want it.
void expect_location(const Json& location, const std::string& file, bool told) {
  const Json& place = location.at("physicalLocation");
  EXPECT_TRUE(place.at("artifactLocation").at("uri").get<std::string>().ends_with(file));
  EXPECT_GE(place.at("region").at("startLine").get<int>(), 1);
  EXPECT_EQ(location.contains("message"), told);
  if (!told) return;
  EXPECT_NE(location["message"].at("text"), "");
}

TEST(SanitizeSarif, is_a_log_of_one_run_with_a_rule_for_each_kind_of_finding) {
  const Json log = sarif_of(
      "--entry race_inside_warp<false> --grid 1 --block 32 --schedules 2 "
      "--arg out:i32[32]",
      1);
  EXPECT_EQ(log.at("version"), "2.1.0");
  EXPECT_NE(log.at("$schema").get<std::string>().find("sarif-2.1.0"), std::string::npos);
  ASSERT_EQ(log.at("runs").size(), 1U);
  const Json& run = log["runs"][0];
  const Json& driver = run.at("tool").at("driver");
  EXPECT_EQ(driver.at("name"), "gauntlet sanitize");
  std::set<std::string> rules;
  for (const Json& rule : driver.at("rules")) {
    rules.insert(rule.at("id").get<std::string>());
    EXPECT_NE(rule.at("shortDescription").at("text"), "");
  }
  EXPECT_EQ(rules.size(), driver["rules"].size()) << "no two of one name";
  for (const FindingKind kind : all<FindingKind>()) {
    EXPECT_EQ(rules.count(std::string(name(kind))), 1U) << name(kind);
  }
  std::set<std::string> kinds, fingerprints;
  for (const Json& result : run.at("results")) {
    const std::string kind = result.at("ruleId");
    kinds.insert(kind);
    EXPECT_EQ(driver["rules"][result.at("ruleIndex").get<std::size_t>()]["id"], kind);
    EXPECT_EQ(result.at("level"), kind == "race_write_read" ? "warning" : "error");
    EXPECT_NE(result.at("message").at("text").get<std::string>().find("race_inside_warp<false>"),
              std::string::npos);
    ASSERT_EQ(result.at("locations").size(), 1U);
    expect_location(result["locations"][0], "sanitize_defects.cu", false);
    fingerprints.insert(result.at("partialFingerprints").at("gauntletCause/v2").get<std::string>());
    if (kind != "race_write_read") continue;
    ASSERT_EQ(result.at("relatedLocations").size(), 1U);
    expect_location(result["relatedLocations"][0], "sanitize_defects.cu", true);
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"race_write_read", "poison_output"}));
  EXPECT_EQ(fingerprints.size(), run["results"].size());
}

TEST(SanitizeSarif, of_a_clean_kernel_has_no_result) {
  const Json log =
      sarif_of("--entry race_inside_warp<true> --grid 1 --block 32 --arg out:i32[32]", 0);
  EXPECT_EQ(log.at("runs")[0].at("results"), Json::array());
}

TEST(SanitizeSarif, that_cannot_be_written_is_refused_before_the_run) {
  const Sanitized got = sanitize(ptx("sanitize_defects"),
                                 words("--entry race_inside_warp<true> --grid 1 --block 32 --arg "
                                       "out:i32[32] --sarif /absent/out.sarif"));
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(got.out, "");
  EXPECT_TRUE(got.err.starts_with("gauntlet: --sarif /absent/out.sarif: ")) << got.err;
}

}  // namespace
}  // namespace gauntlet::test
