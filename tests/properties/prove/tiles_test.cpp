// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Every n at once: what one block stands for, and how little makes it stand for itself alone.
#include "properties/prove/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "machine/engine/machine.hpp"
#include "tests/properties/prove/hand_written.hpp"

namespace gauntlet::prove {
namespace {

constexpr std::uint64_t tile = 4, most_blocks = 0x7FFF'FFFF;
const std::string index_64 =
    "mul.wide.u32 %rd4, %r2, %r3;\ncvt.u64.u32 %rd5, %r1;\n"
    "add.s64 %rd4, %rd4, %rd5;\n";
const std::string index_32 = "mad.lo.s32 %r4, %r2, %r3, %r1;\ncvt.u64.u32 %rd4, %r4;\n";
const std::string guarded_load =
    "setp.ge.u64 %p1, %rd4, %rd3;\nmov.f32 %f1, 0f00000000;\n@%p1 bra loaded;\n"
    "shl.b64 %rd5, %rd4, 2;\nadd.s64 %rd5, %rd1, %rd5;\nld.global.f32 %f1, [%rd5];\nloaded:\n";
/// Thread 0 goes on with the block's sum in %f1.
const std::string summed =
    "shl.b32 %r5, %r1, 2;\nmov.u32 %r6, s;\nadd.s32 %r5, %r5, %r6;\nst.shared.f32 [%r5], %f1;\n"
    "bar.sync 0;\nsetp.ne.s32 %p2, %r1, 0;\n@%p2 bra done;\nld.shared.f32 %f1, [s];\n"
    "ld.shared.f32 %f2, [s+4];\nld.shared.f32 %f3, [s+8];\nld.shared.f32 %f4, [s+12];\n"
    "add.f32 %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\nadd.f32 %f1, %f1, %f3;\n";
const std::string stored =
    "mul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd6, %rd2, %rd6;\nst.global.f32 [%rd6], %f1;\n";
const std::string added = "red.global.add.f32 [%rd2], %f1;\n";
const std::string right = index_64 + guarded_load + summed + stored;

/// A kernel of blocks of four threads, each with its number in %r1, its block's in %r2, the block's
/// size in %r3; the addresses of input and output in %rd1 and %rd2, n in %rd3. `one_cell`: all
/// blocks have one cell of output, else each has its own.
/// `longer`: as HandWritten has it.
AllN every_n(const std::string& body, bool one_cell = false, const std::string& longer = {}) {
  const auto plan = [one_cell](const Case& c) {
    const std::uint64_t blocks = std::max<std::uint64_t>(1, (c.n + tile - 1) / tile);
    Plan p;
    if (blocks > most_blocks) {
      p.refusal = "too many blocks";
      return p;
    }
    p.grid = static_cast<std::uint32_t>(blocks);
    p.padded = c.n;
    const std::uint64_t cells = one_cell ? 1 : blocks;
    p.buffers.push_back({"out", 4 * cells, 4, one_cell ? Fill::identity : Fill::poison});
    Launch launch;
    launch.module = "hand_written";
    launch.entry = "k";
    launch.grid = {p.grid, 1, 1};
    launch.block = {tile, 1, 1};
    launch.args = {Arg::of_array(Plan::input), Arg::of_array(Plan::buffer(0)), Arg::of_value(c.n)};
    p.launches = {launch};
    Observed out{"out", cells, {}};
    out.coverage.kind = one_cell ? Coverage::Kind::whole : Coverage::Kind::tiles;
    out.coverage.tile = tile;
    p.observed = {out};
    return p;
  };
  Case c;
  c.variant = "hand_written";
  c.block = tile;
  simt::ExecutorOptions machine;
  const auto module = test::module_of(R"(
.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 n)
{
  .reg .pred %p<16>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<32>;
  .reg .f32 %f<32>;
  .shared .align 8 .b8 s[64];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [n];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
)" + body + "done:\n  ret;\n}\n",
                                      longer);
  machine.module = [&](const std::string&) { return module; };
  return prove_all_n(
      c, plan, [] { return true; }, machine);
}

TEST(EveryN, a_tile_with_an_index_of_64_bits_is_proved_up_to_the_longest_grid) {
  const auto all = every_n(right);
  ASSERT_TRUE(all.proved) << all.why;
  EXPECT_EQ(all.tile, tile);
  EXPECT_EQ(all.runs, tile + 1);
  EXPECT_EQ(all.below, tile * most_blocks + 1);
  EXPECT_EQ(all.ends, "");
}
TEST(EveryN, an_operation_with_one_operand_more_is_not_followed) {
  for (const auto* op : {"mul.wide.u32", "add.s64", "setp.ge.u64", "shl.b64"}) {
    EXPECT_FALSE(every_n(right, false, op).proved) << op;
  }
}
TEST(EveryN, an_index_of_32_bits_is_proved_up_to_where_it_wraps) {
  const auto all = every_n(index_32 + guarded_load + summed + stored);
  ASSERT_TRUE(all.proved) << all.why;
  EXPECT_EQ(all.below, (std::uint64_t{1} << 32) + 1);
  EXPECT_NE(all.ends.find("an index wraps at PTX line"), std::string::npos) << all.ends;
}
TEST(EveryN, a_signed_index_wraps_sooner) {
  const auto all = every_n("mad.lo.s32 %r4, %r2, %r3, %r1;\ncvt.s64.s32 %rd4, %r4;\n" +
                           guarded_load + summed + stored);
  ASSERT_TRUE(all.proved) << all.why;
  EXPECT_EQ(all.below, (std::uint64_t{1} << 31) + 1);
}
TEST(EveryN, an_offset_in_bytes_of_32_bits_wraps_at_a_quarter) {
  const auto all = every_n(index_32 +
                           "setp.ge.u64 %p1, %rd4, %rd3;\nmov.f32 %f1, 0f00000000;\n"
                           "@%p1 bra loaded;\nshl.b32 %r7, %r4, 2;\ncvt.u64.u32 %rd5, %r7;\n"
                           "add.s64 %rd5, %rd1, %rd5;\nld.global.f32 %f1, [%rd5];\nloaded:\n" +
                           summed + stored);
  ASSERT_TRUE(all.proved) << all.why;
  EXPECT_EQ(all.below, (std::uint64_t{1} << 30) + 1);
}
TEST(EveryN, a_count_of_32_bits_is_compared_up_to_where_it_wraps) {
  const auto all = every_n(
      "mad.lo.s32 %r4, %r2, %r3, %r1;\nld.param.u32 %r7, [n];\nsetp.ge.u32 %p1, %r4, %r7;\n"
      "mov.f32 %f1, 0f00000000;\n@%p1 bra loaded;\nmul.wide.u32 %rd5, %r4, 4;\n"
      "add.s64 %rd5, %rd1, %rd5;\nld.global.f32 %f1, [%rd5];\nloaded:\n" +
      summed + stored);
  ASSERT_TRUE(all.proved) << all.why;
  EXPECT_EQ(all.below, std::uint64_t{1} << 32);
}
TEST(EveryN, all_blocks_may_add_to_one_cell) {
  const auto all = every_n(index_64 + guarded_load + summed + added, true);
  EXPECT_TRUE(all.proved) << all.why;
}
TEST(EveryN, the_rest_of_a_tile_may_be_a_minimum) {
  // min(n - first, 4) is 4 wherever elements follow.
  const auto all = every_n(
      "mul.wide.u32 %rd4, %r2, %r3;\nsub.s64 %rd7, %rd3, %rd4;\nmin.u64 %rd7, %rd7, 4;\n"
      "cvt.u64.u32 %rd5, %r1;\nadd.s64 %rd4, %rd4, %rd5;\nsetp.ge.u64 %p1, %rd5, %rd7;\n"
      "mov.f32 %f1, 0f00000000;\n@%p1 bra loaded;\nshl.b64 %rd5, %rd4, 2;\n"
      "add.s64 %rd5, %rd1, %rd5;\nld.global.f32 %f1, [%rd5];\nloaded:\n" +
      summed + stored);
  EXPECT_TRUE(all.proved) << all.why;
}
TEST(EveryN, a_comparison_that_no_block_changes_does_no_harm) {
  const auto all = every_n(
      "setp.lt.s32 %p3, %r2, 0;\n@%p3 bra done;\nmul.lo.s32 %r7, %r2, 4;\n"
      "and.b32 %r7, %r7, 3;\nsetp.ne.s32 %p3, %r7, 0;\n@%p3 bra done;\n" +
      right);
  EXPECT_TRUE(all.proved) << all.why;
}
TEST(EveryN, one_run_for_each_remainder_finds_the_one_that_is_wrong) {
  // Whole tiles are right; of three elements the last is lost.
  const auto all = every_n(index_64 +
                           "and.b64 %rd7, %rd3, 3;\nsub.s64 %rd8, %rd3, %rd4;\n"
                           "setp.eq.s64 %p3, %rd7, 3;\n@%p3 sub.s64 %rd3, %rd3, 1;\n" +
                           guarded_load + summed + stored);
  EXPECT_FALSE(all.proved);
  ASSERT_TRUE(all.failed) << all.why;
  EXPECT_EQ(all.failed->c.n, 3U);
}

struct Miss {
  std::string what, why, body;
  bool one_cell = false;
};
void PrintTo(const Miss& m, std::ostream* out) { *out << m.what; }

class NotEveryN : public testing::TestWithParam<Miss> {};

TEST_P(NotEveryN, for_its_reason) {
  const auto& m = GetParam();
  const auto all = every_n(m.body, m.one_cell);
  EXPECT_FALSE(all.proved);
  // Block 0 alone is right: only what it stands for is not.
  EXPECT_FALSE(all.failed) << text(*all.failed);
  EXPECT_TRUE(all.why.starts_with(m.why)) << all.why;
}

std::vector<Miss> misses() {
  const std::string load_and_sum = guarded_load + summed;
  return {
      {"block_5_does_nothing", "the branch", "setp.eq.s32 %p3, %r2, 5;\n@%p3 bra done;\n" + right},
      {"blocks_from_some_number_on_do_nothing", "the branch",
       "setp.gt.u32 %p3, %r2, 1000000;\n@%p3 bra done;\n" + right},
      {"odd_blocks_do_nothing", "the branch",
       "and.b32 %r7, %r2, 1;\nsetp.ne.s32 %p3, %r7, 0;\n@%p3 bra done;\n" + right},
      {"the_number_of_blocks_decides", "the branch",
       "mov.u32 %r7, %nctaid.x;\nsetp.gt.u32 %p3, %r7, 9;\n@%p3 bra done;\n" + right},
      {"a_guard_looks_at_the_block", "the guard",
       "mov.u32 %r8, 0;\nsetp.eq.s32 %p3, %r2, 5;\n@%p3 mov.u32 %r8, 1;\n" + right},
      {"elements_behind_the_tile_decide", "the branch",
       index_64 + "add.s64 %rd7, %rd4, 4;\nsetp.lt.u64 %p3, %rd7, %rd3;\n@%p3 bra done;\n" +
           load_and_sum + stored},
      {"a_product_of_two_strides_is_an_address", "the address",
       "mul.lo.s32 %r7, %r2, %r2;\nmul.wide.u32 %rd7, %r7, 16;\n" + index_64 +
           "setp.ge.u64 %p1, %rd4, %rd3;\nmov.f32 %f1, 0f00000000;\n@%p1 bra loaded;\n"
           "shl.b64 %rd5, %rd4, 2;\nadd.s64 %rd5, %rd1, %rd5;\nadd.s64 %rd5, %rd5, %rd7;\n"
           "ld.global.f32 %f1, [%rd5];\nloaded:\n" +
           summed + stored},
      {"every_block_reads_the_first_tile", "the address",
       index_64 +
           "setp.ge.u64 %p1, %rd4, %rd3;\nmov.f32 %f1, 0f00000000;\n@%p1 bra loaded;\n"
           "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd1, %rd5;\nld.global.f32 %f1, [%rd5];\n"
           "loaded:\n" +
           summed + stored},
      {"every_block_writes_the_first_cell", "the address",
       index_64 + load_and_sum + "st.global.f32 [%rd2], %f1;\n"},
      {"the_block_s_number_is_added", "what is made of elements",
       index_64 + load_and_sum + "cvt.rn.f32.u32 %f5, %r2;\nadd.f32 %f1, %f1, %f5;\n" + stored},
      {"the_block_s_number_is_stored", "what is stored",
       index_64 + load_and_sum + "st.shared.u32 [s+32], %r2;\n" + stored},
      {"a_minimum_of_the_block_s_number_decides", "the branch",
       "min.u32 %r7, %r2, 1;\nsetp.eq.s32 %p3, %r7, 1;\n@%p3 bra done;\n" + right},
      {"lanes_exchange_the_block_s_number", "what the lanes exchange",
       "shfl.sync.idx.b32 %r7, %r2, 0, 31, 15;\n" + right},
      {"a_store_meets_the_sums_of_other_blocks", "the cell that all blocks use",
       index_64 + load_and_sum + "st.global.f32 [%rd2], %f1;\n", true},
      {"a_sum_s_result_is_looked_at", "the cell that all blocks use",
       index_64 + load_and_sum +
           "atom.global.add.f32 %f5, [%rd2], %f1;\nmov.b32 %r7, %f5;\nst.shared.u32 [s+32], %r7;\n",
       true},
      {"a_fence_may_order_the_sums_of_blocks", "the cell that all blocks use",
       index_64 + load_and_sum + "membar.gl;\n" + added, true},
      {"two_operations_meet_in_the_cell_of_all_blocks", "the operation on the cell",
       index_64 + load_and_sum + added + "red.global.max.s32 [%rd2], 0x80000000;\n", true},
  };
}
INSTANTIATE_TEST_SUITE_P(all, NotEveryN, testing::ValuesIn(misses()),
                         [](const auto& info) { return info.param.what; });

// --- the catalogue

AllN of_form(const std::string& variant, const std::string& form, std::uint32_t block,
             Type in = Type::f32) {
  const auto all = kernels::instances(variant, form);
  const auto known = std::ranges::find(all, in, &Instance::in);
  const auto i = known == all.end() ? all.at(0) : *known;
  Case c = case_for(variant, form, i);
  c.block = block;
  return prove_all_n(c, kernels::plan, [] { return true; });
}

TEST(EveryN, of_the_catalogue_s_tiles_that_must_hold) {
  std::vector<std::string> not_proved;
  std::size_t proved = 0;
  for (const auto& v : kernels::catalogue()) {
    for (const auto& f : v.forms) {
      if (!f.expected.empty()) continue;
      const auto all = of_form(v.id, f.name, 32);
      if (all.tile == 0) continue;
      ++proved;
      if (!all.proved) not_proved.push_back(v.id + "@" + f.name + ": " + all.why);
    }
  }
  EXPECT_EQ(not_proved, std::vector<std::string>{});
  EXPECT_GE(proved, 30U);  // of 44 forms
}
TEST(EveryN, of_blocks_with_several_cells_ends_where_an_array_has_no_more) {
  const auto one = of_form("cub_warp", "fixed", 32, Type::i32),
             four = of_form("cub_warp", "fixed", 64, Type::i32);
  ASSERT_TRUE(one.proved) << one.why;
  ASSERT_TRUE(four.proved) << four.why;
  EXPECT_EQ(one.below, 64 * most_blocks + 1);
  EXPECT_EQ(four.tile, 128U);
  EXPECT_EQ(four.below, (std::uint64_t{32} << 32) + 1);
}
TEST(EveryN, of_forms_with_narrow_indices_ends_where_these_wrap) {
  std::size_t forms = 0;
  for (const auto& v : kernels::catalogue()) {
    const auto* f = v.form("fixed-index_width");
    if (f == nullptr) continue;
    const auto narrow = of_form(v.id, "fixed-index_width", 32), wide = of_form(v.id, "fixed", 32);
    if (narrow.tile == 0) continue;
    ++forms;
    ASSERT_TRUE(narrow.proved) << v.id << ": " << narrow.why;
    ASSERT_TRUE(wide.proved) << v.id << ": " << wide.why;
    EXPECT_LE(narrow.below, (std::uint64_t{1} << 32) + 1) << v.id;
    EXPECT_NE(narrow.ends, "") << v.id;
    EXPECT_EQ(wide.ends, "") << v.id;
    EXPECT_EQ(wide.below, wide.tile * most_blocks + 1) << v.id;
  }
  EXPECT_GT(forms, 0U);
}

}  // namespace
}  // namespace gauntlet::prove
