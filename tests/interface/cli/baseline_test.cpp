// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Approved baselines: what the program writes is compared with committed files, byte for byte
// (JSON by lines that people read).
// `ci/approve` rewrites the files after a wanted change; look at the difference before committing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

struct Baseline {
  std::string name;
  std::vector<std::string> arguments;
  bool json = false;       ///< also with --json; kept as NAME.json
  bool error_text = true;  ///< keep standard error too (not where it tells the time)
};

void PrintTo(const Baseline& baseline, std::ostream* out) { *out << baseline.name; }

const std::vector<std::string> check = {"check", "--seed", "1", "--jobs", "2", "--no-regressions"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::string racy = "wide_active@documented i32->i32 sum n=3 block=8 grid=1";

const Baseline baselines[] = {
    {"help", {"--help"}},
    {"help_list", {"list", "--help"}},
    {"help_check", {"check", "--help"}},
    {"help_repro", {"repro", "--help"}},
    {"help_witness", {"witness", "--help"}},
    {"help_why", {"why", "--help"}},
    {"help_merge", {"merge", "--help"}},
    {"list_brief", {"list", "--brief", "volatile", "single_*"}},
    {"why_one", {"why", "volatile_warp_tail", "syncwarp"}, true},
    {"why_all", {"why", "half_shared"}},
    {"diff_one", {"diff", "sequential@fixed-bounds_check", "sequential@fixed"}, true},
    {"usage_why_fix", {"why", "volatile_warp_tail", "sinkwarp"}},
    {"usage_source_cub", {"source", "cub_device@fixed"}},
    {"usage_source_block", {"source", "sequential@documented", "--block", "31"}},
    {"list_one", {"list", "wide_active"}, true},
    {"check_one", with(check, {"wide_active"}), true, false},
    {"check_two_forms", with(check, {"wide_active@fixed", "sequential@documented"}), true, false},
    {"repro_documented", {"repro", racy}, true},
    {"repro_kahan",
     {"repro", "--alone", "sequential@fixed f64->f64 sum n=2000 block=256 data=ill_conditioned"},
     true},
    {"repro_fixed", {"repro", "wide_active@fixed i32->i32 sum n=3 block=8 grid=1"}, true},
    {"repro_refused", {"repro", "shuffle_rows@fixed f32->f32 sum n=3 block=33"}, true},
    {"repro_trace",
     {"repro", "--trace",
      "wide_active@documented i32->i32 sum n=4 block=4 schedule=replay:L.11l1x2"}},
    {"repro_other_schedule", {"repro", "wide_active@fixed i32->i32 sum n=4 schedule=replay:L.w9"}},
    {"witness_one", {"witness", "wide_active@documented"}, true},
    {"witness_none", {"witness", "wide_active@fixed"}},
    {"usage_no_verb", {}},
    {"usage_verb", {"chekc"}},
    {"usage_option", {"check", "--sead", "1"}},
    {"usage_option_value", {"check", "--cases", "few"}},
    {"usage_cases_range", {"check", "--cases", "0"}},
    {"usage_budget", {"check", "--budget", "soon"}},
    {"usage_no_case", {"repro"}},
    {"usage_variant", {"check", "wide_actve"}},
    {"usage_form", {"check", "wide_active@fixd"}},
    {"usage_list_variant", {"list", "sequental"}},
    {"usage_executor", {"check", "--on", "cude"}},
    {"usage_shard", {"check", "--shard", "2/2"}},
    {"usage_case_key", {"repro", "wide_active@fixed i32->i32 sum n=3 blok=8"}},
    {"usage_case_type", {"repro", "wide_active@fixed i23->i32 sum n=3"}},
    {"usage_case_variant", {"repro", "wide_activ@fixed i32->i32 sum n=3"}},
    {"usage_case_form", {"repro", "wide_active@fixed-active_rang i32->i32 sum n=3"}},
    {"usage_case_schedule", {"repro", "wide_active@fixed i32->i32 sum n=3 schedule=lokstep"}},
    {"usage_json", {"list", "--json", "/absent/folder/out.json"}},
};

std::string transcript(const Baseline& baseline, const Ended& ended) {
  std::string text = "$ gauntlet";
  for (const auto& word : baseline.arguments) {
    text += word.find(' ') == std::string::npos ? " " + word : " '" + word + "'";
  }
  text += "\n" + ended.out;
  if (baseline.error_text && !ended.err.empty()) text += "[standard error]\n" + ended.err;
  return text + fmt::format("[exit code {}]\n", ended.code);
}

/// As people read it: what fits is one line, what is in a longer object or list is indented.
std::string by_lines(const Json& value, std::size_t indent = 0) {
  constexpr std::size_t widest = 160;
  std::string text = value.dump();
  if (!value.is_structured() || indent + text.size() <= widest) return text;
  const std::string end = "\n" + std::string(indent, ' ') + text.back();
  text.erase(1);
  for (const auto& [key, member] : value.items()) {
    text += (text.size() == 1 ? "\n  " : ",\n  ") + std::string(indent, ' ');
    if (value.is_object()) text += Json(key).dump() + ": ";
    text += by_lines(member, indent + 2);
  }
  return text + end;
}

/// A document as it is kept: without what differs from commit to commit.
std::string kept(const std::string& text) {
  Json document = Json::parse(text);
  EXPECT_EQ(json_text(document), text);
  document.erase("made_by");
  return by_lines(document) + "\n";
}

void compare(const std::string& file, const std::string& now) {
  const std::filesystem::path path = std::filesystem::path(GAUNTLET_BASELINES) / file;
  if (std::getenv("GAUNTLET_APPROVE") != nullptr) {
    std::ofstream(path, std::ios::binary) << now;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing; ci/approve writes it";
  EXPECT_EQ(now, read_text(path)) << "differs from " << path
                                  << "; if that is wanted: ci/approve, then look at the difference";
}

class Baselines : public ::testing::TestWithParam<Baseline> {};

TEST_P(Baselines, text_and_json_are_as_approved) {
  const Baseline& baseline = GetParam();
  const TemporaryFolder folder;
  const auto json = folder.path() / "out.json";
  std::vector<std::string> arguments = baseline.arguments;
  if (baseline.json) arguments.insert(arguments.end(), {"--json", json.string()});
  const Ended ended = run(arguments);
  compare(baseline.name + ".txt", transcript(baseline, ended));
  if (baseline.json) compare(baseline.name + ".json", kept(read_text(json)));
}

TEST_P(Baselines, lines_fit_80_columns) {
  std::istringstream lines(
      read_text(std::filesystem::path(GAUNTLET_BASELINES) / (GetParam().name + ".txt")));
  std::string line;
  std::getline(lines, line);  // the command itself
  bool any = false;
  while (std::getline(lines, line)) {
    any = true;
    // A message to the user is one line, however long; so is a word without a blank.
    if (line.starts_with("gauntlet: ")) continue;
    const auto word = line.find_first_not_of(' ');
    if (word != std::string::npos && line.find(' ', word) == std::string::npos) continue;
    EXPECT_LE(line.size(), 80U) << line;
  }
  EXPECT_TRUE(any);
}

INSTANTIATE_TEST_SUITE_P(Program, Baselines, ::testing::ValuesIn(baselines),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gauntlet::test
