// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet prove FILE.gauntlet as a user runs it, from PTX.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/interface/cli/json_program.hpp"
#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class ProveSpecs : public ::testing::Test {
 protected:
  /// A spec of a kernel in blocks.cu.
  std::string spec(const std::string& kernel, const std::string& text) {
    const fs::path path = folder_.path() / "k.gauntlet";
    fs::copy_file(GAUNTLET_SPEC_PTX "/blocks.ptx", folder_.path() / "blocks.ptx",
                  fs::copy_options::overwrite_existing);
    std::ofstream(path) << "kernel blocks.ptx '" << kernel << "'\n" << text;
    return path.string();
  }
  std::string tile_sum(bool right, const std::string& more = "") {
    return spec(right ? "tile_sum<true>" : "tile_sum<false>",
                "in x:f32[n]\nout y:f32[grid]\narg n:i32 = n\n"
                "launch grid=max(1, ceil(n / (4 * block))) block=32..128\nrequire block % 32 == 0\n"
                "result y[b] = sum(x[4 * b * block .. 4 * (b + 1) * block])\n" +
                    more);
  }
  Json report(const std::vector<std::string>& words, int code) {
    const fs::path json = folder_.path() / "report.json";
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--json", json.string()});
    const Ended ended = run(all);
    EXPECT_EQ(ended.code, code) << ended.out << ended.err;
    return Json::parse(read_text(json));
  }

  TemporaryFolder folder_;
};

TEST_F(ProveSpecs, a_right_kernel_is_proved_at_every_shape_whatever_the_number_of_threads) {
  const std::string path = tile_sum(true);
  Json first;
  for (const char* jobs : {"1", "3"}) {
    const Json all = report({"prove", path, "--cases", "30", "--jobs", jobs}, 0);
    const Json& form = all.at("forms").at(0);
    EXPECT_EQ(form.at("form"), path);
    EXPECT_EQ(form.at("must_hold"), true);
    EXPECT_GT(form.at("proved"), 15);
    EXPECT_EQ(form.at("proved").get<int>() + form.at("refused").get<int>(), form.at("cases"));
    EXPECT_TRUE(form.at("unexpected").is_null());
    if (first.is_null()) first = all;
    EXPECT_EQ(all, first);
  }
}

TEST_F(ProveSpecs, a_lost_element_is_refuted_by_name_and_the_line_replays_it) {
  const std::string path = tile_sum(false);
  const Ended ended = run({"prove", path + " n=5 block=32"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.out.find("y[0] has element 4 not at all; 1 element lacking"), std::string::npos)
      << ended.out;
  const Ended replay = run({"repro", path + " n=5 block=32 data=identities"});
  EXPECT_EQ(replay.code, 1);
  EXPECT_NE(replay.out.find("wrong_result"), std::string::npos) << replay.out;
  EXPECT_EQ(
      report({"prove", path, "--cases", "30"}, 1).at("forms").at(0).at("unexpected").at("verdict"),
      "refuted");
}

TEST_F(ProveSpecs, a_case_says_the_formula_its_functions_and_how_many_runs_were_compared) {
  const std::string path = spec("dot<true>",
                                "size block = 32,64\nin x:f32[n]\nin w:f32[n]\nout y:f32[1]\n"
                                "arg n:u32 = n\nlaunch grid=1 block=block\n"
                                "result y[0] = sum(x * w)\n");
  const Json proof = report({"prove", path + " n=100 block=64"}, 0);
  EXPECT_EQ(proof.at("verdict"), "proved");
  EXPECT_EQ(proof.at("formulas"), Json({"result y[0] = sum(x * w)"}));
  EXPECT_EQ(proof.at("functions"), Json({"fma.rn.f32"}));
  EXPECT_EQ(proof.at("compared"), 8);
  const auto& assumed = proof.at("assumed");
  EXPECT_NE(std::find(assumed.begin(), assumed.end(), "functions"), assumed.end());
  // 2 by each thread, 6 in the tree of 64.
  EXPECT_EQ(proof.at("depth").at("most"), 7);
  const Ended text = run({"prove", path + " n=100 block=64"});
  EXPECT_NE(text.out.find("result y[0] = sum(x * w)"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("8 runs had the formula's values"), std::string::npos) << text.out;
}

TEST_F(ProveSpecs, a_tree_is_drawn_and_a_lost_element_marked_in_it) {
  const Ended right = run({"prove", tile_sum(true) + " n=5 block=32", "--tree", "ascii"});
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_NE(right.out.find("x4"), std::string::npos) << right.out;
  EXPECT_NE(right.out.find("-- y[0]"), std::string::npos) << right.out;
  EXPECT_EQ(right.out.find("!"), std::string::npos) << right.out;
  const Ended broken = run({"prove", tile_sum(false) + " n=5 block=32", "--tree", "ascii"});
  EXPECT_EQ(broken.code, 1);
  EXPECT_NE(broken.out.find("x4 ! lost"), std::string::npos) << broken.out;
  const auto picture = (folder_.path() / "tree.svg").string();
  EXPECT_EQ(run({"prove", tile_sum(true) + " n=5 block=32", "--tree", picture}).code, 0);
  EXPECT_NE(read_text(picture).find("<svg"), std::string::npos);
}

TEST_F(ProveSpecs, a_sum_of_products_has_no_tree_to_draw_and_says_so) {
  const std::string path = spec("dot<true>",
                                "size block = 32\nin x:f32[n]\nin w:f32[n]\nout y:f32[1]\n"
                                "arg n:u32 = n\nlaunch grid=1 block=block\n"
                                "result y[0] = sum(x * w)\n");
  const Ended ended = run({"prove", path + " n=5 block=32", "--tree", "ascii"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(unwrapped(ended.out).find("no cell only reduces elements"), std::string::npos)
      << ended.out;
}

TEST_F(ProveSpecs, cases_have_the_same_bits_where_they_have_one_tree_of_the_same_elements) {
  const std::string path = tile_sum(true);
  const auto bits = [&](const std::string& a, const std::string& b) {
    const Ended ended = run({"prove", path + a, path + b, "--tree", "hash"});
    return std::pair(ended.code, unwrapped(ended.out));
  };
  const auto same = bits(" n=5 block=32", " n=5 block=32 seed=3");
  EXPECT_EQ(same.first, 0);
  EXPECT_NE(same.second.find("the same: one tree, under every schedule"), std::string::npos)
      << same.second;
  const auto other = bits(" n=5 block=32", " n=6 block=32");
  EXPECT_EQ(other.first, 1);
  EXPECT_NE(other.second.find("not to be compared"), std::string::npos) << other.second;
}

TEST_F(ProveSpecs, what_expects_a_finding_is_tried_where_it_is_known_to_show_it) {
  EXPECT_EQ(run({"check", tile_sum(false)}).code, 1);  // keeps a case
  const std::string path = tile_sum(false, "expect wrong_result y\n");
  const Json expected = report({"prove", path}, 0).at("forms").at(0);
  EXPECT_EQ(expected.at("must_hold"), false);
  EXPECT_GT(expected.at("cases"), 0);
  EXPECT_EQ(expected.at("proved"), 0);
  // Repaired: the case is proved, which it must not be.
  const Json repaired = report({"prove", tile_sum(true, "expect wrong_result y\n")}, 1);
  EXPECT_EQ(repaired.at("forms").at(0).at("unexpected").at("verdict"), "proved");
}

TEST_F(ProveSpecs, without_results_the_same_bits_are_proved) {
  const auto proof = [&](const char* kernel) {
    return run({"prove", spec(kernel,
                              "size block = 32,64\nin x:f32[n]\nout y:f32[grid]\narg n:u32 = n\n"
                              "launch grid=max(1, ceil(n / block)) block=block shared=4 * block\n"
                              "result none\n") +
                             " n=70 block=64"});
  };
  const Ended right = proof("block_sum<true>");
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_NE(right.out.find("same bits in every schedule"), std::string::npos) << right.out;
  EXPECT_EQ(proof("block_sum<false>").code, 1);
}

TEST_F(ProveSpecs, what_was_not_tried_before_ctrl_c_is_not_called_refused) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "proof.json").string();
  for (const char* const cases : {"20000", "1000000000"}) {  // the draw of the second takes hours
    Program program({"prove", tile_sum(true), "--cases", cases, "--jobs", "1", "--json", path});
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    program.signal(SIGINT);
    const Ended ended = program.wait();
    EXPECT_EQ(ended.code, 130) << ended.err;
    EXPECT_EQ(ended.out.find("refused by contract"), std::string::npos) << ended.out;
  }
}

TEST_F(ProveSpecs, what_cannot_be_used_is_one_line_and_code_two) {
  const std::string path = tile_sum(true);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& part) {
    expect_one_line(run(words), 2, part);
  };
  refused({"prove", path, "grid_stride"}, "is not a spec");
  refused({"prove", path, path + " n=5 block=32"}, "not both");
  refused({"prove", path, "--tree", "ascii"}, "--tree draws one case");
  refused({"prove", path, "--n", "0..10"}, "the sizes of a spec are in it");
  refused({"prove", "grid_stride", "--flags", path}, "--flags is for specs");
  refused({"prove", "absent.gauntlet"}, "absent.gauntlet: no such file");
  refused({"prove", path + " n=5"}, "block= is missing");
}

}  // namespace
}  // namespace gauntlet::test
