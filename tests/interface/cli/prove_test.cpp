// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet prove, as a user runs it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

TEST(Prove, a_case_that_holds_is_proved_with_what_was_assumed) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "proof.json").string();
  const Ended ended =
      run({"prove", "shuffle_two_stage@fixed f32->f32 sum n=97 block=64", "--json", path});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("proved"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("each exactly once, for all data"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("ptxas"), std::string::npos) << ended.out;
  const Json json = Json::parse(read_text(path));
  EXPECT_EQ(json["schema"], "gauntlet.prove");
  EXPECT_EQ(json["verdict"], "proved");
  EXPECT_EQ(json["elements"], 97);
  EXPECT_TRUE(json["cause"].is_null());
}

TEST(Prove, a_case_that_loses_an_element_is_refuted_by_its_name) {
  const Ended ended =
      run({"prove", "sequential@fixed-power_of_two_block i32->i32 sum n=97 block=48"});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("refuted"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("element 2 not at all"), std::string::npos) << ended.out;
}

TEST(Prove, what_depends_on_the_schedule_is_not_proved_and_says_where) {
  const Ended ended =
      run({"prove", "single_pass_slots@fixed-wait f32->f32 sum n=4096 block=32 grid=4"});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("no proof"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("single_pass_slots.cu:"), std::string::npos) << ended.out;
}

TEST(Prove, forms_are_compared_with_what_the_catalogue_expects) {
  const TemporaryFolder folder;
  const auto one = (folder.path() / "one.json").string(),
             two = (folder.path() / "two.json").string();
  const Words words = {"prove", "grid_stride", "--n", "0,31..33", "--blocks", "32,64", "--jobs"};
  const auto with = [&](const char* jobs, const std::string& path) {
    Words all = words;
    all.insert(all.end(), {jobs, "--json", path});
    const Ended ended = run(all);
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  };
  with("1", one);
  with("2", two);
  EXPECT_EQ(read_text(one), read_text(two));
  bool held = false, defective = false;
  const Json json = Json::parse(read_text(one));
  for (const auto& form : json["forms"]) {
    const bool must_hold = form["must_hold"];
    EXPECT_TRUE(form["unexpected"].is_null()) << form["form"];
    EXPECT_EQ(form["proved"], must_hold ? form["cases"] : Json(0)) << form["form"];
    (must_hold ? held : defective) = true;
  }
  EXPECT_TRUE(held);
  EXPECT_TRUE(defective);
}

TEST(Prove, forms_over_tiles_are_proved_for_every_n_up_to_where_an_index_wraps) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "proof.json").string();
  const Ended ended =
      run({"prove", "shuffle_down", "--n", "all", "--blocks", "32", "--json", path});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("where an index wraps at"), std::string::npos) << ended.out;
  bool wide = false, narrow = false;
  const Json json = Json::parse(read_text(path));
  for (const auto& form : json["forms"]) {
    EXPECT_TRUE(form["unexpected"].is_null()) << form["form"];
    if (form["form"] == "shuffle_down@fixed") {
      wide = true;
      EXPECT_EQ(form["every_n"]["proved"], 1);
      EXPECT_EQ(form["every_n"]["ends"], "");
      EXPECT_EQ(form["every_n"]["below"], 32U * 0x7FFF'FFFFULL + 1);
    }
    if (form["form"] == "shuffle_down@fixed-index_width") {
      narrow = true;
      EXPECT_NE(form["every_n"]["ends"], "");
      EXPECT_LE(form["every_n"]["below"], (1ULL << 32) + 1);
    }
  }
  EXPECT_TRUE(wide);
  EXPECT_TRUE(narrow);
}

TEST(Prove, a_sweep_over_many_n_counts_what_was_proved_by_remainder) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "proof.json").string();
  const Ended ended = run({"prove", "shuffle_down@fixed", "two_pass@fixed", "--n", "0..64",
                           "--blocks", "32", "--json", path});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  const Json json = Json::parse(read_text(path));
  for (const auto& form : json["forms"]) {
    EXPECT_EQ(form["proved"], 65) << form["form"];
    const bool tiles = form["form"] == "shuffle_down@fixed";
    EXPECT_EQ(form["by_remainder"], tiles ? 65 : 0) << form["form"];
    EXPECT_EQ(form["every_n"].is_null(), !tiles) << form["form"];
  }
}

TEST(Prove, bad_words_end_with_2_and_one_line) {
  const Words all[] = {{"prove", "grid_stride@fixd"},
                       {"prove", "grid_stride@fixed", "--n", "7..3"},
                       {"prove", "grid_stride@fixed", "--n", "x"},
                       {"prove", "grid_stride@fixed", "--n", "0..16777216"},
                       {"prove", "grid_stride@fixed", "--n", "0..999999"},
                       {"prove", "grid_stride@fixed", "--blocks", "0"},
                       {"prove", "grid_stride@fixed", "--types", "some"},
                       {"prove", "grid_stride@fixed", "--cases", "few"},
                       {"prove", "grid_stride@fixed", "--cases", "-1"},
                       {"prove", "grid_stride@fixed", "--cases", "0"},
                       {"prove", "grid_stride@fixed f32->f32 sum n=", "--n", "3"},
                       {"prove", "grid_stride@fixed", "grid_stride@fixed f32->f32 sum n=3"}};
  for (const auto& words : all) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.code, 2) << words.back() << ended.out << ended.err;
    EXPECT_TRUE(ended.err.starts_with("gauntlet: ")) << ended.err;
    EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1) << ended.err;
  }
}

// --tree

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
}  // namespace gauntlet::test
