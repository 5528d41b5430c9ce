// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// race_async.cu: what its kernels order stays silent under every schedule, and their twins are
// found under every schedule.
#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::race_async {
namespace {

struct Pair {
  std::string name;
  Races planted;
};
void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

class RaceAsync : public ::testing::TestWithParam<Pair> {};

TEST_P(RaceAsync, is_silent) {
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(
        run_pair(RACE_ASYNC_PTX,
                 {.entry = GetParam().name, .grid = 1, .block = 64, .may_wait = true}, schedule),
        Races{})
        << schedule;
  }
}

TEST_P(RaceAsync, has_a_twin_that_is_found) {
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(run_pair(RACE_ASYNC_PTX, {.entry = GetParam().name + "_twin", .grid = 1, .block = 64},
                       schedule),
              GetParam().planted)
        << schedule;
  }
}

const Pair pairs[] = {{"barrier_object", {"race_write_read cells"}},
                      {"barrier_phases", {"race_read_write cells"}},
                      {"copy_to_barrier", {"race_write_read cells"}},
                      {"copy_of_group", {"race_write_read cells"}},
                      {"copied_from", {"race_read_write a"}},
                      {"copied_from_other", {"race_read_write a"}},
                      {"two_stages", {"race_write_read cells", "race_write_write cells"}},
                      {"matrix_tile", {"race_write_read tile"}}};

INSTANTIATE_TEST_SUITE_P(Kernels, RaceAsync, ::testing::ValuesIn(pairs),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace gauntlet::simt::test::race_async
