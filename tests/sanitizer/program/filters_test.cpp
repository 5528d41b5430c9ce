// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `gauntlet run` is told to look at: --ignore, --kernel, --launches.
#include <fstream>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

using Words = std::vector<std::string>;

Ran run_ignoring(const std::string& fault, const std::string& lines) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "ignored").string();
  std::ofstream(file) << lines;
  return run_program("faults", {fault}, {"--error-exitcode", "7", "--ignore", file});
}

/// "ignore" of the first finding of a kernel, or of the host's code.
std::string pasted(const Ran& ran) {
  const auto& process = ran.json.at("processes").at(0);
  const auto& findings = process.at("findings");
  return (findings.empty() ? process.at("mistakes") : findings).at(0).at("ignore");
}

TEST(RunIgnore, the_line_that_is_printed_leaves_the_finding_out) {
  for (const char* const fault : {"race", "out_of_bounds_write", "undefined", "barrier",
                                  "copy_after_free", "double_free", "undefined_copy"}) {
    const Ran found = run_program("faults", {fault}, {"--error-exitcode", "7"});
    EXPECT_EQ(found.code, 7) << fault;
    const std::string line = pasted(found);
    EXPECT_NE(found.err.find("--ignore FILE, with the lines\n  " + line + "\n"), std::string::npos)
        << line << "\n"
        << found.err;
    const Ran ran = run_ignoring(fault, "# known\n\n" + line + "\n");
    // A run without a launch is no success.
    const bool launches = !found.json.at("processes").at(0).at("kernels").empty();
    EXPECT_EQ(ran.code, launches ? 0 : 7) << ran.err;
    EXPECT_EQ(ran.kinds(), Words{}) << ran.err;
    EXPECT_EQ(ran.kinds("mistakes"), Words{}) << ran.err;
    EXPECT_NE(unwrapped(ran.err).find("; 1 finding left out by --ignore)"), std::string::npos)
        << ran.err;
    EXPECT_EQ(ran.json.at("processes").at(0).at("ignored"), 1);
  }
}

TEST(RunIgnore, a_finding_fits_all_that_a_line_says_or_stays) {
  for (const char* const line :
       {"race_write_read", "race_write_read kernel=missing_barrier", "* kernel=missing_*",
        "* kernel=\"(anonymous namespace)::missing_barrier(int*)\"", "* at=faults.cu",
        "* at=programs/faults.cu", "* at=*.cu function=race", "race_write_read function=rac?"}) {
    EXPECT_EQ(run_ignoring("race", line).kinds(), Words{}) << line;
  }
  for (const char* const line :
       {"race_read_write", "race_write_read kernel=missing", "* kernel=barrier", "* at=aults.cu",
        "* at=faults.cu:1", "* at=other.cu function=race", "* kernel=missing_barrier function=rac",
        "leak", "# race_write_read"}) {
    EXPECT_EQ(run_ignoring("race", line).kinds(), Words{"race_write_read 768"}) << line;
  }
}

TEST(RunIgnore, what_cannot_be_read_is_told_in_one_line) {
  const std::pair<const char*, const char*> lines[] = {
      {"race_write_red",
       "unknown kind of finding `race_write_red`; did you mean `race_write_read`?"},
      {"\nleak kernl=sum", ":2: unknown part `kernl`; did you mean `kernel`?"},
      {"leak at=main.cu:x", "at=main.cu:x: write at=FILE:LINE"},
      {"leak kernel=", "kernel: write kernel=VALUE"},
      {"leak kernel=\"sum", "a quote that is not closed"},
      {"*", "* alone would leave out everything: write kernel=, at= or function= too"}};
  for (const auto& [line, said] : lines) {
    const Ran ran = run_ignoring("race", line);
    EXPECT_EQ(ran.code, 2) << line;
    EXPECT_NE(unwrapped(ran.err).find(said), std::string::npos) << ran.err;
  }
  const Ran missing = run_program("faults", {"race"}, {"--ignore", "/nowhere/file"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("--ignore /nowhere/file: No such file"), std::string::npos);
}

TEST(RunKernel, only_kernels_of_that_name_are_checked) {
  // Three launches of missing_barrier, each with a race.
  for (const char* const name : {"missing_barrier", "ing_b.*int", "^.anonymous.*missing"}) {
    EXPECT_EQ(run_program("faults", {"race"}, {"--kernel", name}).kinds(),
              Words{"race_write_read 768"})
        << name;
  }
  const Ran other = run_program("faults", {"race"}, {"--kernel", "writes"});
  EXPECT_EQ(other.kinds(), Words{}) << other.err;
  EXPECT_EQ(other.json.at("processes").at(0).at("kernels").at(0).at("unchecked"), 3);
  EXPECT_NE(unwrapped(other.err).find("3 of the launches not checked"), std::string::npos)
      << other.err;
  EXPECT_NE(unwrapped(other.err).find("; no launch was checked"), std::string::npos) << other.err;
  EXPECT_EQ(run_program("faults", {"race"}, {"--kernel", "writes", "--error-exitcode", "7"}).code,
            7);
  // What a GPU would stop at is told in any kernel.
  const Ran ended = run_program("faults", {"host_pointer"}, {"--kernel", "reads"});
  EXPECT_EQ(ended.kinds().size(), 1U) << ended.err;
  const Ran bad = run_program("faults", {"race"}, {"--kernel", "a("});
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("--kernel a(: is no regular expression"), std::string::npos) << bad.err;
}

TEST(RunLaunches, only_those_of_the_range_are_checked) {
  const std::pair<const char*, Words> ranges[] = {
      {"1..3", {"race_write_read 768"}}, {"2..2", {"race_write_read 256"}},
      {"3", {"race_write_read 256"}},    {"2..", {"race_write_read 512"}},
      {"..2", {"race_write_read 512"}},  {"4..9", {}}};
  for (const auto& [range, kinds] : ranges) {
    EXPECT_EQ(run_program("faults", {"race"}, {"--launches", range}).kinds(), kinds) << range;
  }
  for (const char* const range : {"0", "3..2", "x", "..", "1..y", "0..3"}) {
    const Ran ran = run_program("faults", {"race"}, {"--launches", range});
    EXPECT_EQ(ran.code, 2) << range;
    EXPECT_NE(ran.err.find("write FROM..TO"), std::string::npos) << ran.err;
  }
}

/// 12 launches of one shape, of which one has a race; --sample 4 looks at 1 to 5 and at 9.
TEST(RunSample, races_are_looked_for_in_every_nth_launch_behind_n_without_a_finding) {
  const auto races = [](const char* shown, const std::vector<std::string>& options) {
    return run_program("sampled", {shown}, options);
  };
  for (const char* const looked_at : {"0", "3", "4", "8"}) {
    EXPECT_EQ(races(looked_at, {"--sample", "4"}).kinds().size(), 1U) << looked_at;
  }
  for (const char* const left_out : {"5", "7", "9", "11"}) {
    EXPECT_EQ(races(left_out, {"--sample", "4"}).kinds(), Words{}) << left_out;
    EXPECT_EQ(races(left_out, {}).kinds().size(), 1U) << left_out;
  }
  const Ran none = races("-1", {"--sample", "4"});
  EXPECT_EQ(none.json.at("processes").at(0).at("kernels").at(0).at("unsampled"), 6);
  EXPECT_NE(unwrapped(none.err).find("6 of the launches checked for races, by --sample"),
            std::string::npos)
      << none.err;
  EXPECT_EQ(unwrapped(races("-1", {}).err).find("--sample"), std::string::npos);
  // A kernel that has shown something is looked at in each launch.
  EXPECT_EQ(
      races("2", {"--sample", "4"}).json.at("processes").at(0).at("kernels").at(0).at("unsampled"),
      0);
}

TEST(RunSample, another_shape_or_name_counts_by_itself_and_all_else_is_checked_always) {
  for (const char* const how : {"shape", "name"}) {
    EXPECT_EQ(run_program("sampled", {"11", how}, {"--sample", "4"}).kinds().size(), 1U) << how;
  }
  const Ran overrun = run_program("sampled", {"11", "overrun"}, {"--sample", "4"});
  ASSERT_EQ(overrun.kinds().size(), 1U) << overrun.err;
  EXPECT_TRUE(overrun.kinds()[0].starts_with("out_of_bounds")) << overrun.kinds()[0];
}

/// Of 12 launches, and as many of another kernel: those known as equal do not count among the 4,
/// and what is known of them is told of each; other data are looked at.
TEST(RunSample, leaves_launches_that_are_known_as_equal_as_they_are) {
  const auto launched = [](const char* how, const Words& options) {
    return run_program("repeats", {how}, options);
  };
  for (const char* const how : {"equal", "one_element", "overwritten", "growing", "racy"}) {
    const Ran all = launched(how, {}), sampled = launched(how, {"--sample", "4"});
    EXPECT_EQ(sampled.out, all.out) << how;
    EXPECT_EQ(sampled.kinds(), all.kinds()) << how;
    const auto& kernels = sampled.json.at("processes").at(0).at("kernels");
    EXPECT_EQ(kernels, all.json.at("processes").at(0).at("kernels")) << how;
  }
  for (const char* const how : {"where", "whether", "what"}) {
    EXPECT_EQ(launched(how, {"--sample", "4"}).kinds(), launched(how, {}).kinds()) << how;
  }
}

}  // namespace
}  // namespace gauntlet::test
