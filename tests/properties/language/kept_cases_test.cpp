// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Findings are told wherever a spec lies, and whether or not they can be kept beside it.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "spec_program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;

class KeptCases : public SpecProgram {
 protected:
  static void expect_told_but_not_kept(const Ended& ended, const std::string& why, int code = 1) {
    EXPECT_EQ(ended.code, code) << ended.err;
    EXPECT_NE(ended.out.find("sum.gauntlet: FAILS: "), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("  gauntlet repro '"), std::string::npos) << ended.out;
    const auto at = ended.err.find("not kept: ");
    ASSERT_NE(at, std::string::npos) << ended.err;
    const std::string line = ended.err.substr(at, ended.err.find('\n', at) - at);
    EXPECT_NE(line.find("sum.cases"), std::string::npos) << line;
    EXPECT_NE(line.find(why), std::string::npos) << line;
    EXPECT_TRUE(line.ends_with("(--no-regressions does not try)")) << line;
  }
  [[nodiscard]] fs::path cases() const { return folder_.path() / "sum.cases"; }
};

TEST_F(KeptCases, that_cannot_be_written_are_told) {
  const std::string path = spec(false);
  fs::create_directory(cases());
  expect_told_but_not_kept(run({"check", path}), "is no regular file");
  fs::remove(cases());
  fs::create_symlink("/dev/full", cases());
  expect_told_but_not_kept(run({"check", path}), "is no regular file");
  // The same where the report finds no room either, which is told beside it.
  const Ended neither = run({"check", path, "--json", "/dev/full"});
  expect_told_but_not_kept(neither, "is no regular file", 2);
  EXPECT_TRUE(
      neither.err.ends_with("gauntlet: --json /dev/full: could not be written completely: "
                            "No space left on device\n"))
      << neither.err;
  fs::remove(cases());
  // No byte more fits on the disk, in the folder for temporary files neither.
  Ended full = run_in_shell("(trap '' XFSZ; ulimit -f 0; \"$GAUNTLET\" check '" + path +
                            "' 2>&1; echo \"code $?\") | cat");
  EXPECT_TRUE(full.out.ends_with("\ncode 1\n")) << full.out;
  full.code = 1;
  full.err = full.out;
  expect_told_but_not_kept(full, "could not be written completely");
  EXPECT_FALSE(fs::exists(cases()));
  EXPECT_EQ(run({"check", path, "--no-regressions"}).err.find("not kept"), std::string::npos);
  EXPECT_EQ(run({"check", path}).code, 1);
  EXPECT_TRUE(fs::is_regular_file(cases()));
}

TEST_F(KeptCases, in_a_folder_that_may_only_be_read_are_told) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const std::string path = spec(false);
  fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const Ended ended = run({"check", path});
  fs::permissions(folder_.path(), fs::perms::owner_all);
  expect_told_but_not_kept(ended, "Permission denied");
}

TEST_F(KeptCases, that_cannot_be_run_any_more_are_skipped_with_a_warning) {
  const std::string path = spec(true);
  std::ofstream(cases()) << "# race\n"
                         << "sum.gauntlet m=3 block=32\n"                   // renamed
                         << "sum.gauntlet n=3\n"                            // a size more
                         << "total.gauntlet n=3 block=32\n"                 // renamed
                         << "sum.gauntlet n=3 block=32 schedule=by_hand\n"  // unknown
                         << "sum.gauntlet n=3 block=48\n"                   // outside
                         << "sum.gauntlet n=3 block=32 data=iota\n";
  const std::string before = read_text(cases());
  const Ended ended = run({"check", path, "--cases", "10"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("holds; 12 cases, 1 refused"), std::string::npos) << ended.out;
  const std::string told = unwrapped(ended.out);
  for (const char* part :
       {"sum.cases:2: ", "unknown size `m`; write one of ", "; skipped: correct or delete the line",
        "sum.cases:3: ", "block= is missing", "sum.cases:4: the case is of total.gauntlet; skipped",
        "sum.cases:5: unknown schedule `by_hand`",
        "sum.cases:6: outside the contract now (block=48: the spec allows 32,64,128); change or"}) {
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << ended.out;
  }
  EXPECT_EQ(told.find("sum.cases:7"), std::string::npos) << ended.out;
  EXPECT_EQ(read_text(cases()), before);
  // The other verbs that read them go on too.
  const Ended searched = run({"witness", path});
  EXPECT_EQ(searched.code, 0) << searched.err;
  EXPECT_EQ(std::count(searched.err.begin(), searched.err.end(), '\n'), 4) << searched.err;
  EXPECT_EQ(run({"prove", path, "--cases", "3"}).code, 0);
}

/// What follows `before` on the line that has it.
std::string line_with(const std::string& text, const std::string& before) {
  const auto at = text.find(before);
  return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST_F(KeptCases, of_a_path_with_blanks_and_quotation_marks_are_found_kept_and_replayed) {
  const std::string text =
      "size block = 32,64,128\nin x:f32[n]\nout y:f32[grid]\narg n:u32 = n\n"
      "launch grid=max(1, ceil(n / block)) block=block shared=4 * block\n"
      "result y[b] = sum(x[b * block .. (b + 1) * block])\n";
  for (const std::string name : {"my kernels/sum", "a folder/of 'mine'/the \"sum\" \\1"}) {
    const std::string path = of_kernel(name, "block_sum<false>", text);
    const Ended found = run({"check", path});
    EXPECT_EQ(found.code, 1) << found.err;
    std::string command = line_with(found.out, "gauntlet repro '");
    ASSERT_FALSE(command.empty()) << found.out;
    command.replace(0, 8, "\"$GAUNTLET\"");
    const Ended again = run_in_shell(command);
    EXPECT_EQ(again.code, 1) << command << again.err;
    EXPECT_NE(again.out.find("race_"), std::string::npos) << again.out;
    const std::string cases = read_text(folder_.path() / (name + ".cases"));
    EXPECT_FALSE(cases.empty());
    // Replayed first: one drawn case is enough, and nothing is kept twice.
    const Ended replayed = run({"check", path, "--cases", "1"});
    EXPECT_EQ(replayed.code, 1) << replayed.err;
    EXPECT_EQ(replayed.out.find("skipped"), std::string::npos) << replayed.out;
    EXPECT_EQ(read_text(folder_.path() / (name + ".cases")), cases);

    std::string witness = line_with(run({"witness", path}).out, "replay ");
    EXPECT_NE(witness.find("gauntlet repro "), std::string::npos);
  }
  const std::string right = of_kernel("my kernels/right", "block_sum<true>", text);
  EXPECT_EQ(run({"check", right}).code, 0);
  EXPECT_EQ(run({"prove", right, "--cases", "5"}).code, 0);
  for (const char* verb : {"repro", "count", "prove"}) {
    EXPECT_EQ(run({verb, "\"" + right + "\" n=33 block=32"}).code, 0) << verb;
    EXPECT_EQ(run({verb, right + " n=33 block=32"}).code, 0) << verb;  // the marks may be left out
  }
}

}  // namespace
}  // namespace gauntlet::test
