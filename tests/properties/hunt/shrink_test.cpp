// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/shrink.hpp"

#include <gtest/gtest.h>

#include "properties/hunt/generate.hpp"

namespace gauntlet::properties {
namespace {

Case big() {
  return parse_case(
      "v@documented f32->f32 sum n=30011 block=192 grid=157 data=with_nan seed=777 offset=12 "
      "tail=unmapped schedule=random:99");
}

TEST(Shrinker, reduces_everything_when_everything_fails) {
  const Shrunk shrunk = shrink(big(), [](const Case&) { return true; });
  EXPECT_EQ(to_string(shrunk.c),
            "v@documented f32->f32 sum n=0 block=1 grid=0 data=ones seed=1 offset=0 tail=poison "
            "schedule=lockstep");
  EXPECT_FALSE(shrunk.limited);
}

TEST(Shrinker, finds_the_least_n_of_a_monotone_failure) {
  for (const std::uint64_t least : {1UL, 2UL, 31UL, 97UL, 1000UL, 12345UL, 30011UL}) {
    const Shrunk shrunk = shrink(big(), [&](const Case& c) { return c.n >= least; });
    EXPECT_EQ(shrunk.c.n, least);
    EXPECT_FALSE(shrunk.limited);
  }
}

TEST(Shrinker, follows_a_ratio_of_n_to_the_block) {
  // Fails for one element more than k blocks: neither n nor the block can shrink alone for long.
  const auto fails = [](const Case& c) { return c.n > c.block && c.n % c.block == 1; };
  Case c = big();
  c.n = 192 * 150 + 1;
  const Shrunk shrunk = shrink(c, fails);
  EXPECT_TRUE(fails(shrunk.c));
  EXPECT_LE(shrunk.c.n, 9U);
  EXPECT_LE(shrunk.c.block, 8U);
}

TEST(Shrinker, keeps_what_the_failure_needs) {
  const auto fails = [](const Case& c) {
    return c.data == Data::uniform && c.offset == 4 && c.tail == Tail::dirty &&
           c.schedule == "warp_reversed" && c.seed > 1;
  };
  Case c = big();
  c.data = Data::uniform;
  c.offset = 4;
  c.tail = Tail::dirty;
  c.schedule = "warp_reversed";
  const Shrunk shrunk = shrink(c, fails);
  EXPECT_TRUE(fails(shrunk.c));
  EXPECT_EQ(shrunk.c.n, 0U);
  EXPECT_EQ(shrunk.c.seed, 2U);
}

TEST(Shrinker, never_returns_a_case_that_holds) {
  // A failure with no structure at all.
  const auto fails = [](const Case& c) { return derive_seed(3, to_string(c)) % 4 == 0; };
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    Case c = big();
    c.seed = seed;
    if (!fails(c)) continue;
    const Shrunk shrunk = shrink(c, fails);
    EXPECT_TRUE(fails(shrunk.c));
    EXPECT_TRUE(simpler(shrunk.c, c) || shrunk.c == c);
  }
}

TEST(Shrinker, returns_the_case_itself_when_nothing_smaller_fails) {
  const Shrunk shrunk = shrink(big(), [](const Case& c) { return c == big(); });
  EXPECT_EQ(shrunk.c, big());
  EXPECT_GT(shrunk.steps, 0U);
  EXPECT_FALSE(shrunk.limited);
}

TEST(Shrinker, stops_at_the_limit_of_steps) {
  unsigned asked = 0;
  const Shrunk shrunk = shrink(big(), [&](const Case& c) { return ++asked, c.n >= 12345; },
                               {.steps = 5, .seconds = 10});
  EXPECT_EQ(asked, 5U);
  EXPECT_EQ(shrunk.steps, 5U);
  EXPECT_TRUE(shrunk.limited);
  EXPECT_GE(shrunk.c.n, 12345U);
}

TEST(Shrinker, stops_at_the_limit_of_time) {
  const Shrunk shrunk =
      shrink(big(), [](const Case&) { return true; }, {.steps = 400, .seconds = 0});
  EXPECT_TRUE(shrunk.limited);
  EXPECT_EQ(shrunk.c, big());
}

TEST(Shrinker, tries_no_case_twice) {
  std::set<std::string> tried;
  (void)shrink(big(), [&](const Case& c) {
    EXPECT_TRUE(tried.insert(to_string(c)).second) << to_string(c);
    return c.n >= 97;
  });
}

TEST(Shrinker, compares_candidates_with_their_grid_filled_in) {
  const auto complete = [](Case& c) {
    if (c.grid == 0) c.grid = 3;
  };
  const auto fails = [](const Case& c) { return c.grid >= 1 && c.n >= 10; };
  const Shrunk shrunk = shrink(big(), fails, {}, complete);
  EXPECT_EQ(shrunk.c.grid, 1U) << "the derived grid of 3 is no simpler than an explicit 1";
}

TEST(Shrinker, keeps_the_window_of_a_huge_case) {
  Case c = big();
  c.n = std::uint64_t{1} << 32;
  c.first_block = 22369621;
  c.block_count = 1;
  for (const Case& candidate : shrink_candidates(c)) {
    EXPECT_TRUE(candidate.block_count != 0 || candidate.n <= 1U << 16) << to_string(candidate);
  }
}

TEST(Shrinker, reduces_a_grid_as_long_as_its_window_stays_small) {
  Case c = big();
  c.n = std::uint64_t{1} << 32;
  c.grid = 1U << 17;
  c.block_count = 1;
  const Shrunk shrunk =
      shrink(c, [](const Case& next) { return next.n == 1ULL << 32 && next.grid != 0; });
  EXPECT_EQ(shrunk.c.block_count, 1U);
  EXPECT_EQ(shrunk.c.n / shrunk.c.grid, 1U << 20) << to_string(shrunk.c);
}

TEST(Shrinker, every_candidate_is_simpler_and_spelled_right) {
  for (const Case& candidate : shrink_candidates(big())) {
    EXPECT_TRUE(simpler(candidate, big()));
    EXPECT_FALSE(simpler(big(), candidate));
    EXPECT_EQ(parse_case(to_string(candidate)), candidate);
  }
}

}  // namespace
}  // namespace gauntlet::properties
