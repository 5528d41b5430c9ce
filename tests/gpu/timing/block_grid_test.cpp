// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/timing/configurations.hpp"
#include "gpu/timing/limit.hpp"

namespace gauntlet::timing::block_grid_test {
namespace {

constexpr TypePair f32_pair{Type::f32, Type::f32};

TEST(UsualShape, is_document_ds_own_launch_for_its_kernels) {
  EXPECT_EQ(usual_launch("grid_stride", f32_pair, 100'000'000, 132), (BlockGrid{128, 10240}));
  EXPECT_EQ(usual_launch("static_partials", f32_pair, 100'000'000, 132), (BlockGrid{128, 10240}));
}

TEST(UsualShape, has_no_block_without_elements) {
  EXPECT_EQ(usual_launch("grid_stride", f32_pair, 1000, 132), (BlockGrid{128, 8}));
  EXPECT_EQ(usual_launch("grid_stride", f32_pair, 1, 132), (BlockGrid{128, 1}));
}

TEST(UsualShape, leaves_the_grid_to_the_plan_where_n_decides_it) {
  EXPECT_EQ(usual_launch("sequential", f32_pair, 1 << 20, 132), (BlockGrid{256, 0}));
}

TEST(SweepShapes, hold_few_and_many_blocks_each_once) {
  const auto shapes = sweep_launches("two_pass", 100'000'000, 132);
  EXPECT_TRUE(std::ranges::is_sorted(shapes));
  EXPECT_EQ(std::ranges::adjacent_find(shapes), shapes.end());
  for (const BlockGrid shape :
       {BlockGrid{64, 132}, BlockGrid{1024, 132 * 128}, BlockGrid{128, 10240}}) {
    EXPECT_EQ(std::ranges::count(shapes, shape), 1) << shape.block << " " << shape.grid;
  }
}

TEST(SweepShapes, stay_within_what_few_elements_need) {
  for (const BlockGrid shape : sweep_launches("grid_stride", 1000, 132)) {
    EXPECT_LT((shape.grid - 1) * shape.block, 1000u);
  }
}

TEST(SweepShapes, exist_only_where_the_grid_is_free) {
  EXPECT_TRUE(sweep_launches("sequential", 1 << 20, 132).empty());
}

TEST(LimitShapes, are_launchable_for_any_size) {
  for (const std::uint64_t vectors : {1ull, 63ull, 64ull << 10, 1ull << 29}) {
    const auto shapes = limit_shapes(vectors, 132);
    EXPECT_FALSE(shapes.empty());
    for (const LimitShape& shape : shapes) {
      EXPECT_GE(shape.grid, 1u);
      EXPECT_LE(shape.grid, 0x7fffffffu);
      EXPECT_LE(shape.block, 1024u);
      EXPECT_EQ(shape.warps(), std::uint64_t{shape.grid} * shape.block / 32);
    }
  }
}

}  // namespace
}  // namespace gauntlet::timing::block_grid_test
