// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 7: cooperative groups.
#include "tests/kernels/claims/runner.hpp"

namespace gauntlet::claims {
namespace {

TEST(Statement7, thread_block_knows_rank_size_and_indices_in_up_to_three_dimensions) {
  expect_holds(survey_block_group(runner()), 10'000);
}

TEST(Statement7, tiles_of_static_and_run_time_size_and_nested_ones_are_lanes_in_a_row) {
  expect_holds(survey_tiles(runner()), 50'000);
}

TEST(Statement7, tile_shuffles_stay_in_their_tile_and_need_no_mask) {
  expect_holds(survey_tile_shuffles(runner()), 62U * 64 * 4 + 256 * 32);
}

}  // namespace
}  // namespace gauntlet::claims
