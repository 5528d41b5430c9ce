// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// best_shape(): what it proposes can be launched, for any n and any number of multiprocessors.
#include "kernels/launch_shape.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "kernels/catalogue.hpp"
#include "kernels/plan.hpp"

namespace gauntlet::kernels {
namespace {

TEST(LaunchShape, EveryProposalIsALaunchThatThePlanAccepts) {
  for (const Variant& v : catalogue()) {
    if (v.id.starts_with("cub_")) continue;  // CUB chooses
    const TypePair& types = v.documented_types.front();
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 10,
                                  (std::uint64_t{1} << 20) + 3, std::uint64_t{1} << 30}) {
      for (const std::uint32_t multiprocessors : {1U, 30U, 132U}) {
        Case c;
        c.variant = v.id;
        c.in = types.in;
        c.acc = types.acc;
        c.n = n;
        const LaunchShape shape = best_shape(v.id, types.in, n, multiprocessors);
        c.block = shape.block;
        c.grid = shape.grid;
        EXPECT_EQ(plan(c).refusal, "") << to_string(c);
      }
    }
  }
}

TEST(LaunchShape, SmallInputsTakeOneBlockWithATicketToSpare) {
  EXPECT_EQ(best_shape("single_pass_ticket", Type::f32, 1 << 10, 132).grid, 1U);
  EXPECT_EQ(best_shape("single_pass_ticket", Type::f32, 1 << 15, 132).grid, 1U);
  EXPECT_GT(best_shape("single_pass_ticket", Type::f32, 1 << 16, 132).grid, 1U);
}

TEST(LaunchShape, GrowsWithBytesAndMultiprocessors) {
  const auto grid = [](Type type, std::uint64_t n, std::uint32_t multiprocessors) {
    return best_shape("vector_batch", type, n, multiprocessors).grid;
  };
  EXPECT_EQ(grid(Type::f64, 1 << 19, 132), grid(Type::f32, 1 << 20, 132));
  EXPECT_LT(grid(Type::f32, 1 << 28, 40), grid(Type::f32, 1 << 28, 132));
  EXPECT_LE(grid(Type::f32, 1 << 20, 132), grid(Type::f32, 1 << 28, 132));
}

TEST(LaunchShape, EveryMultiprocessorHasWorkOnceTheInputIsLarge) {
  for (const char* variant : {"single_pass_ticket", "single_pass_slots", "vector_batch"}) {
    for (const std::uint32_t multiprocessors : {8U, 132U, 200U}) {
      const LaunchShape shape = best_shape(variant, Type::f32, 1 << 28, multiprocessors);
      EXPECT_GE(shape.grid, 4 * multiprocessors) << variant;
      EXPECT_EQ(shape.grid % multiprocessors, 0U) << variant;
    }
  }
}

}  // namespace
}  // namespace gauntlet::kernels
