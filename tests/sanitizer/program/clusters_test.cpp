// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Clusters of blocks: values, and each mistake with its nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunClusters, use_each_others_shared_memory) {
  std::string out;
  for (const char* const what :
       {"numbers", "exchange", "histogram", "two parts", "squares", "leaves early"}) {
    out += std::string(what) + ": right\n";
  }
  expect_clean(run_program("clusters", {"all"}),
               out + "three of four: cudaErrorInvalidClusterSize\n" + "cudaSuccess\n");
}

struct PlantedCluster {
  const char* name;
  std::vector<std::string> kinds;
  const char* said;
  const char* error = "cudaSuccess";
};
void PrintTo(const PlantedCluster& planted, std::ostream* out) { *out << planted.name; }

class RunPlantedClusters : public testing::TestWithParam<PlantedCluster> {};

TEST_P(RunPlantedClusters, are_found_and_their_right_forms_are_clean) {
  const PlantedCluster& planted = GetParam();
  const Ran ran = run_program("clusters", {planted.name});
  EXPECT_EQ(ran.out, std::string(planted.error) + "\n") << ran.err;
  EXPECT_EQ(ran.kinds(), planted.kinds) << ran.err;
  EXPECT_EQ(ran.kinds("mistakes"), std::vector<std::string>{}) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find(planted.said), std::string::npos) << ran.err;
  expect_clean(run_program("clusters", {planted.name, "right"}), "cudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    all, RunPlantedClusters,
    testing::Values(
        PlantedCluster{"read_too_early",
                       {"race_write_read 128"},
                       "no barrier of the cluster orders the write at"},
        PlantedCluster{"published_by_none",
                       {"race_write_read 128"},
                       "no barrier of the cluster orders the write at"},
        PlantedCluster{"ends_too_early",
                       {"use_after_free 64"},
                       "block 0 of the cluster has ended, and with it its shared memory"},
        PlantedCluster{"first_reads_last",
                       {"use_after_free 64"},
                       "block 1 of the cluster has ended, and with it its shared memory"},
        PlantedCluster{"last_reads_first",
                       {"use_after_free 64"},
                       "block 0 of the cluster has ended, and with it its shared memory"},
        PlantedCluster{"both_write", {"race_write_write 32"}, "no barrier of the cluster orders"},
        PlantedCluster{"beyond", {"out_of_bounds_read 2"}, "cells"},
        PlantedCluster{"no_such_rank",
                       {"unallocated 128"},
                       "the cluster has 2 blocks, and none of rank 2",
                       "cudaErrorIllegalAddress"},
        PlantedCluster{"never_written", {"poison_branch 2"}, "cells"},
        PlantedCluster{"one_stays_away",
                       {"deadlock 3", "deadlock 1"},
                       "the barrier of the cluster waits for 128",
                       "cudaErrorLaunchFailure"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace gauntlet::test
