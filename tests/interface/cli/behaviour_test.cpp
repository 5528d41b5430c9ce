// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How the program behaves as a process: exit codes, Ctrl-C, result files, jobs, terminals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

using Json = nlohmann::json;

const std::string defective = "wide_active@documented i32->i32 sum n=3 block=8 grid=1";
const std::string repaired = "wide_active@fixed i32->i32 sum n=3 block=8 grid=1";

TEST(ExitCode, of_check_is_0_when_the_documented_bug_is_caught_and_the_fix_holds) {
  const Ended ended = run({"check", "wide_active@documented", "wide_active@fixed"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("caught"), std::string::npos);
  EXPECT_NE(ended.out.find("holds"), std::string::npos);
}

TEST(ExitCode, of_repro_is_1_with_a_finding_and_0_without) {
  EXPECT_EQ(run({"repro", defective}).code, 1);
  EXPECT_EQ(run({"repro", repaired}).code, 0);
}

TEST(ExitCode, is_3_in_one_line_where_no_gpu_can_be_used) {
  expect_one_line(run({"check", "--on", "cuda"}, {"CUDA_VISIBLE_DEVICES="}), 3, "--on simt");
}

TEST(List, of_everything_fits_80_columns_and_counts_what_it_shows) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "out.json").string();
  const Ended ended = run({"list", "--json", path});
  EXPECT_EQ(ended.code, 0) << ended.err;
  std::istringstream lines(ended.out);
  std::string line, last;
  while (std::getline(lines, line)) {
    EXPECT_LE(line.size(), 80U) << line;
    last = line;
  }
  const Json list = Json::parse(read_text(path));
  std::size_t forms = 0;
  std::map<std::string, int> origins;
  for (const auto& variant : list["variants"]) {
    forms += variant["forms"].size();
    ++origins[variant["origin"].get<std::string>()];
  }
  EXPECT_GE(list["variants"].size(), 28U);
  EXPECT_EQ(last, fmt::format("{} variants, {} forms: {} printed, {} described, {} ours",
                              list["variants"].size(), forms, origins["printed"],
                              origins["described"], origins["ours"]));
}

TEST(Repro, takes_a_case_that_was_wrapped_by_a_terminal) {
  std::string wrapped = defective;
  wrapped.replace(wrapped.find(" n=3"), 1, "\n    ");
  EXPECT_EQ(run({"repro", wrapped}).out, run({"repro", defective}).out);
}

TEST(Check, prints_counterexamples_that_repro_confirms) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "out.json").string();
  const Ended ended = run({"check", "sequential@documented", "--no-regressions", "--json", path});
  ASSERT_EQ(ended.code, 0) << ended.out << ended.err;
  const Json report = Json::parse(read_text(path));
  const Json& examples = report["forms"][0]["counterexamples"];
  ASSERT_FALSE(examples.empty());
  for (const auto& example : examples) {
    const Ended again = run({"repro", example["case"].get<std::string>()});
    EXPECT_EQ(again.code, 1) << again.out;
    for (const auto& shown : example["shows"]) {
      EXPECT_NE(again.out.find(shown["kind"].get<std::string>()), std::string::npos) << again.out;
    }
  }
}

TEST(List, writes_the_page_of_all_documents_or_of_none) {
  const TemporaryFolder folder;
  const auto page = (folder.path() / "page.md").string();
  const Ended half = run({"list", "sequential", "--write", page});
  EXPECT_EQ(half.code, 2);
  EXPECT_NE(half.err.find("without names"), std::string::npos) << half.err;
  EXPECT_FALSE(std::filesystem::exists(page));
  ASSERT_EQ(run({"list", "--write", page}).code, 0);
  EXPECT_NE(read_text(page).find("| `sequential` |"), std::string::npos);
  EXPECT_EQ(run({"list", "--write", "/nonexistent/page.md"}).code, 2);
}

TEST(Check, gives_the_same_json_with_one_job_two_and_three) {
  // These were among the forms whose findings once depended on what had run before them.
  const TemporaryFolder folder;
  for (const std::string cases : {"1", "6"}) {
    std::vector<std::string> texts;
    for (const std::string jobs : {"1", "2", "3"}) {
      const auto path = (folder.path() / jobs).string();
      std::vector<std::string> words{"check",   "wide_active", "vector_batch", "single_pass_ticket",
                                     "--cases", cases,         "--jobs",       jobs,
                                     "--json",  path};
      if (cases != "1") words.emplace_back("--unshrunk");  // shrinking is the same work again
      const Ended ended = run(words);
      EXPECT_EQ(ended.code, 0) << cases << " cases, " << jobs << " jobs\n" << ended.out;
      texts.push_back(read_text(path));
    }
    EXPECT_FALSE(texts[0].empty());
    EXPECT_EQ(texts[0], texts[1]) << cases << " cases";
    EXPECT_EQ(texts[0], texts[2]) << cases << " cases";
  }
}

TEST(Json, that_cannot_be_written_is_refused_before_any_work) {
  expect_one_line(run({"check", "--json", "/absent/folder/out.json"}), 2, "--json /absent");
}

TEST(CtrlC, ends_with_130_and_keeps_what_was_found) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "out.json";
  const Terminal terminal;
  Program program({"check", "--cases", "1000000", "--json", path.string()}, {}, {},
                  terminal.name());
  ASSERT_TRUE(terminal.has_text(60)) << "no progress line";
  const auto start = std::chrono::steady_clock::now();
  program.signal(SIGINT);
  const Ended ended = program.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_NE(ended.out.find(" incomplete; "), std::string::npos) << ended.out;
  EXPECT_NE(terminal.text().find("interrupted"), std::string::npos);
  const Json report = Json::parse(read_text(path));
  EXPECT_TRUE(report["interrupted"].get<bool>());
  EXPECT_FALSE(report["as_expected"].get<bool>());
  EXPECT_FALSE(report["forms"].empty());
}

TEST(CtrlC, leaves_no_half_written_file) {
  const TemporaryFolder folder;
  const Terminal terminal;
  Program program({"check", "--cases", "1000000", "--json", (folder.path() / "out").string()}, {},
                  {}, terminal.name());
  ASSERT_TRUE(terminal.has_text(60)) << "no progress line";
  program.signal(SIGINT);
  EXPECT_EQ(program.wait().code, 130);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path().filename(), "out");
  }
}

TEST(Colour, is_used_on_a_terminal_only_and_not_against_NO_COLOR) {
  const std::string escape = "\033[";
  const std::vector<std::string> list = {"list", "wide_active"};
  EXPECT_NE(run_on_terminal(list, {"TERM=xterm", "NO_COLOR="}).out.find(escape), std::string::npos);
  EXPECT_EQ(run_on_terminal(list, {"TERM=xterm", "NO_COLOR=1"}).out.find(escape),
            std::string::npos);
  EXPECT_EQ(run_on_terminal(list, {"TERM=dumb", "NO_COLOR="}).out.find(escape), std::string::npos);
  EXPECT_EQ(run(list, {"TERM=xterm", "NO_COLOR="}).out.find(escape), std::string::npos);
}

TEST(Progress, redraws_one_line_on_a_terminal_and_is_in_no_log) {
  const std::vector<std::string> check = {"check", "wide_active"};
  const Ended drawn = run_on_terminal(check, {"TERM=xterm", "NO_COLOR=1"});
  EXPECT_EQ(drawn.code, 0) << drawn.out;
  EXPECT_NE(drawn.out.find("\r0/"), std::string::npos) << drawn.out;
  const Ended logged = run(check);
  EXPECT_EQ(logged.err.find('\r'), std::string::npos) << logged.err;
  EXPECT_EQ(logged.err.find(" forms  "), std::string::npos) << logged.err;
  EXPECT_NE(logged.err.find(" cases/s"), std::string::npos) << logged.err;  // the last line stays
}

}  // namespace
}  // namespace gauntlet::test
