// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes of graphs that allocate, free, or depend on a condition: values, and each mistake with its
// nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunGraphNodes, allocate_free_branch_and_loop) {
  const std::string out =
      all_right({"memory of a graph", "attributes", "captured", "freed by the program",
                 "freed by the next launch", "if and switch", "loop", "captured loop",
                 "cudaGraphAddNode", "elements of 1, 2 and 4 bytes", "null outputs"});
  expect_clean(run_program("graph_nodes", {"all"}, {"--leak-check"}), out + "cudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    OfGraphNodes, RunPlanted,
    planted_in(
        "graph_nodes",
        {Planted{"no_edge_from_allocation", "race_write_write 1 (host)",
                 "writes 1024 bytes of cudaGraphAddMemAllocNode#1 from byte 0 on, which "
                 "cudaGraphAddMemAllocNode in node 1 of cudaGraphInstantiate#1 allocates"},
         Planted{"no_edge_to_end", "race_write_write 1 (host)",
                 "cudaGraphAddMemFreeNode in node 3 of cudaGraphInstantiate#1 frees"},
         Planted{"used_behind_end", "use_after_free 256", "cudaGraphAddMemAllocNode#2 was freed"},
         Planted{"copied_behind_end", "use_after_free 1 (host)",
                 "is memory of a graph, which is not allocated now"},
         Planted{"content_of_last_launch", "undefined_copy 1 (host)",
                 "that hold uninitialised values"},
         Planted{"turn_beside_turn", "race_write_write 1 (host)", "nothing orders the two"}}),
    name_of_planted);

}  // namespace
}  // namespace gauntlet::test
