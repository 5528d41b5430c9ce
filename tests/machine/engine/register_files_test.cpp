// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/state/register_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

namespace gauntlet::simt {
namespace {

constexpr std::size_t slots = 8;

TEST(RegisterFiles, hands_the_last_one_on_with_what_it_holds) {
  RegisterFiles files;
  files.begin(1, 2, 256, slots);
  RegisterFile& first = files.take();
  first.used = true;
  first.block = 5;
  RegisterFile& second = files.take();
  EXPECT_GE(
      std::max(first.registers, second.registers) - std::min(first.registers, second.registers),
      256);
  files.give(second);
  files.give(first);
  RegisterFile& again = files.take();
  EXPECT_EQ(&again, &first);
  EXPECT_TRUE(again.used);
  EXPECT_EQ(again.block, 5U);
}

TEST(RegisterFiles, next_block_of_the_launch_finds_them_as_they_were_and_another_launch_new) {
  RegisterFiles files;
  files.begin(1, 1, 256, slots);
  files.take().block = 3;
  files.begin(1, 1, 256, slots);  // nobody gave it back: a copy was under way
  EXPECT_EQ(files.take().block, 3U);
  files.begin(2, 1, 256, slots);
  EXPECT_EQ(files.take().block, 0U);
}

TEST(RegisterFiles, poison_of_one_warp_is_not_that_of_the_next) {
  RegisterFiles files;
  files.begin(1, 1, 256, slots);
  RegisterFile& file = files.take();
  std::fill_n(file.poison, slots, ~0U);
  file.undefined = true;
  files.give(file);
  const std::span poison(files.take().poison, slots);
  EXPECT_EQ(std::ranges::count(poison, 0U), static_cast<std::ptrdiff_t>(slots));
}

}  // namespace
}  // namespace gauntlet::simt
