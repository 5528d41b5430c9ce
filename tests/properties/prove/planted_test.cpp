// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Small kernels that are wrong in one place, beside the right one that is nearest: what a prover
// that overlooks that place would prove. prove_mutants runs them on provers that do.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/properties/prove/hand_written.hpp"

namespace gauntlet::prove::test {
namespace {

Verdict verdict(const std::string& body, const HandWritten& how = {}) {
  return prove_ptx(body, how).verdict;
}

TEST(Planted, a_register_that_is_written_again_has_forgotten_its_element) {
  EXPECT_EQ(
      verdict(four_words + "mov.u32 %r4, 0;\n" + words_summed + thread_0_stores_r3, integers()),
      Verdict::refuted);
  EXPECT_EQ(
      verdict(four_words + "mov.u32 %r4, %r4;\n" + words_summed + thread_0_stores_r3, integers()),
      Verdict::proved);
}
TEST(Planted, a_register_that_is_loaded_again_has_forgotten_its_element) {
  // The scratch memory is zero.
  EXPECT_EQ(verdict(four_words + "ld.global.u32 %r4, [%rd3];\n" + words_summed + thread_0_stores_r3,
                    integers()),
            Verdict::refuted);
  // So is this block's number.
  EXPECT_EQ(verdict(four_words + "mov.u32 %r4, %ctaid.x;\n" + words_summed + thread_0_stores_r3,
                    integers()),
            Verdict::refuted);
}
TEST(Planted, a_guarded_move_depends_on_its_guard) {
  const auto moved = [](const std::string& test) {
    return verdict(
        four_words + test + "@%p1 mov.u32 %r4, %r5;\n" + words_summed + thread_0_stores_r3,
        integers());
  };
  EXPECT_EQ(moved("setp.eq.s32 %p1, %r3, 12345;\n"), Verdict::no_proof);
  EXPECT_EQ(moved("setp.eq.s32 %p1, %r1, 12345;\n"), Verdict::proved);
}
TEST(Planted, what_a_guard_does_or_not_is_no_matter_of_luck) {
  // Whatever the data, the run takes one side: a prover that does not look at the guard proves it.
  const auto added = [](const std::string& test) {
    return verdict(four_elements + four_summed + test + "@%p1 add.f32 %f1, %f1, %f1;\n" +
                   thread_0_stores_f1);
  };
  EXPECT_EQ(added("setp.gt.f32 %p1, %f2, 0f7F000000;\n"), Verdict::no_proof);
  EXPECT_EQ(added("setp.gt.u32 %p1, %r1, 4096;\n"), Verdict::proved);
}
TEST(Planted, a_part_that_is_stored_over_a_value_changes_it) {
  const auto stored = [](const std::string& store) {
    return verdict(four_words + "st.shared.u32 [s], %r4;\n" + store + "ld.shared.u32 %r4, [s];\n" +
                       words_summed + thread_0_stores_r3,
                   [] {
                     auto how = integers();
                     how.block = 1;
                     return how;
                   }());
  };
  EXPECT_EQ(stored("mov.u16 %h3, 0;\nst.shared.u16 [s+2], %h3;\n"), Verdict::no_proof);
  EXPECT_EQ(stored("mov.u16 %h3, 0;\nst.shared.u16 [s+4], %h3;\n"), Verdict::proved);
}
TEST(Planted, words_that_a_warp_stores_again_have_forgotten_their_elements) {
  const auto stored = [](const std::string& to) {
    auto how = integers();
    how.block = how.n = 32;
    return verdict(
        "ld.global.u32 %r3, [%rd4];\nmov.u32 %r4, s;\nshl.b32 %r5, %r1, 2;\n"
        "add.u32 %r4, %r4, %r5;\nst.shared.u32 [%r4], %r3;\nmov.u32 %r6, 0;\n"
        "bar.warp.sync 0xffffffff;\nst.shared.u32 [%r4+" +
            to + "], %r6;\nbar.warp.sync 0xffffffff;\nld.shared.u32 %r3, [%r4];\n" +
            "redux.sync.add.s32 %r3, %r3, 0xffffffff;\n" + thread_0_stores_r3,
        how);
  };
  EXPECT_EQ(stored("0"), Verdict::refuted);
  EXPECT_EQ(stored("64"), Verdict::refuted);  // half of them
  EXPECT_EQ(stored("128"), Verdict::proved);
}
TEST(Planted, words_of_a_warp_may_lie_anywhere) {
  // Lanes that take part or not, and words of eight bytes, next to one another in all ways.
  const auto stored = [](const std::string& lanes, const std::string& from) {
    HandWritten how;
    how.in = how.acc = Type::f64;
    how.block = how.n = 32;
    return verdict(
        "mul.wide.u32 %rd5, %r1, 8;\nadd.s64 %rd6, %rd1, %rd5;\n"
        "ld.global.f64 %d1, [%rd6];\nmov.u32 %r4, s;\nshl.b32 %r5, %r1, 3;\n"
        "add.u32 %r4, %r4, %r5;\nst.shared.f64 [%r4+72], %d1;\n"
        "bar.sync 0;\nmov.f64 %d2, 0d0000000000000000;\nsetp.lt.u32 %p1, %r1, " +
            lanes + ";\n@%p1 ld.shared.f64 %d2, [%r4+" + from + "];\nmov.b64 {%r6, %r7}, %d2;\n" +
            [] {
              std::string sum;
              for (const char* by : {"16", "8", "4", "2", "1"}) {
                sum += std::string("shfl.sync.bfly.b32 %r8, %r6, ") + by +
                       ", 31, 0xffffffff;\nshfl.sync.bfly.b32 %r9, %r7, " + by +
                       ", 31, 0xffffffff;\nmov.b64 %d3, {%r8, %r9};\n"
                       "add.f64 %d2, %d2, %d3;\nmov.b64 {%r6, %r7}, %d2;\n";
              }
              return sum;
            }() +
            "setp.ne.s32 %p9, %r1, 0;\n@%p9 bra done;\nst.global.f64 [%rd2], %d2;\n",
        how);
  };
  EXPECT_EQ(stored("32", "72"), Verdict::proved);
  EXPECT_EQ(stored("31", "72"), Verdict::refuted);
  EXPECT_NE(stored("31", "80"), Verdict::proved);
}
TEST(Planted, two_words_that_are_loaded_at_once_are_two_elements) {
  const auto added = [](const std::string& parts) {
    auto how = integers();
    how.n = 2;
    return verdict(
        "ld.global.u64 %rd5, [%rd1];\n" + parts + "add.s32 %r3, %r3, %r4;\n" + thread_0_stores_r3,
        how);
  };
  EXPECT_EQ(added("mov.b64 {%r3, %r4}, %rd5;\n"), Verdict::proved);
  EXPECT_EQ(added("mov.b64 {%r3, %r5}, %rd5;\nmov.u32 %r4, %r3;\n"), Verdict::refuted);
  // Four halves: two of them are an element, two are none.
  const std::string halves = "mov.b64 {%h3, %h4, %h5, %h6}, %rd5;\n";
  EXPECT_EQ(added(halves + "mov.b32 %r3, {%h3, %h4};\nmov.b32 %r4, {%h5, %h6};\n"),
            Verdict::proved);
  EXPECT_EQ(added(halves + "mov.b32 %r3, {%h3, %h5};\nmov.b32 %r4, {%h4, %h6};\n"),
            Verdict::no_proof);
  // The second element moved to the place of the first one's upper half.
  EXPECT_EQ(added("shr.u64 %rd6, %rd5, 16;\nmov.b64 {%r3, %r4}, %rd6;\n"), Verdict::no_proof);
}
TEST(Planted, a_choice_by_the_shape_takes_one_side) {
  const auto chosen = [](const std::string& test, const std::string& sides) {
    return verdict(four_elements + test + "selp.f32 %f2, " + sides + ", %p1;\n" + four_summed +
                   thread_0_stores_f1);
  };
  const std::string yes = "setp.lt.u32 %p1, %r1, 99;\n", no = "setp.gt.u32 %p1, %r1, 99;\n";
  EXPECT_EQ(chosen(yes, "%f2, %f3"), Verdict::proved);
  EXPECT_EQ(chosen(yes, "%f3, %f2"), Verdict::refuted);
  EXPECT_EQ(chosen(no, "%f3, %f2"), Verdict::proved);
  EXPECT_EQ(chosen(no, "%f2, %f3"), Verdict::refuted);
}
TEST(Planted, an_index_that_was_a_float_may_make_an_address) {
  EXPECT_EQ(verdict(four_elements + four_summed +
                    "mov.f32 %f5, 0f00000000;\ncvt.rzi.u32.f32 %r3, %f5;\n"
                    "mul.wide.u32 %rd5, %r3, 4;\nadd.s64 %rd2, %rd2, %rd5;\n" +
                    thread_0_stores_f1),
            Verdict::proved);
}
TEST(Planted, each_cell_has_elements_of_its_own) {
  const auto stored = [](const std::string& cell) {
    HandWritten how = integers();
    how.grid = 2;
    how.block = 1;
    how.n = how.cells = 2;
    return verdict(
        "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd6, %rd1, %rd5;\n"
        "ld.global.u32 %r3, [%rd6];\n" +
            cell + "add.s64 %rd7, %rd2, %rd5;\nst.global.u32 [%rd7], %r3;\n",
        how);
  };
  EXPECT_EQ(stored(""), Verdict::proved);
  EXPECT_EQ(stored("xor.b64 %rd5, %rd5, 4;\n"), Verdict::refuted);
}
TEST(Planted, a_word_of_two_values_is_neither_of_them) {
  const auto loaded = [](const char* from) {
    return verdict(four_words +
                       "st.shared.u32 [s], %r4;\nst.shared.u32 [s+4], %r5;\n"
                       "ld.shared.u16 %h3, [s+" +
                       from + "];\nst.shared.u16 [s+2], %h3;\nld.shared.u32 %r4, [s];\n" +
                       words_summed + thread_0_stores_r3,
                   [] {
                     auto how = integers();
                     how.block = 1;
                     return how;
                   }());
  };
  EXPECT_EQ(loaded("6"), Verdict::no_proof);
  EXPECT_EQ(loaded("2"), Verdict::proved);
}
TEST(Planted, shared_memory_is_another_one_in_the_next_block) {
  // Block 1 adds what block 0 left there.
  HandWritten how = integers();
  how.grid = 2;
  how.block = 1;
  how.n = 2;
  how.cells = 2;
  const std::string own =
      "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd6, %rd1, %rd5;\nadd.s64 %rd7, %rd2, %rd5;\n"
      "ld.global.u32 %r3, [%rd6];\n";
  EXPECT_EQ(verdict(own + "st.shared.u32 [s], %r3;\nld.shared.u32 %r3, [s];\n"
                          "st.global.u32 [%rd7], %r3;\n",
                    how),
            Verdict::proved);
  EXPECT_NE(verdict(own + "setp.ne.s32 %p1, %r2, 0;\n@!%p1 st.shared.u32 [s], %r3;\n"
                          "@%p1 ld.shared.u32 %r3, [s];\nst.global.u32 [%rd7], %r3;\n",
                    how),
            Verdict::proved);
}
TEST(Planted, an_element_of_another_format_is_no_element) {
  const std::string load = "ld.global.b16 %h3, [%rd1];\n";
  const auto widened = [&](Type in, const std::string& from) {
    HandWritten how;
    how.in = in;
    how.n = 1;
    return verdict(load + "cvt.f32." + from + " %f1, %h3;\n" + thread_0_stores_f1, how);
  };
  EXPECT_EQ(widened(Type::f16, "f16"), Verdict::proved);
  EXPECT_EQ(widened(Type::bf16, "bf16"), Verdict::proved);
  EXPECT_EQ(widened(Type::bf16, "f16"), Verdict::no_proof);
  EXPECT_EQ(widened(Type::f16, "bf16"), Verdict::no_proof);
}
TEST(Planted, a_lane_adds_what_another_one_brought_and_not_its_own) {
  const auto shuffled = [](const std::string& lane) {
    return verdict(
        "ld.global.f32 %f1, [%rd4];\nmov.b32 %r3, %f1;\n"
        "shfl.sync.idx.b32 %r4, %r3, " +
            lane + ", 31, 3;\nmov.b32 %f2, %r4;\nadd.f32 %f1, %f1, %f2;\n" + thread_0_stores_f1,
        {.n = 2, .block = 2});
  };
  EXPECT_EQ(shuffled("1"), Verdict::proved);
  EXPECT_EQ(shuffled("0"), Verdict::refuted);
}
TEST(Planted, a_sum_of_floats_in_another_format_is_not_that_sum) {
  EXPECT_EQ(verdict("ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\n"
                    "cvt.rn.f16.f32 %h3, %f1;\ncvt.rn.f16.f32 %h4, %f2;\nadd.f16 %h3, %h3, %h4;\n"
                    "cvt.f32.f16 %f1, %h3;\n" +
                        thread_0_stores_f1,
                    {.n = 2}),
            Verdict::no_proof);
}
TEST(Planted, a_race_of_two_threads_is_no_proof) {
  const auto exchanged = [](const std::string& barrier) {
    return verdict(
        "ld.global.f32 %f1, [%rd4];\nmov.u32 %r3, s;\nshl.b32 %r4, %r1, 2;\n"
        "add.u32 %r4, %r4, %r3;\nst.shared.f32 [%r4], %f1;\n" +
            barrier + "ld.shared.f32 %f1, [s];\nld.shared.f32 %f2, [s+128];\n" +
            "add.f32 %f1, %f1, %f2;\n" + thread_0_stores_f1,
        {.n = 33, .block = 33});
  };
  // Element 0 and 32 only: refuted where it is ordered.
  EXPECT_EQ(exchanged("bar.sync 0;\n"), Verdict::refuted);
  EXPECT_EQ(exchanged(""), Verdict::no_proof);
}
TEST(Planted, a_read_only_load_of_what_the_launch_writes_is_no_proof) {
  // The elements go through scratch memory, behind a barrier.
  const auto through = [](const std::string& load) {
    const auto from = [&](int k) {
      return load + " %f" + std::to_string(k + 1) + ", [%rd3+" + std::to_string(4 * k) + "];\n";
    };
    return verdict(
        "ld.global.f32 %f1, [%rd4];\nmul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd3, %rd5;\n"
        "st.global.f32 [%rd5], %f1;\nbar.sync 0;\n" +
        from(0) + from(1) + from(2) + from(3) + four_summed + thread_0_stores_f1);
  };
  EXPECT_EQ(through("ld.global.f32"), Verdict::proved);
  EXPECT_EQ(through("ld.global.nc.f32"), Verdict::no_proof);
}
TEST(Planted, what_a_retry_has_made_of_the_cell_depends_on_who_came_before) {
  HandWritten how;
  how.grid = 2;
  how.block = 1;
  how.n = 2;
  // Both add to the scratch memory; who comes last would know the sum.
  const std::string retry =
      element_of_block +
      "mov.u32 %r5, 0;\nagain:\nmov.b32 %f2, %r5;\nadd.f32 %f3, %f2, %f1;\nmov.b32 %r6, %f3;\n"
      "atom.global.cas.b32 %r7, [%rd3], %r5, %r6;\nsetp.ne.s32 %p1, %r7, %r5;\n"
      "mov.u32 %r5, %r7;\n@%p1 bra again;\nsetp.ne.s32 %p2, %r2, 1;\n@%p2 bra done;\n";
  EXPECT_EQ(verdict(retry + "st.global.f32 [%rd2], %f3;\n", how), Verdict::no_proof);
  how.out = Fill::identity;
  EXPECT_EQ(verdict(retry + "done:\nred.relaxed.gpu.global.add.f32 [%rd2], %f1;\nret;\n}\n"
                            ".visible .entry other()\n{\n",
                    how),
            Verdict::proved);
}
TEST(Planted, a_swap_that_found_equal_bits_has_not_found_an_equal_term) {
  // The maximum stays as it is where an element is less: the lanes behind expect the bits that it
  // had before.
  HandWritten how = integers(Op::maximum);
  how.n = how.block = 16;
  how.out = Fill::identity;
  const auto proof = prove_ptx(
      "ld.global.u32 %r3, [%rd4];\nmov.u32 %r5, -2147483648;\nagain:\nmax.s32 %r6, %r5, %r3;\n"
      "atom.global.cas.b32 %r7, [%rd2], %r5, %r6;\nsetp.ne.s32 %p1, %r7, %r5;\n"
      "mov.u32 %r5, %r7;\n@%p1 bra again;\n",
      how);
  EXPECT_TRUE(proof.proved()) << text(proof);
}
TEST(Planted, what_an_atomic_found_after_others_depends_on_the_schedule) {
  HandWritten how;
  how.grid = 2;
  how.block = 1;
  how.n = 2;
  how.out = Fill::identity;
  const auto seen = [&](const std::string& first, const char* expected) {
    return verdict(element_of_block + "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra second;\n" + first +
                       "bra both;\nsecond:\natom.relaxed.gpu.global.max.u32 %r3, [%rd3], 0;\n"
                       "setp.eq.s32 %p2, %r3, " +
                       expected +
                       ";\n@!%p2 bra done;\nboth:\nred.relaxed.gpu.global.add.f32 [%rd2], %f1;\n",
                   how);
  };
  EXPECT_EQ(seen("red.relaxed.gpu.global.add.u32 [%rd3], 1;\n", "1"), Verdict::no_proof);
  EXPECT_EQ(seen("", "0"), Verdict::proved);
}
TEST(Planted, a_sum_that_flushes_subnormals_is_proved_of_data_without_them) {
  const auto assumed = [](const std::string& add) {
    const auto proof = prove_ptx(four_elements + add +
                                 " %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\n"
                                 "add.f32 %f1, %f1, %f3;\n" +
                                 thread_0_stores_f1);
    EXPECT_TRUE(proof.proved()) << text(proof);
    return std::ranges::count(proof.assumed, "no_subnormals");
  };
  EXPECT_EQ(assumed("add.ftz.f32"), 1);
  EXPECT_EQ(assumed("add.f32"), 0);
}
TEST(Planted, atomics_of_f32_take_subnormals_for_zero_but_in_shared_memory) {
  const auto assumed = [](const std::string& add) {
    HandWritten how;
    how.n = how.block = 1;
    how.out = Fill::identity;
    const auto proof = prove_ptx("ld.global.f32 %f1, [%rd1];\n" + add, how);
    EXPECT_TRUE(proof.proved()) << text(proof);
    return std::ranges::count(proof.assumed, "no_subnormals");
  };
  EXPECT_EQ(assumed("red.global.add.f32 [%rd2], %f1;\n"), 1);
  EXPECT_EQ(assumed("st.shared.f32 [s], 0f00000000;\nred.shared.add.f32 [s], %f1;\n"
                    "ld.shared.f32 %f1, [s];\nst.global.f32 [%rd2], %f1;\n"),
            0);
  // Also an operation that no rule follows.
  EXPECT_EQ(assumed("sub.ftz.f32 %f2, %f1, %f1;\nst.global.f32 [%rd2], %f1;\n"), 1);
}
TEST(Planted, an_operation_with_one_operand_more_is_another_one) {
  const auto proved = [](const std::string& longer) {
    HandWritten how = integers(Op::minimum);
    how.longer = longer;
    return verdict(four_words +
                       "min.s32 %r3, %r3, %r4;\nmov.b32 %r7, %r5;\nsetp.ne.s32 %p1, %r1, 99;\n"
                       "selp.b32 %r7, %r7, %r4, %p1;\nmin.s32 %r5, %r7, %r6;\n"
                       "min.s32 %r3, %r3, %r5;\n" +
                       thread_0_stores_r3,
                   how) == Verdict::proved;
  };
  EXPECT_TRUE(proved("max.s32"));
  for (const auto* op : {"min.s32", "mov.b32", "selp.b32"}) EXPECT_FALSE(proved(op)) << op;
}
TEST(Planted, elements_behind_the_input_are_not_due) {
  HandWritten how;
  how.tail = Tail::zero;
  how.padded = 8;
  EXPECT_EQ(verdict(four_elements + four_summed + thread_0_stores_f1, how), Verdict::proved);
  EXPECT_EQ(
      verdict(four_elements + four_summed +
                  "ld.global.f32 %f5, [%rd1+20];\nadd.f32 %f1, %f1, %f5;\n" + thread_0_stores_f1,
              how),
      Verdict::refuted);
}

}  // namespace
}  // namespace gauntlet::prove::test
