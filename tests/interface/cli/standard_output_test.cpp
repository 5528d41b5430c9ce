// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Results on standard output, in pipes and on devices; what people read is on standard error then.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string replayed = "wide_active@documented i32->i32 sum n=3 block=8 grid=1";

TEST(StandardOutput, has_the_document_alone_where_an_option_says_so) {
  const std::vector<std::vector<std::string>> verbs{
      {"list", "two_pass"},
      {"check", "two_pass@fixed", "--cases", "2"},
      {"repro", replayed},
      {"prove", "two_pass@fixed i32->i32 sum n=8 block=32"},
      {"equal", "two_pass@fixed i32->i32 sum n=8 block=32", "two_pass@fixed"},
      {"witness", "two_pass@fixed"},
      {"count", replayed},
      {"claims", "3"},
      {"agree", "two_pass@fixed", "--with", "simt", "--cases", "1"},
      {"run", "--", "true"},
  };
  for (std::vector<std::string> words : verbs) {
    const std::string verb = words[0];
    if (verb == "run" && !GAUNTLET_HAS_RUN) continue;  // libraries with sanitizers
    const Ended plain = run(words);
    for (const char* path : {"-", "/dev/stdout"}) {
      std::vector<std::string> with = words;
      with.insert(with.begin() + 1, {"--json", path});
      const Ended ended = run(with);
      EXPECT_EQ(ended.code, plain.code) << verb;
      const Json json = Json::parse(ended.out, nullptr, false);
      ASSERT_TRUE(json.is_object()) << verb << "\n" << ended.out;
      EXPECT_EQ(json.at("schema"), "gauntlet." + verb);
      if (verb != "check" && verb != "agree") {  // whose last line has times
        EXPECT_NE(ended.err.find(plain.out), std::string::npos) << verb << "\n" << ended.err;
      }
    }
  }
  EXPECT_FALSE(fs::exists("-"));
}

TEST(StandardOutput, has_every_kind_of_file) {
  EXPECT_TRUE(run({"repro", replayed, "--trace-events", "-"}).out.starts_with("{\"display"));
  const auto check = [](const char* option) {
    return run({"check", "two_pass@fixed", "--cases", "2", option, "-"}).out;
  };
  EXPECT_EQ(Json::parse(check("--sarif")).at("version"), "2.1.0");
  EXPECT_TRUE(check("--junit").starts_with("<?xml"));
  EXPECT_TRUE(check("--markdown").starts_with("## gauntlet check"));
  EXPECT_TRUE(run({"list", "--write", "-"}).out.starts_with("# "));
}

TEST(StandardOutput, is_for_one_option) {
  const Ended ended = run({"check", "two_pass@fixed", "--json", "-", "--sarif", "/dev/stdout"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err,
            "gauntlet: --sarif /dev/stdout: standard output is written by --json already; name a "
            "file\n");
}

TEST(Devices, and_pipes_are_written_and_stay_what_they_are) {
  EXPECT_EQ(run({"list", "two_pass", "--json", "/dev/null"}).code, 0);
  EXPECT_EQ(fs::status("/dev/null").type(), fs::file_type::character);
  const Ended full = run({"list", "two_pass", "--json", "/dev/full"});
  EXPECT_EQ(full.code, 2);
  EXPECT_EQ(full.err,
            "gauntlet: --json /dev/full: could not be written completely: No space left on "
            "device\n");
  EXPECT_FALSE(full.out.empty());

  const TemporaryFolder folder;
  const std::string there = "cd '" + folder.path().string() + "' && ";
  const auto schema = [&](const std::string& line) {
    const Ended ended = run_in_shell(there + line);
    return Json::parse(ended.out, nullptr, false).value("schema", ended.out + ended.err);
  };
  EXPECT_EQ(schema("\"$GAUNTLET\" list --json /dev/fd/3 3>&1 >/dev/null"), "gauntlet.list");
  EXPECT_EQ(schema("mkfifo p; { \"$GAUNTLET\" list --json p >/dev/null & cat p; wait; }"),
            "gauntlet.list");
  // A file to which standard output goes is not replaced while it is written.
  EXPECT_EQ(schema("\"$GAUNTLET\" list --json /dev/stdout >whole 2>/dev/null; cat whole"),
            "gauntlet.list");
}

}  // namespace
}  // namespace gauntlet::test
