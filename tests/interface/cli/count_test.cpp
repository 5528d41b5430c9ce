// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet count, as a user runs it.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

using Json = nlohmann::json;

/// `count --json` of A's kernels at block 256, one block: the intervals of its only launch.
Json intervals_of(const std::string& variant) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "count.json";
  const Ended ended =
      run({"count", variant + " f32->f32 sum n=256 block=256", "--json", file.string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const Json json = Json::parse(read_text(file));
  EXPECT_EQ(json.at("launches").size(), 1U);
  return json.at("launches").at(0).at("intervals");
}
std::vector<std::uint64_t> column(const Json& intervals, const std::string& counter) {
  std::vector<std::uint64_t> values;
  for (const auto& interval : intervals) {
    values.push_back(interval.at("total").at(Json::json_pointer(counter)).get<std::uint64_t>());
  }
  return values;
}
using Values = std::vector<std::uint64_t>;

TEST(Count, shows_that_the_bitmask_tree_diverges_in_every_warp_until_one_lane_of_it_works) {
  // 2k <= 32: all eight warps have working and idle lanes. Then every other warp has one lane.
  const Json intervals = intervals_of("interleaved_bitmask");
  EXPECT_EQ(column(intervals, "/divergent_branches"), (Values{0, 8, 8, 8, 8, 8, 4, 2, 1, 1}));
  EXPECT_EQ(column(intervals, "/shared_load/conflicts"), Values(10, 0));
}

TEST(Count, shows_that_the_compacted_tree_conflicts_and_hardly_diverges) {
  const Json intervals = intervals_of("interleaved_compacted");
  EXPECT_EQ(column(intervals, "/divergent_branches"), (Values{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
  // Stride 2k: a bank serves min(2k, 32) of a full warp, and no more than there are working lanes.
  EXPECT_EQ(column(intervals, "/shared_load/degree"), (Values{0, 2, 4, 8, 8, 8, 4, 2, 1, 1}));
}

TEST(Count, shows_that_the_sequential_tree_has_neither_until_the_last_warp) {
  const Json intervals = intervals_of("sequential");
  EXPECT_EQ(column(intervals, "/divergent_branches"), (Values{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(column(intervals, "/shared_load/conflicts"), Values(10, 0));
  EXPECT_EQ(column(intervals, "/shared_load/lanes"),
            (Values{0, 2 * 128, 2 * 64, 2 * 32, 2 * 16, 2 * 8, 2 * 4, 2 * 2, 2 * 1, 1}));
}

TEST(Count, prints_a_row_for_every_interval_and_line_within_80_columns) {
  const std::string line = "sequential@fixed f32->f32 sum n=256 block=256";
  const Ended by_interval = run({"count", line, "--by", "interval"});
  EXPECT_NE(by_interval.out.find("\n         9 "), std::string::npos) << by_interval.out;
  EXPECT_EQ(by_interval.out.find("\n        10 "), std::string::npos) << by_interval.out;
  const Ended by_line = run({"count", line, "--by", "line"});
  EXPECT_NE(by_line.out.find("sequential.cu:"), std::string::npos) << by_line.out;
  for (const auto& out : {by_interval.out, by_line.out}) {
    std::size_t from = 0;
    for (std::size_t to = 0; (to = out.find('\n', from)) != std::string::npos; from = to + 1) {
      EXPECT_LE(to - from, 80U) << out.substr(from, to - from);
    }
  }
}

TEST(Count, says_how_many_blocks_a_multiprocessor_holds) {
  const std::string line = "int4_through_shared i32->i32 sum n=4096 block=256";
  const Ended by_threads = run({"count", line, "--arch", "sm_90"});
  EXPECT_NE(by_threads.out.find("8 blocks on a multiprocessor of sm_90"), std::string::npos)
      << by_threads.out;
  const Ended by_registers = run({"count", line, "--arch", "sm_90", "--registers", "128"});
  EXPECT_NE(by_registers.out.find("2 blocks on a multiprocessor of sm_90"), std::string::npos)
      << by_registers.out;
  const Ended by_ptxas = run({"count", line, "--arch", "sm_90", "--registers", "ptxas"});
  EXPECT_NE(by_ptxas.out.find(" registers a thread"), std::string::npos)
      << by_ptxas.out << by_ptxas.err;
}

TEST(Count, of_a_case_that_the_contract_refuses_counts_nothing) {
  const Ended ended = run({"count", "full_unroll@fixed f32->f32 sum n=64 block=48"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.out.find("refused before launch"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("warp instructions"), std::string::npos);
}

TEST(Count, refuses_what_it_cannot_do_in_one_line) {
  const std::string line = "sequential f32->f32 sum n=256";
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"count"},
           {"count", line, "--by", "warp"},
           {"count", line, "--arch", "sm_1"},
           {"count", line, "--registers", "32"},
           {"count", line, "--registers", "0", "--arch", "sm_90"},
           {"count", line, "--registers", "many", "--arch", "sm_90"},
           {"count", "redux i32->i32 sum n=256", "--registers", "ptxas", "--arch", "sm_75"},
           {"count", "sequentail f32->f32 sum n=256"}}) {
    expect_one_line(run(arguments), 2, "gauntlet: ", arguments[1]);
  }
}

/// docs/counters.md shows commands and what they print, each line indented by four blanks.
TEST(Count, prints_what_its_page_shows) {
  std::istringstream page(read_text(GAUNTLET_COUNTERS_PAGE));
  std::vector<std::pair<std::string, std::string>> shown;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("    $ gauntlet ")) {
      shown.emplace_back(line.substr(15), "");
      inside = true;
    } else if (inside && line.starts_with("    ")) {
      shown.back().second += line.substr(4) + "\n";
    } else {
      inside = false;
    }
  }
  ASSERT_EQ(shown.size(), 2U);
  for (const auto& [command, output] : shown) {
    std::vector<std::string> words(1);
    bool quoted = false;
    for (const char c : command) {
      if (c == '\'') {
        quoted = !quoted;
      } else if (c == ' ' && !quoted) {
        words.emplace_back();
      } else {
        words.back() += c;
      }
    }
    EXPECT_EQ(run(words).out, output) << command;
  }
}

}  // namespace
}  // namespace gauntlet::test
