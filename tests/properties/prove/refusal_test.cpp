// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are wrong, or right for some data or schedules only: none may be proved, and each
// must be refused for the reason that it was written for.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/properties/prove/hand_written.hpp"

namespace gauntlet::prove::test {
namespace {

struct Refusal {
  std::string what;  ///< snake_case, the name of the test
  std::string why;   ///< in Cause::what: there is no proof; empty: it is refuted
  std::string body;
  HandWritten how = {};
};
void PrintTo(const Refusal& r, std::ostream* out) { *out << r.what; }

HandWritten grid_of(std::uint32_t grid, std::uint32_t block = 1) {
  HandWritten how;
  how.grid = grid;
  how.block = block;
  how.n = grid * block;
  return how;
}
HandWritten warp() {
  HandWritten how;
  how.block = how.n = 32;
  return how;
}
HandWritten filled(HandWritten how) {
  how.out = Fill::identity;
  return how;
}

std::vector<Refusal> refusals() {
  const auto sum = four_elements + four_summed;
  return {
      {"only_positive_elements_are_summed", "depends on data",
       four_elements + "setp.gt.f32 %p1, %f2, 0f00000000;\n@%p1 add.f32 %f1, %f1, %f2;\n" +
           "add.f32 %f3, %f3, %f4;\nadd.f32 %f1, %f1, %f3;\n" + thread_0_stores_f1},
      {"a_branch_looks_at_an_element", "depends on data",
       sum +
           "setp.gt.f32 %p1, %f2, 0f00000000;\n@%p1 bra on;\nred.global.xor.b32 [%rd3], 1;\non:\n" +
           thread_0_stores_f1},
      {"the_other_result_of_a_comparison_steers_a_branch", "depends on data",
       sum +
           "setp.gt.f32 %p1|%p2, %f2, 0f00000000;\n@%p2 bra on;\nred.global.xor.b32 [%rd3], "
           "1;\non:\n" +
           thread_0_stores_f1},
      {"a_product_is_added_in_one_instruction", "has a product of f32",
       four_elements + "fma.rn.f32 %f1, %f2, %f3, %f1;\nadd.f32 %f1, %f1, %f4;\n" +
           thread_0_stores_f1},
      // The product is 4 in every lane whatever the elements are thought to be: it may not pass for
      // a constant.
      {"a_tensor_core_multiplies_elements", "no element",
       "ld.global.u32 %r3, [%rd1];\n"
       "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r3, %r3}, {%r3}, "
       "{0f00000000, 0f00000000, 0f00000000, 0f00000000};\n" +
           thread_0_stores_f1,
       warp()},
      {"a_matrix_is_loaded_from_where_data_say", "the matrix's address",
       "mov.u32 %r4, s;\nshl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r4;\n"
       "st.shared.u32 [%r5], %r1;\nst.shared.u32 [%r5+128], %r1;\nbar.sync 0;\n"
       "ld.global.u32 %r5, [%rd1];\nand.b32 %r5, %r5, 16;\nadd.u32 %r4, %r4, %r5;\n"
       "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r4];\nmov.b32 %f1, %r3;\n" +
           thread_0_stores_f1,
       warp()},
      // Not told as a race of the user's, and not ordered all the same.
      {"a_race_inside_cooperative_groups", "inside cooperative groups at",
       sum + "setp.ne.s32 %p1, %r1, 0;\nsetp.ne.s32 %p2, %r1, 1;\n.loc 1 10 0\n"
             "@!%p1 st.shared.f32 [s], %f1;\n.loc 1 11 0\nld.shared.f32 %f2, [s];\n"
             "@%p2 bra done;\nst.global.f32 [%rd2], %f2;\ndone:\nret;\n}\n"
             ".file 1 \"/usr/local/cuda/include/cooperative_groups/details/sync.h\"\n"
             ".visible .entry other()\n{\n"},
      {"an_index_comes_from_data", "the address",
       four_words + "and.b32 %r4, %r4, 12;\ncvt.u64.u32 %rd5, %r4;\nadd.s64 %rd5, %rd1, %rd5;\n" +
           "ld.global.u32 %r4, [%rd5];\n" + words_summed + thread_0_stores_r3,
       integers()},
      {"x_is_taken_away_and_added", "no element",
       sum + "sub.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f2;\n" + thread_0_stores_f1},
      {"xor_is_no_sum", "no element",
       four_words + "xor.b32 %r3, %r3, %r4;\nadd.s32 %r5, %r5, %r6;\nadd.s32 %r3, %r3, %r5;\n" +
           thread_0_stores_r3,
       integers()},
      {"x_xor_x_is_no_constant", "no element",
       four_words + words_summed + "xor.b32 %r7, %r4, %r4;\nadd.s32 %r3, %r3, %r7;\n" +
           thread_0_stores_r3,
       integers()},
      {"only_the_low_half_is_used", "no element",
       four_words + "and.b32 %r4, %r4, 65535;\n" + words_summed + thread_0_stores_r3, integers()},
      {"halves_are_swapped", "no element",
       four_words + "shl.b32 %r7, %r4, 16;\nshr.u32 %r8, %r4, 16;\nor.b32 %r4, %r7, %r8;\n" +
           words_summed + thread_0_stores_r3,
       integers()},
      {"a_signed_byte_is_extended_by_zeros",
       "no element",
       "ld.global.u8 %r3, [%rd1];\nld.global.s8 %r4, [%rd1+1];\nadd.s32 %r3, %r3, %r4;\n" +
           thread_0_stores_r3,
       {.in = Type::i8, .acc = Type::i32, .n = 2}},
      {"an_unsigned_byte_is_extended_by_its_sign",
       "no element",
       "ld.global.u8 %r3, [%rd1];\nld.global.s8 %r4, [%rd1+1];\nadd.s32 %r3, %r3, %r4;\n" +
           thread_0_stores_r3,
       {.in = Type::u8, .acc = Type::u32, .n = 2}},
      {"bf16_is_shifted_by_15",
       "no element",
       "ld.global.u16 %r3, [%rd1];\nshl.b32 %r3, %r3, 15;\nmov.b32 %f1, %r3;\n" +
           thread_0_stores_f1,
       {.in = Type::bf16, .acc = Type::f32, .n = 1}},
      {"f16_is_taken_for_bf16",
       "no element",
       "ld.global.u16 %r3, [%rd1];\nshl.b32 %r3, %r3, 16;\nmov.b32 %f1, %r3;\n" +
           thread_0_stores_f1,
       {.in = Type::f16, .acc = Type::f32, .n = 1}},
      {"one_is_added", "constant", sum + "add.f32 %f1, %f1, 0f3F800000;\n" + thread_0_stores_f1},
      {"zero_is_no_identity_of_a_maximum", "constant",
       four_words +
           "max.s32 %r3, %r3, %r4;\nmax.s32 %r5, %r5, %r6;\nmax.s32 %r3, %r3, %r5;\n"
           "max.s32 %r3, %r3, 0;\n" +
           thread_0_stores_r3,
       integers(Op::maximum)},
      {"half_of_the_tree_is_a_minimum", "minimum",
       four_words + "max.s32 %r3, %r3, %r4;\nmin.s32 %r5, %r5, %r6;\nmax.s32 %r3, %r3, %r5;\n" +
           thread_0_stores_r3,
       integers(Op::maximum)},
      {"a_maximum_is_unsigned", "maximum",
       four_words + "max.u32 %r3, %r3, %r4;\nmax.s32 %r5, %r5, %r6;\nmax.s32 %r3, %r3, %r5;\n" +
           thread_0_stores_r3,
       integers(Op::maximum)},
      {"a_sum_is_saturated", "no element",
       four_words + "add.sat.s32 %r3, %r3, %r4;\nadd.s32 %r5, %r5, %r6;\nadd.s32 %r3, %r3, %r5;\n" +
           thread_0_stores_r3,
       integers()},
      {"the_third_operand_is_left_out", "no element",
       four_words + "sad.u32 %r3, %r3, %r4, 0;\nadd.s32 %r5, %r5, %r6;\nadd.s32 %r3, %r3, %r5;\n" +
           thread_0_stores_r3,
       integers()},
      {"a_sum_is_rounded_to_zero", "no element",
       four_elements +
           "add.rz.f32 %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\n"
           "add.f32 %f1, %f1, %f3;\n" +
           thread_0_stores_f1},
      {"a_carry_of_data_is_added", "no element",
       four_words + "add.cc.u32 %r7, %r3, %r4;\naddc.u32 %r8, 0, 0;\n" + words_summed +
           "add.s32 %r3, %r3, %r8;\n" + thread_0_stores_r3,
       integers()},
      {"an_element_comes_twice", "", sum + "add.f32 %f1, %f1, %f2;\n" + thread_0_stores_f1},
      {"an_element_is_lost", "",
       four_elements + "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n" + thread_0_stores_f1},
      {"a_tail_of_zeros_is_read",
       "",
       sum + "ld.global.f32 %f5, [%rd1+16];\nadd.f32 %f1, %f1, %f5;\n" + thread_0_stores_f1,
       {.tail = Tail::zero, .padded = 8}},
      {"nothing_is_summed", "", "mov.f32 %f1, 0f00000000;\n" + thread_0_stores_f1},
      {"a_constant_is_no_empty_sum",
       "identity",
       "mov.f32 %f1, 0f3F800000;\n" + thread_0_stores_f1,
       {.n = 0}},
      {"a_ballot_of_data_steers", "depends on data",
       sum +
           "setp.gt.f32 %p1, %f2, 0f00000000;\nvote.sync.ballot.b32 %r3, %p1, 15;\n"
           "setp.eq.s32 %p2, %r3, 9;\n@%p2 bra done;\n" +
           thread_0_stores_f1},
      {"a_shuffle_reads_a_lane_of_data", "the source lane",
       four_elements +
           "ld.global.u32 %r3, [%rd1];\nand.b32 %r3, %r3, 3;\nmov.b32 %r4, %f2;\n"
           "shfl.sync.idx.b32 %r5, %r4, %r3, 31, 15;\nmov.b32 %f2, %r5;\n" +
           four_summed + thread_0_stores_f1},
      // It is all ones for these data.
      {"a_ballot_of_data_is_a_mask", "the mask",
       four_elements +
           "setp.lt.f32 %p1, %f2, 0f40000000;\nvote.sync.ballot.b32 %r3, %p1, 15;\n"
           "mov.b32 %r4, %f2;\nshfl.sync.idx.b32 %r5, %r4, 0, 31, %r3;\n" +
           four_summed + thread_0_stores_f1},
      {"the_active_lanes_are_summed", "the schedule",
       sum + "activemask.b32 %r3;\ncvt.rn.f32.u32 %f5, %r3;\nadd.f32 %f1, %f1, %f5;\n" +
           thread_0_stores_f1},
      {"the_clock_is_summed", "the schedule",
       sum + "mov.u32 %r3, %clock;\ncvt.rn.f32.u32 %f5, %r3;\nadd.f32 %f1, %f1, %f5;\n" +
           thread_0_stores_f1},
      {"activemask_steers", "the schedule",
       sum + "activemask.b32 %r3;\nsetp.eq.s32 %p1, %r3, 1;\n@%p1 bra done;\n" +
           thread_0_stores_f1},
      {"the_clock_steers", "the schedule",
       sum + "mov.u32 %r3, %clock;\nsetp.eq.s32 %p1, %r3, 1;\n@%p1 bra done;\n" +
           thread_0_stores_f1},
      {"the_multiprocessor_steers", "%smid",
       sum + "mov.u32 %r3, %smid;\nsetp.eq.s32 %p1, %r3, 99;\n@%p1 bra done;\n" +
           thread_0_stores_f1},
      // As doubles, an address and a small offset are subnormal: their sum's bits are those of the
      // integers' sum, but a GPU's assembler converts what is a double to an integer in an address.
      {"floating_point_arithmetic_makes_an_address", "a floating-point number's bits",
       sum + "mov.u64 %rd5, 0;\nadd.f64 %rd2, %rd2, %rd5;\n" + thread_0_stores_f1},
      {"a_copy_of_a_double_is_an_address", "a floating-point number's bits",
       sum + "mov.u64 %rd5, 0;\nadd.f64 %rd6, %rd2, %rd5;\nmov.b64 %rd2, %rd6;\n" +
           thread_0_stores_f1},
      {"the_last_writer_of_a_cell_wins", "depends on the schedule",
       element_of_block + "mov.b32 %r3, %f1;\natom.global.exch.b32 %r4, [%rd2], %r3;\n",
       filled(grid_of(2))},
      {"a_sum_and_a_store_meet_in_a_cell", "the schedule",
       element_of_block + "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra adding;\n"
                          "st.relaxed.gpu.global.f32 [%rd2], %f1;\nbra done;\n"
                          "adding:\nred.relaxed.gpu.global.add.f32 [%rd2], %f1;\n",
       filled(grid_of(2))},
      {"what_an_atomic_found_is_summed", "the schedule",
       element_of_block + "atom.relaxed.gpu.global.add.u32 %r3, [%rd3], 1;\n"
                          "cvt.rn.f32.u32 %f2, %r3;\nadd.f32 %f1, %f1, %f2;\n"
                          "red.relaxed.gpu.global.add.f32 [%rd2], %f1;\n",
       filled(grid_of(2))},
      {"a_flag_is_looked_at_once", "the schedule",
       element_of_block + "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra second;\n"
                          "st.relaxed.gpu.global.u32 [%rd3], 1;\nbra both;\n"
                          "second:\nld.relaxed.gpu.global.u32 %r3, [%rd3];\n"
                          "setp.eq.s32 %p2, %r3, 0;\n@%p2 bra both;\n"
                          "both:\nred.relaxed.gpu.global.add.f32 [%rd2], %f1;\n",
       filled(grid_of(2))},
  };
}

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, for_its_reason) {
  const auto& r = GetParam();
  const auto proof = prove_ptx(r.body, r.how);
  EXPECT_EQ(proof.verdict, r.why.empty() ? Verdict::refuted : Verdict::no_proof) << text(proof);
  if (!r.why.empty()) {
    ASSERT_TRUE(proof.cause) << text(proof);
    EXPECT_NE(proof.cause->what.find(r.why), std::string::npos) << text(proof);
  }
}
INSTANTIATE_TEST_SUITE_P(all, Refused, testing::ValuesIn(refusals()),
                         [](const auto& info) { return info.param.what; });

TEST(Refuted, says_which_element_is_lost_and_how_often_one_comes) {
  const auto sum = four_elements + four_summed;
  const auto twice = prove_ptx(sum + "add.f32 %f1, %f1, %f2;\n" + thread_0_stores_f1);
  ASSERT_TRUE(twice.miscount);
  EXPECT_EQ(twice.miscount->cell, "out[0]");
  EXPECT_EQ(twice.miscount->element, 1U);
  EXPECT_EQ(twice.miscount->times, 2U);
  const auto lost = prove_ptx(four_elements + "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n" +
                              thread_0_stores_f1);
  ASSERT_TRUE(lost.miscount);
  EXPECT_EQ(lost.miscount->element, 3U);
  EXPECT_EQ(lost.miscount->times, 0U);
  EXPECT_EQ(lost.miscount->lacking, 1U);
}

}  // namespace
}  // namespace gauntlet::prove::test
