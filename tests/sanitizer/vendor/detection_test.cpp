// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The committed measurement, the expectations and the page in docs/ belong together.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/os/file.hpp"
#include "kernels/catalogue.hpp"
#include "sanitizer/vendor/expectation.hpp"

namespace gauntlet::sanitizer {
namespace {

using Json = nlohmann::ordered_json;

std::string read(const std::string& path) {
  const auto text = os::read_file(std::string(GAUNTLET_ROOT) + "/" + path);
  EXPECT_TRUE(text) << path;
  return text.value_or("");
}

/// The page names the file that it was made from.
std::string source() {
  const std::string page = read("docs/detection.md");
  const std::size_t from = page.find('[') + 1;
  return page.substr(from, page.find(']') - from);
}

TEST(Detection, the_page_is_what_the_committed_measurement_gives) {
  const Json json = Json::parse(read(source()));
  EXPECT_EQ(detection_page(measurement_from_json(json), source()), read("docs/detection.md"))
      << "write it anew: gauntlet detect --from " << source() << " --write docs/detection.md";
}

TEST(Detection, the_committed_measurement_is_whole_and_as_expected) {
  const Measurement m = measurement_from_json(Json::parse(read(source())));
  EXPECT_FALSE(m.interrupted);
  EXPECT_EQ(m.tools.size(), all_tools.size());
  EXPECT_NE(m.device, "");
  EXPECT_NE(m.driver, "");
  EXPECT_NE(m.tool_version, "");
  for (const auto& line : calibration_failures(m)) ADD_FAILURE() << line;
  for (const auto& line : disagreements(m)) ADD_FAILURE() << line;
  std::set<std::string> measured;
  for (const FormMeasure& form : m.forms) {
    EXPECT_FALSE(form.cases.empty()) << form.variant << "@" << form.form;
    measured.insert(form.variant + "@" + form.form);
  }
  for (const auto& variant : kernels::catalogue()) {
    for (const auto& form : variant.forms) {
      EXPECT_TRUE(measured.contains(variant.id + "@" + form.name))
          << variant.id << "@" << form.name << " was never measured: gauntlet detect, on a GPU";
    }
  }
}

TEST(Measurement, survives_its_json) {
  const Json json = Json::parse(read(source()));
  EXPECT_EQ(to_json(measurement_from_json(json)).dump(), json.dump());
}

TEST(Measurement, of_another_kind_or_version_is_refused) {
  Json json = Json::parse(read(source()));
  json["version"] = 99;
  EXPECT_THROW((void)measurement_from_json(json), std::runtime_error);
  EXPECT_THROW((void)measurement_from_json(Json{{"schema", "gauntlet.check"}}), std::runtime_error);
}

TEST(Detection, a_departure_from_the_expectation_is_marked_in_its_row) {
  Measurement m = measurement_from_json(Json::parse(read(source())));
  for (FormMeasure& form : m.forms) {
    if (form.variant != "sequential" || form.form != "fixed") continue;
    Said said;
    said.kind = FindingKind::race_read_write;
    said.severity = Severity::warning;
    said.array = "s";
    form.cases[0].tools[Tool::racecheck].findings.push_back(said);
  }
  const std::string page = detection_page(m, "docs/x.json");
  const std::size_t row = page.find("| `sequential@fixed` |");
  ASSERT_NE(row, std::string::npos);
  EXPECT_NE(page.substr(row, page.find('\n', row) - row).find("Warning **unexpected**"),
            std::string::npos);
}

}  // namespace
}  // namespace gauntlet::sanitizer
