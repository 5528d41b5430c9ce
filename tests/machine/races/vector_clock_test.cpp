// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Vector clocks that share what they know, beside maps that share nothing.
#include "machine/races/vector_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace gauntlet::simt::test::vector_clock {
namespace {

using Clock = simt::Clock;  // another test's has the name

struct Known {
  VectorClock clock;
  std::map<std::uint64_t, Clock> map;
  void raise(std::uint64_t party, Clock to) {
    clock.raise(party, to);
    Clock& known = map[party];
    known = std::max(known, to);
  }
  void join(const Known& other) {
    clock.join(other.clock);
    for (const auto& [party, to] : other.map) {
      Clock& known = map[party];
      known = std::max(known, to);
    }
  }
  [[nodiscard]] bool includes(const Known& other) const {
    return std::ranges::all_of(other.map, [&](const auto& one) {
      const auto known = map.find(one.first);
      return known != map.end() && one.second <= known->second;
    });
  }
};

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  std::uint32_t operator()(std::uint32_t below) {
    return static_cast<std::uint32_t>(random_()) % below;
  }
  std::uint64_t party(std::uint32_t blocks, std::uint32_t threads) {
    if ((*this)(8) == 0) return 1ULL << 63 | 4 * (*this)(600);
    return std::uint64_t{(*this)(blocks)} << 16 | (*this)(threads);
  }

 private:
  std::minstd_rand random_;
};

void expect_same(const Known& one, std::uint32_t blocks, std::uint32_t threads) {
  for (std::uint32_t b = 0; b < blocks; ++b) {
    for (std::uint32_t t = 0; t < threads; ++t) {
      const std::uint64_t party = std::uint64_t{b} << 16 | t;
      const Clock* const found = one.clock.find(party);
      const auto known = one.map.find(party);
      ASSERT_EQ(found != nullptr, known != one.map.end());
      if (found == nullptr) continue;
      ASSERT_EQ(*found, known->second);
    }
  }
}

/// As threads hand clocks on, each a copy of another's that knows more, and in any order.
TEST(VectorClock, knows_what_a_map_knows) {
  unsigned included = 0, apart = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const std::uint32_t blocks = 1 + random(6), threads = 1 + random(40);
    std::vector<Known> all(6);
    for (unsigned step = 0; step < 600; ++step) {
      Known& one = all[random(6)];
      const Known& other = all[random(6)];
      switch (random(8)) {
        case 0:
          one = other;
          break;
        case 1:
          one.join(other);
          break;
        case 2:
          if (random(4) == 0) {
            one.clock.forget_block(1);
            std::erase_if(one.map, [](const auto& known) { return known.first >> 16 == 1; });
          }
          break;
        default:
          for (std::uint32_t k = random(12); k != 0; --k) {
            one.raise(random.party(blocks, threads), {random(4), random(4), random(4) + step});
          }
      }
      ASSERT_EQ(one.clock.includes(other.clock), one.includes(other)) << seed << ' ' << step;
      ASSERT_EQ(other.clock.includes(one.clock), other.includes(one)) << seed << ' ' << step;
      (one.includes(other) ? included : apart) += 1;
      ASSERT_EQ(one.clock.empty(), one.map.empty());
    }
    for (const Known& one : all) expect_same(one, blocks, threads);
  }
  EXPECT_GT(included, 1000U);
  EXPECT_GT(apart, 1000U);
}

TEST(VectorClock, moves_what_it_knows_of_blocks) {
  VectorClock clock;
  for (std::uint32_t k = 0; k < 100; ++k) clock.raise(std::uint64_t{k % 7} << 16 | k, {k, 0, 1});
  clock.raise(1ULL << 63 | 8, {5, 0, 0});
  constexpr std::uint64_t bits = 1ULL << 59;
  const VectorClock moved = clock.of_blocks(bits);
  for (std::uint32_t k = 0; k < 100; ++k) {
    const Clock* const found = moved.find(bits | std::uint64_t{k % 7} << 16 | k);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, (Clock{k, 0, 1}));
    EXPECT_EQ(moved.find(std::uint64_t{k % 7} << 16 | k), nullptr);
  }
  EXPECT_EQ(moved.find(1ULL << 63 | 8), nullptr);
  EXPECT_TRUE(VectorClock{}.of_blocks(bits).empty());
}

/// What is joined into a shared clock changes that of nobody else.
TEST(VectorClock, that_is_shared_stays_as_it_is) {
  VectorClock first;
  for (std::uint32_t k = 0; k < 40; ++k) first.raise(k, {1, 0, 0});
  const SharedClock before = share(first);
  SharedClock own = before;
  VectorClock more;
  for (std::uint32_t k = 30; k < 90; ++k) more.raise(k, {2, 0, 0});
  join(own, share(more));
  for (std::uint32_t k = 0; k < 90; ++k) {
    EXPECT_EQ(before->find(k) == nullptr, k >= 40);
    ASSERT_NE(own->find(k), nullptr);
    EXPECT_EQ(own->find(k)->block_epoch, k >= 30 ? 2U : 1U);
    if (k >= 40) continue;
    EXPECT_EQ(before->find(k)->block_epoch, 1U);
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::vector_clock
