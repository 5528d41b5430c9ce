// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the host's function of kernels/cub_device.cu launches, as CUB decides it: how many launches
// and blocks, which share of the input each block gets, where the partial results lie, and what
// each form of the cache does to that.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "kernels/host_calls.hpp"
#include "kernels/subject.hpp"
#include "tests/kernels/cases.hpp"

namespace gauntlet::kernels {
namespace {

constexpr Instance maximum_of_ints{Type::i32, Type::i32, Op::maximum};
constexpr std::uint32_t most_blocks = 5 * 4 * 2;  // CUB's factor, times what is resident

// cub::GridEvenShare<unsigned>, as the first of two passes gets it.
struct EvenShare {
  std::int32_t total_tiles, big_shares;
  std::uint32_t big_share_items, normal_share_items, normal_base_offset, num_items;
  std::int32_t grid_size;
  std::uint32_t block_offset, block_end, block_stride;
};

template <class T>
T value_of(const Arg& argument) {
  T value{};
  EXPECT_EQ(argument.kind, Arg::Kind::value);
  EXPECT_EQ(argument.bytes.size(), sizeof(T));
  if (argument.bytes.size() == sizeof(T)) std::memcpy(&value, argument.bytes.data(), sizeof(T));
  return value;
}

Plan run(const Instance& instance, std::uint64_t n, std::string form = "fixed") {
  return plan(make_case("cub_device", std::move(form), instance, n));
}

const std::vector<Instance>& all() { return instances("cub_device", "fixed"); }

/// CUB's: 256 threads, each of which takes 64 bytes of accumulators.
std::uint32_t tile_of(const Instance& instance) {
  return 256 * 64 / static_cast<std::uint32_t>(size_of(instance.acc));
}

std::uint64_t storage(const Plan& plan) {
  const auto temp = std::ranges::find(plan.buffers, "temp", &Buffer::name);
  return temp == plan.buffers.end() ? 0 : temp->bytes;
}

Arg in_array(const Plan& plan, std::string_view name, std::uint64_t offset = 0) {
  const auto buffer = std::ranges::find(plan.buffers, name, &Buffer::name);
  return Arg::of_array(Plan::buffer(static_cast<std::uint32_t>(buffer - plan.buffers.begin())),
                       offset);
}

std::string label(const Instance& instance, std::uint64_t n) {
  return std::string(name(instance.in)) + "->" + std::string(name(instance.acc)) + " " +
         std::string(name(instance.op)) + " n=" + std::to_string(n);
}

TEST(CubDevice, has_all_fourteen_pairs_for_sum_and_four_types_for_the_other_operators) {
  std::array<int, 4> count{};
  for (const Instance& instance : all()) ++count.at(static_cast<std::size_t>(instance.op));
  EXPECT_EQ(count, (std::array<int, 4>{14, 4, 4, 4}));
}

TEST(CubDevice, one_tile_or_less_is_one_launch_of_one_block) {
  for (const Instance& instance : all()) {
    const std::uint32_t tile = tile_of(instance);
    for (const std::uint32_t n : {0U, 1U, tile - 1, tile}) {
      SCOPED_TRACE(label(instance, n));
      const Plan result = run(instance, n);
      ASSERT_EQ(result.launches.size(), 1U);
      const Launch& only = result.launches[0];
      EXPECT_NE(only.entry.find("DeviceReduceSingleTileKernel"), std::string::npos);
      EXPECT_EQ(only.grid, (Dim3{1, 1, 1}));
      EXPECT_EQ(only.block, (Dim3{256, 1, 1}));
      EXPECT_EQ(only.args.at(0), Arg::of_array(Plan::input));
      EXPECT_EQ(only.args.at(1), in_array(result, "out"));
      EXPECT_EQ(value_of<std::uint32_t>(only.args.at(2)), n);
      EXPECT_EQ(result.observed.size(), 1U);
    }
  }
}

TEST(CubDevice, more_than_one_tile_is_two_launches_on_at_most_five_times_the_resident_blocks) {
  for (const Instance& instance : all()) {
    const std::uint32_t tile = tile_of(instance);
    for (const std::uint32_t n : {tile + 1, 2 * tile, 2 * tile + 1, most_blocks * tile + 1,
                                  std::numeric_limits<std::uint32_t>::max()}) {
      SCOPED_TRACE(label(instance, n));
      const Plan result = run(instance, n);
      ASSERT_EQ(result.launches.size(), 2U);
      EXPECT_NE(result.launches[0].entry.find("18DeviceReduceKernel"), std::string::npos);
      EXPECT_NE(result.launches[1].entry.find("DeviceReduceSingleTileKernel"), std::string::npos);
      const std::uint64_t tiles = (std::uint64_t{n} + tile - 1) / tile;
      EXPECT_EQ(result.launches[0].grid.x, std::min<std::uint64_t>(tiles, most_blocks));
      EXPECT_EQ(result.launches[1].grid, (Dim3{1, 1, 1}));
      EXPECT_EQ(result.grid, result.launches[0].grid.x);
      ASSERT_EQ(result.observed.size(), 2U);
      EXPECT_EQ(result.observed[1].buffer, "temp");
      EXPECT_EQ(result.observed[1].cells, result.grid);
      EXPECT_EQ(result.observed[1].coverage.tile, tile);
    }
  }
}

TEST(CubDevice, shares_cover_every_tile_once) {
  const Instance& instance = all().front();
  const std::uint32_t tile = tile_of(instance);
  for (const std::uint32_t n :
       {tile + 1, 3 * tile, 40 * tile, 40 * tile + 1, 41 * tile, 79 * tile + 5, 1000 * tile - 1}) {
    SCOPED_TRACE(label(instance, n));
    const Plan result = run(instance, n);
    const auto share = value_of<EvenShare>(result.launches.at(0).args.at(3));
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

TEST(CubDevice, second_pass_reads_what_the_first_one_wrote) {
  for (const Instance& instance : all()) {
    const std::uint32_t n = 3 * tile_of(instance) + 7;
    SCOPED_TRACE(label(instance, n));
    const Plan result = run(instance, n);
    const Launch &first = result.launches.at(0), &second = result.launches.at(1);
    EXPECT_EQ(first.args.at(0), Arg::of_array(Plan::input));
    EXPECT_EQ(first.args.at(1), in_array(result, "temp"));
    EXPECT_EQ(second.args.at(0), first.args.at(1));
    EXPECT_EQ(second.args.at(1), in_array(result, "out"));
    EXPECT_EQ(value_of<std::uint32_t>(second.args.at(2)), first.grid.x);
    EXPECT_LE(first.grid.x * size_of(instance.acc), storage(result));
  }
}

TEST(CubDevice, a_size_query_launches_nothing_and_a_size_that_needs_more_is_refused) {
  for (const std::string form : {"documented", "fixed-registered_size"}) {
    for (const Instance& instance : {i32_pair, maximum_of_ints}) {
      EXPECT_EQ(run(instance, 4096, form).launches.size(), 1U);
      const Plan refused = run(instance, 4097, form);
      EXPECT_TRUE(refused.launches.empty());
      EXPECT_EQ(refused.grid, 1U);
      ASSERT_EQ(refused.observed.size(), 1U);
      EXPECT_EQ(refused.observed[0].buffer, "out");
    }
  }
}

TEST(CubDevice, documented_allocates_four_times_what_cub_asks_for) {
  for (const std::uint64_t n : {100U, 10000U}) {
    const std::uint64_t needed = storage(run(maximum_of_ints, n));
    EXPECT_GT(needed, 0U);
    EXPECT_EQ(storage(run(maximum_of_ints, n, "fixed-cache_bytes")), 4 * needed);
  }
  // It registers one tile, whatever is reduced.
  EXPECT_EQ(storage(run(maximum_of_ints, 10000, "documented")),
            4 * storage(run(maximum_of_ints, 4096)));
}

TEST(CubDevice, operators_start_at_their_identities) {
  const auto start = [](Instance instance) { return run(instance, 5).launches.at(0).args.at(4); };
  EXPECT_EQ(value_of<float>(start({Type::f32, Type::f32, Op::minimum})),
            std::numeric_limits<float>::infinity());
  EXPECT_EQ(value_of<double>(start({Type::f64, Type::f64, Op::maximum})),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(value_of<std::int32_t>(start(maximum_of_ints)),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(value_of<std::int32_t>(start({Type::i32, Type::i32, Op::minimum})),
            std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(value_of<std::int32_t>(start({Type::i32, Type::i32, Op::product})), 1);
  EXPECT_EQ(value_of<std::uint16_t>(start({Type::f16, Type::f16, Op::minimum})), 0x7c00);
  EXPECT_EQ(value_of<std::uint16_t>(start({Type::f16, Type::f16, Op::maximum})), 0xfc00);
}

TEST(CubDevice, equal_questions_get_equal_bytes_in_every_thread) {
  std::vector<std::vector<Launch>> asked(4);
  {
    std::vector<std::jthread> threads;
    for (auto& launches : asked) {
      threads.emplace_back([&launches] {
        for (const Instance& instance : all()) {
          for (const Launch& launch : run(instance, 100000).launches) launches.push_back(launch);
        }
      });
    }
  }
  for (const auto& launches : asked) {
    ASSERT_EQ(launches.size(), 52U);
    for (std::size_t k = 0; k < launches.size(); ++k) {
      EXPECT_EQ(launches[k].args, asked[0][k].args);
      EXPECT_EQ(launches[k].entry, asked[0][k].entry);
    }
  }
}

TEST(CubDevice, has_another_device_while_one_is_named) {
  constexpr std::uint64_t n = std::uint64_t{1} << 27;
  const std::uint32_t before = run(f32_pair, n).grid;
  {
    const OnDevice real({132, 4});
    EXPECT_EQ(run(f32_pair, n).grid, 5U * 132 * 4);
    const OnDevice other({108, 3});
    EXPECT_EQ(run(f32_pair, n).grid, 5U * 108 * 3);
  }
  EXPECT_EQ(before, most_blocks);
  EXPECT_EQ(run(f32_pair, n).grid, before);
}

}  // namespace
}  // namespace gauntlet::kernels
