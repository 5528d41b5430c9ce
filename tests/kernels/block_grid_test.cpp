// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// best_launch(): what it proposes can be launched, for any n and any number of multiprocessors.
#include "kernels/block_grid.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string_view>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "tests/kernels/cases.hpp"

namespace gauntlet::kernels {
namespace {

constexpr TypePair both_f32{Type::f32, Type::f32};

TEST(BestLaunch, every_proposal_is_a_launch_that_the_plan_accepts) {
  std::set<std::string_view> known;
  for (const Entry& entry : entries()) known.insert(entry.name);
  for (const Variant& v : catalogue()) {
    if (find_row(v.id)->by_host()) continue;  // CUB chooses
    const TypePair& types = v.documented_types.front();
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 10,
                                  (std::uint64_t{1} << 20) + 3, std::uint64_t{1} << 30}) {
      for (const std::uint32_t multiprocessors : {1U, 30U, 132U}) {
        Case c;
        c.variant = v.id;
        c.in = types.in;
        c.acc = types.acc;
        c.n = n;
        const BlockGrid launch = best_launch(v.id, types, n, multiprocessors);
        c.block = launch.block;
        c.grid = launch.grid;
        const Plan accepted = plan(c);
        EXPECT_EQ(accepted.refusal, "") << to_string(c);
        for (const Launch& each : accepted.launches) {
          EXPECT_TRUE(known.contains(each.entry)) << to_string(c) << ": " << each.entry;
        }
      }
    }
  }
}

TEST(BestLaunch, small_inputs_take_one_block_with_a_ticket_to_spare) {
  EXPECT_EQ(best_launch("single_pass_ticket", both_f32, 1 << 10, 132).grid, 1U);
  EXPECT_EQ(best_launch("single_pass_ticket", both_f32, 1 << 15, 132).grid, 1U);
  EXPECT_GT(best_launch("single_pass_ticket", both_f32, 1 << 16, 132).grid, 1U);
}

TEST(BestLaunch, grows_with_bytes_and_multiprocessors) {
  const auto grid = [](Type type, std::uint64_t n, std::uint32_t multiprocessors) {
    return best_launch("vector_batch", {type, type}, n, multiprocessors).grid;
  };
  EXPECT_EQ(grid(Type::f64, 1 << 19, 132), grid(Type::f32, 1 << 20, 132));
  EXPECT_LT(grid(Type::f32, 1 << 28, 40), grid(Type::f32, 1 << 28, 132));
  EXPECT_LE(grid(Type::f32, 1 << 20, 132), grid(Type::f32, 1 << 28, 132));
}

TEST(BestLaunch, every_multiprocessor_has_work_once_the_input_is_large) {
  for (const char* variant :
       {"single_pass_ticket", "single_pass_slots", "vector_batch", "dependent_launch"}) {
    for (const std::uint32_t multiprocessors : {8U, 132U, 200U}) {
      const BlockGrid launch = best_launch(variant, both_f32, 1 << 28, multiprocessors);
      EXPECT_GE(launch.grid, 4 * multiprocessors) << variant;
      EXPECT_EQ(launch.grid % multiprocessors, 0U) << variant;
    }
  }
}

/// 64 bytes for each thread: four loads of 16.
TEST(BestLaunch, a_second_launch_loads_its_partials_at_once) {
  for (const TypePair types : {both_f32, TypePair{Type::f64, Type::f64},
                               TypePair{Type::f32, Type::f64}, TypePair{Type::i8, Type::i64}}) {
    for (unsigned log = 0; log <= 30; ++log) {
      for (const std::uint32_t multiprocessors : {30U, 132U, 200U}) {
        const std::uint64_t n = std::uint64_t{1} << log;
        const BlockGrid launch = best_launch("dependent_launch", types, n, multiprocessors);
        EXPECT_LE(launch.grid * size_of(types.acc), launch.block * 64U) << log;
      }
    }
  }
  // The same bytes, half as many partials of twice the size.
  const auto of = [](Type type, std::uint64_t n) {
    return best_launch("dependent_launch", {type, type}, n, 132);
  };
  EXPECT_EQ(of(Type::f32, 1 << 20), (BlockGrid{64, 1024}));
  EXPECT_EQ(of(Type::f64, 1 << 19), (BlockGrid{128, 512}));
  EXPECT_EQ(of(Type::f64, 1 << 18), (BlockGrid{64, 512}));
  EXPECT_EQ(of(Type::f64, 1 << 20), (BlockGrid{128, 1024}));
}

}  // namespace
}  // namespace gauntlet::kernels
