// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet report as a user runs it.
#include "tests/interface/cli/program.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace gauntlet::test {
namespace {

void expect_refused(const Ended& ended, const std::string& begin) {
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(ended.err.starts_with("gauntlet: report ")) << ended.err;
  EXPECT_NE(ended.err.find(begin), std::string::npos) << ended.err;
}

TEST(Report, of_a_check_is_one_page_that_has_it) {
  const TemporaryFolder folder;
  const std::string json = (folder.path() / "c.json").string();
  const std::string page = (folder.path() / "c.html").string();
  EXPECT_EQ(run({"check", "--cases", "1", "sequential@fixed-bounds_check", "--json", json}).code,
            0);
  const Ended ended = run({"report", page, json});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const std::string text = read_text(page);
  EXPECT_TRUE(text.starts_with("<!doctype html>"));
  EXPECT_NE(text.find("gauntlet.why"), std::string::npos);
  EXPECT_NE(text.find("sequential@fixed-bounds_check"), std::string::npos);
}

TEST(Report, refuses_what_is_no_result_and_leaves_the_page_as_it_was) {
  const TemporaryFolder folder;
  const std::string page = (folder.path() / "r.html").string();
  std::ofstream(page) << "before";
  const auto given = [&](const std::string& content) {
    const std::string path = (folder.path() / "r.json").string();
    std::ofstream(path) << content;
    return run({"report", page, path});
  };
  expect_refused(given("no JSON"), "it is not JSON");
  expect_refused(given("[1]"), "the page does not show such a result");
  expect_refused(given(R"({"schema": "gauntlet.agree", "version": 1})"), "those of list, check");
  expect_refused(given(R"({"schema": "gauntlet.time", "version": 2})"),
                 "the page does not show such a result");
  expect_refused(given(R"({"schema": "gauntlet.time", "version": 1})"),
                 "it is not a gauntlet.time");
  expect_refused(run({"report", page, "/absent.json"}), "/absent.json: cannot be read");
  expect_refused(run({"report", page, folder.path().string()}), ": cannot be read: Is a directory");
  EXPECT_EQ(read_text(page), "before");
}

TEST(Report, page_must_be_named_first) {
  expect_refused(run({"report", "results.json", "page.html"}), "PAGE.html");
}

}  // namespace
}  // namespace gauntlet::test
