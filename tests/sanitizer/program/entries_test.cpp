// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The libraries export what the toolkit's do, under the same versions, and nothing else.
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <string>

#include "base/os/process.hpp"
#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
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

/// Of a list: the first word of each line, with `version` behind; "a{b,c}" is "ab" and "ac". Not
/// what it takes from elsewhere ("@cuda.h").
std::set<std::string> listed(const std::string& list, const std::string& version) {
  std::set<std::string> names;
  const std::function<void(const std::string&)> add = [&](const std::string& word) {
    const auto open = word.find('{'), close = word.find('}');
    if (open == word.npos) {
      EXPECT_TRUE(names.insert(word + version).second) << word << " twice in " << list;
      return;
    }
    std::istringstream parts(word.substr(open + 1, close - open - 1) + ",");
    for (std::string part; std::getline(parts, part, ',');) {
      add(word.substr(0, open) + part + word.substr(close + 1));
    }
  };
  std::istringstream lines(read_text(std::string(GAUNTLET_ENTRIES) + "/" + list));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('@')) add(line.substr(0, line.find(' ')));
  }
  return names;
}

std::string path_of(const std::string& name) {
  return std::string(GAUNTLET_LIBRARIES) + "/" + name;
}

struct MathLibrary {
  const char *list, *name, *of_cuda12;
};
constexpr MathLibrary math_libraries[] = {
    {"cublas.txt", "libcublas.so.13", "libcublas.so.12"},
    {"cublasLt.txt", "libcublasLt.so.13", "libcublasLt.so.12"},
    {"curand.txt", "libcurand.so.10", "libcurand.so.10"},
    {"cufft.txt", "libcufft.so.12", "libcufft.so.11"},
    {"cusolver.txt", "libcusolver.so.12", "libcusolver.so.11"},
    {"cusparse.txt", "libcusparse.so.12", "libcusparse.so.12"}};

TEST(RunEntries, are_those_of_the_lists_under_the_runtimes_versions) {
  const std::set<std::string> cudart13 = exported(path_of("libcudart.so.13"));
  EXPECT_GT(cudart13.size(), 400U);
  EXPECT_TRUE(std::ranges::includes(cudart13, listed("cudart13.txt", "@@libcudart.so.13")));
  std::set<std::string> of_12 = listed("cudart12.txt", "@@libcudart.so.12");
  for (const std::string& name : cudart13) {
    ASSERT_TRUE(name.ends_with("@@libcudart.so.13")) << name;
    of_12.insert(name.substr(0, name.find('@')) + "@@libcudart.so.12");
  }
  EXPECT_EQ(exported(path_of("libcudart.so.12")), of_12);
  const std::set<std::string> cuda = exported(path_of("libcuda.so.1"));
  EXPECT_GT(cuda.size(), 600U);
  EXPECT_TRUE(std::ranges::includes(cuda, listed("cuda1.txt", "")));
  for (const MathLibrary& library : math_libraries) {
    for (const char* const name : {library.name, library.of_cuda12}) {
      EXPECT_EQ(exported(path_of(name)), listed(library.list, "@@" + std::string(name)));
    }
  }
}

TEST(RunEntries, the_lists_are_what_the_toolkits_libraries_export) {
  const std::string toolkit = GAUNTLET_TOOLKIT_LIBRARIES;
  if (read_text(toolkit + "/libcudart.so.13").empty()) GTEST_SKIP() << "no library in " << toolkit;
  EXPECT_EQ(exported(path_of("libcudart.so.13")), exported(toolkit + "/libcudart.so.13"));
  EXPECT_EQ(exported(path_of("libcuda.so.1")), exported(toolkit + "/stubs/libcuda.so"));
}

TEST(RunEntries, the_lists_have_all_that_the_toolkits_mathematical_libraries_export) {
  for (const MathLibrary& library : math_libraries) {
    const std::string file = std::string(GAUNTLET_TOOLKIT_LIBRARIES) + "/" + library.name;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file;
    const auto ours = listed(library.list, "@@" + std::string(library.name));
    for (const std::string& name : exported(file)) EXPECT_TRUE(ours.contains(name)) << name;
  }
}

/// Bytes of a library that each thread has a copy of.
std::size_t thread_local_bytes(const std::string& library) {
  const std::string file = read_text(library);
  Elf64_Ehdr head;
  if (file.size() < sizeof head) return 0;
  std::memcpy(&head, file.data(), sizeof head);
  for (unsigned k = 0; k < head.e_phnum; ++k) {
    Elf64_Phdr segment;
    std::memcpy(&segment, file.data() + head.e_phoff + k * sizeof segment, sizeof segment);
    if (segment.p_type == PT_TLS) return segment.p_memsz;
  }
  return 0;
}

// The loader has 1,664 bytes for all libraries that are loaded late or to audit, less what the
// machine's C library takes: beyond that no program starts.
TEST(RunEntries, the_machine_leaves_others_room_for_thread_locals) {
  const std::size_t bytes = thread_local_bytes(path_of("libgauntlet_machine.so"));
  EXPECT_GT(bytes, 0U);
  EXPECT_LE(bytes, 1024U);
}

TEST(RunEntries, names_and_texts_of_errors_are_there_without_a_program) {
  void* const library = dlopen(path_of("libcudart.so.13").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  using Text = const char* (*)(int);
  const auto name = reinterpret_cast<Text>(dlsym(library, "cudaGetErrorName"));
  const auto text = reinterpret_cast<Text>(dlsym(library, "cudaGetErrorString"));
  EXPECT_STREQ(name(700), "cudaErrorIllegalAddress");
  EXPECT_STREQ(text(2), "out of memory");
  EXPECT_STREQ(text(123456), "unrecognized error code");
}

}  // namespace
}  // namespace gauntlet::test
