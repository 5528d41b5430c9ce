// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The embedded PTX.
#include "kernels/images.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kernels/catalogue.hpp"
#include "tests/kernels/cases.hpp"

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
    const std::string own = "\"kernels/" + row->spec().kernel + "\"";
    EXPECT_NE(image.ptx.find(own), std::string_view::npos) << image.module;
  }
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
  EXPECT_EQ(spec::capability_of(ptx_of("redux")), 80U);
  EXPECT_EQ(spec::capability_of(ptx_of("dependent_launch")), 90U);
  EXPECT_EQ(spec::capability_of(ptx_of("sequential")), 75U);
  EXPECT_EQ(spec::capability_of(ptx_of("no_such_module")), 0U);
}

}  // namespace
}  // namespace gauntlet::kernels
