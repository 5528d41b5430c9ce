// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What comes from outside and cannot be done, and output that cannot be written: one line that says
// so, the right exit code, nothing lost in silence.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string too_many[] = {
    "4611686018427387904",  // 2^62: n * 4 wraps to 0
    "4611686018427387905", "9223372036854775808", "18446744073709551615",
    "1152921504606846976", "2305843009213693952", "6000000000000000000",
};
const std::string planned[] = {
    "grid_stride@documented f32->f32 sum block=256 grid=64 n=",
    "two_pass@fixed i32->i32 sum block=256 n=",
    "single_pass_ticket@fixed i32->i32 sum block=256 n=",
    "int4_coarsened@fixed i32->i32 sum block=256 n=",
    "cub_device@documented i32->i32 sum block=256 n=",
};

/// A PTX file in `folder` with one kernel.
std::string ptx_file(const TemporaryFolder& folder, const std::string& variables,
                     const std::string& kernel) {
  const auto path = folder.path() / "k.ptx";
  std::ofstream(path) << ".version 8.0\n.target sm_90\n.address_size 64\n"
                      << variables << ".visible .entry " << kernel << "()\n{\nret;\n}\n";
  return path.string();
}

TEST(WrongSpecs, are_all_told_and_keep_no_other_from_being_checked) {
  const TemporaryFolder folder;
  const auto spec = [&](const std::string& name, const std::string& first) {
    std::ofstream(folder.path() / name) << first << "\nlaunch grid=1 block=1\nresult none\n";
    return (folder.path() / name).string();
  };
  (void)ptx_file(folder, "", "f");
  const std::string a = spec("a.gauntlet", "kernle a.ptx"),
                    b = spec("b.gauntlet", "kernel k.ptx f"),
                    c = spec("c.gauntlet", "inn x:f32[n]");
  const auto ended = run({"check", a, b, c});
  EXPECT_EQ(ended.code, 2) << ended.out;
  for (const std::string& wrong : {a, c}) {
    EXPECT_NE(ended.out.find("\n" + wrong + ": "), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find(std::filesystem::path(wrong).filename().string() + ":1: "),
              std::string::npos);
  }
  EXPECT_TRUE(ended.out.starts_with(b + ": ")) << ended.out;
  const auto without = run({"check", a, c});  // nothing to check
  EXPECT_EQ(without.code, 2) << without.out;
  EXPECT_EQ(without.out, "");
  EXPECT_TRUE(without.err.starts_with("gauntlet: 2 of 2 specs cannot be used\n" + a + ":1: "))
      << without.err;
  EXPECT_EQ(std::count(without.err.begin(), without.err.end(), '\n'), 3) << without.err;
  EXPECT_EQ(run({"check", b}).code, 0);  // the near miss: nothing is wrong with it
}
TEST(MisspeltSpec, is_told_the_file_beside_it) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "hist.gauntlet") << "kernel k.ptx\n";
  const std::string wrong = (folder.path() / "hist.gaunlet").string();
  const std::string right = (folder.path() / "hist.gauntlet").string();
  expect_one_line(run({"check", wrong}), 2, wrong + ": no such file; did you mean " + right + "?\n",
                  "");
  expect_one_line(run({"check", (folder.path() / "unlike.txt").string()}), 2,
                  "unlike.txt: no such file; a spec is FILE.gauntlet\n", "far from it");
}

TEST(Target, that_this_processor_has_not_is_refused_once_before_any_case_runs) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"repro", "two_pass@fixed i32->i32 sum n=1"},
        {"check", "grid_stride"},
        {"prove", "grid_stride", "--n", "8"}}) {
    const auto ended = run(words, {"GAUNTLET_TARGET=x86-64-v9"});
    expect_one_line(ended, 2, "GAUNTLET_TARGET=x86-64-v9: this processor has baseline",
                    words.front());
  }
}

TEST(SanitizeMemory, of_the_modules_own_arrays_is_counted) {
  const TemporaryFolder folder;
  std::string variables;
  for (int k = 0; k < 10; ++k) {
    variables += ".global .align 1 .b8 g" + std::to_string(k) + "[4294967000];\n";
  }
  const auto file = ptx_file(folder, variables, "k");
  expect_one_line(run({"sanitize", file, "--entry", "k", "--grid", "1", "--block", "1"}), 2,
                  "the arrays need about ", "ten arrays of 4 GiB");
}

TEST(SanitizeListing, of_a_symbol_that_doubles_its_parts_shows_the_symbol) {
  // pair<X, X> of pair<X, X> ..., 34 deep, where the second X is a reference to the first.
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string type = "S_IiiE";
  for (std::size_t k = 0; k < 34; ++k) {
    type = (k == 33 ? "St4pairI" : "S_I") + type + "S" + digits[k] + "_E";
  }
  const TemporaryFolder folder;
  const std::string symbol = "_Z1kI" + type + "Evv";
  const Ended ended = run({"sanitize", ptx_file(folder, "", symbol)});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_LT(ended.out.size(), 100'000U);
}

TEST(SanitizeListing, of_a_long_symbol_that_is_no_harm_is_as_cpp_spells_it) {
  const TemporaryFolder folder;
  std::string parameters = "St4pairIifE";
  for (int k = 0; k < 30; ++k) parameters += "S0_";
  const Ended ended = run({"sanitize", ptx_file(folder, "", "_Z6kernel" + parameters)});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("kernel(std::pair<int, float>, std::pair<int, float>,"),
            std::string::npos)
      << ended.out;
}

TEST(CaseMemory, that_is_not_there_is_refused_by_repro_whatever_wraps) {
  for (const auto& line : planned) {
    for (const auto& n : too_many) {
      const Ended ended = run({"repro", line + n, "--alone"});
      if (ended.code == 1) {  // refused by the launch contract: more blocks than CUDA launches
        EXPECT_NE(ended.out.find("refused before launch"), std::string::npos) << line + n;
        continue;
      }
      const bool counted = std::stoull(n) >> 63 == 0;  // specs count in 64 bits with a sign
      expect_one_line(ended, 2, counted ? " needs about " : "at most 9223372036854775807",
                      line + n);
    }
  }
  const Ended ended = run({"repro", planned[0] + too_many[0], "--alone"});
  expect_one_line(ended, 2, "n=4611686018427387904 with grid=64 needs about 343", "");
  EXPECT_NE(ended.err.find(" are free; "), std::string::npos) << ended.err;
}

TEST(CaseMemory, is_asked_for_before_an_input_of_gigabytes_is_made) {
  const std::string line = "grid_stride@documented f32->f32 sum n=1099511627776 grid=64";
  expect_one_line(run({"repro", line}), 2, "needs about 8192 GiB of host memory", "repro");
  expect_one_line(run({"count", line}), 2, "needs about 8192 GiB of host memory", "count");
}

TEST(CaseMemory, of_a_window_of_blocks_is_that_of_the_window) {
  const Ended ended = run({"repro",
                           "int4_coarsened@fixed i32->i32 sum n=4294967296 block=1 "
                           "grid=1073741824 data=ones blocks=0+1",
                           "--alone"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  // Its blocks step through 2^40 elements: 2^33 rounds of 64.
  const std::string strided =
      "two_pass@fixed i32->i32 sum n=1099511627776 block=64 grid=2 blocks=0+1";
  expect_one_line(run({"repro", strided}), 2, " needs about ",
                  "a window that is half of the input");
}

TEST(CaseMemory, of_a_committed_counterexample_is_asked_for_before_any_case) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "grid_stride@documented.txt")
      << "grid_stride@documented f32->f32 sum n=4611686018427387904 block=256 grid=64\n"
         "! wrong_result out\n";
  const Ended ended =
      run({"check", "grid_stride@documented", "--regressions", folder.path().string()});
  expect_one_line(ended, 2, "grid_stride@documented.txt:1: n=4611686018427387904", "check");
}

TEST(Output, that_is_lost_is_told_and_ends_with_1) {
  const std::string clean = "wide_active@fixed i32->i32 sum n=3 block=8 grid=1";
  const Words all[] = {{"--help"},
                       {"check", "--help"},
                       {"list"},
                       {"claims", "3"},
                       {"check", "wide_active@fixed", "--cases", "1"},
                       {"repro", clean},
                       {"count", clean},
                       {"witness", "wide_active@fixed", "--tries", "1"},
                       {"agree", "wide_active@fixed", "--with", "simt", "--cases", "1"}};
  for (const auto& words : all) {
    const Ended ended = run_into("/dev/full", words);
    EXPECT_EQ(ended.code, 1) << words[0] << ended.err;
    EXPECT_NE(ended.err.find("gauntlet: "), std::string::npos) << words[0] << ended.err;
  }
}

TEST(Output, of_messages_that_nobody_can_read_changes_no_exit_code) {
  const std::string clean = " 'wide_active@fixed i32->i32 sum n=3 block=8 grid=1'";
  const std::pair<std::string, int> all[] = {
      {"check wide_active@fixed --cases 1", 0}, {"check --cases", 2}, {"repro" + clean, 0},
      {"prove wide_active@fixed --n 3", 0},     {"run /bin/true", 0}, {"run /nowhere/at/all", 2}};
  for (const auto& [words, code] : all) {
    if (!GAUNTLET_HAS_RUN && code == 0 && words.starts_with("run")) continue;
    EXPECT_EQ(run_in_shell("\"$GAUNTLET\" " + words + " 2>/dev/full").code, code) << words;
    EXPECT_EQ(run_in_shell("\"$GAUNTLET\" " + words + " 2>&-").code, code) << words;
  }
}

TEST(Output, of_closed_standard_streams_is_not_found_in_a_file) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "out.json").string();
  const Ended ended = run_in_shell("\"$GAUNTLET\" check wide_active@fixed --cases 1 --json '" +
                                   path + "' <&- >&- 2>&-");
  EXPECT_EQ(ended.code, 1);  // standard output is lost
  EXPECT_EQ(Json::parse(read_text(path))["schema"], "gauntlet.check");
}

TEST(Output, of_nvcc_does_not_need_a_standard_input) {
  if (std::string(GAUNTLET_NVCC).empty()) GTEST_SKIP() << "no nvcc";
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "k.cu") << "__global__ void k(int* x) { *x = 1; }\n";
  const Ended ended = run_in_shell("cd '" + folder.path().string() +
                                   "' && PATH=$(dirname '" GAUNTLET_NVCC
                                   "'):$PATH \"$GAUNTLET\" sanitize k.cu <&-");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("k.cu: 1 kernel\n"), std::string::npos) << ended.out;
}

TEST(Words, that_no_verb_takes_are_told_in_one_line_with_what_to_write) {
  const TemporaryFolder folder;
  const std::string spec = (folder.path() / "k.gauntlet").string(),
                    name = (folder.path() / "k").string(), made = name + "_folder.gauntlet",
                    source = name + "_folder.cu";
  std::ofstream(spec) << "kernel k.ptx\n";
  std::filesystem::create_directories(made);
  std::filesystem::create_directories(source);
  const std::pair<Words, std::string> wrong[] = {
      {{"check", name}, name + ": no kernel of the catalogue; did you mean " + spec + "?"},
      {{"prove", spec + "_"}, spec + "_: no such file; did you mean " + spec + "?"},
      {{"prove", name + "k.gauntlet"}, "did you mean " + spec + "?"},
      {{"repro", name + "much.gauntlet n=3"}, name + "much.gauntlet: no such file"},
      {{"prove", spec, "--tree", "ascii"}, "write its line, such as '" + spec + " n=8 block=64'"},
      {{"run", "./prog", "--x"}, "those of the program stand behind --"},
      {{"check", "k.cu"},
       "k.cu: is no spec; gauntlet init k.cu prints a first one, and gauntlet "
       "sanitize k.cu runs its kernels without"},
      {{"prove", "k.ptx"}, "k.ptx: is no spec; gauntlet init k.ptx"},
      {{"repro", "k.cu n=3"}, "k.cu: is no spec; gauntlet init k.cu"},
      {{"count", "k.cuh"}, "k.cuh: is no spec"},
      {{"why", "k.cu"}, "k.cu: is no spec"},
      {{"diff", "a.cu", "b.cu"}, "a.cu: is no spec"},
      {{"list", "k.cu"}, "k.cu: is no spec"},
      {{"source", "k.cu"}, "k.cu: is no spec"},
      {{"agree", "k.cu"}, "k.cu: is no spec"},
      {{"check", "./prog"},
       "./prog: is neither a spec (FILE.gauntlet) nor a name of the catalogue; "
       "gauntlet run takes programs"},
      {{"check", folder.path().string()}, "is a folder; name a spec in it (FILE.gauntlet)"},
      {{"prove", made + " n=3"}, made + ": is a folder; name a spec in it"},
      {{"sanitize", source}, source + ": is a folder; name a .cu or a .ptx file in it"},
      {{"check", "no_such_variant"},
       "unknown variant `no_such_variant`; gauntlet list --brief shows all"},
      {{"repro", "none@fixed i32->i32 sum n=3"},
       "unknown variant `none`; gauntlet list --brief shows all"},
      {{"help", "nonesuch"}, "unknown topic `nonesuch`; gauntlet help topics shows all"},
      {{"check", "absent.txt"}, "absent.txt: no such file; a spec is FILE.gauntlet"},
      {{"report"}, "PAGE.html is missing; gauntlet report --help shows how to write it"},
      {{"report", "x.html"}, "RESULT.json is missing; gauntlet report --help"},
      {{"merge"}, "RESULT.json is missing; gauntlet merge --help"},
      {{"prove", spec, "--n", "0..10"}, "--n, --blocks and --types are for forms"},
      {{"check", "-j", "2"}, "unknown option `-j`; gauntlet check --help shows all"},
      {{"-v"}, "unknown option `-v`; gauntlet --help shows all"},
      {{"check", "--schedule", "lockstep"},
       "unknown option `--schedule`; it is one of sanitize, run; gauntlet check --help shows all"},
      {{"repro", "--jsn", "x"}, "unknown option `--jsn`; did you mean `--json`?"},
      {{"repro", spec, "n=3", "block=32"},
       "`n=3` is one word too many; gauntlet repro --help shows how to write it, and a case line "
       "is one word, in quotes"},
      {{"check", "--cases", "5", "--cases", "6"}, "--cases: give it once"},
      {{"check", "--json"}, "--json: FILE is missing; gauntlet check --help"},
      {{"list", "--json", ""}, "--json: the name is empty; name one"},
      {{"init", "absent.cu"}, "gauntlet: absent.cu: no such file\n"},
      {{"init", "/bin/sh"}, "/bin/sh: name a .cu or a .ptx file, or a header"},
      {{"init", "absent.cu", "--", "-DN=3"}, "gauntlet: absent.cu: no such file\n"},
  };
  for (const auto& [words, said] : wrong) {
    const Ended ended = run(words);
    expect_one_line(ended, 2, said, said);
    EXPECT_LE(ended.err.size(), 200U) << ended.err;
  }
}

TEST(Witness, a_folder_that_is_a_file_is_refused_before_the_search) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "file").string();
  std::ofstream(file) << "kept\n";
  const Ended ended = run({"witness", "wide_active@fixed", "--tries", "1", "--write", file});
  expect_one_line(ended, 2, "--write " + file, "");
  EXPECT_EQ(read_text(file), "kept\n");
}

TEST(Witness, says_that_it_was_interrupted) {
  Program program({"witness", "--tries", "1000000000"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  program.signal(SIGINT);
  const Ended ended = program.wait();
  EXPECT_EQ(ended.code, 130);
  EXPECT_NE(ended.err.find("gauntlet: interrupted; "), std::string::npos) << ended.err;
}

TEST(Witness, its_document_says_whether_it_was_interrupted) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "out.json").string();
  EXPECT_EQ(run({"witness", "wide_active@fixed", "--tries", "1", "--json", path}).code, 0);
  EXPECT_FALSE(Json::parse(read_text(path))["interrupted"].get<bool>());
}

TEST(Json, of_another_shape_is_told_in_words_by_every_reader) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "in.json").string();
  const Words readers[] = {
      {"time", "--render", path}, {"time", "--passed", path}, {"detect", "--from", path}};
  const std::string numbered[] = {
      R"({"schema":"gauntlet.time","version":1,"date":"","device":{"name":"","compute_capability":"",)"
      R"("driver":"","runtime":"","multiprocessors":#}})",
      R"({"schema":"gauntlet.check","version":1,"executor":"cuda","seed":#})",
      R"({"schema":"gauntlet.detection","version":1,"date":"","device":"","driver":"",)"
      R"("tool_version":"","interrupted":false,"tools":[],"calibration":[{"tool":"memcheck",)"
      R"("entry":"","seen":[{"kind":"misaligned","severity":"error","kernel":"","file":"",)"
      R"("line":#}]}],"forms":[]})"};
  const std::string schemas[] = {"time", "check", "detection"};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string head = R"({"schema":"gauntlet.)" + schemas[k] + R"(","version":1)";
    for (const std::string& text : {std::string("null"), std::string("[]"), std::string("7"),
                                    std::string("{}"), std::string(R"({"schema":7,"version":1})"),
                                    head + "}", head + R"(,"date":7,"executor":7,"device":null})",
                                    head + R"(,"executor":"cuda","forms":[7]})"}) {
      std::ofstream(path) << text;
      const Ended ended = run(readers[k]);
      expect_one_line(ended, 2, "it is no gauntlet." + schemas[k] + " document", text);
      EXPECT_EQ(ended.err.find("exception"), std::string::npos) << ended.err;
      EXPECT_EQ(ended.err.find("at()"), std::string::npos) << ended.err;
    }
    // Numbers that no integer of ours holds.
    for (const std::string& number : {std::string("18446744073709551630"), std::string("1e300")}) {
      std::string text = numbered[k];
      text.replace(text.find('#'), 1, number);
      std::ofstream(path) << text;
      expect_one_line(run(readers[k]), 2, "is no whole number of ", text);
    }
    std::ofstream(path) << "{";
    expect_one_line(run(readers[k]), 2, "it is not JSON", "half a document");
  }
}

TEST(Json, is_not_written_through_links_that_wait_for_its_temporary_name) {
  const TemporaryFolder folder;
  const auto kept = folder.path() / "kept";
  std::ofstream(kept) << "kept\n";
  const auto path = folder.path() / "out.json";
  // The next process numbers, with and without what this version adds to them.
  const int self = static_cast<int>(getpid());
  for (int pid = self; pid < self + 400; ++pid) {
    for (const std::string& ending : {std::string(".part"), std::string("-0.part")}) {
      std::filesystem::create_symlink(kept, path.string() + "." + std::to_string(pid) + ending);
    }
  }
  EXPECT_EQ(run({"list", "wide_active", "--json", path.string()}).code, 0);
  EXPECT_EQ(read_text(kept), "kept\n");
  EXPECT_EQ(Json::parse(read_text(path))["schema"], "gauntlet.list");
}

}  // namespace
}  // namespace gauntlet::test
