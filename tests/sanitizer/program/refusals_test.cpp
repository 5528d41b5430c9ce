// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What cannot be run says so in one line, with what to do, and ends with code 2.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

void expect_refused(const Ended& ended, const std::string& because) {
  EXPECT_EQ(ended.code, 2) << ended.err;
  std::string line = ended.err;
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  // Lines are broken at 80 columns and indented.
  for (auto at = line.find("  "); at != line.npos; at = line.find("  ")) line.erase(at, 1);
  EXPECT_NE(line.find(because), std::string::npos) << ended.err;
}

TEST(RunRefuses, an_entry_of_the_runtime_that_is_not_there_once_by_its_name) {
  const Ran ran = run_program("faults", {"missing"});
  const std::string sentence = "the program calls cudaMallocMipmappedArray, which is not supported";
  expect_refused(ran, "gauntlet run: " + sentence);
  EXPECT_EQ(ran.out, "cudaErrorNotSupported\ncudaErrorNotSupported\nthen cudaErrorNotSupported\n");
  EXPECT_EQ(ran.err.find("cudaMallocMip"), ran.err.rfind("cudaMallocMip")) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find("gauntlet run: nothing found, 1 call not supported ("),
            std::string::npos)
      << ran.err;
  EXPECT_EQ(ran.json.at("processes").at(0).at("unsupported"), nlohmann::json({sentence}));
  EXPECT_FALSE(ran.json.at("clean").get<bool>());
  EXPECT_EQ(ran.json.at("program_exit_code"), 0);
}

TEST(RunRefuses, nothing_of_the_format_of_a_texture_alone) {
  expect_clean(run_program("faults", {"format_alone"}),
               "8 16 32 64 of kind 1\n32 32 0 0 of kind 2\n");
}

TEST(RunRefuses, a_static_runtime_without_symbols_with_the_way_to_build) {
  const Ran ran = run_program("tiny_stripped");
  expect_refused(ran, "tiny_stripped has the static CUDA runtime, and no symbols");
  EXPECT_NE(unwrapped(ran.err).find("NVCC_APPEND_FLAGS='-cudart shared -lineinfo -g' make"),
            std::string::npos);
  EXPECT_EQ(ran.out, "");
  const Ended started =
      run({"run", "--", "/bin/sh", "-c", GAUNTLET_PROGRAMS "/tiny_stripped; true"});
  expect_refused(started, "the program has the static CUDA runtime, and no symbols");
  EXPECT_NE(unwrapped(started.err).find("NVCC_APPEND_FLAGS='-cudart shared -lineinfo -g' make"),
            std::string::npos);
}

TEST(RunRefuses, a_library_with_a_static_runtime_without_symbols_by_its_name_and_the_call) {
  const Ran ran = run_program("own_runtime", {GAUNTLET_PROGRAMS "/libown_runtime_stripped.so"});
  expect_refused(ran, "libown_runtime_stripped.so, called at ");
  EXPECT_NE(unwrapped(ran.err).find("own_runtime.cpp:15 in main, has the static CUDA runtime"),
            std::string::npos)
      << ran.err;
  EXPECT_EQ(ran.out, "created: 500\n");
}

TEST(RunRefuses, machine_code_alone_with_the_way_to_build) {
  for (const char* name : {"tiny_machine_code", "tiny_machine_code_static"}) {
    const Ran ran = run_program(name);
    expect_refused(ran, "only machine code of hello(char const*), and no PTX to run");
    EXPECT_NE(unwrapped(ran.err).find(
                  "NVCC_APPEND_FLAGS='-gencode arch=compute_75,code=compute_75' make"),
              std::string::npos)
        << ran.err;
    EXPECT_EQ(ran.out, "no error\n") << "the program goes on, as on a GPU without its machine code";
  }
}

TEST(RunRefuses, commands_that_cannot_be_started) {
  expect_refused(run({"run"}), "the program is missing");
  expect_refused(run({"run", "--", "/nowhere/at/all"}), "/nowhere/at/all: No such file");
  expect_refused(run({"run", "--device", "sm_1", "--", "/bin/true"}), "--device sm_1");
  expect_refused(run({"run", "--schedule", "never", "--", "/bin/true"}), "never");
  expect_refused(run({"run", "--save-launch", "/dev/null", "--", "/bin/true"}),
                 "--save-launch /dev/null: is not a writable folder; name one");
}

/// A file in `folder` that says `text`.
std::string file_in(const TemporaryFolder& folder, const std::string& name, const std::string& text,
                    bool executable = false) {
  const auto path = folder.path() / name;
  std::ofstream(path, std::ios::binary) << text;
  using std::filesystem::perms;
  std::filesystem::permissions(path, executable ? perms::owner_all : perms::owner_read);
  return path.string();
}

/// The first bytes of an ELF file of 64 bits.
std::string elf(unsigned type, unsigned machine) {
  std::string head(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  head.resize(64);
  head[16] = static_cast<char>(type);
  head[18] = static_cast<char>(machine);
  return head;
}

TEST(RunRefuses, what_is_no_program_by_what_it_is_and_what_to_do_in_one_line) {
  const TemporaryFolder folder;
  constexpr unsigned object = 1, program = 2, dynamic = 3, cuda = 190, sparc = 43;
#ifdef __aarch64__
  constexpr unsigned own = 183;
#else
  constexpr unsigned own = 62;
#endif
  struct File {
    std::string name, text;
    bool executable;
    std::string said;
  };
  const File files[] = {
      {"k.cu", "__global__ void k() {}\n", false,
       "k.cu -o k and name ./k, or run a kernel of it "
       "by gauntlet sanitize "},
      {"mounted.cu", "__global__ void k() {}\n", true, "is a source file; build it with nvcc"},
      {"k.cpp", "", false, "is a source file; name the program that is built from it"},
      {"k.ptx", ".version 9.0\n", false, "is PTX; gauntlet sanitize "},
      {"k.gauntlet", "kernel k.cu\n", false, "is a spec; gauntlet check "},
      {"k.o", elf(object, own), false, "is an object file; link it with nvcc and name"},
      {"k.cubin", elf(program, cuda), false, "is machine code for a GPU; name a program"},
      {"k.fatbin", "\x50\xed\x55\xba", false, "is a fat binary of device code; name a program"},
      {"foreign", elf(program, sparc), true, "is a program for another processor"},
      {"cut", elf(dynamic, own), true, "cut: Exec format error"},
      {"locked", elf(program, own), false, "; write chmod +x "},
      {"locked.sh", "#!/bin/sh\n", false, "Permission denied; write chmod +x "},
      {"lost.py", "#!/nowhere/python3\n", true, "by its first line, #!/nowhere/python3: No such"},
      {"words", "echo hi\n", true, "is neither a program nor a script that begins with #!"},
      {"notes.txt", "echo hi\n", false, "is not a program"},
      {"empty", "", true, "is neither a program nor a script"},
  };
  for (const File& file : files) {
    const std::string path = file_in(folder, file.name, file.text, file.executable);
    const Ended ended = run({"run", "--", path});
    expect_refused(ended, path + ": ");
    expect_refused(ended, file.said);
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    std::filesystem::remove(path);
  }
  expect_refused(run({"run", "--", folder.path().string()}), "is a folder; name a program");
  expect_refused(run({"run", "--", ""}), "the program is missing");
  expect_refused(run({"run", "--", GAUNTLET_PROGRAMS "/libown_runtime.so"}),
                 "is a shared library; name a program that loads it");
  expect_refused(run_in_shell("cd '" GAUNTLET_PROGRAMS "' && \"$GAUNTLET\" run tiny"),
                 "tiny: is not in PATH; for the one in this folder write ./tiny");
}

TEST(RunRefuses, nothing_of_a_program_without_cuda_but_says_that_nothing_was_checked) {
  const Ended ended = run({"run", "--", "/bin/sh", "-c", "echo out; exit 5"});
  EXPECT_EQ(ended.code, 5);
  EXPECT_EQ(ended.out, "out\n");
  EXPECT_NE(unwrapped(ended.err).find("nothing was checked"), std::string::npos);
}

TEST(ErrorExitCode, is_that_of_a_program_that_launches_no_kernel_too) {
  const auto code = [](const std::vector<std::string>& command) {
    std::vector<std::string> words{"run", "--error-exitcode", "7", "--"};
    words.insert(words.end(), command.begin(), command.end());
    return run(words);
  };
  const std::string basics = std::string(GAUNTLET_PROGRAMS) + "/basics";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"/bin/true"}, {basics, "no_such_part"}}) {
    const Ended ended = code(command);
    EXPECT_EQ(ended.code, 7) << command[0] << ended.err;
    EXPECT_NE(unwrapped(ended.err).find("gauntlet run: no kernel was launched, so none was "
                                        "checked: exit code 7"),
              std::string::npos)
        << ended.err;
  }
  EXPECT_EQ(code({basics, "sums"}).code, 0);
  EXPECT_EQ(code({"/bin/sh", "-c", "exit 4"}).code, 4);
  EXPECT_EQ(run({"run", "--", "/bin/true"}).code, 0);
  // A build asks every test program for its tests, through the launcher of the tests.
  for (const char* option : {"--gtest_list_tests", "--list-tests", "--list-test-cases"}) {
    EXPECT_EQ(code({"/bin/echo", option}).code, 0) << option;
  }
}

TEST(RunRefuses, nothing_that_a_script_starts) {
  const Ended ended =
      run({"run", "--error-exitcode", "3", "--", "/bin/sh", "-c",
           std::string(GAUNTLET_PROGRAMS) + "/faults race; " + GAUNTLET_PROGRAMS + "/tiny"});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(ended.out, expected("tiny"));
  EXPECT_NE(unwrapped(ended.err).find("1 error (2 kernels, 4 launches"), std::string::npos)
      << ended.err;
}

}  // namespace
}  // namespace gauntlet::test
