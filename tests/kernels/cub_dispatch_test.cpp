// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// CUB's dispatch, recorded: which launches it decides on, with what shares and how much storage.
#include "kernels/cub_dispatch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <string>

namespace gauntlet::kernels {
namespace {

// cub::GridEvenShare as the kernels' parameter holds it.
struct EvenShare {
  std::int32_t total_tiles, big_shares;
  std::uint32_t big_share_items, normal_share_items, normal_base_offset, num_items;
  std::int32_t grid_size;
  std::uint32_t block_offset, block_end, block_stride;
};

template <class T>
T value_of(const CubArgument& argument) {
  T value{};
  EXPECT_EQ(argument.bytes.size(), sizeof(T));
  if (argument.bytes.size() == sizeof(T)) std::memcpy(&value, argument.bytes.data(), sizeof(T));
  return value;
}

CubDispatch run(const CubInstance& instance, std::uint32_t n) {
  const auto query = cub_dispatch(instance.in, instance.acc, instance.op, n, std::nullopt);
  return cub_dispatch(instance.in, instance.acc, instance.op, n, query->storage_bytes).value();
}

std::uint32_t tile_of(const CubInstance& instance) {
  return static_cast<std::uint32_t>(run(instance, 0).policy.tile());
}

std::string label(const CubInstance& instance, std::uint32_t n) {
  return std::string(name(instance.in)) + "->" + std::string(name(instance.acc)) + " " +
         std::string(name(instance.op)) + " n=" + std::to_string(n);
}

TEST(CubDispatch, has_all_fourteen_pairs_for_sum_and_four_types_for_the_other_operators) {
  std::array<int, 4> count{};
  for (const CubInstance& instance : cub_device_instances()) {
    ++count.at(static_cast<std::size_t>(instance.op));
  }
  EXPECT_EQ(count, (std::array<int, 4>{14, 4, 4, 4}));
}

TEST(CubDispatch, knows_no_instance_that_is_not_compiled) {
  EXPECT_FALSE(cub_dispatch(Type::f64, Type::f32, Op::sum, 1, std::nullopt).has_value());
  EXPECT_FALSE(cub_dispatch(Type::u32, Type::u32, Op::product, 1, std::nullopt).has_value());
}

TEST(CubDispatch, one_tile_or_less_is_one_launch_of_one_block) {
  for (const CubInstance& instance : cub_device_instances()) {
    const std::uint32_t tile = tile_of(instance);
    for (const std::uint32_t n : {0U, 1U, tile - 1, tile}) {
      SCOPED_TRACE(label(instance, n));
      const CubDispatch result = run(instance, n);
      EXPECT_EQ(result.error, 0);
      ASSERT_EQ(result.launches.size(), 1U);
      EXPECT_EQ(result.launches[0].kernel, CubKernel::single);
      EXPECT_EQ(result.launches[0].grid, (Dim3{1, 1, 1}));
      EXPECT_EQ(result.launches[0].block, (Dim3{result.policy.block_threads, 1, 1}));
      EXPECT_EQ(value_of<std::uint32_t>(result.launches[0].arguments.at(2)), n);
    }
  }
}

TEST(CubDispatch, more_than_one_tile_is_two_launches_on_at_most_five_times_the_resident_blocks) {
  constexpr std::uint32_t max_grid = 5 * cub_multiprocessors * cub_blocks_per_multiprocessor;
  for (const CubInstance& instance : cub_device_instances()) {
    const std::uint32_t tile = tile_of(instance);
    for (const std::uint32_t n : {tile + 1, 2 * tile, 2 * tile + 1, max_grid * tile + 1,
                                  std::numeric_limits<std::uint32_t>::max()}) {
      SCOPED_TRACE(label(instance, n));
      const CubDispatch result = run(instance, n);
      EXPECT_EQ(result.error, 0);
      ASSERT_EQ(result.launches.size(), 2U);
      EXPECT_EQ(result.launches[0].kernel, CubKernel::upsweep);
      EXPECT_EQ(result.launches[1].kernel, CubKernel::final);
      const std::uint64_t tiles = (std::uint64_t{n} + tile - 1) / tile;
      EXPECT_EQ(result.launches[0].grid.x, std::min<std::uint64_t>(tiles, max_grid));
      EXPECT_EQ(result.launches[1].grid, (Dim3{1, 1, 1}));
    }
  }
}

TEST(CubDispatch, shares_cover_every_tile_once) {
  const CubInstance& instance = cub_device_instances().front();
  const std::uint32_t tile = tile_of(instance);
  for (const std::uint32_t n :
       {tile + 1, 3 * tile, 40 * tile, 40 * tile + 1, 41 * tile, 79 * tile + 5, 1000 * tile - 1}) {
    SCOPED_TRACE(label(instance, n));
    const CubDispatch result = run(instance, n);
    const auto share = value_of<EvenShare>(result.launches.at(0).arguments.at(3));
    EXPECT_EQ(share.num_items, n);
    EXPECT_EQ(share.grid_size, static_cast<std::int32_t>(result.launches[0].grid.x));
    EXPECT_EQ(share.total_tiles, static_cast<std::int32_t>((n + tile - 1) / tile));
    EXPECT_EQ(share.big_share_items, share.normal_share_items + tile);
    const auto big = static_cast<std::uint64_t>(share.big_shares);
    const auto normal = static_cast<std::uint64_t>(share.grid_size - share.big_shares);
    EXPECT_EQ(big * share.big_share_items + normal * share.normal_share_items,
              static_cast<std::uint64_t>(share.total_tiles) * tile);
  }
}

TEST(CubDispatch, second_pass_reads_what_the_first_one_wrote) {
  for (const CubInstance& instance : cub_device_instances()) {
    const std::uint32_t n = 3 * tile_of(instance) + 7;
    SCOPED_TRACE(label(instance, n));
    const CubDispatch result = run(instance, n);
    const auto& first = result.launches.at(0);
    const auto& second = result.launches.at(1);
    EXPECT_EQ(first.arguments.at(0).kind, CubArgument::Kind::input);
    EXPECT_EQ(first.arguments.at(1).kind, CubArgument::Kind::temporary);
    EXPECT_EQ(second.arguments.at(0).kind, CubArgument::Kind::temporary);
    EXPECT_EQ(second.arguments.at(0).byte_offset, first.arguments.at(1).byte_offset);
    EXPECT_EQ(second.arguments.at(1).kind, CubArgument::Kind::output);
    EXPECT_EQ(value_of<std::uint32_t>(second.arguments.at(2)), first.grid.x);
    EXPECT_LE(first.arguments.at(1).byte_offset + first.grid.x * size_of(instance.acc),
              result.storage_bytes);
  }
}

TEST(CubDispatch, size_query_launches_nothing) {
  for (const std::uint32_t n : {10U, 100000U}) {
    const auto query = cub_dispatch(Type::f32, Type::f32, Op::sum, n, std::nullopt);
    ASSERT_TRUE(query.has_value());
    EXPECT_EQ(query->error, 0);
    EXPECT_TRUE(query->launches.empty());
    EXPECT_GT(query->storage_bytes, 0U);
  }
}

TEST(CubDispatch, too_little_storage_is_an_error_and_launches_nothing) {
  const auto query = cub_dispatch(Type::i32, Type::i32, Op::sum, 5000, std::nullopt);
  const auto short_by_one =
      cub_dispatch(Type::i32, Type::i32, Op::sum, 5000, query->storage_bytes - 1);
  EXPECT_EQ(short_by_one->error, 1);  // cudaErrorInvalidValue
  EXPECT_TRUE(short_by_one->launches.empty());
  const auto enough = cub_dispatch(Type::i32, Type::i32, Op::sum, 5000, query->storage_bytes);
  EXPECT_EQ(enough->error, 0);
  EXPECT_EQ(enough->launches.size(), 2U);
}

TEST(CubDispatch, minimum_starts_at_the_identity) {
  const auto result = cub_dispatch(Type::f32, Type::f32, Op::minimum, 5, 1);
  EXPECT_EQ(value_of<float>(result->launches.at(0).arguments.at(4)),
            std::numeric_limits<float>::infinity());
  const auto integer = cub_dispatch(Type::i32, Type::i32, Op::maximum, 5, 1);
  EXPECT_EQ(value_of<std::int32_t>(integer->launches.at(0).arguments.at(4)),
            std::numeric_limits<std::int32_t>::min());
}

TEST(CubDispatch, equal_questions_get_equal_bytes) {
  for (const CubInstance& instance : cub_device_instances()) {
    const CubDispatch a = run(instance, 100000), b = run(instance, 100000);
    ASSERT_EQ(a.launches.size(), b.launches.size());
    for (std::size_t i = 0; i < a.launches.size(); ++i) {
      for (std::size_t k = 0; k < a.launches[i].arguments.size(); ++k) {
        EXPECT_EQ(a.launches[i].arguments[k].bytes, b.launches[i].arguments.at(k).bytes);
      }
    }
  }
}

}  // namespace
}  // namespace gauntlet::kernels
