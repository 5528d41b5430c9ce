// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Textures, surfaces and cudaArrays: values, and what is done with them that must not be, each with
// its nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunTextures, give_the_values_that_the_programming_guide_describes) {
  const std::string out = all_right({"1D, point",
                                     "2D, point",
                                     "3D, point",
                                     "1D layers, point",
                                     "2D layers, point",
                                     "1D, linear",
                                     "2D, linear",
                                     "3D, linear",
                                     "2D layers, linear",
                                     "2D, border",
                                     "2D, linear, border",
                                     "2D, normalised",
                                     "2D, wrap",
                                     "2D, mirror",
                                     "2D, linear, wrap",
                                     "2D, linear, mirror",
                                     "2D, wrap without normalised coordinates clamps",
                                     "u8",
                                     "s8",
                                     "u16 x 2",
                                     "s16 x 4",
                                     "u32 x 4",
                                     "s32",
                                     "f32 x 4",
                                     "fractions of u8",
                                     "fractions of s16",
                                     "f16",
                                     "gather",
                                     "surfaces",
                                     "copies",
                                     "arrays that are none",
                                     "pitched memory",
                                     "linear memory"});
  expect_clean(run_program("textures", {}, {"--leak-check"}), out);
}

TEST(RunTextures, of_cube_maps_are_those_that_a_direction_meets) {
  expect_clean(run_program("cube_maps", {}, {"--leak-check"}),
               "cube map: right\ncube maps in layers: right\n");
}

TEST(RunTextures, of_the_driver_are_the_same) {
  expect_clean(run_program("driver_textures", {}, {"--leak-check"}),
               "0 0.2 0.4 0.6\n51 102 153 9 9 9 \nbeyond the row: 1\nerrors: 0\n");
}

INSTANTIATE_TEST_SUITE_P(
    OfTextures, RunPlanted,
    planted_in("textures_wrong",
               {Planted{"undefined_row", "undefined_copy 1 (host)",
                        "comes from cudaMallocArray#1[24], read at textures_wrong.cu:"},
                Planted{"undefined_neighbour", "undefined_copy 1 (host)",
                        "comes from cudaMallocArray#1[24], read at textures_wrong.cu:"},
                Planted{"undefined_coordinate", "poison_address 1",
                        "the value comes from cudaMalloc#1[7]"},
                Planted{"destroyed", "unallocated 1", "0x1 is no texture or surface object",
                        "cudaErrorIllegalAddress"},
                Planted{"freed", "use_after_free 8, undefined_copy 1 (host)",
                        "cudaMallocArray#1 was freed"},
                Planted{"memory_below", "race_read_only 31", "race_read_only cudaMalloc#1[1]"},
                Planted{"one_element", "race_write_write 7",
                        "race_write_write cudaMallocArray#1[0]"},
                Planted{"no_barrier", "race_write_read 40", "race_write_read cudaMallocArray#2["},
                Planted{"outside", "out_of_bounds_write 1",
                        "byte 32, 0 lies outside of the surface of 8 by 4 by 1 elements"},
                Planted{"copied_elsewhere", "race_write_read 1 (host)",
                        "reads 32 bytes of cudaMallocArray#1 from byte 32 on, which "
                        "cudaMemcpy2DToArrayAsync in cudaStreamCreate#1 writes"},
                Planted{"cube_map", "unallocated 1", "the texture has 2 dimensions and layers",
                        "cudaErrorIllegalAddress"}}),
    name_of_planted);

}  // namespace
}  // namespace gauntlet::test
