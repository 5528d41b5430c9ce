// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a graph of steps tells, beside maps: whatever was made vector clocks in between.
#include "machine/races/causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "machine/races/room.hpp"

namespace gauntlet::simt::test::causes {
namespace {

using races::Causes;
using races::Known;
using Asked = Causes::Asked;
using Clock = simt::Clock;  // another test's has the name

constexpr std::uint64_t bits = 1ULL << 58, variable = 1ULL << 63;
constexpr std::uint32_t blocks = 3, threads = 70;

std::uint64_t key(std::uint32_t block, std::uint32_t thread) {
  return std::uint64_t{block} << 16 | thread;
}

/// What is known, and of which threads' clocks that is made up.
struct Step {
  Known known{};
  std::map<std::uint64_t, Clock> map;
  void raise(std::uint64_t party, Clock to) {
    Clock& clock = map[party];
    clock = std::max(clock, to);
  }
  void join(const Step& other) {
    for (const auto& [party, clock] : other.map) raise(party, clock);
  }
  /// Of one of these parties, so much.
  [[nodiscard]] bool tells(std::uint64_t from, std::uint64_t to, Clock clock) const {
    return std::any_of(map.lower_bound(from), map.upper_bound(to),
                       [&](const auto& one) { return clock <= one.second; });
  }
};

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  std::uint32_t operator()(std::uint32_t below) {
    return static_cast<std::uint32_t>(random_()) % below;
  }

 private:
  std::minstd_rand random_;
};

/// Clocks of threads that count barriers and what they do alone.
class Times {
 public:
  Clock at(std::uint32_t block, std::uint32_t thread) const {
    return {epoch_[block], warp_[block][thread / 32], sequence_[block][thread]};
  }
  void go_on(Random& random) {
    const std::uint32_t block = random(blocks), thread = random(threads);
    const std::uint32_t how = random(8);
    if (how == 0) ++epoch_[block];
    if (how == 1) ++warp_[block][thread / 32];
    ++sequence_[block][thread];
  }

 private:
  std::uint32_t epoch_[blocks] = {}, warp_[blocks][3] = {}, sequence_[blocks][threads] = {};
};

void expect_same(Causes& causes, const Step& step, Random& random) {
  for (unsigned k = 0; k < 20; ++k) {
    const std::uint32_t block = random(blocks), thread = random(threads), warp = thread / 32;
    const Clock clock{random(6), random(6), random(12)};
    const Clock of_epoch{clock.block_epoch, 0, 0}, of_warp{clock.block_epoch, random(6), 0};
    const std::uint64_t party = key(block, thread), one = variable | random(50);
    const auto knows = [&](Asked asked) { return causes.knows(step.known, {{asked}}); };
    EXPECT_EQ(knows(Asked::of(party, clock)), step.tells(party, party, clock));
    EXPECT_EQ(knows(Asked::of(bits | party, clock)), step.tells(bits | party, bits | party, clock));
    EXPECT_EQ(knows(Asked::of(one, of_epoch)), step.tells(one, one, of_epoch));
    EXPECT_EQ(knows(Asked::of_warp(key(block, 0), warp, of_warp)),
              step.tells(key(block, warp * 32), key(block, warp * 32 + 31), of_warp));
    EXPECT_EQ(knows(Asked::of_block(key(block, 0), of_epoch)),
              step.tells(key(block, 0), key(block, 0xFFFF), of_epoch));
    std::uint32_t epoch = 0;
    for (auto it = step.map.lower_bound(key(block, 0));
         it != step.map.upper_bound(key(block, 0xFFFF)); ++it) {
      epoch = std::max(epoch, it->second.block_epoch);
    }
    const auto epochs = causes.epochs(step.known);
    EXPECT_EQ(epochs != nullptr && block < epochs->size() ? (*epochs)[block] : 0, epoch);
    const Asked either[] = {Asked::of(party, clock), Asked::of(one, of_epoch)};
    EXPECT_EQ(causes.knows(step.known, either),
              step.tells(party, party, clock) || step.tells(one, one, of_epoch));
  }
}

void settle(Causes& causes, std::vector<Step>& all) {
  std::vector<Known*> held;
  for (Step& step : all) {
    if (step.known != Known::nothing) held.push_back(&step.known);
  }
  causes.settle(held);
}

/// Threads, who know ever more, and behind them variables. `may_settle`: what was made vector
/// clocks is gone on with.
void compare(unsigned seed, bool may_settle) {
  struct Thread {
    std::uint32_t block, number;
  };
  constexpr Thread all_threads[] = {{0, 0}, {0, 1}, {0, 40}, {1, 0}, {1, 33}, {2, 5}};
  Random random(seed);
  races::Room room;
  Causes causes(room);
  Times times;
  std::vector<Step> all(9);
  const auto learn = [&](Step& one, const Step& other) {
    one.known = causes.join(one.known, other.known);
    one.join(other);
  };
  for (unsigned step = 0; step < 300; ++step) {
    times.go_on(random);
    const std::uint32_t who = random(6);
    Step &one = all[who], &variable_of = all[6 + random(3)];
    const auto [block, thread] = all_threads[who];
    switch (random(8)) {
      case 0:
      case 1:
        learn(one, variable_of);
        break;
      case 2: {
        const std::uint64_t party = variable | random(50);
        one.known = causes.raise(one.known, party, {step / 50, 0, 0});
        one.raise(party, {step / 50, 0, 0});
        break;
      }
      case 3: {
        const Step other = all[random(9)];
        one.known = causes.moved(one.known, other.known, bits);
        for (const auto& [party, clock] : other.map) {
          if (party < bits) one.raise(bits | party, clock);
        }
        break;
      }
      case 4:
        if (may_settle && random(4) == 0) settle(causes, all);
        break;
      case 5: {  // acquires and releases, alone or among lanes that know nothing
        const Clock at = times.at(block, thread);
        const std::uint64_t warp = key(block, thread / 32 * 32);
        const std::uint32_t own = 1U << thread % 32, lanes = random(2) == 0 ? own : own | 0xF0F;
        Causes::Pasts pasts(causes, warp, lanes, at);
        Known known{};
        for (const int lane : lanes_of(lanes)) {
          const bool is_own = lane == static_cast<int>(thread % 32);
          const Known before = is_own ? one.known : Known::nothing;
          const Known theirs = is_own ? variable_of.known : Known::nothing;
          const Known past = pasts.add(before, theirs, lane, at.sequence);
          if (is_own) known = past;
        }
        one.known = known;
        one.join(variable_of);
        one.raise(key(block, thread), at);
        variable_of = one;
        break;
      }
      default: {
        // Of two lanes, where both know the same and have come as far.
        Step past = one;
        const Clock at = times.at(block, thread);
        std::uint32_t lanes = 1U << thread % 32;
        past.raise(key(block, thread), at);
        if (who == 1 && all[0].known == one.known && times.at(0, 0) == at) {
          lanes |= 1;
          past.raise(key(0, 0), at);
        }
        past.known = causes.past(one.known, key(block, thread / 32 * 32), lanes, at);
        if (random(3) == 0)
          variable_of = past;
        else
          learn(variable_of, past);
        expect_same(causes, variable_of, random);
      }
    }
    expect_same(causes, one, random);
  }
}

TEST(Causes, tell_what_maps_tell) {
  for (unsigned seed = 1; seed <= 20 && !testing::Test::HasFailure(); ++seed) {
    compare(seed, false);
    compare(seed, true);
  }
}

TEST(Causes, do_not_grow_where_the_same_is_learnt_again) {
  races::Room room;
  Causes causes(room);
  const Known mine = causes.past(Known::nothing, key(0, 0), 1, {1, 1, 1});
  const Known theirs = causes.past(Known::nothing, key(1, 0), 1, {1, 1, 1});
  const Known both = causes.join(mine, theirs);
  EXPECT_NE(both, mine);
  EXPECT_EQ(causes.join(mine, theirs), both);
  EXPECT_EQ(causes.join(both, theirs), both);
  EXPECT_EQ(causes.join(theirs, both), both);
  const Known later = causes.past(both, key(0, 0), 1, {1, 1, 2});
  EXPECT_EQ(causes.join(later, mine), later);
  EXPECT_FALSE(causes.recalls(later, variable, {3, 0, 0}));
  EXPECT_TRUE(causes.recalls(causes.raise(later, variable, {3, 0, 0}), variable, {3, 0, 0}));
  EXPECT_FALSE(causes.recalls(causes.raise(later, variable, {3, 0, 0}), variable, {4, 0, 0}));
}

TEST(Causes, leave_out_a_block_of_which_alone_they_tell) {
  races::Room room;
  Causes causes(room);
  const Known own = causes.past(Known::nothing, key(2, 0), 3, {1, 1, 1});
  EXPECT_EQ(causes.without(own, 2), Known::nothing);
  EXPECT_EQ(causes.without(causes.past(own, key(2, 32), 1, {1, 1, 1}), 2), Known::nothing);
  Known left = causes.without(causes.past(own, key(1, 0), 1, {1, 1, 1}), 2);
  ASSERT_NE(left, Known::nothing);
  Known* const held[] = {&left};
  causes.settle(held);
  EXPECT_TRUE(causes.knows(left, {{Asked::of(key(1, 0), {1, 1, 1})}}));
  EXPECT_FALSE(causes.knows(left, {{Asked::of(key(2, 0), {1, 1, 1})}}));
}

TEST(Causes, leave_out_a_block_of_which_alone_lanes_in_turn_tell) {
  races::Room room;
  Causes causes(room);
  const auto turn = [&](std::uint32_t block, Known before, Known theirs) {
    Causes::Pasts pasts(causes, key(block, 0), 0xFF, {1, 1, 0});
    for (int lane = 0; lane < 8; ++lane) theirs = pasts.add(before, theirs, lane, 1);
    return theirs;
  };
  Known own = turn(2, Known::nothing, Known::nothing);
  own = turn(2, own, own);
  EXPECT_EQ(causes.without(own, 2), Known::nothing);
  const Known other = turn(1, Known::nothing, Known::nothing);
  Known one = causes.without(turn(2, own, other), 2);
  Known two = causes.without(turn(2, other, own), 2);
  Known* const held[] = {&one, &two};
  for (const Known* const left : held) ASSERT_NE(*left, Known::nothing);
  causes.settle(held);
  for (const Known* const left : held) {
    EXPECT_TRUE(causes.knows(*left, {{Asked::of(key(1, 5), {1, 1, 1})}}));
    EXPECT_FALSE(causes.knows(*left, {{Asked::of(key(1, 8), {1, 1, 1})}}));
    EXPECT_FALSE(causes.knows(*left, {{Asked::of(key(2, 5), {1, 1, 1})}}));
  }
}

TEST(Causes, stay_as_they_are_without_a_block_of_which_they_do_not_tell) {
  races::Room room;
  Causes causes(room);
  const Known copies = causes.raise(Known::nothing, 1ULL << 60, {1, 0, 0});
  EXPECT_EQ(causes.without(copies, 2), copies);
  const Known of_other = causes.past(copies, key(1, 0), 1, {1, 1, 1});
  EXPECT_EQ(causes.without(of_other, 2), of_other);
  // Not all that it tells of is the block's: what is left is no thread's.
  const Known own = causes.past(copies, key(2, 0), 1, {1, 1, 1});
  const Known left = causes.without(own, 2);
  EXPECT_TRUE(causes.knows(left, {{Asked::of(1ULL << 60, {1, 0, 0})}}));
  ASSERT_NE(causes.epochs(left), nullptr);
  EXPECT_TRUE(causes.epochs(left)->empty());
  const auto both = causes.epochs(causes.join(left, of_other));
  ASSERT_NE(both, nullptr);
  EXPECT_EQ((*both)[1], 1U);
}

TEST(Causes, answer_a_question_again_as_before) {
  races::Room room;
  Causes causes(room);
  Known first = causes.past(Known::nothing, key(0, 0), 1, {1, 1, 1});
  Known known = causes.raise(first, variable, {3, 0, 0});
  for (unsigned k = 0; k < 2; ++k) {
    EXPECT_TRUE(causes.knows(known, {{Asked::of(variable, {3, 0, 0})}}));
    EXPECT_FALSE(causes.knows(known, {{Asked::of(variable, {4, 0, 0})}}));
    EXPECT_FALSE(causes.knows(first, {{Asked::of(variable, {3, 0, 0})}}));
    EXPECT_TRUE(causes.knows(known, {{Asked::of_lanes(key(0, 0), 1, {1, 1, 1})}}));
    EXPECT_FALSE(causes.knows(known, {{Asked::of_lanes(key(0, 0), 3, {1, 1, 1})}}));
  }
  // Numbers of steps are given anew.
  Known* const held[] = {&known};
  causes.settle(held);
  EXPECT_TRUE(causes.knows(known, {{Asked::of(variable, {3, 0, 0})}}));
  first = causes.past(Known::nothing, key(0, 1), 2, {1, 1, 1});
  EXPECT_FALSE(causes.knows(first, {{Asked::of(variable, {3, 0, 0})}}));
}

TEST(Causes, tell_epochs_that_threads_of_many_blocks_have_counted_up_to) {
  // A counter that a thread of each block comes to, round by round, and knows then.
  constexpr std::uint32_t many = 100, rounds = 20;
  races::Room room;
  Causes causes(room);
  std::vector<Known> of_block(many, Known::nothing);
  Known counter{};
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    for (std::uint32_t k = 0; k < many; ++k) {
      const Known past = causes.past(of_block[k], key(k, 0), 1, {round, 0, 0});
      counter = causes.join(counter, past);
      if (k % 3 != 0) of_block[k] = causes.join(of_block[k], counter);
      const auto known = causes.epochs(counter);
      ASSERT_NE(known, nullptr);
      EXPECT_EQ((*known)[k], round);
      EXPECT_EQ(known->size(), round == 1 ? k + 1 : many);
      for (std::uint32_t of = k + 1; of < known->size(); ++of) EXPECT_EQ((*known)[of], round - 1);
    }
    for (std::uint32_t k = 0; k < many; ++k) {
      of_block[k] = causes.without(causes.join(of_block[k], counter), k);
      const auto known = causes.epochs(of_block[k]);
      ASSERT_NE(known, nullptr);
      for (std::uint32_t of = 0; of < many; ++of) EXPECT_EQ((*known)[of], round);
    }
  }
}

TEST(Causes, become_vector_clocks_where_ways_are_long) {
  races::Room room;
  Causes causes(room);
  Known known{};
  for (std::uint32_t k = 0; k < 1000; ++k) {
    known = causes.past(known, key(k, 0), 1, {1, 1, 1});
  }
  unsigned asked = 0;
  for (; !causes.is_long() && asked < 100'000; ++asked) {
    ASSERT_TRUE(causes.knows(known, {{Asked::of(key(asked % 1000, 0), {1, 1, 1})}}));
    ASSERT_FALSE(causes.knows(known, {{Asked::of(key(asked % 1000, 0), {1, 1, 2})}}));
  }
  ASSERT_TRUE(causes.is_long());
  Known* const held[] = {&known};
  causes.settle(held);
  EXPECT_FALSE(causes.is_long());
  for (std::uint32_t k = 0; k < 1000; ++k) {
    EXPECT_TRUE(causes.knows(known, {{Asked::of(key(k, 0), {1, 1, 1})}}));
    EXPECT_FALSE(causes.knows(known, {{Asked::of(key(k, 0), {1, 1, 2})}}));
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::causes
