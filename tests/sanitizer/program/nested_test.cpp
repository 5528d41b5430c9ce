// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches inside kernels: values, their order, and each race with its nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunNested, launches_streams_tails_and_recursion) {
  std::string out =
      all_right({"sees what was written", "in order", "at last", "down", "again",
                 "each thread its own", "shared memory and a variable", "memory", "copies"});
  out += "levels: 100\nlevels of ends: 100\ntoo much: right\n";
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

TEST(RunNested, ends_where_recursion_does_not) {
  expect_clean(run_program("nested", {"endless"}), "256 levels\ncudaSuccess\n");
}

INSTANTIATE_TEST_SUITE_P(
    OfNested, RunPlanted,
    planted_in("nested",
               {Planted{"reads_too_early", "race_write_read 1",
                        "nothing orders the write of the kernel launched at"},
                Planted{"no_barrier", "race_write_read 63",
                        "and the read of the kernel launched at"},
                Planted{"writes_meanwhile", "race_read_write 1",
                        "nothing orders the read of the kernel launched at"},
                Planted{"two_streams", "race_write_write 1 (host)", "of a kernel writes"},
                Planted{"forgotten", "race_write_write 1 (host)", "of a kernel writes"},
                Planted{"two_blocks", "race_write_write 1 (host)", "of a kernel writes"},
                Planted{"two_atomics", "race_atomic 1", "of the kernel launched at"},
                Planted{"beyond", "out_of_bounds_write 1", "launched by"},
                Planted{"of_grandchildren", "race_write_write 1",
                        "nothing orders the write of the kernel launched at"},
                Planted{"another_stream", "race_write_read 1 (host)",
                        "in cudaStreamCreateWithFlags#2 reads 256 bytes of cudaMalloc#1"}}),
    name_of_planted);

}  // namespace
}  // namespace gauntlet::test
