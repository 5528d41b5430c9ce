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

TEST(RunTextures, are_filtered_as_an_h200_filters_them) {
  expect_clean(run_program("filtered", {}, {"--leak-check"}),
               "f32 1D 1000 wrap normalised: 729b108e5578a70e\n"
               "f32 1D 37 mirror normalised: a5fa64335171ce43\n"
               "f32 2D 19 mirror normalised: b83541a2140666dc\n"
               "f32 2D 32 border: 4852598bbfccea5d\n"
               "f32 3D 7 clamp: cfe3313eb1f9cc32\n"
               "f16 1D 1000 wrap normalised: 83af909419606000\n"
               "f16 1D 37 mirror normalised: 42f98f25a0bf0000\n"
               "f16 2D 19 mirror normalised: 4c4a944f67db8000\n"
               "f16 2D 32 border: 7c6112259c6c2000\n"
               "f16 3D 7 clamp: 44de0a1a6e21c000\n"
               "u8 1D 1000 wrap normalised: ca4b2f140f7d207f\n"
               "u8 1D 37 mirror normalised: 74efba4c15e997f6\n"
               "u8 2D 19 mirror normalised: 4f874a600f0c9bf5\n"
               "u8 2D 32 border: 5398103d5ece7ada\n"
               "u8 3D 7 clamp: 3878e3edad8a10f8\n"
               "s8 1D 1000 wrap normalised: f296395714f342e2\n"
               "s8 1D 37 mirror normalised: d9566d41d43ef36d\n"
               "s8 2D 19 mirror normalised: b0b22c440aa01af3\n"
               "s8 2D 32 border: 16c81d9e1344e28e\n"
               "s8 3D 7 clamp: b38a01c7b4ce6b2f\n"
               "u16 1D 1000 wrap normalised: 08403d17c63e4d87\n"
               "u16 1D 37 mirror normalised: edb2c106db458cb2\n"
               "u16 2D 19 mirror normalised: 298e51ad53700a7c\n"
               "u16 2D 32 border: 3f1907d2d31ce85a\n"
               "u16 3D 7 clamp: 06331086b90d17cc\n"
               "s16 1D 1000 wrap normalised: e951b5c2f5d450a0\n"
               "s16 1D 37 mirror normalised: 8092e9f296ed1d6f\n"
               "s16 2D 19 mirror normalised: aee6f2cb2113761c\n"
               "s16 2D 32 border: e983254cf0042a31\n"
               "s16 3D 7 clamp: a0f575832f86af21\n"
               "f32 1D 20000 mirror normalised: 0f7cfe8b1ada2e10\n"
               "f32 1D 20000 clamp normalised: 9e546ed0a20d583a\n"
               "f32 1D 8 border: 8395803e29956319\n");
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
