// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is proved, and the four rules for what depends on the schedule: where each holds, and how
// little has to change for it not to.
#include <gtest/gtest.h>

#include <string>

#include "tests/properties/prove/hand_written.hpp"

namespace gauntlet::prove::test {
namespace {

TEST(Proved, a_tree_of_four_elements) {
  const auto proof = prove_ptx(four_elements + four_summed + thread_0_stores_f1);
  ASSERT_TRUE(proof.proved()) << text(proof);
  EXPECT_EQ(proof.depth.least, 2U);
  EXPECT_EQ(proof.depth.most, 2U);
  EXPECT_EQ(proof.depth.sum, 8U);
  EXPECT_EQ(proof.elements, 4U);
  EXPECT_EQ(proof.runs, 1U);
  EXPECT_TRUE(proof.rules.empty());
  EXPECT_FALSE(proof.any_association);
}
TEST(Proved, equal_trees_have_equal_hashes_and_others_have_not) {
  const auto tree = four_elements + four_summed + thread_0_stores_f1;
  const std::string swapped =
      four_elements + "add.f32 %f3, %f4, %f3;\nadd.f32 %f1, %f2, %f1;\nadd.f32 %f1, %f3, %f1;\n";
  const std::string chain =
      four_elements + "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\nadd.f32 %f1, %f1, %f4;\n";
  const auto hash = prove_ptx(tree).tree_hash;
  ASSERT_FALSE(hash.empty());
  EXPECT_EQ(prove_ptx(swapped + thread_0_stores_f1).tree_hash, hash);
  const auto other = prove_ptx(chain + thread_0_stores_f1);
  ASSERT_TRUE(other.proved()) << text(other);
  EXPECT_NE(other.tree_hash, hash);
  EXPECT_EQ(other.depth.most, 3U);
}
TEST(Proved, no_element_gives_the_identity) {
  HandWritten how;
  how.n = 0;
  const auto proof = prove_ptx("mov.f32 %f1, 0f00000000;\n" + thread_0_stores_f1, how);
  EXPECT_TRUE(proof.proved()) << text(proof);
}
TEST(Proved, an_identity_in_the_tree_vanishes) {
  const auto proof = prove_ptx(four_elements + four_summed + "add.f32 %f1, %f1, 0f00000000;\n" +
                               thread_0_stores_f1);
  ASSERT_TRUE(proof.proved()) << text(proof);
  EXPECT_EQ(proof.depth.most, 2U);
}
TEST(Proved, an_element_may_come_twice_in_a_maximum) {
  HandWritten how;
  how.op = Op::maximum;
  const auto proof = prove_ptx(four_elements +
                                   "max.f32 %f1, %f1, %f2;\nmax.f32 %f3, %f3, %f4;\n"
                                   "max.f32 %f1, %f1, %f3;\nmax.f32 %f1, %f1, %f2;\n" +
                                   thread_0_stores_f1,
                               how);
  EXPECT_TRUE(proof.proved()) << text(proof);
}
TEST(Proved, signed_bytes_in_a_word_are_taken_apart) {
  HandWritten how;
  how.in = Type::i8;
  how.acc = Type::i32;
  const auto proof = prove_ptx(
      "ld.global.u32 %r3, [%rd1];\n"
      "shl.b32 %r4, %r3, 24;\nshr.s32 %r4, %r4, 24;\n"
      "shl.b32 %r5, %r3, 16;\nshr.s32 %r5, %r5, 24;\n"
      "shl.b32 %r6, %r3, 8;\nshr.s32 %r6, %r6, 24;\n"
      "shr.s32 %r7, %r3, 24;\n"
      "add.s32 %r4, %r4, %r5;\nadd.s32 %r6, %r6, %r7;\nadd.s32 %r4, %r4, %r6;\n"
      "setp.ne.s32 %p9, %r1, 0;\n@%p9 bra done;\nst.global.u32 [%rd2], %r4;\n",
      how);
  EXPECT_TRUE(proof.proved()) << text(proof);
}
TEST(Proved, pairs_of_halves_are_added_each_to_its_own) {
  HandWritten how;
  how.in = how.acc = Type::f16;
  const std::string pairs =
      "ld.global.u32 %r3, [%rd1];\nld.global.u32 %r4, [%rd1+4];\nadd.f16x2 %r3, %r3, %r4;\n"
      "mov.b32 {%h3, %h4}, %r3;\n";
  const std::string end = "setp.ne.s32 %p9, %r1, 0;\n@%p9 bra done;\nst.global.u16 [%rd2], %h3;\n";
  const auto proof = prove_ptx(pairs + "add.f16 %h3, %h3, %h4;\n" + end, how);
  ASSERT_TRUE(proof.proved()) << text(proof);
  EXPECT_EQ(proof.depth.most, 2U);
  EXPECT_EQ(prove_ptx(pairs + end, how).verdict, Verdict::refuted);
}
TEST(Proved, a_comparison_and_a_selection_are_a_minimum_of_integers) {
  HandWritten how;
  how.in = how.acc = Type::i32;
  how.op = Op::minimum;
  how.n = 2;
  const std::string begin = "ld.global.u32 %r3, [%rd1];\nld.global.u32 %r4, [%rd1+4];\n";
  const std::string end = "setp.ne.s32 %p9, %r1, 0;\n@%p9 bra done;\nst.global.u32 [%rd2], %r5;\n";
  const auto prove = [&](const std::string& middle) {
    return prove_ptx(begin + middle + end, how);
  };
  EXPECT_TRUE(prove("setp.lt.s32 %p1, %r3, %r4;\nselp.b32 %r5, %r3, %r4, %p1;\n").proved());
  EXPECT_TRUE(prove("setp.gt.s32 %p1, %r3, %r4;\nselp.b32 %r5, %r4, %r3, %p1;\n").proved());
  EXPECT_FALSE(prove("setp.lt.s32 %p1, %r3, %r4;\nselp.b32 %r5, %r4, %r3, %p1;\n").proved());
  EXPECT_FALSE(prove("setp.lt.u32 %p1, %r3, %r4;\nselp.b32 %r5, %r3, %r4, %p1;\n").proved());
}

// --- accumulate

TEST(Accumulate, sums_of_all_blocks_in_any_order) {
  const auto proof =
      prove_ptx(element_of_block + "red.relaxed.gpu.global.add.f32 [%rd2], %f1;\n", blocks(4));
  ASSERT_TRUE(proof.proved()) << text(proof);
  EXPECT_TRUE(needs(proof, "accumulate"));
  EXPECT_TRUE(proof.any_association);
}
TEST(Accumulate, a_result_that_nobody_reads_does_no_harm) {
  EXPECT_TRUE(
      prove_ptx(element_of_block + "atom.global.add.f32 %f2, [%rd2], %f1;\n", blocks(4)).proved());
}
TEST(Accumulate, sums_and_maxima_of_one_cell_do_not_commute) {
  HandWritten how = blocks(2);
  how.in = how.acc = Type::i32;
  const auto proof = prove_ptx(
      "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd5, %rd1, %rd5;\nld.global.u32 %r3, [%rd5];\n"
      "setp.eq.s32 %p1, %r2, 0;\n@%p1 red.relaxed.gpu.global.add.s32 [%rd3], 1;\n"
      "@!%p1 red.relaxed.gpu.global.max.s32 [%rd3], 5;\n"
      "red.relaxed.gpu.global.add.s32 [%rd2], %r3;\n",
      how);
  EXPECT_FALSE(proof.proved());
}

TEST(Accumulate, counters_of_different_bounds_do_not_commute) {
  HandWritten how = blocks(2);
  how.in = how.acc = Type::i32;
  const auto count = [&](const std::string& other_bound) {
    return prove_ptx(
        "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd5, %rd1, %rd5;\nld.global.u32 %r3, [%rd5];\n"
        "setp.eq.s32 %p1, %r2, 0;\n@%p1 red.relaxed.gpu.global.inc.u32 [%rd3], 7;\n"
        "@!%p1 red.relaxed.gpu.global.inc.u32 [%rd3], " +
            other_bound + ";\nred.relaxed.gpu.global.add.s32 [%rd2], %r3;\n",
        how);
  };
  EXPECT_TRUE(count("7").proved()) << text(count("7"));
  EXPECT_EQ(count("3").verdict, Verdict::no_proof);
}

// --- retry

/// cell := cell + %f1 by compare-and-swap. `extra` stands in the loop before the swap.
std::string retry(const std::string& combine, const std::string& extra = "",
                  const std::string& test = "setp.ne.s32 %p1, %r7, %r5;\n",
                  const std::string& tail = "") {
  return element_of_block + "mov.u32 %r5, 0;\nmov.u32 %r9, 0;\nagain:\nmov.b32 %f2, %r5;\n" +
         combine + "mov.b32 %r6, %f3;\n" + extra + "atom.global.cas.b32 %r7, [%rd2], %r5, %r6;\n" +
         test + "mov.u32 %r5, %r7;\n@%p1 bra again;\n" + tail;
}
TEST(Retry, a_swap_that_is_tried_until_it_succeeds_is_the_operation) {
  const auto proof = prove_ptx(retry("add.f32 %f3, %f2, %f1;\n"), blocks(4));
  ASSERT_TRUE(proof.proved()) << text(proof);
  EXPECT_TRUE(needs(proof, "retry"));
  EXPECT_TRUE(proof.any_association);
}
TEST(Retry, not_where_the_loop_is_left_after_two_tries) {
  const auto proof = prove_ptx(retry("add.f32 %f3, %f2, %f1;\n", "add.s32 %r9, %r9, 1;\n",
                                     "setp.ne.s32 %p1, %r7, %r5;\nsetp.lt.s32 %p2, %r9, 2;\n"
                                     "and.pred %p1, %p1, %p2;\n"),
                               blocks(4));
  EXPECT_EQ(proof.verdict, Verdict::no_proof) << text(proof);
}
TEST(Retry, not_where_the_loop_stores) {
  EXPECT_EQ(
      prove_ptx(retry("add.f32 %f3, %f2, %f1;\n", "st.global.f32 [%rd3+16], %f1;\n"), blocks(2))
          .verdict,
      Verdict::no_proof);
}
TEST(Retry, not_where_the_new_value_forgets_the_old_one) {
  EXPECT_EQ(prove_ptx(retry("mov.f32 %f3, %f1;\n"), blocks(2)).verdict, Verdict::no_proof);
}
TEST(Retry, not_where_the_test_is_the_wrong_way_round) {
  EXPECT_NE(
      prove_ptx(retry("add.f32 %f3, %f2, %f1;\n", "", "setp.eq.s32 %p1, %r7, %r5;\n"), blocks(1))
          .verdict,
      Verdict::proved);
}
TEST(Retry, not_where_the_value_before_it_is_read_behind_the_loop) {
  EXPECT_EQ(prove_ptx(retry("add.f32 %f3, %f2, %f1;\n", "", "setp.ne.s32 %p1, %r7, %r5;\n",
                            "st.global.u32 [%rd3+16], %r7;\n"),
                      blocks(2))
                .verdict,
            Verdict::no_proof);
}

// --- wait: block 1 waits for the element of block 0, which comes as one word with a mark.

/// `leave`: of block 0, its word in %rd6. `test` sets %p1 to go on waiting for the word in %rd7.
std::string wait(const std::string& leave, const std::string& test, const std::string& reset = "") {
  return element_of_block +
         "mov.b32 %r3, %f1;\ncvt.u64.u32 %rd6, %r3;\nshl.b64 %rd6, %rd6, 32;\n"
         "or.b64 %rd6, %rd6, 1;\nsetp.ne.s32 %p2, %r2, 0;\n@%p2 bra second;\n" +
         leave + "bra done;\nsecond:\npoll:\nld.relaxed.gpu.global.u64 %rd7, [%rd3];\n" + test +
         "@%p1 bra poll;\n" + reset +
         "shr.u64 %rd8, %rd7, 32;\ncvt.u32.u64 %r4, %rd8;\nmov.b32 %f2, %r4;\n"
         "add.f32 %f1, %f1, %f2;\nst.global.f32 [%rd2], %f1;\n";
}
const std::string leave_it = "atom.global.exch.b64 %rd9, [%rd3], %rd6;\n";
const std::string until_marked = "setp.eq.s64 %p1, %rd7, 0;\n";
const std::string take_it = "st.relaxed.gpu.global.u64 [%rd3], 0;\n";

TEST(Wait, for_the_one_word_that_another_block_leaves) {
  const auto proof = prove_ptx(wait(leave_it, until_marked, take_it), blocks(2, Fill::poison, 2));
  ASSERT_TRUE(proof.proved()) << text(proof);
  EXPECT_TRUE(needs(proof, "wait"));
  EXPECT_FALSE(proof.any_association);
}
TEST(Wait, not_where_the_launch_finds_the_word_of_the_one_before) {
  const auto proof = prove_ptx(wait(leave_it, until_marked), blocks(2, Fill::poison, 2));
  EXPECT_EQ(proof.verdict, Verdict::no_proof) << text(proof);
}
TEST(Wait, but_one_launch_alone_finds_no_word) {
  EXPECT_TRUE(prove_ptx(wait(leave_it, until_marked), blocks(2, Fill::poison, 1)).proved());
}
TEST(Wait, not_where_two_writers_leave_a_word) {
  const std::string other =
      "atom.global.exch.b64 %rd9, [%rd3], 3;\natom.global.exch.b64 %rd9, [%rd3], %rd6;\n";
  EXPECT_EQ(prove_ptx(wait(other, until_marked), blocks(2, Fill::poison)).verdict,
            Verdict::no_proof);
}
TEST(Wait, not_where_the_launch_s_content_passes) {
  const auto proof =
      prove_ptx(wait(leave_it, "setp.eq.s64 %p1, %rd7, 7;\n"), blocks(2, Fill::poison));
  EXPECT_EQ(proof.verdict, Verdict::no_proof) << text(proof);
}
TEST(Wait, not_where_the_test_looks_at_the_data) {
  EXPECT_EQ(
      prove_ptx(wait(leave_it, "setp.lt.u64 %p1, %rd7, 2;\n"), blocks(2, Fill::poison)).verdict,
      Verdict::no_proof);
}
TEST(Wait, not_where_the_loop_counts_its_turns) {
  EXPECT_EQ(prove_ptx("mov.u32 %r9, 0;\n" + wait(leave_it,
                                                 "add.s32 %r9, %r9, 1;\n"
                                                 "setp.eq.s64 %p1, %rd7, 0;\n"),
                      blocks(2, Fill::poison))
                .verdict,
            Verdict::no_proof);
}
TEST(Wait, not_where_a_word_is_compared_with_itself) {
  EXPECT_EQ(
      prove_ptx(wait(leave_it, "setp.ne.s64 %p1, %rd7, %rd7;\n"), blocks(2, Fill::poison)).verdict,
      Verdict::no_proof);
}

// --- ticket: the last block to come adds what all have left in the scratch memory.

std::string ticket(const std::string& take, const std::string& test,
                   const std::string& partial = "") {
  return element_of_block +
         "mul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd6, %rd3, %rd6;\nst.global.f32 [%rd6+16], %f1;\n" +
         take + test + "@!%p1 bra done;\n" + partial +
         "ld.global.f32 %f1, [%rd3+16];\nld.global.f32 %f2, [%rd3+20];\n"
         "ld.global.f32 %f3, [%rd3+24];\nadd.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n"
         "st.global.f32 [%rd2], %f1;\n";
}
const std::string take_one = "atom.acq_rel.gpu.global.inc.u32 %r3, [%rd3], 2;\n";
const std::string is_last = "setp.eq.s32 %p1, %r3, 2;\n";

TEST(Ticket, the_last_of_three_blocks_adds_whichever_it_is) {
  const auto proof = prove_ptx(ticket(take_one, is_last), blocks(3, Fill::poison, 2));
  ASSERT_TRUE(proof.proved()) << text(proof);
  EXPECT_TRUE(needs(proof, "ticket"));
  EXPECT_EQ(proof.runs, 4U);
  EXPECT_FALSE(proof.any_association);
}
TEST(Ticket, not_where_nobody_puts_it_back) {
  EXPECT_NE(prove_ptx(ticket("atom.acq_rel.gpu.global.add.u32 %r3, [%rd3], 1;\n", is_last),
                      blocks(3, Fill::poison, 2))
                .verdict,
            Verdict::proved);
  EXPECT_TRUE(prove_ptx(ticket("atom.acq_rel.gpu.global.add.u32 %r3, [%rd3], 1;\n", is_last),
                        blocks(3, Fill::poison, 1))
                  .proved());
}
TEST(Ticket, not_where_it_is_the_first_block_that_adds) {
  EXPECT_NE(
      prove_ptx(ticket(take_one, "setp.eq.s32 %p1, %r3, 0;\n"), blocks(3, Fill::poison)).verdict,
      Verdict::proved);
}
TEST(Ticket, not_where_a_block_takes_two) {
  EXPECT_NE(prove_ptx(ticket(take_one + "setp.ne.s32 %p3, %r2, 0;\n"
                                        "@!%p3 atom.acq_rel.gpu.global.inc.u32 %r3, [%rd3], 2;\n",
                             is_last),
                      blocks(3, Fill::poison))
                .verdict,
            Verdict::proved);
}
TEST(Ticket, not_where_there_are_two_and_the_last_of_each_may_be_another) {
  const std::string second =
      "atom.acq_rel.gpu.global.inc.u32 %r4, [%rd3+4], 2;\nsetp.eq.s32 %p4, %r4, 2;\n"
      "@!%p4 bra done;\n";
  const std::string both = "atom.acq_rel.gpu.global.inc.u32 %r3, [%rd3], 2;\n" + is_last +
                           "atom.acq_rel.gpu.global.inc.u32 %r4, [%rd3+4], 2;\n"
                           "setp.eq.s32 %p4, %r4, 2;\nand.pred %p1, %p1, %p4;\n";
  EXPECT_NE(prove_ptx(ticket(both, ""), blocks(3, Fill::poison)).verdict, Verdict::proved);
  EXPECT_NE(prove_ptx(ticket(take_one, is_last, second), blocks(3, Fill::poison)).verdict,
            Verdict::proved);
}
TEST(Ticket, not_where_nothing_releases) {
  EXPECT_NE(prove_ptx(ticket("atom.relaxed.gpu.global.inc.u32 %r3, [%rd3], 2;\n", is_last),
                      blocks(3, Fill::poison))
                .verdict,
            Verdict::proved);
}
TEST(Ticket, not_where_only_block_2_adds_right) {
  // Block 0, were it the last, would leave out an element.
  EXPECT_NE(
      prove_ptx(ticket(take_one, is_last,
                       "setp.ne.s32 %p4, %r2, 0;\n@%p4 bra full;\n"
                       "ld.global.f32 %f1, [%rd3+16];\nst.global.f32 [%rd2], %f1;\nbra done;\n"
                       "full:\n"),
                blocks(3, Fill::poison))
          .verdict,
      Verdict::proved);
}

// --- what the race detector is kinder about than PTX

/// Two threads of a block leave their elements; the last of two blocks adds all four. `before` and
/// `after` stand around the barrier behind which thread 0 takes the ticket by `take`.
std::string two_threads(const std::string& before, const std::string& after,
                        const std::string& take) {
  return "shl.b32 %r4, %r2, 1;\nadd.s32 %r4, %r4, %r1;\nmul.wide.u32 %rd5, %r4, 4;\n"
         "add.s64 %rd6, %rd1, %rd5;\nld.global.f32 %f1, [%rd6];\nadd.s64 %rd7, %rd3, %rd5;\n"
         "st.global.f32 [%rd7+16], %f1;\n" +
         before + "bar.sync 0;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra done;\n" + after + take +
         "setp.eq.s32 %p2, %r3, 1;\n@!%p2 bra done;\nfence.acq_rel.gpu;\n"
         "ld.global.f32 %f1, [%rd3+16];\nld.global.f32 %f2, [%rd3+20];\n"
         "ld.global.f32 %f3, [%rd3+24];\nld.global.f32 %f4, [%rd3+28];\n" +
         four_summed + "st.global.f32 [%rd2], %f1;\n";
}
HandWritten two_blocks_of_two() {
  HandWritten how;
  how.grid = how.block = 2;
  return how;
}
const std::string take_relaxed = "atom.relaxed.gpu.global.inc.u32 %r3, [%rd3], 1;\n";
const std::string fence = "fence.acq_rel.gpu;\n";

TEST(KinderRaceRules, are_counted_where_a_barrier_hands_on_what_another_thread_fenced) {
  const auto proof = prove_ptx(two_threads(fence, "", take_relaxed), two_blocks_of_two());
  ASSERT_TRUE(proof.proved()) << text(proof);
  EXPECT_GT(proof.kinder_race_rules, 0U);
  EXPECT_NE(text(proof).find("kinder than"), std::string::npos);
}
TEST(KinderRaceRules, are_not_needed_where_the_thread_of_the_ticket_fences_behind_the_barrier) {
  for (const auto& before : {std::string(), fence}) {
    const auto proof = prove_ptx(two_threads(before, fence, take_relaxed), two_blocks_of_two());
    ASSERT_TRUE(proof.proved()) << text(proof);
    EXPECT_EQ(proof.kinder_race_rules, 0U);
    EXPECT_EQ(text(proof).find("kinder than"), std::string::npos);
  }
}
TEST(KinderRaceRules, are_not_needed_where_the_ticket_releases) {
  const auto proof =
      prove_ptx(two_threads("", "", "atom.acq_rel.gpu.global.inc.u32 %r3, [%rd3], 1;\n"),
                two_blocks_of_two());
  ASSERT_TRUE(proof.proved()) << text(proof);
  EXPECT_EQ(proof.kinder_race_rules, 0U);
}
TEST(KinderRaceRules, do_not_do_in_place_of_a_release) {
  EXPECT_FALSE(prove_ptx(two_threads("", "", take_relaxed), two_blocks_of_two()).proved());
}

}  // namespace
}  // namespace gauntlet::prove::test
