// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/pass.hpp"

#include <gtest/gtest.h>

#include "gpu/timing/memory.hpp"
#include "gpu/timing/nvml.hpp"

namespace gauntlet::timing {
namespace {

constexpr std::uint64_t gi_b = std::uint64_t{1} << 30;

TEST(Slots, are_many_for_few_elements_and_two_for_the_largest) {
  EXPECT_EQ(slots_for(Type::f32, 1 << 10, 70 * gi_b), 64u);
  EXPECT_EQ(slots_for(Type::f32, 1 << 24, 70 * gi_b), 16u);
  EXPECT_EQ(slots_for(Type::f64, gi_b, 70 * gi_b), 2u);
}

TEST(Slots, are_as_many_as_the_memory_holds) {
  EXPECT_EQ(slots_for(Type::f64, gi_b, 9 * gi_b), 1u);
  EXPECT_EQ(slots_for(Type::f64, gi_b, 7 * gi_b), 0u);
}

TEST(Slots, are_apart_by_the_elements_and_a_tail_aligned_for_any_load) {
  for (const std::uint64_t n : {1ull, 1000ull, 100'000'000ull}) {
    const std::uint64_t stride = InputSlots::stride(Type::f16, n);
    EXPECT_GE(stride, 2 * n + InputSlots::tail_bytes);
    EXPECT_EQ(stride % 256, 0u);
  }
}

TEST(Throttle, reasons_are_named_and_idleness_is_none) {
  EXPECT_TRUE(throttle_reasons(0).empty());
  EXPECT_TRUE(throttle_reasons(1).empty());
  EXPECT_EQ(throttle_reasons(0x4 | 0x40),
            (std::vector<std::string>{"software power cap", "hardware thermal slowdown"}));
}

TEST(Nvml, without_the_device_has_no_state) {
  EXPECT_FALSE(Nvml("0000:ff:1f.7").state().has_value());
}

}  // namespace
}  // namespace gauntlet::timing
