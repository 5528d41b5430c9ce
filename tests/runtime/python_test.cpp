// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that come from Python.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/runtime/run_program.hpp"

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
  static Ran run_script(const std::string& how) {
    Ran ran = run_command(
        {"python3", script, std::string(GAUNTLET_PROGRAMS) + "/driver_kernels.ptx", how});
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
                                 at("    with contextlib", "by_library")}))
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

}  // namespace
}  // namespace gauntlet::test
