// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet shell and --version: the completions are tried in a shell, the manual by groff.
#include <gtest/gtest.h>
#include <regex.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  pclose(pipe);
  return text;
}

/// POSIX, of which <regex> would be a second to compile.
bool matches(const std::string& text, const char* extended) {
  regex_t compiled{};
  EXPECT_EQ(regcomp(&compiled, extended, REG_EXTENDED | REG_NOSUB), 0) << extended;
  const bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return found;
}

/// What bash offers for the last of the words.
std::set<std::string> offered(const std::vector<std::string>& words) {
  const os::TemporaryFolder folder;
  std::ofstream(folder.path().string() + "/gauntlet.bash") << run({"shell", "bash"}).out;
  std::string line =
      "cd " + folder.path().string() + " && bash -c 'source ./gauntlet.bash; COMP_WORDS=(gauntlet";
  for (const auto& word : words) line += " \"" + word + "\"";
  line += "); COMP_CWORD=" + std::to_string(words.size()) +
          "; _gauntlet; printf \"%s\\n\" \"${COMPREPLY[@]}\"'";
  std::istringstream lines(output_of(line));
  std::set<std::string> result;
  for (std::string one; std::getline(lines, one);) {
    if (!one.empty()) result.insert(one);
  }
  return result;
}

using WordSet = std::set<std::string>;

TEST(BashCompletion, offers_commands_options_and_names) {
  EXPECT_EQ(offered({"chec"}), WordSet{"check"});
  EXPECT_TRUE(offered({""}).contains("why"));
  EXPECT_FALSE(offered({""}).contains("worker"));  // not for people
  EXPECT_EQ(offered({"check", "--bud"}), WordSet{"--budget"});
  EXPECT_EQ(offered({"check", "volatile_warp_tail@fixed-sync"}),
            (WordSet{"volatile_warp_tail@fixed-syncwarp",
                     "volatile_warp_tail@fixed-syncwarp-volatile_shared"}));
  EXPECT_EQ(offered({"check", "--json", "gaunt"}), WordSet{"gauntlet.bash"});  // a file
  EXPECT_EQ(offered({"check", "--seed", ""}), WordSet{});                      // any number
}

TEST(BashCompletion, offers_every_option_of_every_command) {
  for (const std::string& command : offered({""})) {
    if (command.starts_with("--")) continue;
    const std::string help = run({command, "--help"}).out;
    const WordSet known = offered({command, "--"});
    std::size_t options = 0;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      const auto begin = line.find("--");
      if (!line.starts_with("  -") || begin == line.npos) continue;
      const auto end = line.find_first_not_of("-abcdefghijklmnopqrstuvwxyz", begin);
      const std::string option = line.substr(begin, end - begin);
      EXPECT_TRUE(known.contains(option)) << command << " " << option;
      ++options;
    }
    EXPECT_GE(options, 1U) << command << " has --help at least";
  }
}

/// Begun command lines, and what they are when the tab key was pressed.
const std::pair<const char*, const char*> completed[] = {
    {"chec", "check"},
    {"check --bud", "check --budget"},
    {"check volatile_warp_tail@fixed-sm", "check volatile_warp_tail@fixed-small_block"},
    {"check --seed 3 single_pass_tick", "check --seed 3 single_pass_ticket"},
    {"check --json made-by", "check --json made-by-zsh"},
    {"diff two_pass@fixed grid_stride@fixed-fir",
     "diff two_pass@fixed grid_stride@fixed-first_offset"},
    {"repro --trace-e", "repro --trace-events"},
    {"sanitizer_worke", "sanitizer_worke"}};  // not for people

TEST(ZshCompletion, completes_commands_options_names_and_files) {
  if (output_of("command -v zsh").empty()) GTEST_SKIP() << "no zsh";
  const os::TemporaryFolder folder;
  const std::string path = folder.path().string();
  std::ofstream(path + "/_gauntlet") << run({"shell", "zsh"}).out;
  std::ofstream(path + "/made-by-zsh");
  std::string line = "timeout 60 zsh -f " GAUNTLET_CLI_TESTS "/complete.zsh " + path, wanted;
  for (const auto& [begun, whole] : completed) {
    line += std::string(" '") + begun + "'";
    wanted += std::string(whole) + "\n";
  }
  EXPECT_EQ(output_of(line + " 2>&1"), wanted);
}

TEST(FishCompletion, completes_commands_options_names_and_files) {
  if (output_of("command -v fish").empty()) GTEST_SKIP() << "no fish";
  const os::TemporaryFolder folder;
  const std::string path = folder.path().string();
  std::ofstream(path + "/gauntlet.fish") << run({"shell", "fish"}).out;
  std::ofstream(path + "/made-by-zsh");
  for (const auto& [begun, whole] : completed) {
    const std::string offered =
        output_of("cd " + path + " && HOME=" + path + " fish -N -c 'source gauntlet.fish; " +
                  "complete -C\"gauntlet " + begun + "\"' 2>&1");
    // "WORD<tab>description" on each line; the last word of the whole line is the first of them.
    const std::string word = std::string(whole).substr(std::string(whole).rfind(' ') + 1);
    const bool nothing = std::string(begun) == whole;
    EXPECT_EQ(offered.substr(0, offered.find_first_of("\t\n")), nothing ? "" : word)
        << begun << ": " << offered;
  }
}

TEST(ShellText, of_every_kind_names_every_command) {
  const WordSet commands = offered({""});
  for (const char* const kind : {"zsh", "fish", "man"}) {
    const Ended ended = run({"shell", kind});
    EXPECT_EQ(ended.code, 0);
    for (const std::string& command : commands) {
      if (command.starts_with("--")) continue;
      EXPECT_NE(ended.out.find(command), std::string::npos) << kind << " " << command;
    }
  }
  EXPECT_EQ(run({"shell", "tcsh"}).code, 2);
}

TEST(ManualPage, is_what_groff_accepts) {
  if (output_of("command -v groff").empty()) GTEST_SKIP() << "no groff";
  const os::TemporaryFolder folder;
  const std::string page = folder.path().string() + "/page";
  for (const auto& [kind, parts] :
       {std::pair<std::string, std::vector<std::string>>{
            "man",
            {"\nEXAMPLES\n", "\nFILES\n", "\nENVIRONMENT\n", "\nEXIT STATUS\n",
             "gauntlet-spec(5)"}},
        {"spec",
         {"\nSTATEMENTS\n", "\nGRAMMAR\n", "require CONDITION", "\nEXAMPLES\n", "\nFILES\n",
          "\nENVIRONMENT\n", "\nEXIT STATUS\n", "gauntlet(1)"}}}) {
    const Ended ended = run({"shell", kind});
    EXPECT_EQ(ended.code, 0) << ended.err;
    std::ofstream(page) << ended.out;
    EXPECT_EQ(output_of("groff -man -Tascii -ww -z " + page + " 2>&1"), "") << kind;
    const std::string shown = output_of("groff -man -Tascii -P-cbou " + page);
    for (const std::string& part : parts) {
      EXPECT_NE(shown.find(part), std::string::npos) << kind << " " << part;
    }
  }
}

TEST(SourceWithMain, is_a_program_that_says_whether_its_kernel_is_right) {
  if (!GAUNTLET_HAS_RUN) GTEST_SKIP() << "a program cannot load libraries with sanitizers";
  const os::TemporaryFolder folder;
  const std::string path = folder.path().string() + "/k";
  const auto code = [&](const std::string& form) {
    std::ofstream(path + ".cu") << run({"source", form, "--main"}).out;
    EXPECT_EQ(output_of(GAUNTLET_NVCC " -std=c++17 -arch=compute_80 -cudart shared " + path +
                        ".cu -o " + path + " 2>&1"),
              "");
    const Ended ended = run({"run", "--", path});
    EXPECT_NE(ended.out.find("must be 1000"), std::string::npos) << ended.out << ended.err;
    return ended.out.find(": 1000, must be 1000") != std::string::npos;
  };
  EXPECT_TRUE(code("two_pass@fixed"));
  EXPECT_TRUE(code("single_pass_slots@fixed"));
  EXPECT_FALSE(code("half_shared@fixed-block_stride"));
}

TEST(Help, is_a_command_too) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "witness"}).out, run({"witness", "--help"}).out);
}

TEST(Help, fits_80_columns) {
  for (const std::string& command : offered({""})) {
    if (command.starts_with("--")) continue;
    std::istringstream lines(run({"help", command}).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(Version, names_commit_toolkit_and_ptx) {
  const Ended ended = run({"--version"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(matches(ended.out,
                      "^gauntlet [0-9.]+ \\(commit (unknown|[0-9a-f]{12}(, with changes)?)\\)\n"
                      "CUDA toolkit [0-9.]+, PTX ISA [0-9.]+ for sm_[0-9]+ and later\n$"))
      << ended.out;
}

TEST(Errors, are_one_line_where_they_are_read_by_a_program) {
  expect_one_line(run({"check", "no_such_variant_at_all"}), 2, "no_such_variant_at_all");
}

TEST(Errors, wrap_between_words_on_a_terminal) {
  if (output_of("command -v script").empty()) GTEST_SKIP() << "no script(1)";
  const std::string text = output_of("script -qec '" + std::string(GAUNTLET_PROGRAM) +
                                     " check no_such_variant_at_all' /dev/null 2>&1 </dev/null");
  EXPECT_NE(text.find("unknown variant"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    EXPECT_LE(line.size(), 80U) << line;
  }
}

}  // namespace
}  // namespace gauntlet::test
