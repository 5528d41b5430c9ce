// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The library exports what the toolkit's does, under the same version, and nothing else.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include "os/process.hpp"
#include "tests/cli/program.hpp"

namespace gauntlet::testing {
namespace {

/// "NAME@@VERSION" of what is exported.
std::set<std::string> exported(const std::string& library) {
  const os::Ran nm = os::run({"nm", "-D", "--defined-only", library}, "", 60);
  EXPECT_EQ(nm.end.code(), 0) << nm.err;
  std::set<std::string> names;
  std::istringstream lines(nm.out);
  std::string address, kind, name;
  while (lines >> address >> kind >> name) {
    if (kind == "T" || kind == "W") names.insert(name);
  }
  return names;
}

TEST(RunEntries, are_those_of_the_list_under_the_runtimes_version) {
  std::set<std::string> listed;
  std::istringstream lines(read_text(GAUNTLET_ENTRIES));
  for (std::string name; std::getline(lines, name);) listed.insert(name + "@@libcudart.so.13");
  EXPECT_GT(listed.size(), 400U);
  EXPECT_EQ(exported(GAUNTLET_LIBRARY), listed);
}

TEST(RunEntries, the_list_is_what_the_toolkits_library_exports) {
  const std::string theirs = "/usr/local/cuda/lib64/libcudart.so.13";
  if (read_text(theirs).empty()) GTEST_SKIP() << "no " << theirs;
  EXPECT_EQ(exported(GAUNTLET_LIBRARY), exported(theirs));
}

TEST(RunEntries, names_and_texts_of_errors_are_there_without_a_program) {
  void* const library = dlopen(GAUNTLET_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  using Text = const char* (*)(int);
  const auto name = reinterpret_cast<Text>(dlsym(library, "cudaGetErrorName"));
  const auto text = reinterpret_cast<Text>(dlsym(library, "cudaGetErrorString"));
  EXPECT_STREQ(name(700), "cudaErrorIllegalAddress");
  EXPECT_STREQ(text(2), "out of memory");
  EXPECT_STREQ(text(123456), "unrecognized error code");
}

}  // namespace
}  // namespace gauntlet::testing
