// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches inside kernels: values, their order, and each race with its nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunNested, launches_streams_tails_and_recursion) {
  std::string out;
  for (const char* const what :
       {"sees what was written", "in order", "at last", "down", "again", "each thread its own",
        "shared memory and a variable", "memory", "copies"}) {
    out += std::string(what) + ": right\n";
  }
  out += "levels: 24\nlevels of ends: 40\ntoo much: right\n";
  const Ran ran = run_program("nested", {"all"}, {"--leak-check"});
  expect_clean(ran, out + "cudaSuccess\n");
  std::uint64_t levels = 0;
  for (const auto& kernel : ran.json.at("processes").at(0).at("kernels")) {
    if (kernel.at("name").get<std::string>().find("down") != std::string::npos) {
      levels += kernel.at("launches").get<std::uint64_t>();
    }
  }
  EXPECT_EQ(levels, 6U) << "launches inside kernels count";
}

struct PlantedLaunch {
  const char *name, *of, *kind, *said;
};
void PrintTo(const PlantedLaunch& planted, std::ostream* out) { *out << planted.name; }

class RunPlantedLaunches : public testing::TestWithParam<PlantedLaunch> {};

TEST_P(RunPlantedLaunches, are_found_and_their_right_forms_are_clean) {
  const PlantedLaunch& planted = GetParam();
  const Ran ran = run_program("nested", {planted.name});
  EXPECT_EQ(ran.out, "cudaSuccess\n") << ran.err;
  const auto expected = [&](std::string_view of) {
    return of == planted.of ? std::vector<std::string>{planted.kind} : std::vector<std::string>{};
  };
  EXPECT_EQ(ran.kinds("findings"), expected("findings")) << ran.err;
  EXPECT_EQ(ran.kinds("mistakes"), expected("mistakes")) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find(planted.said), std::string::npos) << ran.err;
  expect_clean(run_program("nested", {planted.name, "right"}), "cudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    all, RunPlantedLaunches,
    testing::Values(
        PlantedLaunch{"reads_too_early", "findings", "race_write_read 1",
                      "nothing orders the write of the kernel launched at"},
        PlantedLaunch{"no_barrier", "findings", "race_write_read 63",
                      "and the read of the kernel launched at"},
        PlantedLaunch{"writes_meanwhile", "findings", "race_read_write 1",
                      "nothing orders the read of the kernel launched at"},
        PlantedLaunch{"two_streams", "mistakes", "race_write_write 1", "of a kernel writes"},
        PlantedLaunch{"forgotten", "mistakes", "race_write_write 1", "of a kernel writes"},
        PlantedLaunch{"two_blocks", "mistakes", "race_write_write 1", "of a kernel writes"},
        PlantedLaunch{"two_atomics", "findings", "race_atomic 1", "of the kernel launched at"},
        PlantedLaunch{"beyond", "findings", "out_of_bounds_write 1", "launched by"},
        PlantedLaunch{"of_grandchildren", "findings", "race_write_write 1",
                      "nothing orders the write of the kernel launched at"},
        PlantedLaunch{"another_stream", "mistakes", "race_write_read 1",
                      "in cudaStreamCreateWithFlags#2 reads 256 bytes of cudaMalloc#1"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace gauntlet::test
