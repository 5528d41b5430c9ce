// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The options that write these formats, as a user gives them.
#include "tests/interface/cli/program.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

namespace gauntlet::test {
namespace {

const std::string racing_case =
    "volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 block=3 grid=1 schedule=replay:L.10l1x2";

TEST(Exports, of_a_check_are_written_beside_its_text) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  const Ended ended = run({"check", "--cases", "1", "volatile_warp_tail@fixed-syncwarp", "--sarif",
                           path("s"), "--junit", path("j"), "--markdown", path("m")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto results = nlohmann::json::parse(read_text(path("s")))["runs"][0]["results"];
  ASSERT_FALSE(results.empty());
  for (const auto& result : results) EXPECT_TRUE(result.contains("suppressions")) << result;
  EXPECT_NE(read_text(path("j")).find(R"(<testsuite name="volatile_warp_tail")"),
            std::string::npos);
  EXPECT_NE(read_text(path("m")).find("```mermaid\nsequenceDiagram\n"), std::string::npos);
}

TEST(Exports, of_a_replay_are_its_events) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  const Ended ended = run({"repro", racing_case, "--trace-events", path("t"), "--json", path("j")});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_FALSE(nlohmann::json::parse(read_text(path("t")))["traceEvents"].empty());
  const auto trace = nlohmann::json::parse(read_text(path("j")))["trace"];
  EXPECT_EQ(trace["more"], 0);
  EXPECT_FALSE(trace["events"].empty());
}

TEST(Exports, that_cannot_be_written_are_refused_before_any_work) {
  for (const char* option : {"--sarif", "--junit", "--markdown"}) {
    const Ended ended = run({"check", "sequential@fixed", option, "/absent/out"});
    EXPECT_EQ(ended.code, 2);
    EXPECT_EQ(ended.out, "");
    EXPECT_TRUE(ended.err.starts_with(std::string("gauntlet: ") + option + " /absent/out: "))
        << ended.err;
  }
  const Ended traced = run({"repro", racing_case, "--trace-events", "/absent/out"});
  EXPECT_EQ(traced.code, 2);
  EXPECT_EQ(traced.out, "");
  EXPECT_TRUE(traced.err.starts_with("gauntlet: --trace-events")) << traced.err;
  const Ended ended = run({"run", "--sarif", "/absent/out", "--", "/bin/true"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_TRUE(ended.err.starts_with("gauntlet: --sarif /absent/out: ")) << ended.err;
}

TEST(Exports, of_a_run_that_is_too_large_to_follow_are_refused) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "t").string();
  const Ended ended = run({"repro", "--alone", "sequential@fixed f32->f32 sum n=65792 block=256",
                           "--trace-events", path});
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("of launches of at most 65536 threads"), std::string::npos) << ended.err;
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace gauntlet::test
