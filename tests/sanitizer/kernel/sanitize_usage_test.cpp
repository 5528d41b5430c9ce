// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// `gauntlet sanitize`: listing kernels, the way through nvcc, and what is refused.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/sanitizer/kernel/sanitized.hpp"

namespace gauntlet::test {
namespace {

Words command(const std::string& text) { return words("sanitize " + text); }

std::string without(std::string text, const std::string& part) {
  for (auto at = text.find(part); at != text.npos; at = text.find(part))
    text.erase(at, part.size());
  return text;
}

/// A line that the program printed, in a shell that finds the program.
Ended run_in_shell(const std::string& line, const std::filesystem::path& folder) {
  const auto program = std::filesystem::path(GAUNTLET_PROGRAM).parent_path().string();
  const auto out = (folder / "out").string(), err = (folder / "err").string();
  const int code = std::system(
      ("PATH='" + program + "':$PATH; (" + line + ") >'" + out + "' 2>'" + err + "'").c_str());
  return {WEXITSTATUS(code), read_text(out), read_text(err)};
}

std::ptrdiff_t entries_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

TEST(SanitizeList, shows_every_kernel_with_its_parameters_within_80_columns) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "out.json").string();
  const Ended ended = run(command(kernels + " --json " + path));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("  histogram<16>(int const*, int*, int)\n    1   8 bytes  int const*\n"),
            ended.out.npos)
      << ended.out;
  EXPECT_NE(ended.out.find("  by_value\n    1  16 bytes\n    2    1 byte\n"), ended.out.npos)
      << ended.out;
  std::istringstream lines(without(ended.out, GAUNTLET_SANITIZE_PTX "/"));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  const Json json = Json::parse(read_text(path));
  ASSERT_EQ(json["kernels"].size(), 8U);
  for (const auto& kernel : json["kernels"]) {
    if (kernel["kernel"] != "transpose") continue;
    EXPECT_EQ(kernel["parameters"].size(), 4U);
    EXPECT_EQ(kernel["parameters"][2], (Json{{"type", "int"}, {"bytes", 4}}));
    EXPECT_EQ(kernel["symbol"], "_Z9transposePKfPfii");
  }
}

TEST(SanitizeList, of_no_kernel_says_what_becomes_of_templates_or_what_ptx_lacks) {
  const TemporaryFolder folder;
  const auto told = [&](const char* name, const char* text) {
    const auto path = folder.path() / name;
    std::ofstream(path) << text;
    const Ended ended = run(command(path.string()));
    EXPECT_EQ(ended.code, 0);
    return ended.out;
  };
  const std::string source = told("k.cu", "template <class T> __global__ void sum(T*) {}\n");
  EXPECT_NE(source.find(": 0 kernels\nof a template nvcc compiles the instances"), source.npos)
      << source;
  const std::string ptx = told("k.ptx", ".version 9.0\n.target sm_75\n.address_size 64\n");
  EXPECT_NE(ptx.find(": 0 kernels\nPTX has one for each .entry with a body\n"), ptx.npos) << ptx;
}

TEST(SanitizeList, names_kernels_without_compilers_tags_unless_several_have_one_name) {
  const TemporaryFolder folder;
  const auto listed = [&](const std::vector<std::string>& symbols, const std::string& entry = "") {
    const auto path = folder.path() / "tags.ptx";
    std::ofstream file(path);
    file << ".version 9.0\n.target sm_75\n.address_size 64\n";
    for (const std::string& symbol : symbols) {
      file << ".visible .entry " << symbol << "(.param .u64 a)\n{\n ret;\n}\n";
    }
    file.close();
    const Ended ended = run(command(path.string() + (entry.empty() ? "" : " --entry " + entry)));
    return ended.out + ended.err;
  };
  const std::string one = listed({"_ZN4main4racyB2v1B4cw51EPi"});
  EXPECT_NE(one.find("\n  main::racy(int*)\n"), one.npos) << one;
  EXPECT_EQ(one.find("[abi:"), one.npos) << one;
  const std::vector<std::string> several = {"_ZN4main4racyB2v1B4cw51EPi", "_ZN4main4racyB2v2EPi"};
  const std::string two = listed(several);
  EXPECT_NE(two.find("\n  main::racy[abi:v1][abi:cw51](int*)\n"), two.npos) << two;
  EXPECT_NE(two.find("\n  main::racy[abi:v2](int*)\n"), two.npos) << two;
  const std::string chosen = listed(several, "'main::racy[abi:v2](int*)'");
  EXPECT_EQ(chosen.find("ambiguous"), chosen.npos) << chosen;
  EXPECT_NE(listed(several, "racy").find("ambiguous; write one of"), chosen.npos);
}

TEST(SanitizeList, has_a_command_for_every_kernel_that_can_run_and_it_runs) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "out.json").string();
  ASSERT_EQ(run(command(kernels + " --json " + path)).code, 0);
  const Json json = Json::parse(read_text(path));
  int commands = 0;
  for (const auto& kernel : json["kernels"]) {
    const std::string command = kernel["command"];
    EXPECT_EQ(command.empty(), !kernel["can_run"].get<bool>()) << kernel;
    if (command.empty()) continue;
    ++commands;
    const Ended ended = run_in_shell(command, folder.path());
    EXPECT_LE(ended.code, 1) << command << ended.err;  // guesses give findings, no refusals
    EXPECT_EQ(ended.err, "") << command;
  }
  EXPECT_EQ(commands, 7);
}

TEST(SanitizeList, takes_types_and_names_from_the_source_where_the_kernel_has_a_c_name) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "k.cu";
  std::ofstream(path) << "extern __shared__ float cells[];\n"
                         "extern \"C\" __global__ void __launch_bounds__(64)\n"
                         "k(const float* __restrict__ x, double *y, unsigned n) {\n"
                         "  cells[threadIdx.x] = x[threadIdx.x];\n"
                         "  if (threadIdx.x < n) y[threadIdx.x] = cells[threadIdx.x];\n"
                         "}\n";
  const Ended ended = run(command(path.string() + " --entry k"));
  EXPECT_EQ(ended.code, 2);
  const auto line = ended.err.find("\n  gauntlet sanitize ");
  ASSERT_NE(line, ended.err.npos) << ended.err;
  const std::string command = ended.err.substr(line + 1);
  for (const std::string part : {"'x:f32[1000]=iota'", "'y:f64[1000]=0'", "n:u32=1000",
                                 "--block 64", "--grid 16", "--shared 512"}) {
    EXPECT_NE(command.find(part), command.npos) << command;
  }
  const Ended again = run_in_shell(command, folder.path());
  EXPECT_EQ(again.code, 0) << again.out << again.err;
}

TEST(SanitizeNvcc, compiles_a_cu_file_with_the_users_flags_and_leaves_nothing_behind) {
  const TemporaryFolder folder, temporary;
  const auto path = folder.path() / "scale.cu";
  std::ofstream(path) << "__global__ void scale(float* x, int n) {\n"
                         "  const int i = threadIdx.x;\n"
                         "  if (i <= n) x[i] *= FACTOR;\n"
                         "}\n";
  const Ended ended =
      run(command(path.string() + " --entry scale --grid 1 --block 32 --arg x:f32[16]=2 --arg "
                                  "n:i32=16 --expect x=all:6 -- -DFACTOR=3 --restrict"),
          {"TMPDIR=" + temporary.path().string()});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.out.find("error: out_of_bounds_read x[16]"), ended.out.npos) << ended.out;
  EXPECT_NE(ended.out.find("scale.cu:3\n"), ended.out.npos) << ended.out;
  EXPECT_EQ(ended.out.find("wrong_result"), ended.out.npos) << ended.out;
  EXPECT_EQ(entries_in(temporary.path()), 0);
}

/// A folder with a program named nvcc.
class Compiler {
 public:
  explicit Compiler(const std::string& script) {
    const auto path = folder_.path() / "nvcc";
    std::ofstream(path) << "#!/bin/sh\n" << script;
    chmod(path.c_str(), 0755);
    std::ofstream(folder_.path() / "k.cu") << "\n";
  }
  [[nodiscard]] Words environment(const TemporaryFolder& temporary) const {
    return {"PATH=" + folder_.path().string() + ":/usr/bin:/bin",
            "TMPDIR=" + temporary.path().string()};
  }
  [[nodiscard]] std::string source() const { return (folder_.path() / "k.cu").string(); }

 private:
  TemporaryFolder folder_;
};

TEST(SanitizeNvcc, that_fails_ends_with_one_line_after_its_own_and_leaves_nothing_behind) {
  const Compiler later(
      "echo 'k.cu(1): error: identifier \"__reduce_add_sync\" is undefined'; exit 2\n");
  const TemporaryFolder empty;
  EXPECT_TRUE(
      run(command(later.source()), later.environment(empty))
          .err.ends_with(": nvcc could not compile it for compute_75; what needs a later one is "
                         "compiled by -- -arch=compute_90\n"));
  // A slip of the pen is no matter of the architecture.
  const Compiler compiler("echo 'k.cu(1): error: nonsense'; touch $TMPDIR/left; exit 2\n");
  const TemporaryFolder temporary;
  const Ended ended = run(command(compiler.source()), compiler.environment(temporary));
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "k.cu(1): error: nonsense\ngauntlet: " + compiler.source() +
                           ": nvcc could not compile it\n");
  const Ended other =
      run(command(compiler.source() + " -- -arch=compute_80"), compiler.environment(temporary));
  EXPECT_TRUE(other.err.ends_with(": nvcc could not compile it\n")) << other.err;
  EXPECT_EQ(entries_in(temporary.path()), 0);
}

TEST(SanitizeNvcc, that_has_a_full_disk_says_so) {
  const TemporaryFolder temporary, told;
  const std::string disk = temporary.path().string();
  const std::string mounted = "unshare -rm sh -c 'mount -t tmpfs -o size=64k tmpfs " + disk;
  if (run_in_shell(mounted + "'", told.path()).code != 0)
    GTEST_SKIP() << "no disk of its own can be mounted";
  // A compiler that says what it has no room for, one that cannot say it, and a near miss.
  for (const auto& [script, full] :
       {std::pair{"echo 'cpp1.ii: No space left on device'; exit 1\n", true},
        std::pair{"yes >$TMPDIR/left; sleep 1; rm $TMPDIR/left; exit 1\n", true},
        std::pair{"yes | head -c 8000 >$TMPDIR/left; sleep 1; exit 1\n", false}}) {
    const Compiler compiler(script);
    std::string with;
    for (const std::string& word : compiler.environment(temporary)) with += word + " ";
    const Ended ended = run_in_shell(
        mounted + " && " + with + GAUNTLET_PROGRAM " sanitize " + compiler.source() + "'",
        told.path());
    EXPECT_EQ(ended.code, 2) << ended.err;
    const std::string said = full ? "gauntlet: nvcc could not compile: the disk of " + disk +
                                        " is full; set TMPDIR to a folder with more room\n"
                                  : ": nvcc could not compile it\n";
    EXPECT_TRUE(ended.err.ends_with(said)) << ended.err;
  }
}

TEST(SanitizeNvcc, that_fails_for_a_spec_is_answered_by_what_a_spec_says) {
  const Compiler compiler("echo 'identifier \"f\" is undefined' >&2; exit 2\n");
  const TemporaryFolder temporary;
  const std::string spec = compiler.source() + ".gauntlet";
  std::ofstream(spec) << "kernel k.cu\nout y:f32[1]\nlaunch grid=1 block=32\nresult none\n";
  const Ended ended = run({"check", spec}, compiler.environment(temporary));
  EXPECT_EQ(ended.code, 2);
  EXPECT_TRUE(
      ended.err.ends_with("what needs a later one is compiled by flags "
                          "-arch=compute_90\n"))
      << ended.err;
}

TEST(SanitizeNvcc, is_stopped_by_Ctrl_C_with_all_its_children_and_leaves_nothing_behind) {
  const TemporaryFolder temporary, witness;
  const std::string late = (witness.path() / "late").string();
  const Compiler compiler("touch $TMPDIR/left; (sleep 1; touch " + late +
                          ") & echo started >&2; sleep 60\n");
  Program program(command(compiler.source()), compiler.environment(temporary));
  ASSERT_TRUE(program.wrote_error_text(20));
  program.signal(SIGINT);
  const Ended ended = program.wait();
  EXPECT_EQ(ended.code, 130);
  EXPECT_EQ(ended.err, "started\ngauntlet: interrupted\n");
  EXPECT_EQ(entries_in(temporary.path()), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_FALSE(std::filesystem::exists(late)) << "a child of the compiler lived on";
}

TEST(SanitizeCtrlC, between_schedules_keeps_what_was_found) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "out.json").string();
  const std::string defects = GAUNTLET_SANITIZE_PTX "/sanitize_defects.ptx";
  Program program(command(defects +
                          " --entry race_between_warps<false> --grid 1 --block 64 --schedules "
                          "100000 --arg out:i32[64] --json " +
                          path));
  ASSERT_TRUE(program.catches(SIGINT, 20));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  program.signal(SIGINT);
  const Ended ended = program.wait();
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_NE(ended.out.find("race_write_read"), ended.out.npos) << ended.out;
  EXPECT_NE(ended.out.find(" of 100000, "), ended.out.npos) << ended.out;
  EXPECT_TRUE(Json::parse(read_text(path))["interrupted"].get<bool>());
}

TEST(SanitizeUsage, everything_wrong_is_one_line_and_exit_code_2) {
  const TemporaryFolder folder;
  const std::string broken = (folder.path() / "broken.ptx").string();
  std::ofstream(broken) << ".version 9.0\n.target sm_75\n.address_size 64\nnonsense\n";
  const std::string templates = (folder.path() / "templates.ptx").string();
  std::ofstream(templates) << ".version 9.0\n.target sm_75\n.address_size 64\n";
  const std::string scan = kernels + " --entry scan --grid 1 --block 128 ";
  const std::string arguments = "--arg in:i32[9]=1 --arg out:i32[9] --arg n:i32=9 ";
  const std::pair<std::string, std::string> wrong[] = {
      {"", "file is missing"},
      {"absent.cu", "no such file"},
      {"absent.cu --grid 1", "absent.cu: no such file"},
      {"absent", "absent: no such file"},
      {"/usr", "/usr: is a folder; name a .cu or a .ptx file in it"},
      {"/bin/sh", "(gauntlet run takes programs)"},
      {templates + " --entry sum",
       "the file has no kernel; PTX has one for each .entry with a body"},
      {"/etc/passwd", "name a .cu or a .ptx file"},
      {broken, "broken.ptx:4"},
      {kernels + " --entry scann --grid 1 --block 1", "unknown kernel `scann`"},
      {kernels + " --grid 1", "--entry is missing"},
      {kernels + " --entry scan --block 128", "--grid is missing"},
      {kernels + " --entry scan --grid 1", "--block is missing"},
      {kernels + " --entry scan --grid 0 --block 1", "--grid 0"},
      {kernels + " --entry scan --grid 1,2,3,4 --block 1", "--grid 1,2,3,4"},
      {kernels + " --entry scan --grid 1x --block 1", "--grid 1x"},
      {scan + "--arg in:i32[9]=1", "takes 3 arguments, 1 is given"},
      {scan + arguments + "--arg m:i32=1", "takes 3 arguments, 4 are given"},
      {scan + "--arg in:i32[9]=1 --arg out:i32[9] --arg n:i64=9", "has 4 bytes"},
      {scan + "--arg in:f32[9]=1 --arg out:i32[9] --arg n:i32=9", "takes i32"},
      {scan + "--arg in:i32[9]=1 out:i32[9]",
       "`out:i32[9]` is neither an option nor a flag for nvcc"},
      {scan + arguments + "--expect oud=1", "did you mean `out`"},
      {scan + arguments + "--dump n", "unknown array `n`"},
      {scan + arguments + "--schedule lokstep", "did you mean `lockstep`"},
      {scan + arguments + "--schedules 0", "whole number"},
      {scan + arguments + "--schedules 2 --schedule lockstep", "give one of them"},
      {scan + arguments + "--shared 300000", "shared memory"},
      {scan + arguments + "--tolerance -1", "--tolerance"},
      {scan + arguments + "--json /absent/out.json", "--json /absent/out.json"},
      {scan + arguments + "-- -O3", "are for .cu files"},
      {scan + arguments + "--shard 1 -- -O3", "unknown option `--shard`"},
      {kernels + " --entry scan --grid 1 --block 2000 " + arguments, "1 to 1024 threads"},
      {kernels + " --entry scan --grid 1,70000 --block 32 " + arguments,
       "grid is 70000; CUDA launches from 1 to 65535"},
      {scan + "--arg in:i32[9]=1 --arg out:i32[900000000000] --arg n:i32=9", "of host memory"},
      {kernels + " --entry video_sum --grid 1 --block 32 --arg out:f32[32]", "docs/limits.md"}};
  for (const auto& [text, part] : wrong) {
    const Ended ended = run(command(text));
    EXPECT_TRUE(ended.err.starts_with("gauntlet: ")) << text << "\n" << ended.err;
    expect_one_line(ended, 2, part, text);
  }
}

TEST(SanitizeUsage, an_instruction_that_is_refused_names_its_source_line) {
  const Ended ended =
      run(command(kernels + " --entry video_sum --grid 1 --block 32 --arg out:f32[32]"));
  EXPECT_NE(ended.err.find("vadd.u32"), ended.err.npos) << ended.err;
  EXPECT_NE(ended.err.find("(from tests/sanitizer/kernel/sanitize_kernels.cu:"), ended.err.npos)
      << ended.err;
}

TEST(SanitizeUsage, an_ambiguous_kernel_is_answered_with_the_candidates) {
  const Ended ended = run(command(kernels + " --entry histogram --grid 1 --block 32"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err,
            "gauntlet: --entry histogram is ambiguous; write one of\n"
            "  histogram<16>(int const*, int*, int)\n"
            "  histogram<64>(int const*, int*, int)\n");
}

TEST(SanitizeHelp, fits_80_columns_and_names_every_form_of_argument) {
  const Ended ended = run({"sanitize", "--help"});
  EXPECT_EQ(ended.code, 0);
  std::istringstream lines(ended.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
  }
  for (const std::string word : {"--arg", "--expect", "--dump", "--schedules", "--repeat"}) {
    EXPECT_NE(ended.out.find(word), ended.out.npos) << word;
  }
}

}  // namespace
}  // namespace gauntlet::test
