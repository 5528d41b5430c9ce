// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Each NAME.cu of this folder has a kernel NAME and says how it is launched and what must be found:
//
//   // launch: --grid 1 --block 64 --arg out:i32[64]
//   out[t] = s[63 - t];  // gauntlet: race_write_read s, out_of_bounds_write out
//
// The words are those of `gauntlet sanitize`. Findings are compared as sets of line, kind and
// array: none may be missing, and none may be there beside them. A file without comments must be
// clean.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "sanitizer/session/combinations.hpp"

namespace gauntlet::sanitize {
namespace {

namespace fs = std::filesystem;

/// "6: race_write_read s".
using Findings = std::set<std::string>;

/// A file of this folder, as it was written.
struct Annotated {
  Request request;
  Findings expected;
};

void add_option(Request& request, const std::string& option, const std::string& value) {
  const std::map<std::string, std::vector<std::string>*> lists{{"--grid", &request.grids},
                                                               {"--block", &request.blocks},
                                                               {"--arg", &request.arguments},
                                                               {"--array", &request.arrays},
                                                               {"--sym", &request.variables}};
  if (const auto list = lists.find(option); list != lists.end()) {
    list->second->push_back(value);
  } else if (option == "--schedule") {
    request.schedule = value;
  } else if (option == "--shared") {
    request.common.launch.shared_bytes = static_cast<std::uint32_t>(std::stoul(value));
  } else {
    throw std::invalid_argument("launch: knows no " + option);
  }
}

Annotated annotated(std::istream& source) {
  const std::string launch = "// launch: ", finding = "// gauntlet: ";
  Annotated all;
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.starts_with(launch)) {
      std::istringstream words(line.substr(launch.size()));
      for (std::string option, value; words >> option >> value;) {
        add_option(all.request, option, value);
      }
    } else if (const auto at = line.find(finding); at != std::string::npos) {
      std::istringstream list(line.substr(at + finding.size()));
      for (std::string one; std::getline(list >> std::ws, one, ',');) {
        all.expected.insert(std::to_string(number) + ": " + one);
      }
    }
  }
  return all;
}

Findings found(Request request, const std::string& ptx_path) {
  const std::atomic<bool> never{false};
  Findings all;
  const PtxSource source = read_source(ptx_path, {}, never);
  for (Combination& one : combine(request, read_axes(request), source)) {
    const auto result = sanitize(
        one.options, [](const auto&, const auto&) {}, never);
    for (const Found& f : result.findings) {
      const auto array = f.finding.array.empty() ? "" : " " + f.finding.array;
      all.insert(std::to_string(f.finding.at.line) + ": " + std::string(name(f.finding.kind)) +
                 array);
    }
  }
  return all;
}

std::vector<std::string> kernels() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(GAUNTLET_FINDINGS)) {
    if (file.path().extension() == ".cu") names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class AnnotatedKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(AnnotatedKernel, shows_what_its_comments_say_and_nothing_else) {
  std::istringstream source(
      os::read_file(fs::path(GAUNTLET_FINDINGS) / (GetParam() + ".cu")).value());
  Annotated file = annotated(source);
  file.request.entries = {GetParam()};
  const std::string ptx = std::string(GAUNTLET_FINDINGS_PTX) + "/" + GetParam() + ".ptx";
  file.request.file = ptx;
  EXPECT_EQ(found(file.request, ptx), file.expected);
}

INSTANTIATE_TEST_SUITE_P(Findings, AnnotatedKernel, ::testing::ValuesIn(kernels()),
                         [](const auto& name) { return name.param; });

TEST(AnnotatedKernels, comments_are_read_by_line_and_one_by_one) {
  std::istringstream source(
      "// launch: --grid 1 --block 64 --arg n:i32=1 --shared 8\n"
      "f();\ng();  // gauntlet: race_atomic s, trap\n// h  gauntlet: trap\n");
  const Annotated file = annotated(source);
  EXPECT_EQ(file.expected, (Findings{"3: race_atomic s", "3: trap"}));
  EXPECT_EQ(file.request.blocks, std::vector<std::string>{"64"});
  EXPECT_EQ(file.request.arguments, std::vector<std::string>{"n:i32=1"});
  EXPECT_EQ(file.request.common.launch.shared_bytes, 8U);
}

TEST(AnnotatedKernels, an_option_that_the_runner_does_not_know_is_an_error) {
  std::istringstream source("// launch: --gird 1\n");
  EXPECT_THROW((void)annotated(source), std::invalid_argument);
}

}  // namespace
}  // namespace gauntlet::sanitize
