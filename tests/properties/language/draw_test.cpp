// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which sizes are drawn: also those at which alone a kernel is wrong.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "spec_kernels.hpp"

namespace gauntlet::spec {
namespace {

namespace fs = std::filesystem;

/// Of the 200 cases that `check` draws, how many are so.
int drawn(const std::string& sizes, const std::function<bool(const Case&)>& so) {
  const fs::path folder = fs::path(testing::TempDir()) / ("drawn." + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "k.cu") << "__global__ void k(int* y) { *y = 0; }\n";
  const std::string path = (folder / "k.gauntlet").string();
  std::ofstream(path) << "kernel k.cu\n" << sizes << "out y:i32[1]\nresult y[0] = 0\n";
  const std::atomic<bool> interrupted{false};
  const Specs specs({path}, interrupted);
  int count = 0;
  for (int k = 0; k < 200; ++k) count += so(draw(specs.loaded(path), 1000 + k, k / 2 + 1, {}));
  fs::remove_all(folder);
  return count;
}

std::uint64_t size_of(const Case& c, const std::string& name) {
  for (const NamedSize& size : c.sizes) {
    if (size.name == name) return size.value;
  }
  ADD_FAILURE() << "no size " << name;
  return 0;
}

TEST(Draw, the_longest_block_has_data_in_its_last_warps) {
  const std::string text =
      "size n = 0..1024\nlaunch grid=1 block=32..1024\nrequire block % 32 == 0 && n <= block\n";
  EXPECT_GE(drawn(text, [](const Case& c) { return size_of(c, "n") > 512; }), 3);
}

TEST(Draw, the_upper_end_of_a_size_is_reached_and_its_upper_half) {
  const std::string text = "size n = 0..20000\nlaunch grid=1 block=32\n";
  EXPECT_GE(drawn(text, [](const Case& c) { return size_of(c, "n") == 20000; }), 5);
  EXPECT_GE(drawn(text, [](const Case& c) { return size_of(c, "n") > 8191; }), 10);
}

TEST(Draw, each_of_a_few_numbers_comes_beside_many_elements) {
  const std::string text = "size g = 1..9\nsize n = 0..4096\nlaunch grid=g block=32\n";
  for (std::uint64_t g = 1; g <= 9; ++g) {
    const auto so = [&](const Case& c) { return size_of(c, "g") == g && size_of(c, "n") > 700; };
    EXPECT_GE(drawn(text, so), 1) << g;
  }
}

TEST(Draw, sizes_go_to_their_ends_together_only_where_that_is_cheap) {
  const std::string ends = "size n = 1..3000\nsize m = 1..20\n";
  const std::string dear = "size n = 1..3000\nsize m = 1..3000\n";
  const std::string launch = "launch grid=1 block=32\n";
  const auto at_ends = [](std::uint64_t n, std::uint64_t m) {
    return [=](const Case& c) { return size_of(c, "n") == n && size_of(c, "m") == m; };
  };
  EXPECT_GE(drawn(ends + launch, at_ends(3000, 20)), 5);
  EXPECT_LE(drawn(dear + launch, at_ends(3000, 3000)), 4);
}

}  // namespace
}  // namespace gauntlet::spec
