// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/own_kernels.md does what it says: its examples are taken from the page and run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/properties/language/spec_program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;

class OwnKernelsPage : public ::testing::Test {
 protected:
  /// Writes the indented lines below "`NAME`" to that file.
  void write(const std::string& name) {
    std::istringstream lines(page_);
    std::string line, text;
    while (std::getline(lines, line) && !line.starts_with("`" + name + "`")) {
    }
    while (std::getline(lines, line)) {
      if (!line.empty() && !line.starts_with("    ")) break;
      text += (line.empty() ? line : line.substr(4)) + "\n";
    }
    ASSERT_GT(text.size(), 10U) << name;
    std::ofstream(path(name)) << text.substr(text.find_first_not_of('\n'));
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  /// The words of a command, without "gauntlet", its files in this test's folder.
  std::vector<std::string> words(const std::string& command) const {
    std::vector<std::string> words;
    std::string word;
    bool quoted = false;
    for (const char c : command + " ") {
      if (c == '\'') {
        quoted = !quoted;
      } else if (c == ' ' && !quoted) {
        const auto at = word.find("my_sum.");
        if (at != word.npos) word.insert(at, folder_.path().string() + "/");
        if (!word.empty()) words.push_back(word);
        word.clear();
      } else {
        word += c;
      }
    }
    words.erase(words.begin());
    return words;
  }

  /// What stands between `gauntlet and the next ` in the rows of tables between two places.
  std::vector<std::string> commands(const std::string& from, const std::string& to) const {
    std::vector<std::string> found;
    const auto begin = page_.find(from), end = page_.find(to, begin);
    EXPECT_NE(end, page_.npos);
    const std::string head = "\n| `gauntlet ";
    for (auto at = page_.find(head, begin); at < end; at = page_.find(head, at + 1)) {
      const auto first = at + 3;
      found.push_back(page_.substr(first + 1, page_.find('`', first + 1) - first - 1));
    }
    return found;
  }

  const std::string page_ = read_text(GAUNTLET_OWN_KERNELS_PAGE);
  TemporaryFolder folder_;
};

TEST_F(OwnKernelsPage, the_function_of_the_host_forgets_its_stream) {
  if (!calls_the_host()) GTEST_SKIP() << "without the stand-in libraries";
  write("device_sum.cu");
  write("device_sum.gauntlet");
  const Ended found = run({"check", path("device_sum.gauntlet"), "--cases", "20"});
  EXPECT_EQ(found.code, 1) << found.err;
  EXPECT_NE(found.out.find("FAILS: host_race"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("device_sum.cu:"), std::string::npos) << found.out;
  const std::string text = read_text(path("device_sum.cu"));
  const auto at = text.find("<<<1, 1>>>");
  ASSERT_NE(at, text.npos);
  std::ofstream(path("device_sum.cu"))
      << text.substr(0, at) << "<<<1, 1, 0, stream>>>" << text.substr(at + 10);
  const Ended repaired = run({"check", path("device_sum.gauntlet"), "--cases", "20"});
  EXPECT_EQ(repaired.code, 0) << repaired.out << repaired.err;
}

TEST_F(OwnKernelsPage, the_first_example_is_found_replayed_and_repaired) {
  write("my_sum.cu");
  write("my_sum.gauntlet");
  const Ended found = run({"check", path("my_sum.gauntlet")});
  EXPECT_EQ(found.code, 1) << found.err;
  EXPECT_NE(found.out.find("race_"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("my_sum.cu:"), std::string::npos) << found.out;
  // With the user's own lines.
  EXPECT_NE(found.out.find("] = v;\n"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("| ^ write by"), std::string::npos) << found.out;
  EXPECT_TRUE(fs::exists(path("my_sum.cases")));
  const auto line = page_.find("    gauntlet repro '");
  ASSERT_NE(line, page_.npos);
  const std::string replay = page_.substr(line + 4, page_.find('\n', line) - line - 4);
  EXPECT_NE(found.out.find(replay.substr(replay.find(".gauntlet"))), std::string::npos)
      << replay << found.out;
  const Ended replayed = run(words(replay));
  EXPECT_EQ(replayed.code, 1);
  EXPECT_NE(replayed.out.find("| ^ write by"), std::string::npos) << replayed.out;

  std::string source = read_text(path("my_sum.cu"));
  source.insert(source.find("  if (threadIdx.x == 0) {"), "  __syncthreads();\n");
  std::ofstream(path("my_sum.cu")) << source;
  const Ended repaired = run({"check", path("my_sum.gauntlet")});
  EXPECT_EQ(repaired.code, 0) << repaired.out << repaired.err;
}

TEST_F(OwnKernelsPage, the_commands_of_its_tables_do_what_they_need_no_gpu_for) {
  fs::copy_file(GAUNTLET_SPEC_PTX "/blocks.ptx", path("blocks.ptx"));
  fs::copy_file(GAUNTLET_SPEC_PTX "/blocks.ptx", path("my_sum.ptx"));
  std::ofstream(path("my_sum.gauntlet"))
      << "kernel blocks.ptx 'block_sum<false>'\nsize block = 32,64,128\nin x:f32[n]\n"
         "out y:f32[grid]\narg n:u32 = n\nlaunch grid=max(1, ceil(n / block)) block=block "
         "shared=4 * block\nresult y[b] = sum(x[b * block .. (b + 1) * block])\n";
  const auto everywhere = commands("## Every verb", "With a GPU also");
  const auto beside_a_gpu = commands("With a GPU also", "Without a GPU the last four");
  EXPECT_EQ(everywhere.size(), 7U);
  EXPECT_EQ(beside_a_gpu.size(), 4U);
  for (const std::string& command : everywhere) {
    if (command.starts_with("gauntlet init")) continue;  // of a .cu file, below
    const Ended ended = run(words(command));
    EXPECT_LE(ended.code, 1) << command << ended.err;
    EXPECT_NE(ended.out, "") << command;
  }
  for (const std::string& command : beside_a_gpu) {
    const Ended ended = run(words(command), {"CUDA_VISIBLE_DEVICES="});
    EXPECT_EQ(ended.code, 3) << command << ended.err;
  }
}

TEST_F(OwnKernelsPage, init_makes_a_spec_of_the_first_kernel) {
  write("my_sum.cu");
  const Ended ended = run({"init", path("my_sum.cu")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("in x:f32[n]"), std::string::npos) << ended.out;
}

TEST_F(OwnKernelsPage, a_program_says_what_ranks_are) {
  for (const char* name : {"ranks.cu", "ranks.gauntlet", "ranks.py"}) write(name);
  fs::permissions(path("ranks.py"), fs::perms::owner_all);
  const Ended ended = run({"check", path("ranks.gauntlet"), "--cases", "8"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  std::string source = read_text(path("ranks.cu"));
  source.replace(source.find("k < i)"), 6, "k > i)");
  std::ofstream(path("ranks.cu")) << source;
  // Not shrunk: that would run the program some hundred times.
  const Ended wrong = run({"check", path("ranks.gauntlet"), "--cases", "2", "--unshrunk"});
  EXPECT_EQ(wrong.code, 1) << wrong.err;
  EXPECT_NE(wrong.out.find("which the program wrote"), std::string::npos) << wrong.out;
}

TEST_F(OwnKernelsPage, each_statement_and_each_result_of_its_tables_is_taken) {
  // The rows of "| kernel | result |": a spec of each is read, with any kernel.
  fs::copy_file(GAUNTLET_SPEC_PTX "/blocks.ptx", path("blocks.ptx"));
  const auto begin = page_.find("| kernel | result |"), end = page_.find("\n\n", begin);
  std::istringstream rows(page_.substr(begin, end - begin));
  std::string row;
  int count = 0;
  while (std::getline(rows, row)) {
    for (auto at = row.find("`result "); at != row.npos; at = row.find("`result ", at + 1)) {
      const std::string result = row.substr(at + 1, row.find('`', at + 1) - at - 1);
      const bool two = result.find("[r, c]") != result.npos;
      const bool grid =
          result.find("x[r, ") != result.npos || result.find("x[.., c]") != result.npos;
      std::ofstream(path("row.gauntlet"))
          << "kernel blocks.ptx 'block_sum<true>'\nlet tile = 2 * block\nin x:f32["
          << (grid ? "rows, columns" : "n")
          << "]\nin w:f32[n]\nin offsets:u32[n]\nin lengths:u32[n]\nin keys:f32[n]\nin "
             "probes:f32[n]\nout y:"
          << (result.find("argmax") != result.npos || result.find("count") != result.npos ? "i32"
                                                                                          : "f32")
          << (two ? "[rows, columns]" : "[n]") << "\nlaunch grid=4 block=32\n"
          << result << "\n";
      const Ended ended = run({"repro", path("row.gauntlet")});
      // The kernel's signature is another one: that is all that is wrong.
      EXPECT_NE(ended.err.find("launch grid=4 block=32"), std::string::npos) << result << ended.err;
      ++count;
    }
  }
  EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace gauntlet::test
