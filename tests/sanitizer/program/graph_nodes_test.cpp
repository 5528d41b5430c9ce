// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes of graphs that allocate, free, or depend on a condition: values, and each mistake with its
// nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunGraphNodes, allocate_free_branch_and_loop) {
  std::string out;
  for (const char* const what :
       {"memory of a graph", "attributes", "captured", "freed by the program",
        "freed by the next launch", "if and switch", "loop", "cudaGraphAddNode"}) {
    out += std::string(what) + ": right\n";
  }
  expect_clean(run_program("graph_nodes", {"all"}, {"--leak-check"}), out + "cudaSuccess\n");
}

struct PlantedNode {
  const char *name, *of, *kind, *said;
};
void PrintTo(const PlantedNode& planted, std::ostream* out) { *out << planted.name; }

class RunPlantedNodes : public testing::TestWithParam<PlantedNode> {};

TEST_P(RunPlantedNodes, are_found_and_their_right_forms_are_clean) {
  const PlantedNode& planted = GetParam();
  const Ran ran = run_program("graph_nodes", {planted.name});
  EXPECT_EQ(ran.out, "cudaSuccess\n") << ran.err;
  const auto expected = [&](std::string_view of) {
    return of == planted.of ? std::vector<std::string>{planted.kind} : std::vector<std::string>{};
  };
  EXPECT_EQ(ran.kinds("findings"), expected("findings")) << ran.err;
  EXPECT_EQ(ran.kinds("mistakes"), expected("mistakes")) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find(planted.said), std::string::npos) << ran.err;
  expect_clean(run_program("graph_nodes", {planted.name, "right"}), "cudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    all, RunPlantedNodes,
    testing::Values(
        PlantedNode{"no_edge_from_allocation", "mistakes", "race_write_write 1",
                    "writes 1024 bytes of cudaGraphAddMemAllocNode#1 from byte 0 on, which "
                    "cudaGraphAddMemAllocNode in node 1 of cudaGraphInstantiate#1 allocates"},
        PlantedNode{"no_edge_to_end", "mistakes", "race_write_write 1",
                    "cudaGraphAddMemFreeNode in node 3 of cudaGraphInstantiate#1 frees"},
        PlantedNode{"used_behind_end", "findings", "use_after_free 256",
                    "cudaGraphAddMemAllocNode#2 was freed"},
        PlantedNode{"copied_behind_end", "mistakes", "use_after_free 1",
                    "is memory of a graph, which is not allocated now"},
        PlantedNode{"content_of_last_launch", "mistakes", "undefined_copy 1",
                    "that hold uninitialised values"},
        PlantedNode{"turn_beside_turn", "mistakes", "race_write_write 1",
                    "nothing orders the two"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace gauntlet::test
