// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A value that nobody defined is called undefined in every text and file that the program writes
// of it, beside the value that was due; its bits are no number.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;

/// Each of two warps stores 3 into its cell; y[0] gets what the first warp reads of the second's,
/// and kept[0] an undefined value, which a scratch array may hold unless it is to be kept.
constexpr std::string_view exchange = R"(.version 9.0
.target sm_75
.address_size 64
.file 1 "exchange.cu"
.visible .entry exchange(.param .u64 y, .param .u64 kept) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<8>;
  .shared .align 4 .b8 cells[8];
  .shared .align 4 .b8 counter[4];
  ld.param.u64 %d1, [y];
  ld.param.u64 %d2, [kept];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 31;
  setp.eq.u32 %p1, %r2, 0;
  setp.eq.u32 %p2, %r1, 0;
  shr.u32 %r3, %r1, 5;
  mov.u32 %r4, cells;
  mad.lo.u32 %r4, %r3, 4, %r4;
.loc 1 3 0
  @%p1 st.shared.u32 [%r4], 3;
  BARRIER
.loc 1 5 0
  @%p2 ld.shared.u32 %r5, [cells+4];
.loc 1 6 0
  @%p2 st.global.u32 [%d1], %r5;
.loc 1 7 0
  @%p2 atom.shared.add.u32 %r6, [counter], 1;
.loc 1 8 0
  @%p2 st.global.u32 [%d2], %r6;
  ret;
}
)";

class UndefinedTexts : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path file(const std::string& name) const { return folder_.path() / name; }

  std::string spec(const std::string& name, bool right, const std::string& kept = "") {
    std::string ptx(exchange);
    const std::string_view mark = "BARRIER";
    ptx.replace(ptx.find(mark), mark.size(), right ? "bar.sync 0;" : "");
    std::ofstream(file(name + ".ptx")) << ptx;
    std::ofstream(file(name + ".gauntlet"))
        << "kernel " << name << ".ptx\nout y:u32[1]\nscratch t:u32[1]" << kept
        << "\nlaunch grid=1 block=64\nresult y[0] = 3\n";
    return file(name + ".gauntlet").string();
  }

  /// What the program prints, and the files that it writes under the options of `files`.
  std::string all_of(std::vector<std::string> arguments, const std::vector<std::string>& files) {
    for (const std::string& option : files) {
      arguments.push_back("--" + option);
      arguments.push_back(file(arguments.front() + "." + option).string());
    }
    std::string all = run(arguments).out;
    for (const std::string& option : files)
      all += read_text(file(arguments.front() + "." + option));
    return all;
  }

  TemporaryFolder folder_;
};

/// `text` says "undefined" and no number made of the pattern that fills memory.
void expect_undefined(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  for (const char* const bits : {"2779096485", "2779096486", "-1515870811", "a5a5a5a"}) {
    EXPECT_EQ(text.find(bits), std::string::npos) << bits << "\n" << text;
  }
  for (const char* const blank :
       {"undefined instead of ,", "undefined instead of ;", "undefined instead of :", " of  by "}) {
    EXPECT_EQ(text.find(blank), std::string::npos) << blank << "\n" << text;
  }
}

TEST_F(UndefinedTexts, name_the_value_that_was_due) {
  const std::string bad = spec("bad", false), good = spec("good", true);
  const std::string instead = "y[0] = undefined instead of 3";
  expect_undefined(all_of({"check", bad}, {"json", "sarif", "markdown"}), instead);
  expect_undefined(all_of({"witness", bad}, {"json", "markdown"}), instead);
  expect_undefined(all_of({"why", bad, good}, {"json"}), instead);
  const std::string traced =
      all_of({"repro", bad + " schedule=lockstep", "--trace"}, {"json", "trace-events"});
  expect_undefined(traced, "y[0] = undefined, the reference is 3");
  const auto atomic = traced.find(R"("name":"adds to counter[0]")");
  ASSERT_NE(atomic, std::string::npos) << traced;
  const std::string event = traced.substr(atomic, traced.find('}', atomic) - atomic);
  EXPECT_NE(event.find(R"("value":"undefined")"), std::string::npos) << event;
  const fs::path page = file("page.html");
  ASSERT_EQ(run({"report", page.string(), file("repro.json").string(), file("why.json").string(),
                 file("witness.json").string(), file("check.json").string()})
                .code,
            0);
  const std::string text = read_text(page);
  expect_undefined(text.substr(text.find("id=\"documents\"")),
                   "\"got\":\"y[0] = undefined\",\"right\":\"3\"");
}

TEST_F(UndefinedTexts, are_of_no_value_that_is_defined) {
  const std::string good = spec("good", true);
  EXPECT_EQ(run({"check", good}).code, 0);
  const std::string traced = all_of({"repro", good, "--trace"}, {"json"});
  EXPECT_NE(traced.find("y[0] = 3, the reference is 3"), std::string::npos) << traced;
}

TEST_F(UndefinedTexts, say_of_an_array_that_is_kept_what_it_was) {
  const Ended ended = run({"repro", spec("kept", true, " = 0 kept")});
  EXPECT_EQ(ended.code, 1);
  expect_undefined(ended.out, "got undefined, expected 0 as before the launch");
}

}  // namespace
}  // namespace gauntlet::test
