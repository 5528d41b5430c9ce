// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet prove --tree, as a user runs it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace gauntlet::testing {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string b16 = "sequential@fixed f32->f32 sum n=16 block=16";
const std::string b32 = "sequential@fixed f32->f32 sum n=16 block=32";
const std::string other = "interleaved_bitmask@fixed f32->f32 sum n=16 block=16";

TEST(ProveTree, ascii_draws_the_tree_and_json_has_it) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "tree.json").string();
  const Ended ended = run({"prove", "shuffle_rows@fixed f32->f32 sum n=32 block=32", "--tree",
                           "ascii", "--json", path});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("\n    x0  --s--s--s--s--s-- out[0]\n"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("s through a shuffle"), std::string::npos) << ended.out;
  const Json json = Json::parse(read_text(path));
  EXPECT_EQ(json["trees"][0]["nodes"].size(), 63U);
  EXPECT_NE(ended.out.find(json["tree_hash"].get<std::string>()), std::string::npos) << ended.out;
}
TEST(ProveTree, a_file_is_a_picture_of_what_is_refuted_too) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "tree.svg").string();
  const Ended ended = run(
      {"prove", "sequential@fixed-power_of_two_block i32->i32 sum n=97 block=48", "--tree", path});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  const auto picture = read_text(path);
  EXPECT_TRUE(picture.starts_with("<svg ")) << picture.substr(0, 80);
  EXPECT_TRUE(picture.ends_with("</svg>\n"));
  EXPECT_NE(picture.find("<title>element 2: lost</title>"), std::string::npos);
}
TEST(ProveTree, there_is_no_picture_of_a_run_that_is_not_judged) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "tree.svg").string();
  const Ended ended =
      run({"prove", "single_pass_slots@fixed-wait f32->f32 sum n=4096 block=32 grid=4", "--tree",
           path});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.out.find("not one to judge"), std::string::npos) << ended.out;
  EXPECT_FALSE(std::filesystem::exists(path));
}
TEST(ProveTree, hashes_say_whether_block_sizes_give_the_same_bits) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "bits.json").string();
  const Ended same = run({"prove", b16, b32, "--tree", "hash", "--json", path});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_NE(same.out.find("the same: one tree"), std::string::npos) << same.out;
  const Json json = Json::parse(read_text(path));
  EXPECT_EQ(json["same_bits"], true);
  EXPECT_EQ(json["cases"].size(), 2U);
  const Ended differ = run({"prove", b16, other, "--tree", "hash"});
  EXPECT_EQ(differ.code, 1) << differ.out << differ.err;
  EXPECT_NE(differ.out.find("the trees are not the same"), std::string::npos) << differ.out;
  // Without the question it is a remark.
  EXPECT_EQ(run({"prove", b16, other}).code, 0);
}
TEST(ProveTree, bad_words_end_with_2_and_one_line) {
  const Words all[] = {
      {"prove", b16, "--tree", "png"},
      {"prove", b16, b32, "--tree", "two.svg"},
      {"prove", b16, "--tree", "/absent/folder/tree.svg"},
      {"prove", "sequential@fixed", "--tree", "ascii"},
      {"prove", "sequential@fixed f32->f32 sum n=65537 block=256", "--tree", "ascii"},
      {"prove", "sequential@fixed", "--heights", "page.md"},
      {"prove", "--heights", "/absent/folder/page.md"}};
  for (const auto& words : all) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.code, 2) << words.back() << ended.out << ended.err;
    EXPECT_TRUE(ended.err.starts_with("gauntlet: ")) << ended.err;
    EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1) << ended.err;
  }
}

}  // namespace
}  // namespace gauntlet::testing
