// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The embedded PTX.
#include "kernels/images.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/written.hpp"

namespace gauntlet::kernels {
namespace {

TEST(Images, hold_whole_ptx_files) {
  ASSERT_FALSE(images().empty());
  for (const Image& image : images()) {
    EXPECT_NE(image.ptx.find(".version"), std::string_view::npos) << image.module;
    EXPECT_NE(image.ptx.find(".target sm_"), std::string_view::npos) << image.module;
    EXPECT_EQ(image.ptx.back(), '\n') << image.module;
    EXPECT_EQ(image.ptx.find('\0'), std::string_view::npos) << image.module;
  }
}

TEST(Images, name_kernel_sources_relative_to_the_project) {
  for (const Image& image : images()) {
    const Row* const row = find_row(image.module);
    ASSERT_NE(row, nullptr) << image.module;
    const std::string own = "\"kernels/" + row->written->spec().kernel + "\"";
    EXPECT_NE(image.ptx.find(own), std::string_view::npos) << image.module;
  }
}

TEST(Images, entries_are_those_of_the_ptx_in_its_order) {
  std::vector<std::string> in_ptx, listed;
  for (const Image& image : images()) {
    constexpr std::string_view directive = ".entry ";
    std::size_t at = 0;
    while ((at = image.ptx.find(directive, at)) != std::string_view::npos) {
      at += directive.size();
      const std::size_t end = image.ptx.find_first_of("( \t\n", at);
      in_ptx.push_back(fmt::format("{} {}", image.module, image.ptx.substr(at, end - at)));
    }
  }
  for (const Entry& entry : entries()) {
    listed.push_back(fmt::format("{} {}", entry.module, entry.name));
  }
  EXPECT_EQ(listed, in_ptx);
}

TEST(Images, entry_names_are_unique) {
  std::set<std::string_view> names;
  for (const Entry& entry : entries()) EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
  EXPECT_GT(names.size(), 800U);
}

TEST(Images, dynamic_shared_memory_is_called_s) {
  for (const Image& image : images()) {
    const std::size_t at = image.ptx.find(".extern .shared");
    if (at == std::string_view::npos) continue;
    const std::string_view line = image.ptx.substr(at, image.ptx.find('\n', at) - at);
    EXPECT_EQ(line, ".extern .shared .align 16 .b8 s[];") << image.module;
  }
}

TEST(Images, say_which_gpu_they_need) {
  EXPECT_EQ(capability_of("redux"), 80U);
  EXPECT_EQ(capability_of("dependent_launch"), 90U);
  EXPECT_EQ(capability_of("sequential"), 75U);
  EXPECT_EQ(capability_of("no_such_module"), 0U);
}

}  // namespace
}  // namespace gauntlet::kernels
