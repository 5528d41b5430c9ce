// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet why, over the whole catalogue and of two specs.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "interface/cli/why_text.hpp"
#include "interface/cli/witness_text.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/plain/plain.hpp"
#include "tests/interface/cli/program.hpp"

namespace gauntlet::cli {
namespace {

/// A line is longer where one word alone is: a file's name, an option of a command to paste.
void expect_fits(const std::string& page) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const auto word = line.find_last_of(' ');
    const bool one_word = word != line.npos && line.find_first_not_of(' ') > word;
    EXPECT_TRUE(line.size() <= columns || one_word) << line;
  }
}

TEST(Why, fits_80_columns_and_shows_each_fix_at_work) {
  std::size_t pages = 0, shown = 0;
  for (const Variant& variant : kernels::catalogue()) {
    for (const Form& form : variant.forms) {
      if (form.name == "documented" || form.missing.size() != 1) continue;
      SCOPED_TRACE(variant.id + "@" + form.name);
      const report::Fix fix = report::fix_of(variant, form);
      const Evidence evidence = evidence_of(variant.id, fix.name);
      expect_fits(why_page(fix, evidence, Style(false)));
      expect_fits(why_lines(fix, evidence, Style(false)));
      ++pages;
      if (fix.c.variant.empty()) {
        EXPECT_TRUE(form.expected.empty());  // no case only where there is nothing to show
        continue;
      }
      ++shown;
      EXPECT_FALSE(fix.without.findings.empty());
      EXPECT_TRUE(fix.with.findings.empty());
    }
  }
  EXPECT_GT(pages, 100U);
  EXPECT_GT(shown, 100U);
}

TEST(Why, names_the_lines_of_the_source_that_it_prints) {
  const Variant& variant = *kernels::find_variant("volatile_warp_tail");
  const report::Fix fix = report::fix_of(variant, *variant.form("fixed-syncwarp"));
  const std::string page = why_page(fix, {}, Style(false));
  const auto source = kernels::plain_source(variant, *variant.form("fixed-syncwarp"));
  ASSERT_TRUE(source && fix.race);
  std::istringstream lines(source->text);
  const std::string step = std::to_string(
      source->lines_of(fix.race->steps.front().file, fix.race->steps.front().line).at(0));
  std::string line;
  for (std::size_t k = 0; k < std::stoul(step); ++k) std::getline(lines, line);
  EXPECT_NE(line.find("s[t]"), std::string::npos) << line;
  EXPECT_NE(page.find(step + "\n"), std::string::npos) << page;
  EXPECT_EQ(page.find("volatile_warp_tail.cu:"), std::string::npos) << page;
}

TEST(Interleaving, has_a_column_for_each_thread) {
  std::vector<witness::Step> steps(3);
  for (std::uint32_t k = 0; k < 3; ++k) {
    steps[k].lane = k == 1 ? 5 : 0;
    steps[k].verb = k == 1 ? "stores" : "loads";
    steps[k].cell = "s[1]";
    steps[k].value = std::to_string(k);
  }
  const auto text = interleaving(
      steps, [](const witness::Step&) { return std::string("7"); }, Style(false));
  EXPECT_EQ(text,
            "    step  lane 0         lane 5          line\n"
            "    1     loads s[1]: 0  |               7\n"
            "          +------------->|\n"
            "    2     |              stores s[1]: 1  7\n"
            "          |<-------------+\n"
            "    3     loads s[1]: 2  |               7\n");
}

constexpr std::string_view kernel =
    "extern \"C\" __global__ void first(const int* in, int* out, int n) {\n"
    "  int sum = 0;\n"
    "  for (int i = 0; i < LAST; ++i) sum += in[i];\n"
    "  if (threadIdx.x == 0) out[0] = sum;\n"
    "}\n";

std::string written(const std::string& folder, const std::string& name, const std::string& last) {
  std::string text(kernel);
  text.replace(text.find("LAST"), 4, last);
  std::ofstream(folder + "/" + name + ".cu") << text;
  std::ofstream(folder + "/" + name + ".gauntlet")
      << "kernel " << name << ".cu\nin in:i32[n]\nout out:i32[1]\narg n:i32 = n\n"
      << "launch grid=1 block=1\nresult out[0] = sum(in)\n";
  return folder + "/" + name + ".gauntlet";
}

TEST(Why, compares_two_specs) {
  const os::TemporaryFolder folder;
  const std::string bad = written(folder.path().string(), "bad", "n - 1");
  const std::string good = written(folder.path().string(), "good", "n");
  const auto ended = test::run({"why", bad, good, "--json", folder.path().string() + "/why.json"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("wrong_result out"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("-  for (int i = 0; i < n - 1; ++i) sum += in[i];"), std::string::npos)
      << ended.out;
  std::ifstream file(folder.path().string() + "/why.json");
  const auto json = nlohmann::json::parse(file);
  EXPECT_EQ(json.at("schema"), "gauntlet.why");
  EXPECT_EQ(json.at("fixes").size(), 1U);
  EXPECT_TRUE(json.at("fixes").at(0).at("with").at("findings").empty());
  EXPECT_EQ(test::run({"why", good, bad}).code, 2);  // nothing fails in the first
  EXPECT_EQ(test::run({"why", bad}).code, 2);
}

}  // namespace
}  // namespace gauntlet::cli
