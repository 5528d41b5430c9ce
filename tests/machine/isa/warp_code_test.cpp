// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is asked of the addresses of a whole warp, lane by lane.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

#include "machine/code/target.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt::test::warps {
namespace {

using Addresses = std::array<std::uint64_t, warp_size>;

/// Of elements of 4 bytes, most of them beside the one before, or the same, some anywhere.
Addresses drawn(std::minstd_rand& random, std::uint64_t base) {
  Addresses all;
  std::uint64_t at = base + 4 * (random() % 64);
  for (std::uint64_t& address : all) {
    const unsigned how = random() % 16;
    if (how == 0) at = base + 4 * (random() % 64);
    address = at;
    if (how < 14) at += 4;
  }
  return all;
}

/// Lanes of which the address is that of the lane before and so much.
std::uint32_t lanes_behind(const Addresses& all, std::uint64_t step) {
  std::uint32_t lanes = 0;
  for (unsigned l = 1; l < warp_size; ++l) {
    lanes |= std::uint32_t{all[l] - all[l - 1] == step} << l;
  }
  return lanes;
}

TEST(WarpCode, names_the_lanes_that_lie_so_far_behind_the_one_before) {
  std::minstd_rand random(1);
  for (unsigned round = 0; round < 2000; ++round) {
    const Addresses all = drawn(random, 0x7000'0000'0000);
    for (const std::uint64_t step : {0, 4, 8}) {
      EXPECT_EQ(simt::warp_code().steps64(all.data(), step), lanes_behind(all, step));
    }
  }
}

TEST(WarpCode, says_where_lanes_access_a_region_and_whether_all_do) {
  std::minstd_rand random(2);
  constexpr std::uint64_t base = 0x7000'0000'0000, last = 4 * 63 + 4 * warp_size;
  for (unsigned round = 0; round < 2000; ++round) {
    Addresses all = drawn(random, base);
    const unsigned who = random() % warp_size;
    // In front of the region, behind it, far from it, nowhere.
    constexpr std::uint64_t outside[] = {base - 1, base + last + 1, 0, ~0ULL, base ^ 1ULL << 63};
    const unsigned which = random() % 10;
    if (which < std::size(outside)) all[who] = outside[which];
    const Reach reach = simt::warp_code().reach64(all.data(), base, last, 4);
    EXPECT_EQ(reach.behind, lanes_behind(all, 4));
    EXPECT_EQ(reach.again, lanes_behind(all, 0));
    EXPECT_EQ(reach.inside, which >= std::size(outside));
    if (!reach.inside) continue;
    const auto [lowest, highest] = std::ranges::minmax(all);
    EXPECT_EQ(reach.lowest, lowest - base);
    EXPECT_EQ(reach.highest, highest - base);
    std::uint64_t bits = 0;
    for (const std::uint64_t address : all) bits |= address;
    EXPECT_EQ(reach.bits, bits);
  }
}

TEST(WarpCode, makes_addresses_of_what_registers_hold_and_those_of_32_bits_begin_again) {
  std::minstd_rand random(3);
  std::array<std::uint32_t, warp_size> narrow;
  Addresses wide, all;
  for (unsigned l = 0; l < warp_size; ++l) {
    narrow[l] = static_cast<std::uint32_t>(random()) | 1U << 31;
    wide[l] = std::uint64_t{narrow[l]} << 31 | random();
  }
  for (const std::uint32_t offset : {0U, 16U, ~3U, 1U << 31}) {
    simt::warp_code().addresses32(all.data(), narrow.data(), offset);
    for (unsigned l = 0; l < warp_size; ++l) {
      EXPECT_EQ(all[l], static_cast<std::uint32_t>(narrow[l] + offset));
    }
    const std::uint64_t far = ~std::uint64_t{offset};
    simt::warp_code().addresses64(all.data(), wide.data(), far);
    for (unsigned l = 0; l < warp_size; ++l) EXPECT_EQ(all[l], wide[l] + far);
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::warps
