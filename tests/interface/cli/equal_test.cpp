// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet equal, as a user runs it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

using Json = nlohmann::json;

Json result(std::vector<std::string> words, int code) {
  words.insert(words.begin() + 1, {"--json", "-"});
  const Ended ended = run(words);
  EXPECT_EQ(ended.code, code) << ended.out << ended.err;
  return Json::parse(ended.out, nullptr, false);
}

TEST(EqualProgram, tells_bits_reals_and_what_differs_apart_by_its_exit_code) {
  const std::string c = "sequential@fixed f32->f32 sum n=8 block=8";
  const Json same = result({"equal", c, "sequential@fixed"}, 0);
  EXPECT_EQ(same.at("schema"), "gauntlet.equal");
  EXPECT_EQ(same.at("verdict"), "bitwise");
  const Json reals = result({"equal", c, "shuffle_down@fixed"}, 0);
  EXPECT_EQ(reals.at("verdict"), "as_reals");
  EXPECT_EQ(reals.at("unit"), "2^-24");
  EXPECT_EQ(run({"equal", c, "shuffle_down@fixed", "--bits"}).code, 1);
  const Json lost = result({"equal", "sequential@fixed i32->i32 sum n=97 block=48",
                            "sequential@fixed-power_of_two_block"},
                           1);
  EXPECT_EQ(lost.at("verdict"), "refuted");
  EXPECT_FALSE(lost.at("witness").is_null());
  const std::string of_a = lost["witness"]["of_a"], of_b = lost["witness"]["of_b"];
  EXPECT_NE(of_a, of_b);
}

TEST(EqualProgram, compares_forms_at_many_shapes_and_for_every_n) {
  const Json some =
      result({"equal", "sequential@fixed", "interleaved_bitmask@fixed", "--blocks", "32,64"}, 0);
  EXPECT_EQ(some.at("shapes"), 12);
  const Json every = result(
      {"equal", "sequential@fixed", "interleaved_bitmask@fixed", "--n", "all", "--blocks", "32"},
      0);
  EXPECT_EQ(every.at("verdict"), "as_reals");
  EXPECT_GT(every.at("below").get<std::uint64_t>(), std::uint64_t{1} << 32);
}

TEST(EqualProgram, compares_two_files_with_one_spec) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name) << text;
    return (folder.path() / name).string();
  };
  const auto kernel = [](const std::string& body) {
    return ".version 8.3\n.target sm_90\n.address_size 64\n"
           ".visible .entry pair(.param .u64 x, .param .u64 y)\n{\n.reg .b64 %rd<4>;\n"
           ".reg .f32 %f<4>;\nld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\n"
           "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\n" +
           body + "st.global.f32 [%rd2], %f1;\nret;\n}\n";
  };
  const std::string spec = write(
      "pair.gauntlet",
      "kernel a.ptx\nin x:f32[2]\nout y:f32[1]\nlaunch grid=1 block=1\nresult y[0] = sum(x)\n");
  const std::string a = write("a.ptx", kernel("add.f32 %f1, %f1, %f2;\n")),
                    b = write("b.ptx", kernel("add.f32 %f1, %f2, %f1;\n")),
                    c = write("c.ptx", kernel("sub.f32 %f1, %f2, %f1;\n"));
  EXPECT_EQ(result({"equal", "--spec", spec, a, b}, 0).at("verdict"), "bitwise");
  const Json other = result({"equal", "--spec", spec, a, c}, 1);
  EXPECT_EQ(other.at("verdict"), "refuted");
  EXPECT_EQ(other.at("first").at("differs"), "y[0] has x[0] once, the other one -1 times");
}

TEST(EqualProgram, refuses_what_it_cannot_use_in_one_line) {
  const std::vector<std::vector<std::string>> all = {
      {"equal", "sequential@fixed", "sequential@fixed f32->f32 sum n=8 block=8"},
      {"equal", "sequential@fixed", "sequential@nothing"},
      {"equal", "sequential@fixed", "half_shared@fixed", "--tree"},
      {"equal", "sequential@fixed", "half_shared@fixed", "--at", "n=3"},
      {"equal", "--spec", "/nowhere.gauntlet", "a.cu", "b.cu"},
      {"equal", "sequential@fixed f32->f32 sum n=8 block=8", "half_shared@fixed", "--n", "all"}};
  for (const auto& words : all) {
    expect_one_line(run(words), 2, "gauntlet: ", words[1] + " " + words[2]);
  }
}

}  // namespace
}  // namespace gauntlet::test
