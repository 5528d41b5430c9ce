// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/os/file.hpp"
#include "base/os/temporary_folder.hpp"
#include "base/os/toolkit.hpp"
#include "base/usage_error.hpp"

namespace gauntlet::os {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, is_empty_and_removed_with_everything_in_it) {
  fs::path path;
  {
    const TemporaryFolder folder, other;
    path = folder.path();
    EXPECT_NE(path, other.path());
    EXPECT_TRUE(fs::is_empty(path));
    fs::create_directories(path / "a" / "b");
    std::ofstream(path / "a" / "b" / "c") << "c";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, that_cannot_be_made_says_which_variable_to_set) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nonexistent", 1);
  std::string said;
  try {
    const TemporaryFolder folder;
  } catch (const UsageError& error) {
    said = error.what();
  }
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_TRUE(said.starts_with("/nonexistent/gauntlet.")) << said;
  EXPECT_NE(said.find("set TMPDIR"), std::string::npos) << said;
}

TEST(ReadFile, gives_every_byte_or_why_there_is_none) {
  const TemporaryFolder folder;
  const std::string bytes("a\0\r\n\xff", 5);
  std::ofstream(folder.path() / "bytes", std::ios::binary) << bytes;
  std::ofstream(folder.path() / "empty");
  EXPECT_EQ(read_file(folder.path() / "bytes"), bytes);
  EXPECT_EQ(read_file(folder.path() / "empty"), "");
  EXPECT_EQ(read_file(folder.path() / "missing"), std::nullopt);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(read_file(folder.path()), std::nullopt);
}

TEST(Toolkit, is_looked_for_in_path_then_cuda_home_then_the_usual_place) {
  const TemporaryFolder folder;
  const auto make = [&](const std::string& name) {
    const auto path = folder.path() / name;
    fs::create_directories(path);
    std::ofstream(path / "tool-of-a-test") << "#!/bin/sh\n";
    chmod((path / "tool-of-a-test").c_str(), 0755);
    return path.string();
  };
  const std::string first = make("first"), home = make("home/bin"), empty = folder.path().string();
  const std::string cuda_home = (folder.path() / "home").string();
  const auto find = [&](const std::string& path) {
    return Toolkit(path.c_str(), cuda_home.c_str()).find("tool-of-a-test");
  };
  EXPECT_EQ(find(empty + ":" + first), first + "/tool-of-a-test");
  EXPECT_EQ(find(empty), home + "/tool-of-a-test");
  chmod((first + "/tool-of-a-test").c_str(), 0644);  // not to be executed
  EXPECT_EQ(find(first), home + "/tool-of-a-test");
  EXPECT_EQ(Toolkit(nullptr, nullptr).find("tool-of-a-test"), "");
}

TEST(Toolkit, says_where_it_looked) {
  EXPECT_EQ(Toolkit("/bin", "/opt/cuda").looked_in(),
            "PATH, /opt/cuda/bin and /usr/local/cuda/bin");
  EXPECT_EQ(Toolkit("/bin", "/usr/local/cuda").looked_in(), "PATH and /usr/local/cuda/bin");
  EXPECT_EQ(Toolkit("/bin", nullptr).looked_in(),
            "PATH, $CUDA_HOME (not set) and /usr/local/cuda/bin");
}

}  // namespace
}  // namespace gauntlet::os
