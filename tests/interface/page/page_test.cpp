// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/page/page.hpp"

#include <gtest/gtest.h>

namespace gauntlet::report {
namespace {

/// What the page has for its script to read.
std::string data_of(const std::string& page) {
  const std::string begin = R"(id="documents">)";
  const auto at = page.find(begin) + begin.size();
  return page.substr(at, page.find("</script>", at) - at);
}

TEST(ReportPage, carries_the_documents_whatever_their_text_says) {
  Json document = json_head("repro");
  document["case"] = "</script><script>alert(1)</script> <!-- & \"quotes\" /*DATA*/";
  const std::string text = page({document});
  EXPECT_EQ(Json::parse(data_of(text)), Json::array({document}));
  EXPECT_EQ(text.find("alert(1)</script>"), std::string::npos);
}

TEST(ReportPage, has_style_and_script_in_itself) {
  const std::string text = page({});
  for (const char* mark : {"/*STYLE*/", "/*SCRIPT*/", "/*DATA*/"}) {
    EXPECT_EQ(text.find(mark), std::string::npos) << mark;
  }
  EXPECT_NE(text.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_EQ(text.find("<script src"), std::string::npos);
  EXPECT_EQ(text.find("<link rel=\"stylesheet\""), std::string::npos);
}

TEST(ReportPage, shows_results_of_these_verbs_only) {
  EXPECT_TRUE(shows("gauntlet.check"));
  EXPECT_TRUE(shows("gauntlet.run"));
  EXPECT_FALSE(shows("gauntlet.nothing"));
  EXPECT_FALSE(shows("check"));
  EXPECT_FALSE(shows(""));
}

TEST(ReportPage, leaves_out_samples_and_sweeps_of_timings) {
  Json document = json_head("time");
  document["date"] = "2026-11-22T00:00:00Z";
  document["device"] = Json{{"name", "a GPU"}};
  const Json one{{"kind", "kernel"}, {"variant", "tree"}, {"n", 1024}, {"samples_us", {1, 2}}};
  Json sweep = one;
  sweep["kind"] = "sweep";
  document["benchmarks"] = Json::array({one, sweep});
  document["fixes"] = Json::array();
  document["speedups"] = Json::array();
  const Json slimmed = slim(document);
  ASSERT_EQ(slimmed["benchmarks"].size(), 1U);
  EXPECT_EQ(slimmed["benchmarks"][0]["n"], 1024);
  EXPECT_FALSE(slimmed["benchmarks"][0].contains("samples_us"));
}

TEST(ReportPage, keeps_of_a_tools_findings_their_kinds_and_a_problem_as_it_is) {
  Json document = json_head("detection");
  const Json finding{{"kind", "race"}, {"line", 3}};
  const Json problem{{"problem", "timeout"}};
  const Json tools{{"racecheck", Json::array({finding, finding})}, {"memcheck", problem}};
  const Json tested{{"output", "right"}, {"tools", tools}};
  document["forms"] =
      Json::array({Json{{"variant", "tree"}, {"form", "fixed"}, {"cases", Json::array({tested})}}});
  const Json kept = slim(document)["forms"][0]["cases"][0]["tools"];
  EXPECT_EQ(kept["racecheck"], Json::array({"race"}));
  EXPECT_EQ(kept["memcheck"], problem);
}

TEST(ReportPage, refuses_a_document_without_its_members) {
  EXPECT_THROW((void)slim(json_head("time")), JsonShapeError);
  EXPECT_THROW((void)slim(json_head("check")), JsonShapeError);
}

}  // namespace
}  // namespace gauntlet::report
