// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Specs whose blocks take tiles of one array.
#include <gtest/gtest.h>

#include <string>

#include "base/usage_error.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/source.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::spec {
namespace {

const std::string tile_types = "kernel k.cu\ntypes f32->f32 i32->i32\n";
const std::string tile_arrays = "in in:T[n]\nout out:ACC[blocks]\narg n:u64 = n\n";
const std::string tile_launch = "launch grid=max(1, ceil(n / tile)) block=1..1024\n";
const std::string tile_result = "result out[b] = OP(in[b * tile .. (b + 1) * tile]) height 9\n";

std::string spec_refusal(const std::string& text) {
  return message_of<UsageError>([&] { (void)parse_spec(text, "k.gauntlet"); });
}

/// Planned as if the kernel were compiled.
Plan planned_tiles(const std::string& text, const Case& c) {
  Loaded loaded;
  bind(loaded.program, parse_spec(text, "k.gauntlet"));
  loaded.entries[{}] = std::vector<std::string>(loaded.program.spec.launches.size(), "k");
  return plan(loaded, c);
}

std::string plan_refusal(const std::string& text, const Case& c) {
  try {
    return planned_tiles(text, c).refusal;
  } catch (const UsageError& error) {
    return error.what();
  }
}

Case case_with(std::uint64_t n, std::uint32_t block, std::uint32_t grid = 0) {
  Case c;
  c.n = n;
  c.block = block;
  c.grid = grid;
  return c;
}

TEST(Tiles, lie_one_behind_another) {
  const std::string text =
      tile_types + "tile 2 * block\n" + tile_arrays + tile_launch + tile_result;
  const Plan plan = planned_tiles(text, case_with(100, 16));
  EXPECT_EQ(plan.refusal, "");
  EXPECT_EQ(plan.grid, 4U);
  EXPECT_EQ(plan.padded, 128U);
  EXPECT_EQ(plan.height, 9U);
  EXPECT_EQ(plan.observed.at(0).cells, 4U);
  EXPECT_EQ(plan.observed.at(0).coverage.tile, 32U);
  EXPECT_EQ(planned_tiles(text, case_with(100, 16, 7)).launches.at(0).grid, (Dim3{7, 1, 1}));
  EXPECT_NE(planned_tiles(text, case_with(100, 16, 3)).refusal, "");
  // A block may leave a result for each half of its tile; but a window has whole blocks.
  const std::string halves =
      tile_types + "tile 2 * block\nin in:T[n]\nout out:ACC[ceil(n / block)]\narg n:u64 = n\n" +
      tile_launch + "result out[k] = OP(in[k * block .. (k + 1) * block]) height 9\n";
  Case c = case_with(100, 16);
  EXPECT_EQ(planned_tiles(halves, c).observed.at(0).cells, 7U);
  EXPECT_EQ(planned_tiles(halves, c).observed.at(0).coverage.tile, 16U);
  c.block_count = 1;
  EXPECT_EQ(planned_tiles(text, c).refusal, "");
  EXPECT_NE(planned_tiles(halves, c).refusal.find("several partial results"), std::string::npos);
}

TEST(Tiles, of_a_window_far_in_the_input_have_the_cells_of_its_blocks) {
  const std::string text = tile_types + "tile block\n" + tile_arrays + tile_launch + tile_result;
  Case c = case_with((std::uint64_t{1} << 32) + 5, 256);
  c.first_block = 1 << 24;
  c.block_count = 1;
  const Plan plan = planned_tiles(text, c);
  EXPECT_EQ(plan.refusal, "");
  EXPECT_EQ(plan.observed.at(0).cells, 1U);
  EXPECT_EQ(plan.observed.at(0).coverage.first, std::uint64_t{1} << 24);
  EXPECT_EQ(plan.launches.at(0).args.at(1).byte_offset, 0 - (std::uint64_t{1} << 26));
}

TEST(Tiles, are_timed_at_any_size) {
  Loaded loaded;
  bind(loaded.program,
       parse_spec(tile_types + "tile block\n" + tile_arrays + tile_launch + tile_result,
                  "k.gauntlet"));
  loaded.entries[{}] = {"k"};
  const Case c = timed_case(loaded, 1 << 20);
  EXPECT_EQ(c.n, 1U << 20);
  EXPECT_EQ(c.block, 256U);
  EXPECT_TRUE(c.sizes.empty());
  EXPECT_EQ(timed_plan(loaded, c).grid, 1U << 12);
  ASSERT_TRUE(plain_sum(loaded, c));
  EXPECT_EQ(plain_sum(loaded, c)->n, 1U << 20);
}

TEST(Tiles, are_what_the_results_are_of) {
  const auto with = [](const std::string& value) {
    return plan_refusal(tile_types + "tile 2 * block\n" + tile_arrays + tile_launch +
                            "result out[b] = " + value + " height 9\n",
                        case_with(100, 16));
  };
  EXPECT_EQ(with("OP(in[b * tile .. (b + 1) * tile])"), "");
  EXPECT_EQ(with("OP(in[b * 2 * block .. (b + 1) * 2 * block])"), "");
  for (const char* wrong :
       {"OP(in[b * tile .. (b + 1) * tile - 1])", "OP(in[b * tile + 1 .. (b + 1) * tile])",
        "OP(in[b * block .. (b + 1) * tile])", "OP(in[b * 3 .. (b + 1) * 3])",
        "OP(in[i] for i in 0 .. n if i / tile == b)"}) {
    EXPECT_NE(with(wrong).find("is not that of its tiles"), std::string::npos) << wrong;
  }
  const auto in_turns = [](const std::string& condition) {
    return plan_refusal(tile_types + "size blocks = 1..8\ntile block\n" + tile_arrays +
                            "launch grid=blocks block=1..1024\nresult out[b] = OP(in[i] for i in "
                            "0 .. n if " +
                            condition + ") height 9\n",
                        case_with(100, 16, 3));
  };
  EXPECT_EQ(in_turns("i / tile % blocks == b"), "");
  EXPECT_NE(in_turns("i % blocks == b").find("is not that of its tiles"), std::string::npos);
  EXPECT_NE(in_turns("i / tile == b").find("is not that of its tiles"), std::string::npos);
}

TEST(Tiles, that_cannot_be_understood_are_refused_with_what_to_write) {
  const auto with = [](const std::string& text) {
    return spec_refusal(text + tile_launch + tile_result);
  };
  EXPECT_EQ(with(tile_types + "tile block\n" + tile_arrays), "");
  EXPECT_EQ(with(tile_types + "tile block most 8 reach n\n" + tile_arrays), "");
  EXPECT_NE(with(tile_types + "tile block\ntile block\n" + tile_arrays).find("declared twice"),
            std::string::npos);
  EXPECT_NE(with("kernel k.cu\ntile block\nin in:f32[n]\nout out:f32[blocks]\n").find("OP needs"),
            std::string::npos);
  EXPECT_NE(
      with(tile_types + "tile block\nin x:T[n]\nout out:ACC[blocks]\n").find("write in in:T[n]"),
      std::string::npos);
  EXPECT_NE(with(tile_types + "tile block\nin in:T[n]\nin y:T[n]\nout out:ACC[blocks]\n")
                .find("write out out:ACC[1]"),
            std::string::npos);
  EXPECT_NE(with(tile_types + "repeat 2\ntile block\n" + tile_arrays).find("launched once"),
            std::string::npos);
  EXPECT_NE(spec_refusal(tile_types + "tile block\n" + tile_arrays + tile_launch +
                         "result out[b] = in[b]\n")
                .find("write out[0] = OP(in) height n"),
            std::string::npos);
  EXPECT_NE(plan_refusal(tile_types + "size blocks = 1..8\ntile block - 1\n" + tile_arrays +
                             "launch grid=blocks block=1..1024\nresult out[0] = OP(in) height 9\n",
                         case_with(9, 1))
                .find("a tile of no elements"),
            std::string::npos);
  EXPECT_EQ(with(tile_types + "tile block\n" + tile_arrays + "scratch s:ACC[1] = 0\n"), "");
  EXPECT_NE(with(tile_types + "tile block\n" + tile_arrays + "scratch s:ACC[1] = 1\n")
                .find("beside the input of tiles a content is 0"),
            std::string::npos);
}

TEST(Tiles, are_of_any_n_and_of_the_blocks_that_the_spec_allows) {
  const std::string text = tile_types + "tile block\n" + tile_arrays +
                           "launch grid=max(1, ceil(n / tile)) block=32..64\n" + tile_result;
  EXPECT_EQ(plan_refusal(text, case_with(100'000, 32)), "");
  EXPECT_EQ(plan_refusal(text, case_with(100, 31)), "block=31: the spec allows 32..64");
}

TEST(Constants, of_some_types_have_values_of_their_own) {
  const std::string text = tile_types +
                           "size block = 32,64\ndefine B = block for f32->f32\n"
                           "define B = 64 for i32->i32\n"
                           "in x:T[n]\nout y:ACC[1]\nlaunch grid=1 block=block\n"
                           "result y[0] = OP(x)\n";
  const Spec spec = parse_spec(text, "k.gauntlet");
  const Instance f32{Type::f32, Type::f32, Op::sum}, i32{Type::i32, Type::i32, Op::sum};
  EXPECT_EQ(constants_of(spec, "fixed", f32).at(0).values, (std::vector<std::uint64_t>{32, 64}));
  EXPECT_EQ(constants_of(spec, "fixed", i32).at(0).values, (std::vector<std::uint64_t>{64}));
  const auto allows = [&](const Instance& instance, std::uint64_t block) {
    for (const Size& size : parse_spec(text, "k.gauntlet", {"fixed", instance}).sizes) {
      if (size.name == "block") return size.allows(block);
    }
    return false;
  };
  EXPECT_TRUE(allows(f32, 32));
  EXPECT_FALSE(allows(i32, 32));
  EXPECT_TRUE(allows(i32, 64));
  const auto twice = spec_refusal(text + "define B = 32 for f32->f32\n");
  EXPECT_NE(twice.find("B is declared twice"), std::string::npos) << twice;
  EXPECT_NE(spec_refusal(text + "define C = 48\n").find("48: block is 32,64"), std::string::npos);
}

}  // namespace
}  // namespace gauntlet::spec
