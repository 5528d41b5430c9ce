// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Bank and sector rules against closed formulas.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>

#include "machine/counters/banks.hpp"

namespace gauntlet::simt {
namespace {

using Addresses = std::array<std::uint64_t, 32>;
constexpr std::uint32_t all = 0xFFFF'FFFF;

template <class F>
Addresses at(F address_of) {
  Addresses a{};
  for (std::uint64_t l = 0; l < 32; ++l) a[l] = address_of(l);
  return a;
}
Addresses strided(std::uint64_t stride, std::uint64_t width) {
  return at([=](std::uint64_t l) { return l * stride * width; });
}

TEST(Banks, a_stride_of_words_conflicts_as_its_common_divisor_with32) {
  for (std::uint64_t stride = 1; stride <= 33; ++stride) {
    const auto degree = std::gcd(stride, std::uint64_t{32});
    const auto use = load_bank_use(strided(stride, 4), all, 4);
    EXPECT_EQ(use.wavefronts, degree) << stride;
    EXPECT_EQ(use.ideal, 1U) << stride;
    EXPECT_EQ(use.degree, degree) << stride;
    EXPECT_EQ(store_bank_use(strided(stride, 4), all, 4).wavefronts, degree) << stride;
    EXPECT_EQ(atomic_bank_use(strided(stride, 4), all, 4).wavefronts, degree) << stride;
  }
}

TEST(Banks, one_word_for_all_lanes_is_one_pass_except_for_atomics) {
  const auto same = at([](auto) { return std::uint64_t{20}; });
  EXPECT_EQ(load_bank_use(same, all, 4).wavefronts, 1U);
  EXPECT_EQ(store_bank_use(same, all, 4).wavefronts, 1U);
  EXPECT_EQ(atomic_bank_use(same, all, 4).wavefronts, 32U);
}

TEST(Banks, bytes_and_shorts_of_a_word_do_not_conflict) {
  EXPECT_EQ(load_bank_use(strided(1, 1), all, 1).wavefronts, 1U);
  EXPECT_EQ(load_bank_use(strided(1, 2), all, 2).wavefronts, 1U);
  EXPECT_EQ(load_bank_use(strided(64, 2), all, 2).wavefronts, 32U);  // another word, the same bank
}

TEST(Banks, wide_accesses_take_two_or_four_passes_without_conflict) {
  for (const std::uint32_t width : {8U, 16U}) {
    const auto loads = load_bank_use(strided(1, width), all, width);
    EXPECT_EQ(loads.wavefronts, width / 4);
    EXPECT_EQ(loads.ideal, width / 4);
    EXPECT_EQ(store_bank_use(strided(1, width), all, width).wavefronts, width / 4);
  }
  EXPECT_EQ(load_bank_use(strided(2, 8), all, 8).wavefronts, 4U);  // two in each half
}

TEST(Banks, halves_of_a_load_go_together_where_neighbours_agree) {
  const auto pairs = at([](auto l) { return l / 2 * 8; });
  EXPECT_EQ(load_bank_use(pairs, all, 8).wavefronts, 1U);
  EXPECT_EQ(store_bank_use(pairs, all, 8).wavefronts, 2U);
  const auto next_but_one = at([](auto l) { return (l / 4 * 2 + l % 2) * 8; });
  EXPECT_EQ(load_bank_use(next_but_one, all, 8).wavefronts, 1U);
  const auto distance_four = at([](auto l) { return (l / 8 * 4 + l % 4) * 8; });
  EXPECT_EQ(load_bank_use(distance_four, all, 8).wavefronts, 2U);
}

TEST(Banks, one_lane_that_disagrees_splits_the_whole_warp) {
  auto pairs = at([](auto l) { return l / 2 * 16; });
  EXPECT_EQ(load_bank_use(pairs, all, 16).wavefronts, 2U);
  pairs[1] = 1024 + 7 * 16;  // a bank of its own
  EXPECT_EQ(load_bank_use(pairs, all, 16).wavefronts, 4U);
  EXPECT_EQ(load_bank_use(pairs, all & ~2U, 16).wavefronts, 2U) << "an idle lane agrees";
}

TEST(Banks, nobody_there_costs_nothing) {
  const auto a = strided(1, 4);
  EXPECT_EQ(load_bank_use(a, 0, 4).wavefronts, 0U);
  EXPECT_EQ(store_bank_use(a, 0, 16).ideal, 0U);
  EXPECT_EQ(atomic_bank_use(a, 0, 8).wavefronts, 0U);
  EXPECT_EQ(sectors(a, 0, 4), 0U);
}

TEST(Sectors, a_warp_of_words_has_four_and_one_more_when_misplaced) {
  EXPECT_EQ(sectors(strided(1, 4), all, 4), 4U);
  EXPECT_EQ(sectors(at([](auto l) { return 4 + l * 4; }), all, 4), 5U);
  EXPECT_EQ(sectors(strided(1, 4), 0xFF, 4), 1U);
  EXPECT_EQ(sectors(strided(1, 16), all, 16), 16U);
  for (std::uint64_t stride = 1; stride <= 33; ++stride) {
    const auto expected = stride < 8 ? (31 * stride * 4) / 32 + 1 : 32;
    EXPECT_EQ(sectors(strided(stride, 4), all, 4), expected) << stride;
  }
}

TEST(Sectors, order_of_the_lanes_does_not_matter) {
  EXPECT_EQ(sectors(at([](auto l) { return (31 - l) * 4; }), all, 4), 4U);
  EXPECT_EQ(sectors(at([](auto l) { return l * 13 % 32 * 4; }), all, 4), 4U);
}

TEST(Sectors, atomics_on_one_cell_take_turns) {
  EXPECT_EQ(atomic_sectors(strided(1, 4), all, 4), 4U);
  EXPECT_EQ(atomic_sectors(at([](auto) { return std::uint64_t{64}; }), all, 4), 32U);
  EXPECT_EQ(atomic_sectors(at([](auto l) { return l / 2 * 4; }), all, 4), 4U);  // two, twice
}

TEST(DistinctBytes, count_shared_bytes_once) {
  EXPECT_EQ(distinct_bytes(strided(1, 4), all, 4), 128U);
  EXPECT_EQ(distinct_bytes(at([](auto l) { return l / 4 * 16; }), all, 16), 128U);
  EXPECT_EQ(distinct_bytes(strided(1, 4), 0x3, 4), 8U);
}

}  // namespace
}  // namespace gauntlet::simt
