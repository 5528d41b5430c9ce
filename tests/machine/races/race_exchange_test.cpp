// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Locks, flags, tickets and exchanges (race_locks.cu, race_flags.cu, race_exchange.cu): the right
// one of each pair is silent under every schedule; its twin, with one token of the order taken
// away, is found. Where threads synchronise through memory, who comes first is part of what orders,
// so that some twins are found only by a schedule in which the right party does; those that
// schedules_for() names are enough for each of them. The brute-force checker must agree with every
// run.
#include <algorithm>
#include <iterator>
#include <vector>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::race_exchange {
namespace {

struct Exchange {
  std::string name;
  std::uint32_t grid, block;
  Races planted;       ///< what the twin shows, over all schedules
  bool always = true;  ///< ... and every single one shows some of it
};

void PrintTo(const Exchange& exchange, std::ostream* out) { *out << exchange.name; }

class RaceExchange : public ::testing::TestWithParam<Exchange> {
 protected:
  virtual std::string ptx() const = 0;
  Races run(const std::string& entry, const std::string& schedule) const {
    return run_pair(ptx(), {entry, GetParam().grid, GetParam().block}, schedule);
  }
  void expect_silent() const {
    for (const auto* schedule : pair_schedules) {
      EXPECT_EQ(run(GetParam().name, schedule), Races{}) << schedule;
    }
  }
  void expect_found() const {
    const auto& twin = GetParam();
    Races all, by_default;
    for (const auto* schedule : pair_schedules) {
      const auto found = run(twin.name + "_twin", schedule);
      all.insert(found.begin(), found.end());
      const auto defaults = schedules_for(*module_in(ptx()), twin.name + "_twin");
      if (std::find(defaults.begin(), defaults.end(), schedule) != defaults.end()) {
        by_default.insert(found.begin(), found.end());
      }
      if (twin.always) {
        EXPECT_FALSE(found.empty()) << schedule;
      }
    }
    EXPECT_EQ(all, twin.planted);
    EXPECT_FALSE(by_default.empty());
  }
};

class RaceLock : public RaceExchange {
  std::string ptx() const override { return RACE_LOCKS_PTX; }
};
class RaceFlag : public RaceExchange {
  std::string ptx() const override { return RACE_FLAGS_PTX; }
};
class RaceTicket : public RaceExchange {
  std::string ptx() const override { return RACE_EXCHANGE_PTX; }
};

TEST_P(RaceLock, is_silent) { expect_silent(); }
TEST_P(RaceLock, has_a_twin_that_is_found) { expect_found(); }
TEST_P(RaceFlag, is_silent) { expect_silent(); }
TEST_P(RaceFlag, has_a_twin_that_is_found) { expect_found(); }
TEST_P(RaceTicket, is_silent) { expect_silent(); }
TEST_P(RaceTicket, has_a_twin_that_is_found) { expect_found(); }

const Exchange locks[] = {
    {"lock_acquire", 3, 32, {"race_read_write a", "race_write_write a"}, false},
    {"lock_release", 3, 32, {"race_read_write a", "race_write_write a"}, false},
    {"lock_scope", 3, 32, {"race_read_write a", "race_write_read a", "race_write_write a"}, false},
    {"lock_order", 3, 32, {"race_read_write a", "race_write_write a"}, false},
    {"lock_store_order", 3, 32, {"race_read_write a", "race_write_write a"}, false},
    {"ticket_lock", 3, 32, {"race_read_write a", "race_write_write a"}},
    {"ticket_lock_release", 3, 32, {"race_read_write a", "race_write_write a"}},
    {"lock_plain_store",
     3,
     32,
     {"race_atomic a", "race_read_write a", "race_same_value a", "race_write_write a"}},
    {"lane_lock", 1, 32, {"race_read_write a", "race_write_write a"}},
    {"shared_lock", 1, 96, {"race_read_write s", "race_write_write s"}, false},
    {"lock_peek", 3, 32, {"race_read_write a"}},
};
INSTANTIATE_TEST_SUITE_P(Kernels, RaceLock, ::testing::ValuesIn(locks),
                         [](const auto& row) { return row.param.name; });

const Exchange flags[] = {
    {"tail_behind_fence", 1, 32, {"race_read_write s", "race_write_read s"}},
    {"polled_by_all", 2, 32, {"race_read_write a"}},
    {"look_back", 3, 32, {"race_read_write a"}},
    {"look_once", 2, 32, {"race_read_write a"}},
    {"look_back_by_status", 3, 32, {"race_read_write a"}, false},
    {"asked_once", 2, 32, {"race_read_write a"}},
    {"flag_fence_order", 2, 32, {"race_read_write a"}},
    {"relaxed_flag", 2, 32, {"race_read_write a"}},
    {"reader_fence_order", 2, 32, {"race_read_write a"}},
    {"two_flags", 3, 32, {"race_read_write a"}},
    {"shared_flag", 1, 64, {"race_read_write s"}},
    {"lane_flag", 1, 32, {"race_write_read a"}},
    {"chain", 3, 32, {"race_write_read a"}},
    {"atomic_flag", 2, 32, {"race_read_write a"}},
    {"ping_pong", 2, 32, {"race_read_write a"}},
    {"counter_barrier", 3, 32, {"race_write_read a"}},
    {"ring_room", 2, 32, {"race_read_write a"}, false},
    {"dealt_tiles", 8, 32, {"race_write_read a"}, false},
};
INSTANTIATE_TEST_SUITE_P(Kernels, RaceFlag, ::testing::ValuesIn(flags),
                         [](const auto& row) { return row.param.name; });

const Exchange tickets[] = {
    {"fence_after_partial", 4, 32, {"race_write_read a"}},
    {"fence_of_block_before", 4, 32, {"race_write_read a"}},
    {"fence_of_block_after", 4, 32, {"race_write_read a"}},
    {"ticket_order", 3, 32, {"race_write_read a"}},
    {"ticket_release", 3, 32, {"race_write_read a"}},
    {"shared_ticket", 1, 96, {"race_write_read s"}},
    {"relaxed_exchange", 2, 32, {"race_write_read a"}},
    {"exchange_scope", 2, 32, {"race_write_read a"}},
    {"exchange_size", 2, 32, {"race_read_write a"}},
    {"greatest", 3, 32, {"race_read_write a", "race_write_write a"}},
    {"atomic_sum", 3, 32, {"race_atomic a"}},
};
INSTANTIATE_TEST_SUITE_P(Kernels, RaceTicket, ::testing::ValuesIn(tickets),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace gauntlet::simt::test::race_exchange
