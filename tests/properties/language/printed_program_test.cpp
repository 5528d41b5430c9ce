// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel prints, and the expression of its assertion: shown by repro and sanitize, which run
// one case, and not by check.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Each thread prints "lane N holds V", where V of thread 1 is read of memory that nobody wrote,
/// and stores N; from thread `limit` on an assertion fails.
constexpr std::string_view speaking = R"(.version 9.0
.target sm_75
.address_size 64
.file 1 "speaking.cu"
.extern .func (.param .b32 q) vprintf(.param .b64 a, .param .b64 b);
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .b8 line[18] = {108, 97, 110, 101, 32, 37, 100, 32, 104, 111, 108, 100, 115, 32, 37, 117, 10, 0};
.global .b8 small[13] = {108, 97, 110, 101, 32, 60, 32, 108, 105, 109, 105, 116, 0};
.visible .entry speaking(.param .u64 y, .param .u32 limit) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<12>;
  .shared .align 4 .b8 s[8];
  .local .align 8 .b8 values[8];
  .param .b64 f; .param .b64 v; .param .b32 q;
  .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
  ld.param.u64 %d1, [y];
  ld.param.u32 %r1, [limit];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, 40;
  setp.eq.u32 %p1, %r2, 1;
  @%p1 ld.shared.u32 %r3, [s];
  mov.u64 %d2, values;
  st.local.u32 [%d2], %r2;
  st.local.u32 [%d2+4], %r3;
  cvta.local.u64 %d2, %d2;
  mov.u64 %d3, line;
  cvta.global.u64 %d3, %d3;
  st.param.b64 [f], %d3;
  st.param.b64 [v], %d2;
  call.uni (q), vprintf, (f, v);
  setp.lt.u32 %p2, %r2, %r1;
  @%p2 bra Fine;
.loc 1 7 0
  mov.u64 %d4, small;
  cvta.global.u64 %d4, %d4;
  st.param.b64 [a], %d4;
  call.uni __assertfail, (a, b, c, d, e);
Fine:
  mul.wide.u32 %d5, %r2, 4;
  add.u64 %d1, %d1, %d5;
  st.global.u32 [%d1], %r2;
  ret;
}
)";

class Printed : public ::testing::Test {
 protected:
  Printed() {
    std::ofstream(file("speaking.ptx")) << speaking;
    std::ofstream(file("speaking.gauntlet"))
        << "kernel speaking.ptx\nsize limit = 0..4\nout y:u32[3]\narg limit:u32 = limit\n"
           "launch grid=1 block=3\nresult y[i] = i\n";
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  TemporaryFolder folder_;
};

const std::string lines =
    "printed by the kernel\n    lane 0 holds 40\n    lane 1 holds undefined\n    lane 2 holds 40\n";
const std::string text = "lane 0 holds 40\nlane 1 holds undefined\nlane 2 holds 40\n";

TEST_F(Printed, is_shown_by_repro_once) {
  const Ended ended =
      run({"repro", file("speaking.gauntlet") + " limit=4", "--json", file("repro.json")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find(lines), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("lane 0"), ended.out.rfind("lane 0")) << ended.out;
  EXPECT_EQ(Json::parse(read_text(file("repro.json"))).at("printed"), text);
}

TEST_F(Printed, is_shown_by_sanitize_for_its_first_schedule) {
  const Ended ended = run({"sanitize", file("speaking.ptx"), "--entry", "speaking", "--grid", "1",
                           "--block", "3", "--arg", "y:u32[3]", "--arg", "limit:u32=4",
                           "--schedules", "4", "--json", file("run.json")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find(lines), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("lane 0"), ended.out.rfind("lane 0")) << ended.out;
  const Json json = Json::parse(read_text(file("run.json")));
  EXPECT_EQ(json.at("schedules").at(0).at("printed"), text);
  EXPECT_FALSE(json.at("schedules").at(1).contains("printed"));
}

TEST_F(Printed, is_not_shown_by_check_and_neither_by_a_kernel_that_prints_nothing) {
  const Ended ended = run({"check", file("speaking.gauntlet"), "--no-regressions"});
  EXPECT_EQ(ended.code, 1) << ended.out;
  EXPECT_EQ((ended.out + ended.err).find("holds 40"), std::string::npos) << ended.out;
  const Ended quiet =
      run({"repro", "sequential@fixed f32->f32 sum n=9 block=8", "--json", file("quiet.json")});
  EXPECT_EQ(quiet.out.find("printed"), std::string::npos) << quiet.out;
  EXPECT_FALSE(Json::parse(read_text(file("quiet.json"))).contains("printed"));
}

TEST_F(Printed, an_assertion_says_what_is_false) {
  const std::string detail = "a device assertion failed: lane < limit\n";
  for (const Ended& ended :
       {run({"check", file("speaking.gauntlet"), "--no-regressions"}),
        run({"repro", file("speaking.gauntlet") + " limit=2"}),
        run({"sanitize", file("speaking.ptx"), "--entry", "speaking", "--grid", "1", "--block", "3",
             "--arg", "y:u32[3]", "--arg", "limit:u32=2"})}) {
    EXPECT_EQ(ended.code, 1) << ended.err;
    EXPECT_NE(ended.out.find(detail), std::string::npos) << ended.out;
  }
}

}  // namespace
}  // namespace gauntlet::test
