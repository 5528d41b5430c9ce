// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet check --shard and gauntlet merge: together what one run writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Merge : public ::testing::Test {
 public:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  /// Runs a verb into a file, whose text it returns; `code` it ends with.
  std::string result(const Words& words, const std::string& name, int code = 0) const {
    const Ended ended = run(words + Words{"--json", path(name)});
    EXPECT_EQ(ended.code, code) << ended.out << ended.err;
    return read_text(path(name));
  }
  /// The shards' files.
  Words shards(const Words& words, unsigned count, const std::string& stem = "shard") const {
    Words files;
    for (unsigned i = 0; i < count; ++i) {
      const std::string name = stem + std::to_string(i) + ".json";
      const Ended ended =
          run(words + Words{"--shard", std::to_string(i) + "/" + std::to_string(count), "--json",
                            path(name)});
      EXPECT_LE(ended.code, 1) << ended.err;
      files.push_back(path(name));
    }
    return files;
  }
  /// The one line that it is refused with; nothing is written.
  std::string refused(const Words& words) const {
    const Ended ended = run(Words{"merge"} + words + Words{"--json", path("refused.json")});
    expect_one_line(ended, 2, "gauntlet: ");
    EXPECT_FALSE(std::filesystem::exists(path("refused.json")));
    return ended.err;
  }
  void replace_in(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read_text(file);
    const auto at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    std::ofstream(file) << text.replace(at, from.size(), to);
  }

 private:
  TemporaryFolder folder_;
};

/// Forms of two variants, none with indices that wrap: to shrink one of those takes half a second.
const Words check_words = {"check",
                           "wide_active@documented",
                           "wide_active@fixed",
                           "wide_active@fixed-active_range",
                           "half_shared@fixed-block_stride",
                           "--cases",
                           "60",
                           "--no-regressions"};

TEST_F(Merge, of_shards_is_what_one_run_writes_however_many_they_are) {
  const std::string whole = result(check_words, "whole.json");
  for (const unsigned count : {2U, 7U}) {
    // Whether a shard shrinks what it finds makes no difference.
    Words files = shards(count == 2 ? check_words : check_words + Words{"--unshrunk"}, count);
    std::reverse(files.begin(), files.end());
    files.push_back(files.front());
    EXPECT_EQ(result(Words{"merge"} + files, "merged.json"), whole) << count;
  }
}

TEST_F(Merge, replays_the_committed_counterexamples_once) {
  const Words words = {"check", "wide_active", "--cases", "4"};
  EXPECT_EQ(result(Words{"merge"} + shards(words, 3), "merged.json"), result(words, "whole.json"));
}

TEST_F(Merge, shrinks_in_parts_to_the_same) {
  const std::string whole = result(check_words, "whole.json");
  const Words files = shards(check_words + Words{"--unshrunk"}, 3);
  result(Words{"merge", "--unshrunk"} + files, "all.json");
  Words parts;
  for (const char* const part : {"1/2", "0/2"}) {
    const std::string name = std::string("part") + part[0] + ".json";
    result({"merge", path("all.json"), "--shard", part}, name);
    parts.push_back(path(name));
  }
  EXPECT_EQ(result(Words{"merge"} + parts, "merged.json"), whole);
}

TEST_F(Merge, of_the_shards_of_a_spec_keeps_its_counterexamples_once) {
  std::ofstream(path("sums.cu")) << R"(
template <bool barrier>
__device__ void block_sum(const float* x, float* y, unsigned n) {
  __shared__ float warps[32];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  if (barrier) __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned w = 1; w < blockDim.x / 32; ++w) v += warps[w];
  y[blockIdx.x] = v;
}
extern "C" __global__ void right(const float* x, float* y, unsigned n) { block_sum<true>(x, y, n); }
extern "C" __global__ void racy(const float* x, float* y, unsigned n) { block_sum<false>(x, y, n); }
)";
  // Compiled once, not by each of the processes.
  ASSERT_EQ(run_in_shell("'" GAUNTLET_NVCC "' -ptx -o '" + path("sums.ptx") + "' '" +
                         path("sums.cu") + "'")
                .code,
            0);
  for (const std::string name : {"right", "racy"}) {
    std::ofstream(path(name + ".gauntlet")) << "kernel  sums.ptx " << name << R"(
in      x:f32[n]
out     y:f32[grid]
arg     n:u32 = n
launch  grid=max(1, ceil(n / block)) block=32..256
require block % 32 == 0
result  y[b] = sum(x[b * block .. (b + 1) * block])
)";
  }
  // Not in the order of their names: the whole has them as they were named.
  const Words words = {"check", path("right.gauntlet"), path("racy.gauntlet"), "--cases", "40"};
  const std::string kept = path("racy.cases");
  const Words files = shards(words, 2);
  EXPECT_FALSE(std::filesystem::exists(kept)) << "several processes would write it at once";
  const std::string merged = result(Words{"merge"} + files, "merged.json", 1);
  const std::string cases = read_text(kept);
  EXPECT_FALSE(cases.empty());
  std::filesystem::remove(kept);
  EXPECT_EQ(result(words, "whole.json", 1), merged);
  EXPECT_EQ(read_text(kept), cases);

  // Another kernel under the same name is not what the shards found.
  replace_in(path("sums.ptx"), "0f00000000", "0f3F800000");
  EXPECT_NE(refused(files).find("have changed since the shards were run"), std::string::npos);
}

TEST_F(Merge, tells_a_missing_shard_and_takes_what_is_there_where_that_is_accepted) {
  Words files = shards({"check", "wide_active@fixed", "--cases", "60"}, 3);
  files.erase(files.begin() + 1);
  EXPECT_NE(refused(files).find("1 of 3 shards are missing: 1"), std::string::npos);
  const Json some = Json::parse(result(Words{"merge", "--accept"} + files, "some.json", 1));
  EXPECT_EQ(some["interrupted"], true);
  EXPECT_EQ(some["forms"][0]["outcome"], "incomplete");
}

TEST_F(Merge, tells_results_of_two_versions_and_of_other_options) {
  const Words words = {"check", "wide_active@fixed", "--cases", "30"};
  const Words files = shards(words, 2);
  const Words others = shards(words + Words{"--seed", "2"}, 2, "other");
  const std::string seeds = refused({files[0], others[1]});
  EXPECT_NE(seeds.find("`seed` is 1 in " + files[0] + " and 2 in " + others[1]), std::string::npos)
      << seeds;
  EXPECT_NE(refused({files[0], files[1], others[1]}).find("shard 1/2 is there twice and differs"),
            std::string::npos);
  replace_in(files[1], "(commit ", "(commit 0");
  const std::string versions = refused(files);
  EXPECT_NE(versions.find("`made_by` is "), std::string::npos) << versions;
  EXPECT_NE(versions.find(files[1]), std::string::npos) << versions;
}

TEST_F(Merge, refuses_what_is_no_result_in_one_line) {
  std::ofstream(path("text.json")) << "hello";
  std::ofstream(path("other.json")) << "{}";
  std::filesystem::create_directory(path("empty"));
  EXPECT_NE(refused({path("absent.json")}).find("cannot be read"), std::string::npos);
  EXPECT_NE(refused({path("text.json")}).find("JSON"), std::string::npos);
  EXPECT_NE(refused({path("other.json")}).find("no result"), std::string::npos);
  EXPECT_NE(refused({path("empty")}).find("no .json file"), std::string::npos);
}

TEST_F(Merge, prints_the_document_where_no_file_is_named) {
  const std::string list = result({"list", "wide_active"}, "list.json");
  const Ended ended = run({"merge", path("list.json")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, list);
}

/// Two runs of a verb, each with one of two words, merged, are the run with both.
TEST_F(Merge, of_any_verb_is_what_one_run_of_both_writes) {
  struct Verb {
    Words words;
    std::string a, b;
    int code = 0;
  };
  const Verb verbs[] = {
      {{"list"}, "sequential", "wide_active"},
      {{"check", "--cases", "4"}, "sequential", "wide_active"},
      {{"witness"}, "sequential@fixed", "wide_active@documented"},
      {{"prove", "--n", "33", "--blocks", "32"}, "sequential@fixed", "wide_active@fixed"},
      {{"claims"}, "1", "3"},
  };
  for (const Verb& verb : verbs) {
    const std::string both = result(verb.words + Words{verb.a, verb.b}, "both.json", verb.code);
    // The order of the files is not that of the catalogue.
    result(verb.words + Words{verb.b}, "b.json", verb.code);
    result(verb.words + Words{verb.a}, "a.json", verb.code);
    EXPECT_EQ(result({"merge", path("b.json"), path("a.json")}, "merged.json", verb.code), both)
        << verb.words[0];
  }
}

TEST_F(Merge, of_proved_cases_lists_them_as_one_run_does) {
  const std::string a = "sequential@fixed i32->i32 sum n=33 block=32",
                    b = "sequential@fixed i32->i32 sum n=34 block=32";
  Json both = Json::parse(result({"prove", a, b}, "both.json"));
  result({"prove", a}, "a.json");
  result({"prove", b}, "b.json");
  both.erase("same_bits");  // is not known of two proofs that were made apart
  EXPECT_EQ(Json::parse(result({"merge", path("a.json"), path("b.json")}, "merged.json")), both);
}

/// What was measured on a GPU, cut in two and merged, is what it was.
TEST_F(Merge, of_halves_of_what_a_gpu_measured_is_the_whole) {
  const std::pair<const char*, const char*> lists[] = {
      {"agree.json", "forms"}, {"detection.json", "forms"}, {"timing.json", "benchmarks"}};
  for (const auto& [file, list] : lists) {
    std::string newest;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(GAUNTLET_RESULTS)) {
      if (entry.path().filename() == file) newest = std::max(newest, entry.path().string());
    }
    ASSERT_FALSE(newest.empty()) << file;
    const Json whole = Json::parse(read_text(newest));
    Json halves[] = {whole, whole};
    const auto middle = static_cast<std::ptrdiff_t>(whole[list].size() / 2);
    halves[0][list].erase(halves[0][list].begin() + middle, halves[0][list].end());
    halves[1][list].erase(halves[1][list].begin(), halves[1][list].begin() + middle);
    Words files;
    for (Json& half : halves) {
      for (const char* const count : {"compared", "order_free", "disagreements"}) {
        if (!half.contains(count)) continue;
        half[count] = 0;
        for (const Json& form : half[list])
          half[count] = half[count].get<int>() + form[count].get<int>();
      }
      files.push_back(path("half" + std::to_string(files.size()) + ".json"));
      std::ofstream(files.back()) << half;
    }
    const Ended ended = run(Words{"merge"} + files);
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_TRUE(Json::parse(ended.out) == whole) << newest;
  }
}

TEST_F(Merge, makes_a_whole_that_the_page_of_results_shows) {
  result(Words{"merge"} + shards({"check", "wide_active", "--cases", "4"}, 2), "merged.json");
  const Ended ended = run({"report", path("page.html"), path("merged.json")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(read_text(path("page.html")).find("wide_active"), std::string::npos);
}

TEST(Check, in_shards_writes_no_committed_counterexamples) {
  expect_one_line(run({"check", "wide_active", "--shard", "0/2", "--write-regressions"}), 2,
                  "--write-regressions");
}

TEST(Check, of_more_shards_than_there_is_work_for_ends_well) {
  const Ended ended = run({"check", "wide_active@fixed", "--cases", "1", "--shard", "998/999"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

}  // namespace
}  // namespace gauntlet::test
