// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A spec as a user runs it: `gauntlet check`, `repro` and `init`, from PTX.
#include "tests/cli/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace gauntlet::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class SpecProgram : public ::testing::Test {
 protected:
  /// A spec of block_sum in a folder of its own; `right` chooses the kernel.
  std::string spec(bool right, const std::string& more = "") {
    const fs::path path = folder_.path() / "sum.gauntlet";
    fs::copy_file(GAUNTLET_SPEC_PTX "/blocks.ptx", folder_.path() / "blocks.ptx",
                  fs::copy_options::overwrite_existing);
    std::ofstream(path) << "kernel blocks.ptx 'block_sum<" << (right ? "true" : "false")
                        << ">'\nsize block = 32,64,128\nin x:f32[n]\nout y:f32[grid]\n"
                           "arg n:u32 = n\nlaunch grid=max(1, ceil(n / block)) block=block "
                           "shared=4 * block\n"
                           "result y[b] = sum(x[b * block .. (b + 1) * block])\n"
                        << more;
    return path.string();
  }

  TemporaryFolder folder_;
};

TEST_F(SpecProgram, a_right_kernel_holds_whatever_the_number_of_threads) {
  const std::string path = spec(true);
  std::string first;
  for (const char* jobs : {"1", "3"}) {
    const Ended ended = run({"check", path, "--jobs", jobs});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_NE(ended.out.find("sum.gauntlet: holds; 200 cases"), std::string::npos) << ended.out;
    if (first.empty()) first = ended.out;
    EXPECT_EQ(ended.out, first);
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "sum.cases"));
}

TEST_F(SpecProgram, a_broken_kernel_is_found_kept_replayed_and_reproduced) {
  const std::string path = spec(false);
  std::string outputs[2];
  for (int jobs = 1; jobs <= 2; ++jobs) {
    const Ended ended = run({"check", path, "--no-regressions", "--jobs", std::to_string(jobs)});
    EXPECT_EQ(ended.code, 1);
    outputs[jobs - 1] = ended.out;
  }
  EXPECT_EQ(outputs[0], outputs[1]);
  EXPECT_NE(outputs[0].find("blocks.cu:"), std::string::npos) << outputs[0];
  EXPECT_FALSE(fs::exists(folder_.path() / "sum.cases"));

  const fs::path json = folder_.path() / "report.json";
  const Ended kept = run({"check", path, "--json", json.string()});
  EXPECT_EQ(kept.code, 1);
  const Json report = Json::parse(read_text(json));
  EXPECT_FALSE(report.at("as_expected"));
  const std::string line = report.at("forms").at(0).at("smallest");
  EXPECT_NE(line.find("sum.gauntlet n="), std::string::npos) << line;
  EXPECT_EQ(run({"repro", line}).code, 1);
  const std::string cases = read_text(folder_.path() / "sum.cases");
  EXPECT_NE(cases.find("\nsum.gauntlet n="), std::string::npos) << cases;

  // Replayed first: one drawn case is enough, and nothing is kept twice.
  EXPECT_EQ(run({"check", path, "--cases", "1"}).code, 1);
  EXPECT_EQ(read_text(folder_.path() / "sum.cases"), cases);
  // A repaired kernel passes with the file in its place.
  EXPECT_EQ(run({"check", spec(true)}).code, 0);
}

TEST_F(SpecProgram, a_lost_element_is_named) {
  (void)spec(true);
  const fs::path path = folder_.path() / "tail.gauntlet";
  std::ofstream(path) << "kernel blocks.ptx 'tile_sum<false>'\nin x:f32[n]\nout y:f32[grid]\n"
                         "arg n:i32 = n\nlaunch grid=max(1, ceil(n / 128)) block=32\n"
                         "result y[b] = sum(x[b * 128 .. (b + 1) * 128])\n";
  const Ended ended = run({"repro", path.string() + " n=5 data=iota"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.out.find("got 6, expected 10 exactly; term 4 is lost"), std::string::npos)
      << ended.out;
}

TEST_F(SpecProgram, an_expected_defect_must_be_found) {
  const Ended lacks = run({"check", spec(true, "expect wrong_result y\n")});
  EXPECT_EQ(lacks.code, 1);
  EXPECT_NE(lacks.out.find("not found: wrong_result y"), std::string::npos) << lacks.out;
}

TEST_F(SpecProgram, what_cannot_be_used_is_one_line_and_code_two) {
  const std::string path = spec(true);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& part) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.code, 2);
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_NE(ended.err.find(part), std::string::npos) << ended.err;
  };
  refused({"check", "absent.gauntlet"}, "absent.gauntlet: cannot be read");
  refused({"check", path, "grid_stride"}, "check takes specs or variants, not both");
  refused({"check", path, "--on", "cuda"}, "a spec runs on simt");
  refused({"check", path, "--flags", "absent"}, "--flags absent: cannot be read; name a file");
  refused({"repro", path + " n=3 block=32", "--flags", "/"}, "--flags /: cannot be read");
  refused({"check", "grid_stride", "--flags", path}, "--flags is for specs; name FILE.gauntlet");
  refused({"repro", path + " n=3"}, "block= is missing; write block=32");
  refused({"repro", path + " n=3 block=32 rows=3"}, "unknown size `rows`");
  refused({"repro", path + " n=3 block=32 n=3"}, "n= is written twice");
  refused({"repro", path + " n=-3 block=32"}, "n must be a whole number");
  refused({"check", spec(true, "arg m:u32 = n\n")}, "sum.gauntlet:6: ");
  refused({"check", spec(true, "result y[0] = sum(z)\n")}, "sum.gauntlet:8: ");
  const Ended order = run({"check", spec(true, "arg m:u32 = n\n")});
  EXPECT_NE(order.err.find("fits, in this order: in x1:f32[n]; out y1:f32[grid]; arg a1:u32 = n"),
            std::string::npos)
      << order.err;
  std::ofstream(folder_.path() / "sum.cases") << "sum.gauntlet n=3\n";
  refused({"check", spec(true)}, "sum.cases:1: ");
}

TEST_F(SpecProgram, flags_come_from_a_file_and_are_named_where_they_are_needed_again) {
  const std::string path = spec(false);
  const std::string flags = (folder_.path() / "flags").string();
  std::ofstream(flags) << "-DONE\n\nSHELL:-D TWO\n";
  const Ended ended = run({"check", path, "--flags", flags, "--no-regressions", "--cases", "20"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.out.find("gauntlet repro --flags " + flags + " '" + path + " n="),
            std::string::npos)
      << ended.out;
  EXPECT_EQ(run({"repro", path + " n=64 block=64", "--flags", flags}).code, 1);
}

TEST_F(SpecProgram, init_writes_a_spec_that_runs) {
  (void)spec(true);
  const std::string ptx = (folder_.path() / "blocks.ptx").string();
  const Ended ended = run({"init", ptx, "warp_sums<true>"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const fs::path path = folder_.path() / "first.gauntlet";
  std::ofstream(path) << ended.out;
  EXPECT_NE(ended.out.find("# guess"), std::string::npos);
  // Its guesses run: what they get wrong are findings, not refusals.
  EXPECT_LE(run({"check", path.string(), "--cases", "5"}).code, 1);
  const Ended several = run({"init", ptx});
  EXPECT_EQ(several.code, 2);
  EXPECT_NE(several.err.find("the file has several kernels; name one of block_sum<true>"),
            std::string::npos)
      << several.err;
}

TEST_F(SpecProgram, ctrl_c_keeps_what_was_found) {
  const std::string path = spec(false);
  Program program({"check", path, "--cases", "10000000", "--jobs", "1"});
  ASSERT_TRUE(program.wrote_error_text(30));
  program.signal(SIGINT);
  const Ended ended = program.wait();
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_NE(ended.out.find("gauntlet repro '"), std::string::npos) << ended.out;
  EXPECT_TRUE(fs::exists(folder_.path() / "sum.cases"));
}

}  // namespace
}  // namespace gauntlet::testing
