// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Clusters of blocks: values, and each mistake with its nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunClusters, use_each_others_shared_memory) {
  const std::string out = all_right({"numbers", "exchange", "histogram", "two parts", "squares",
                                     "leaves early", "the device launches clusters"});
  expect_clean(run_program("clusters", {"all"}),
               out + "three of four: cudaErrorInvalidClusterSize\n" + "cudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    OfClusters, RunPlanted,
    planted_in("clusters",
               {Planted{"read_too_early", "race_write_read 128",
                        "no barrier of the cluster orders the write at"},
                Planted{"published_by_none", "race_write_read 128",
                        "no barrier of the cluster orders the write at"},
                Planted{"ends_too_early", "use_after_free 64",
                        "block 0 of the cluster has ended, and with it its shared memory"},
                Planted{"first_reads_last", "use_after_free 64",
                        "block 1 of the cluster has ended, and with it its shared memory"},
                Planted{"last_reads_first", "use_after_free 64",
                        "block 0 of the cluster has ended, and with it its shared memory"},
                Planted{"both_write", "race_write_write 32", "no barrier of the cluster orders"},
                Planted{"beyond", "out_of_bounds_read 2", "cells"},
                Planted{"no_such_rank", "unallocated 128",
                        "the cluster has 2 blocks, and none of rank 2", "cudaErrorIllegalAddress"},
                Planted{"never_written", "poison_branch 2", "cells"},
                Planted{"one_stays_away", "deadlock 3, deadlock 1",
                        "the barrier of the cluster waits for 128", "cudaErrorLaunchTimeout"}}),
    name_of_planted);

}  // namespace
}  // namespace gauntlet::test
