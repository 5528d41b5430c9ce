// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that come from Python.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/temporary_folder.hpp"
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

const std::string script = std::string(GAUNTLET_PROGRAM_SOURCES) + "/python_frames.py";

/// "python_frames.py:LINE in FUNCTION", of the one line of the script with that text.
std::string at(const std::string& text, const std::string& function) {
  const std::string all = read_text(script);
  const auto place = all.find(text);
  EXPECT_NE(place, std::string::npos) << text;
  const auto line = std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(place), '\n');
  return "python_frames.py:" + std::to_string(line + 1) + " in " + function;
}

/// Where it is told to be: "file:line in function", innermost first, of the first finding or
/// mistake.
std::vector<std::string> frames(const Ran& ran, const char* of = "findings") {
  std::vector<std::string> all;
  if (ran.json.is_null() || ran.json.at("processes").at(0).at(of).empty()) return all;
  for (const auto& frame : ran.json.at("processes").at(0).at(of).at(0).at("stack")) {
    const std::string file = frame.at("file");
    all.push_back(file.substr(file.rfind('/') + 1) + ":" + frame.at("line").dump() + " in " +
                  frame.at("function").get<std::string>());
  }
  return all;
}

class RunPythonFrames : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  }
  static Ran run_script(const std::string& how, const std::string& interpreter = "python3") {
    Ran ran = run_command(
        {interpreter, script, std::string(GAUNTLET_PROGRAMS) + "/driver_kernels.ptx", how});
    EXPECT_EQ(ran.out, "done\n") << ran.err;
    return ran;
  }
};

using Frames = std::vector<std::string>;
const std::string the_launch = "library.cuLaunchKernel(";

TEST_F(RunPythonFrames, a_launch_is_told_with_the_functions_that_led_to_it) {
  const Ran ran = run_script("step");
  const Frames expected = {at(the_launch, "launch"), at("    launch(library", "step"),
                           at("        step(cuda, kernel)\n    elif", "main")};
  EXPECT_EQ(frames(ran), expected) << ran.err;
  const std::string text = unwrapped(ran.err);
  for (const std::string& frame : expected) EXPECT_NE(text.find(frame), std::string::npos) << text;
  EXPECT_NE(text.find("launched at "), std::string::npos) << text;
  for (const char* const other : {"ffi_call", "PyObject", "Frame"}) {
    EXPECT_EQ(text.find(other), std::string::npos) << text;
  }
}

// As in every virtual environment.
TEST_F(RunPythonFrames, of_an_interpreter_whose_file_is_called_python) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "path").string();
  ASSERT_EQ(
      std::system(("python3 -c 'import sys; print(sys.executable, end=str())' >" + path).c_str()),
      0);
  std::filesystem::create_symlink(read_text(path), folder.path() / "python");
  EXPECT_EQ(frames(run_script("step", (folder.path() / "python").string())),
            (Frames{at(the_launch, "launch"), at("    launch(library", "step"),
                    at("        step(cuda, kernel)\n    elif", "main")}));
}

TEST_F(RunPythonFrames, of_a_call_that_keeps_the_lock_of_the_interpreter) {
  EXPECT_EQ(frames(run_script("with_lock")),
            (Frames{at(the_launch, "launch"), at("    launch(library", "step"),
                    at("        step(cuda_with_lock, kernel)\n    elif", "main")}));
}

TEST_F(RunPythonFrames, of_a_generator) {
  EXPECT_EQ(
      frames(run_script("generator")),
      (Frames{at(the_launch, "launch"), at("    launch(cuda", "steps"), at("next(steps", "main")}));
}

TEST_F(RunPythonFrames, those_of_python_s_library_are_left_out) {
  const Ran ran = run_script("library");
  EXPECT_EQ(frames(ran), (Frames{at(the_launch, "launch"), at("    launch(library", "step"),
                                 at("    stack.close()", "by_library")}))
      << ran.err;
}

TEST_F(RunPythonFrames, mistakes_and_arrays_have_them_too) {
  const Ran ran = run_script("copy");
  EXPECT_EQ(frames(ran, "mistakes"),
            (Frames{at("cuda.cuMemcpyDtoH_v2(", "copy_too_much"),
                    at("        copy_too_much()", "main"), at("main()  # ", "<module>")}))
      << ran.err;
  const std::string where = at("cuda.cuMemAlloc_v2(", "");
  EXPECT_NE(unwrapped(ran.err).find(where.substr(0, where.find(' '))), std::string::npos)
      << ran.err;
}

TEST_F(RunPythonFrames, of_threads_that_wait_for_each_other) {
  const Ran ran = run_script("threads");
  ASSERT_EQ(frames(ran).size(), 3U) << ran.err;
  EXPECT_EQ(frames(ran)[0], at(the_launch, "launch"));
  EXPECT_EQ(frames(ran)[1], at("    launch(library", "step"));
  EXPECT_NE(frames(ran)[2].find(" in work"), std::string::npos) << frames(ran)[2];
  EXPECT_EQ(ran.json.at("processes").at(0).at("kernels").at(0).at("launches"), 160);
}

struct Example {
  const char *name, *package, *out;
  bool race;  ///< one is planted
};

class RunPythonExample : public ::testing::TestWithParam<Example> {};

/// Where Numba looks for libNVVM, whatever the toolkit's own folders are; empty: there is none.
std::string folder_for_numba(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const fs::path libraries = GAUNTLET_TOOLKIT_LIBRARIES;
  const fs::path toolkit = fs::path(GAUNTLET_NVCC).parent_path().parent_path();
  for (const fs::path& from : {toolkit / "nvvm/lib64/libnvvm.so", libraries / "libnvvm.so"}) {
    if (!fs::exists(from)) continue;
    fs::create_directories(folder / "nvvm/lib64");
    fs::create_symlink(from, folder / "nvvm/lib64/libnvvm.so");
    fs::create_symlink(toolkit / "nvvm/libdevice", folder / "nvvm/libdevice");
    fs::create_symlink(libraries, folder / "lib64");
    return folder.string();
  }
  return {};
}

TEST_P(RunPythonExample, prints_what_is_right_and_has_no_finding_but_the_planted_one) {
  const Example& example = GetParam();
  std::string python;
  for (const char* const one : {"python3", "/usr/bin/python3"}) {
    const std::string imports = std::string(one) + " -c 'import " + example.package;
    if (python.empty() && std::system((imports + "' 2>/dev/null").c_str()) == 0) python = one;
  }
  if (python.empty()) GTEST_SKIP() << "there is no " << example.package;
  const TemporaryFolder folder;
  const std::string kept = (folder.path() / "kept").string();
  std::vector<std::string> environment = {"PYTHONDONTWRITEBYTECODE=1", "TRITON_CACHE_DIR=" + kept,
                                          "CUPY_CACHE_DIR=" + kept, "TORCH_EXTENSIONS_DIR=" + kept};
  if (std::string_view(example.name) == "numba_sums") {
    const std::string toolkit = folder_for_numba(folder.path() / "toolkit");
    if (toolkit.empty()) GTEST_SKIP() << "the toolkit has no libnvvm.so";
    environment.push_back("CUDA_HOME=" + toolkit);
  }
  const Ran ran =
      run_command({python, std::string(GAUNTLET_PYTHON_EXAMPLES) + "/" + example.name + ".py"},
                  {"--device", "sm_86"}, environment);
  EXPECT_EQ(ran.out, example.out) << ran.err;
  EXPECT_EQ(ran.kinds().empty(), !example.race) << ran.err;
  for (const std::string& kind : ran.kinds()) EXPECT_TRUE(kind.starts_with("race_")) << kind;
  EXPECT_EQ(ran.kinds("mistakes"), Frames{}) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(
    Of, RunPythonExample,
    ::testing::Values(
        Example{"numba_sums", "numba.cuda", "right: 2016.0\nracy: done\n", true},
        Example{"triton_sums", "torch, triton", "right: 499500.0\nracy: done\n", true},
        Example{"torch_extension", "torch", "right: 2016.0\nracy: done\n", true},
        Example{"cupy_sums", "cupy",
                "RawKernel: 2016.0\nElementwiseKernel: [0. 1. 4. 9.]\nsum: 2016.0\n", false},
        Example{"cuda_core_scale", "cuda.core", "scaled: [0.0, 2.5, 5.0, 7.5]\n", false}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace gauntlet::test
