// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// witness and why show the case that shows most: a wrong result before a bare race. They take a
// case line where one is to be shown.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;

/// Each of two warps stores 3 and reads the other's cell, which held 0: right only where both
/// stores come before both loads, as no schedule has it that runs one warp behind the other. Below
/// n = 4 what was read goes nowhere.
constexpr std::string_view swap = R"(.version 9.0
.target sm_75
.address_size 64
.file 1 "swap.cu"
.visible .entry swap(.param .u64 y, .param .u32 n) {
  .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %d<8>;
  .shared .align 4 .b8 cells[8];
  ld.param.u64 %d1, [y];
  ld.param.u32 %r9, [n];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 31;
  setp.eq.u32 %p1, %r2, 0;
  shr.u32 %r3, %r1, 5;
  mov.u32 %r4, cells;
  mad.lo.u32 %r5, %r3, 4, %r4;
  xor.b32 %r6, %r3, 1;
  mad.lo.u32 %r6, %r6, 4, %r4;
  @%p1 st.shared.u32 [%r5], 0;
  bar.sync 0;
.loc 1 3 0
  @%p1 st.shared.u32 [%r5], 3;
  BARRIER
.loc 1 5 0
  @%p1 ld.shared.u32 %r7, [%r6];
  setp.lt.u32 %p2, %r9, 4;
  selp.u32 %r7, 3, %r7, %p2;
  mul.wide.u32 %d2, %r3, 4;
  add.u64 %d1, %d1, %d2;
.loc 1 6 0
  @%p1 st.global.u32 [%d1], %r7;
  ret;
}
)";

class ShowsMost : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  std::string spec(const std::string& name, bool right) {
    std::string ptx(swap);
    const std::string_view mark = "BARRIER";
    ptx.replace(ptx.find(mark), mark.size(), right ? "bar.sync 0;" : "");
    std::ofstream(path(name + ".ptx")) << ptx;
    std::ofstream(path(name + ".gauntlet"))
        << "kernel " << name << ".ptx\nsize n = 0..8\nout y:u32[2]\narg n:u32 = n\n"
        << "launch grid=1 block=64\nresult y[i] = 3\n";
    return path(name + ".gauntlet");
  }

  /// `line` is found to be wrong, and right under another schedule.
  static void expect_found(const Ended& ended, const std::string& line) {
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_NE(ended.out.find("y[0] = 0 instead of 3, in lockstep; right in "), ended.out.npos)
        << ended.out;
    EXPECT_NE(ended.out.find(line), ended.out.npos) << ended.out;
  }
  static void expect_refused(const Ended& ended, const std::string& words) {
    expect_one_line(ended, 2, words);
  }

  TemporaryFolder folder_;
};

TEST_F(ShowsMost, witness_prefers_the_kept_case_whose_result_is_wrong) {
  const std::string bad = spec("bad", false);
  std::ofstream(path("bad.cases")) << "# race_write_read cells\nbad.gauntlet n=0\n"
                                      "bad.gauntlet n=1\n"
                                      "# race_write_read cells, wrong_result y\nbad.gauntlet n=5\n";
  expect_found(run({"witness", bad}), "bad.gauntlet n=5'");
}

TEST_F(ShowsMost, witness_searches_in_the_case_that_a_line_names) {
  const std::string bad = spec("bad", false), good = spec("good", true);
  const Ended wrong = run({"witness", bad + " n=7"});
  expect_found(wrong, "bad.gauntlet n=7'");
  EXPECT_NE(wrong.out.find("1 case searched, 1 racy, 1 with"), wrong.out.npos) << wrong.out;
  const Ended bare = run({"witness", bad + " n=2", good + " n=7"});
  EXPECT_EQ(bare.code, 0) << bare.err;
  EXPECT_NE(bare.out.find("no schedule within"), bare.out.npos) << bare.out;
  EXPECT_NE(bare.out.find("bad.gauntlet n=2'"), bare.out.npos) << bare.out;
  EXPECT_NE(bare.out.find("2 cases searched, 1 racy, 0 with"), bare.out.npos) << bare.out;
  const Ended of_catalogue =
      run({"witness", "volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 block=3"});
  EXPECT_NE(of_catalogue.out.find("4 instead of 3, by 1 preemption"), of_catalogue.out.npos)
      << of_catalogue.out;
}

TEST_F(ShowsMost, witness_says_in_one_line_what_is_wrong_with_a_case_line) {
  const std::string bad = spec("bad", false);
  expect_refused(run({"witness", bad + " n=2", bad}),
                 "case lines, or any number of specs or forms");
  expect_refused(run({"witness", bad + " rows=2"}), "unknown size `rows`");
  expect_refused(run({"witness", bad + " n=2", "--write", path("kept")}), "--write");
  expect_refused(run({"witness", "nothing@fixed f32->f32 sum n=3 block=3"}), "nothing");
}

TEST_F(ShowsMost, why_compares_on_it) {
  const std::string bad = spec("bad", false), good = spec("good", true);
  const auto expect_wrong = [](const Ended& ended, const std::string& line) {
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_NE(ended.out.find(line), ended.out.npos) << ended.out;
    EXPECT_NE(ended.out.find("first difference, y[0]  0 "), ended.out.npos) << ended.out;
    EXPECT_NE(ended.out.find("y[0] = 0 instead of 3; in "), ended.out.npos) << ended.out;
  };
  expect_wrong(run({"why", bad, good}), "bad.gauntlet n=4\n");
  expect_wrong(run({"why", bad + " n=6", good}), "bad.gauntlet n=6\n");
  const Ended bare = run({"why", bad + " n=0", good});
  EXPECT_NE(bare.out.find("race_write_read cells"), bare.out.npos) << bare.out;
  EXPECT_EQ(bare.out.find("first difference"), bare.out.npos) << bare.out;
  expect_refused(run({"why", good + " n=6", bad}), "nothing was found in this case");
  expect_refused(run({"why", bad + " n=9", good}), "the spec allows 0..8");
  expect_refused(run({"why", "volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 block=3"}),
                 "case lines of specs");
}

}  // namespace
}  // namespace gauntlet::test
