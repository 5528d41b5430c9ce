// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// `gauntlet sanitize` of files from others: names that a shell would execute, arrays in files,
// result files that cannot be written, signals.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/sanitizer/kernel/sanitized.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;

/// The tests' own working folder for the length of a scope.
class WorkingFolder {
 public:
  explicit WorkingFolder(const fs::path& path) : before_(fs::current_path()) {
    fs::current_path(path);
  }
  ~WorkingFolder() { fs::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  fs::path before_;
};

void write_kernel(const fs::path& path) {
  fs::create_directories(path.parent_path());
  std::ofstream(path.parent_path() / "last.h") << "#define LAST 32\n";
  std::ofstream(path) << "#include \"last.h\"\n"
                         "__global__ void k(int* x) {\n"
                         "  if (threadIdx.x <= LAST) x[threadIdx.x] = 1;\n"
                         "}\n";
}

/// A finding of the compiled kernel, named after its source.
void expect_found(const Ended& ended, const std::string& source) {
  EXPECT_EQ(ended.code, 1) << source << "\n" << ended.out << ended.err;
  EXPECT_NE(ended.out.find("out_of_bounds_write x[32]"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find(source + ":3"), std::string::npos) << source << "\n" << ended.out;
}

const Words launch = {"--entry", "k", "--grid", "1", "--block", "64", "--arg", "x:i32[32]"};

Words sanitize_file(const std::string& file) {
  Words words{"sanitize"};
  words.insert(words.end(), launch.begin(), launch.end());
  words.insert(words.end(), {"--", file, "-std=c++14"});  // the fewest headers
  return words;
}

TEST(SanitizeNames, are_never_executed_and_findings_still_name_them) {
  const TemporaryFolder folder;
  const WorkingFolder here(folder.path());
  for (const std::string name : {"$(touch pwned).cu", "`touch pwned`.cu", "d$(touch pwned)/k.cu",
                                 "a;touch pwned;.cu", "a b&touch pwned&.cu"}) {
    write_kernel(fs::absolute(name));
    expect_found(run(sanitize_file("./" + name)), name);
    EXPECT_FALSE(fs::exists("pwned")) << name;
  }
}

TEST(SanitizeNames, that_a_link_or_the_working_folder_hides_are_not_executed_either) {
  const TemporaryFolder folder;
  const auto odd = folder.path() / "d$(touch pwned)";
  write_kernel(odd / "k.cu");
  const WorkingFolder here(odd);
  expect_found(run(sanitize_file("k.cu")), "k.cu");
  fs::create_symlink(odd / "k.cu", odd / "link.cu");
  EXPECT_EQ(run(sanitize_file("link.cu")).code, 1);
  EXPECT_FALSE(fs::exists("pwned"));
}

TEST(SanitizeNames, that_begin_like_an_option_are_files) {
  const TemporaryFolder folder;
  const WorkingFolder here(folder.path());
  for (const std::string name : {"-x.cu", "--options-file=x.cu"}) {
    write_kernel(fs::absolute(name));
    expect_found(run(sanitize_file(name)), name);
  }
}

TEST(SanitizeNames, with_a_quotation_mark_are_refused) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a\"b.cu";
  write_kernel(path);
  const Ended ended = run(sanitize_file(path.string()));
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("rename it"), std::string::npos) << ended.err;
}

TEST(SanitizeNames, do_not_command_the_terminal) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "k.ptx";
  std::ofstream(path) << ".version 9.0\n.target sm_90\n.address_size 64\n"
                         ".file 1 \"a\033[31m\a.cu\"\n"
                         ".visible .entry k() { .reg .b32 r; .loc 1 2 0\n"
                         "ld.global.u32 r,[64]; ret; }\n";
  const Ended ended =
      run({"sanitize", path.string(), "--entry", "k", "--grid", "1", "--block", "1"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.out.find("a?[31m?.cu:2"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find('\033'), std::string::npos);
  const Ended refused = run({"sanitize", "no\033[31mfile.cu"});
  EXPECT_EQ(refused.err, "gauntlet: no?[31mfile.cu: no such file\n");
}

/// A header that promises `count` bytes, and as long a file without content.
void sparse_npy(const fs::path& path, std::uint64_t count) {
  const std::string dictionary =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }\n";
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(dictionary.size()) << '\0'
       << dictionary;
  file.close();
  fs::resize_file(path, fs::file_size(path) + count);
}

TEST(SanitizeNpy, that_does_not_fit_is_refused_by_its_header) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "huge.npy").string();
  sparse_npy(path, std::uint64_t{1} << 40);
  std::ofstream(folder.path() / "k.ptx") << ".version 9.0\n.target sm_90\n.address_size 64\n"
                                            ".visible .entry k(.param .u64 a) { ret; }\n";
  const Ended ended = run({"sanitize", (folder.path() / "k.ptx").string(), "--entry", "k", "--grid",
                           "1", "--block", "1", "--arg", "in:u8[]=" + path});
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("the arrays need about "), std::string::npos) << ended.err;
}

TEST(SanitizeDump, that_cannot_be_written_is_refused_before_the_run) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "missing" / "x.npy").string();
  const Ended ended =
      run({"sanitize", kernels, "--entry", "scan", "--grid", "1", "--block", "128", "--arg",
           "in:i32[9]=1", "--arg", "out:i32[9]", "--arg", "n:i32=9", "--dump", "out=" + path});
  EXPECT_EQ(ended.code, 2) << ended.out;
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("--dump " + path), std::string::npos) << ended.err;
}

TEST(SanitizeBlock, of_more_threads_than_64_bits_count_is_refused) {
  for (const std::string block : {"2977518503,3097670771,2", "4294967295,4294967295,4294967295"}) {
    const Ended ended =
        run({"sanitize", kernels, "--entry", "scan", "--grid", "1", "--block", block, "--arg",
             "in:i32[9]=1", "--arg", "out:i32[9]", "--arg", "n:i32=9"});
    EXPECT_EQ(ended.code, 2) << ended.out;
    std::string extent = block;
    std::replace(extent.begin(), extent.end(), ',', 'x');
    EXPECT_NE(ended.err.find("1 to 1024 threads, not " + extent), std::string::npos) << ended.err;
  }
}

TEST(SanitizeCtrlC, ends_a_long_schedule_at_once_and_keeps_what_it_found) {
  const TemporaryFolder folder;
  const auto ptx = folder.path() / "k.ptx";
  std::ofstream(ptx) << ".version 9.0\n.target sm_90\n.address_size 64\n"
                        ".visible .entry k() { .reg .b32 r;\n"
                        "ld.global.u32 r,[64];\n"
                        "W: add.u32 r,r,1; bra W; }\n";
  const auto json = (folder.path() / "out.json").string();
  Program program({"sanitize", ptx.string(), "--entry", "k", "--grid", "1", "--block", "32",
                   "--step-limit", "1000000000000", "--json", json});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  program.signal(SIGINT);
  const Ended ended = program.wait();
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_NE(ended.out.find(", interrupted, "), std::string::npos) << ended.out;
  const Json document = Json::parse(read_text(json));
  EXPECT_TRUE(document["interrupted"].get<bool>());
  EXPECT_FALSE(document["schedules"][0]["completed"].get<bool>());
}

class Signal : public ::testing::TestWithParam<int> {};

TEST_P(Signal, ends_nvcc_with_all_its_children_and_leaves_nothing_behind) {
  const TemporaryFolder temporary, witness, tools;
  const std::string late = (witness.path() / "late").string();
  const auto nvcc = tools.path() / "nvcc", source = tools.path() / "k.cu";
  std::ofstream(nvcc) << "#!/bin/sh\ntouch $TMPDIR/left; (sleep 1; touch " << late
                      << ") & echo started >&2; sleep 60\n";
  chmod(nvcc.c_str(), 0755);
  std::ofstream(source) << "\n";
  Program program(
      {"sanitize", source.string()},
      {"PATH=" + tools.path().string() + ":/usr/bin:/bin", "TMPDIR=" + temporary.path().string()});
  ASSERT_TRUE(program.wrote_error_text(20));
  program.signal(GetParam());
  const Ended ended = program.wait();
  EXPECT_EQ(ended.code, 128 + GetParam());
  EXPECT_EQ(ended.err, "started\ngauntlet: interrupted\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary.path()), {}), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_FALSE(fs::exists(late)) << "a child of the compiler lived on";
}

INSTANTIATE_TEST_SUITE_P(of_the_system, Signal, ::testing::Values(SIGTERM, SIGHUP),
                         [](const auto& info) { return info.param == SIGTERM ? "term" : "hup"; });

}  // namespace
}  // namespace gauntlet::test
