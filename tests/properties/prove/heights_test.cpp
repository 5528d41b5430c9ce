// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/heights.md and its pictures tell the truth of today.
#include "properties/prove/heights.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/os/file.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::prove {
namespace {

TEST(Heights, page_and_pictures_are_current) {
  const std::filesystem::path folder = GAUNTLET_DOCS;
  const auto pages = heights(kernels::compiled_kernels(), "heights.md");
  ASSERT_EQ(pages.size(), 7U);
  for (const auto& page : pages) {
    const auto path = (folder / page.name).string();
    EXPECT_EQ(page.text, os::read_file(path).value_or("")) << path << " is not current; ci/approve";
    EXPECT_EQ(page.text.find("not proved"), std::string::npos) << page.name;
  }
}

}  // namespace
}  // namespace gauntlet::prove
