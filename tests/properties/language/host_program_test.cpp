// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A function of the host as the thing under test, as a user runs it: nvcc compiles it once.
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/properties/language/host_functions.hpp"

namespace gauntlet::test {
namespace {

using Json = nlohmann::json;

class HostPrograms : public HostFunctions {
 protected:
  Json checked(const std::string& spec, int code, const std::vector<std::string>& more = {}) {
    const auto json = (folder_.path() / "report.json").string();
    std::vector<std::string> words{"check", spec, "--json", json};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run(words);
    EXPECT_EQ(ended.code, code) << ended.out << ended.err;
    return Json::parse(read_text(json)).at("forms").at(0);
  }
};

TEST_F(HostPrograms, that_are_right_hold_and_may_keep_a_workspace) {
  const Json form = checked(sum("0,10"), 0);
  EXPECT_EQ(form.at("found"), Json::array());
  EXPECT_EQ(form.at("cases"), 200);
  EXPECT_EQ(form.at("refused"), 0);
}

TEST_F(HostPrograms, show_each_planted_defect_as_what_it_is_and_the_line_replays_it) {
  const std::string spec = sum("1..9");
  const Json form = checked(spec, 1, {"--cases", "150"});
  // Of each counterexample the defect, and what it shows.
  std::map<int, std::set<std::string>> shown;
  for (const Json& example : form.at("counterexamples")) {
    const std::string line = example.at("case");
    const int how = std::stoi(line.substr(line.find("how=") + 4));
    for (const Json& what : example.at("shows")) {
      shown[how].insert(what.at("kind").get<std::string>() + " " +
                        what.at("array").get<std::string>());
    }
  }
  const std::map<int, std::set<std::string>> planted{
      {2, {"race_write_read s"}},    {3, {"leak "}},           {5, {"host_race "}},
      {6, {"out_of_bounds_read x"}}, {7, {"executor_fault "}}, {9, {"write_to_input x"}}};
  for (const auto& [how, what] : planted) {
    for (const std::string& one : what) {
      EXPECT_TRUE(shown[how].contains(one)) << how << " " << one << "\n" << form.dump(1);
    }
  }
  const Ended grid = run({"repro", spec + " n=65 how=1"});
  EXPECT_EQ(grid.code, 1);
  EXPECT_NE(grid.out.find("verdict    wrong_result y\n"), std::string::npos) << grid.out;
  const Ended copy = run({"repro", spec + " n=3 how=4"});
  EXPECT_EQ(copy.code, 1);
  EXPECT_NE(copy.out.find("host_call"), std::string::npos) << copy.out;
  EXPECT_NE(unwrapped(copy.out).find("but cudaMallocAsync#1 has 4"), std::string::npos) << copy.out;
  EXPECT_EQ(shown[3], planted.at(3));
  const Ended leak = run({"repro", spec + " n=1 how=3"});
  EXPECT_EQ(leak.code, 1);
  EXPECT_NE(leak.out.find("leak"), std::string::npos) << leak.out;
  EXPECT_NE(leak.out.find("host_sums.cu:"), std::string::npos) << leak.out;
  EXPECT_NE(leak.out.find("cudaMallocAsync"), std::string::npos) << leak.out;
}

TEST_F(HostPrograms, that_cannot_be_called_are_one_line) {
  expect_refused({"check", host("sums::smu", "in x:f32[n]\nout y:f32[1]\nresult none\n")},
                 "host_sums.cu has no function sums::smu of the host");
  expect_refused(
      {"check", host("sums::sum", "in x:f32[n]\nout y:f32[1]\nresult none\n")},
      "sums::sum takes 4 arguments, 2 are given; parameter 3 (unsigned long) of sums::sum "
      "has 8 bytes. sums::sum(float const*, float*, unsigned long, int, CUstream_st*) "
      "fits, in this order: in x1:f32[n]; out y1:f32[grid]; arg a1:u64 = n; arg a2:i32 = "
      "n");
  expect_refused({"check", sum("11")}, "returned 1, cudaErrorInvalidValue, with n=");
}

TEST_F(HostPrograms, without_a_stream_are_waited_for) {
  const std::string spec = host("sums::scaled",
                                "size n = 0..50\ninout x:f32[n]\narg n:u32 = n\n"
                                "arg factor:i16 = 2\nresult none\n");
  EXPECT_EQ(run({"check", spec, "--cases", "10"}).code, 0);
}

TEST_F(HostPrograms, are_not_launched_by_the_spec_which_knows_no_grid) {
  const auto parsed = [&](const std::string& text) {
    return run({"check", host("sums::sum", text)}).err;
  };
  EXPECT_NE(parsed("out y:f32[1]\nlaunch grid=1 block=1\nresult none\n")
                .find("makes its own launches; take this statement out"),
            std::string::npos);
  EXPECT_NE(parsed("out y:f32[blocks]\nresult none\n").find("blocks"), std::string::npos);
}

}  // namespace
}  // namespace gauntlet::test
