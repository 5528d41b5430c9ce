// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/report/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/gpu/timing/sample_report.hpp"

namespace gauntlet::timing::report_test {
namespace {

constexpr std::uint64_t sample_size = 1 << 20;

Report full() {
  Report report = report_of({
      measured(Kind::limit, "limit", sample_size, {2.0, 2.1, 2.2}),
      measured(Kind::cub, "cub", sample_size, {5.0, 5.0, 5.5}),
      measured(Kind::kernel, "sequential", sample_size, {4.0, 4.0, 4.0}),
      measured(Kind::fix, "sequential", sample_size, {3.0, 3.0, 3.0}, Type::f32,
               "fixed-bounds_check"),
  });
  report.measurements[2].sm_mhz = 1980;
  report.measurements[2].throttle = {"software power cap"};
  report.state.before = DeviceState{1980, 2619, 40, 300.5, {}};
  report.interrupted = true;
  report.not_timed.push_back({"wide_active@fixed", "i32", "i32", 0, "did not pass"});
  report.allocation.push_back({"cudaMalloc and cudaFree", {3.0, 1.0, 2.0}});
  report.accuracy.push_back({"grid_stride", "fixed", "a case", "1.5", "1", 0.5});
  return report;
}

TEST(ReportJson, reads_back_to_the_same_document) {
  const Json document = to_json(full());
  EXPECT_EQ(to_json(report_from_json(document)), document);
  EXPECT_EQ(to_json(report_from_json(Json::parse(document.dump()))).dump(), document.dump());
}

/// The newest of docs/results that holds one.
std::string committed() {
  std::filesystem::path newest;
  for (const auto& folder : std::filesystem::directory_iterator(GAUNTLET_RESULTS)) {
    const auto file = folder.path() / "timing.json";
    if (std::filesystem::exists(file)) newest = std::max(newest, file);
  }
  std::ifstream file(newest);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ReportJson, the_committed_document_comes_out_byte_for_byte) {
  std::string text = committed();
  ASSERT_FALSE(text.empty());
  const Report report = report_from_json(Json::parse(text));
  // Who made a document is no part of the report: the program adds it to whatever it writes.
  if (const std::size_t at = text.find("  \"made_by\": "); at != std::string::npos) {
    text.erase(at, text.find('\n', at) + 1 - at);
  }
  EXPECT_TRUE(text_of(to_json(report)) == text);
}

TEST(ReportJson, as_text_has_one_line_for_each_measurement) {
  const Json document = to_json(full());
  const std::string text = text_of(document);
  EXPECT_EQ(Json::parse(text), document);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = text.find("\"median_us\"", at)) != std::string::npos; ++at) {
    const std::size_t begin = text.rfind('\n', at) + 1;
    lines += text.compare(begin, 5, "    {") == 0 ? 1 : 0;
  }
  EXPECT_EQ(lines, 5u);  // four measurements and a cost
  EXPECT_EQ(text.back(), '\n');
}

TEST(ReportJson, holds_the_measurement_and_what_follows_from_it) {
  const Json document = to_json(full());
  EXPECT_EQ(document.at("schema"), "gauntlet.time");
  const Json& m = document.at("benchmarks").at(2);
  EXPECT_EQ(m.at("name"), "sequential");  // as Google Benchmark wrote it
  EXPECT_EQ(m.at("kind"), "kernel");
  EXPECT_EQ(m.at("bytes"), 4 * sample_size);
  EXPECT_EQ(m.at("median_us"), 4.0);
  EXPECT_DOUBLE_EQ(m.at("percent_of_limit").get<double>(), 52.5);
  EXPECT_DOUBLE_EQ(m.at("ratio_to_cub").get<double>(), 1.25);
  EXPECT_EQ(m.at("sm_mhz"), 1980);
  EXPECT_TRUE(document.at("benchmarks").at(0).at("sm_mhz").is_null());
  EXPECT_TRUE(document.at("state").at("after").is_null());
  EXPECT_EQ(document.at("fixes").at(0).at("fix"), "bounds_check");
  EXPECT_EQ(document.at("allocation").at(0).at("median_us"), 2.0);
  EXPECT_FALSE(document.at("goals").empty());
}

TEST(ReportJson, every_entry_can_be_compared_by_google_benchmarks_script) {
  // What its tools look up before they compare two files.
  const Json document = to_json(full());
  ASSERT_FALSE(document.at("benchmarks").empty());
  for (const Json& entry : document.at("benchmarks")) {
    EXPECT_TRUE(entry.contains("name"));
    EXPECT_TRUE(entry.contains("real_time"));
    EXPECT_TRUE(entry.contains("time_unit"));
  }
}

TEST(ReportJson, another_or_a_broken_document_is_refused) {
  const auto refused = [](const Json& json) {
    EXPECT_THROW((void)report_from_json(json), JsonShapeError) << json.dump().substr(0, 60);
  };
  refused(Json::object());
  refused(Json(1));
  Json document = to_json(full());
  document["version"] = 2;
  refused(document);
  document = to_json(full());
  document["benchmarks"][0]["kind"] = "guess";
  refused(document);
  document = to_json(full());
  document["benchmarks"][0]["in"] = "f31";
  refused(document);
  document = to_json(full());
  document["benchmarks"][0]["samples_us"] = Json::array();
  refused(document);
  document = to_json(full());
  document.erase("device");
  refused(document);
}

}  // namespace
}  // namespace gauntlet::timing::report_test
