// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/regressions.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/os/temporary_folder.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/property.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::properties {
namespace {

namespace fs = std::filesystem;

constexpr const char* line =
    "v@documented f32->f32 sum n=5 block=8 grid=1 data=ones seed=1 offset=0 tail=poison "
    "schedule=lockstep";

class RegressionFolder : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
  }
  os::TemporaryFolder folder_;
  const fs::path& dir_ = folder_.path();
};

TEST_F(RegressionFolder, has_files_that_give_cases_with_what_they_show) {
  write("v@documented.txt", std::string("# why\n\n") + line + "\n! wrong_result out\n! trap -\n" +
                                line + "\n! out_of_bounds_read in\n");
  const auto parsed = load_regressions(dir_.string(), "v", "documented");
  ASSERT_EQ(parsed.size(), 2U);
  EXPECT_EQ(to_string(parsed[0].c), line);
  EXPECT_EQ(parsed[0].shows,
            (std::vector<Expected>{{FindingKind::trap, ""}, {FindingKind::wrong_result, "out"}}));
  EXPECT_EQ(parsed[1].where, "v@documented.txt:6");
}

TEST_F(RegressionFolder, says_where_a_file_does_not_parse) {
  const auto error_of = [&](const std::string& text) -> std::string {
    write("v@documented.txt", text);
    return message_of<CaseError>([&] { (void)load_regressions(dir_.string(), "v", "documented"); });
  };
  EXPECT_NE(error_of("! trap -\n").find("v@documented.txt:1"), std::string::npos);
  EXPECT_NE(error_of(line).find("v@documented.txt:1"), std::string::npos)
      << "nothing that it must show";
  EXPECT_NE(error_of(std::string(line) + "\n! tarp -\n").find("tarp"), std::string::npos);
  EXPECT_NE(error_of(std::string(line) + "\n! trap\n").find("v@documented.txt:2"),
            std::string::npos);
  EXPECT_NE(error_of("v@documented f32\n! trap -\n").find("v@documented.txt:1"), std::string::npos);
  EXPECT_EQ(error_of(std::string(line) + "\n! trap -\n"), "");
}

TEST_F(RegressionFolder, holds_nothing_for_a_form_without_a_file) {
  EXPECT_TRUE(load_regressions(dir_.string(), "v", "documented").empty());
}

TEST_F(RegressionFolder, refuses_a_case_in_the_file_of_another_form) {
  write("v@fixed.txt", std::string(line) + "\n! trap -\n");
  EXPECT_THROW((void)load_regressions(dir_.string(), "v", "fixed"), CaseError);
}

TEST_F(RegressionFolder, gets_back_what_was_written_and_loses_stale_files) {
  CheckReport report;
  FormReport form;
  form.variant = "v";
  form.form = "documented";
  form.outcome = Outcome::as_expected;
  Counterexample example;
  example.c = parse_case(line);
  example.property = "terminates";
  example.findings.resize(1);
  example.findings[0].kind = FindingKind::trap;
  example.findings[0].detail = "it traps";
  example.shows = kinds_of(example.findings);
  form.counterexamples = {example};
  report.forms = {form};
  form.form = "fixed";
  form.counterexamples.clear();
  report.forms.push_back(form);
  write("v@fixed.txt", "# stale\n");
  write("w@documented.txt", "# of a form that was not run\n");

  const auto written = write_regressions(report, dir_.string());
  EXPECT_EQ(written, std::vector<std::string>{(dir_ / "v@documented.txt").string()});
  EXPECT_FALSE(fs::exists(dir_ / "v@fixed.txt"));
  EXPECT_TRUE(fs::exists(dir_ / "w@documented.txt"));
  const auto loaded = load_regressions(dir_.string(), "v", "documented");
  ASSERT_EQ(loaded.size(), 1U);
  EXPECT_EQ(loaded[0].c, example.c);
  EXPECT_EQ(loaded[0].shows, example.shows);
}

TEST_F(RegressionFolder, keeps_the_file_of_a_form_that_is_not_as_expected) {
  write("v@documented.txt", std::string(line) + "\n! trap -\n");
  CheckReport report;
  FormReport form;
  form.variant = "v";
  form.form = "documented";
  form.outcome = Outcome::mismatch;
  report.forms = {form};
  EXPECT_TRUE(write_regressions(report, dir_.string()).empty());
  EXPECT_EQ(load_regressions(dir_.string(), "v", "documented").size(), 1U);
}

}  // namespace
}  // namespace gauntlet::properties
