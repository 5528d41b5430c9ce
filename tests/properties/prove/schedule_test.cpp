// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is right in the schedule that is run, and not in others: an order that only luck gave,
// floats that came in one of many orders, launches that happened not to overlap, warps that
// happened to meet. Each beside the right one that is nearest.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/properties/prove/hand_written.hpp"

namespace gauntlet::prove::test {
namespace {

HandWritten of(std::uint32_t grid, std::uint32_t block = 1, Fill out = Fill::poison) {
  HandWritten how;
  how.grid = grid;
  how.block = block;
  how.n = grid;
  how.out = out;
  return how;
}
bool proved(const std::string& body, const HandWritten& how) {
  return prove_ptx(body, how).proved();
}
/// Why there is no proof.
std::string cause(const std::string& body, const HandWritten& how) {
  const auto proof = prove_ptx(body, how);
  EXPECT_EQ(proof.verdict, Verdict::no_proof) << text(proof);
  return proof.cause ? proof.cause->what : "";
}
void expect_of_schedule(const std::string& body, const HandWritten& how) {
  const auto what = cause(body, how);
  EXPECT_NE(what.find("schedule"), std::string::npos) << what << "\n" << body;
}

// --- what a read comes behind: block 0 leaves its element and a flag, block 1 looks and takes it.

struct Passing {
  std::string leave = "st.release.gpu.global.u32 [%rd3], 1;\n";
  std::string look = "ld.acquire.gpu.global.u32 %r3, [%rd3];\n";
  std::string take = "ld.global.f32 %f2, [%rd3+16];\n";
  bool waits = false;
};
std::string passed(const Passing& p) {
  const std::string poll =
      p.waits ? "poll:\n" + p.look + "setp.eq.s32 %p1, %r3, 0;\n@%p1 bra poll;\n" : p.look;
  return element_of_block + "setp.ne.s32 %p2, %r2, 0;\n@%p2 bra second;\n" +
         "st.global.f32 [%rd3+16], %f1;\n" + p.leave + "bra done;\nsecond:\n" + poll + p.take +
         "add.f32 %f1, %f1, %f2;\nst.global.f32 [%rd2], %f1;\n";
}
const std::string device_fence = "fence.acq_rel.gpu;\n";

TEST(Order, of_a_flag_is_there_where_it_is_waited_for) {
  const std::string relaxed = "ld.relaxed.gpu.global.u32 %r3, [%rd3];\n";
  const std::string stores = device_fence + "st.relaxed.gpu.global.u32 [%rd3], 1;\n";
  const std::string load = "ld.global.f32 %f2, [%rd3+16];\n";
  const Passing ways[] = {
      {},
      {.leave = stores, .look = relaxed, .take = device_fence + load},
      // No acquire is needed before a volatile read.
      {.look = "ld.volatile.global.u32 %r3, [%rd3];\n",
       .take = "ld.volatile.global.f32 %f2, [%rd3+16];\n"},
  };
  for (auto way : ways) {
    way.waits = true;
    EXPECT_TRUE(proved(passed(way), of(2))) << text(prove_ptx(passed(way), of(2)));
    way.waits = false;
    expect_of_schedule(passed(way), of(2));
  }
}
TEST(Order, is_not_what_an_atomic_happened_to_read) {
  for (const std::string op :
       {"exch.b32 %r3, [%rd3], 2", "cas.b32 %r3, [%rd3], 7, 8", "max.s32 %r3, [%rd3], 0",
        "or.b32 %r3, [%rd3], 0", "add.u32 %r3, [%rd3], 0"}) {
    const std::string look = "atom.acq_rel.gpu.global." + op + ";\n";
    expect_of_schedule(passed({.look = look}), of(2));
    // Its number is looked at, and goes nowhere.
    expect_of_schedule(passed({.look = look + "st.global.u32 [%rd3+20], %r3;\n"}), of(2));
  }
}
TEST(Order, is_not_what_a_barrier_hands_on_of_a_flag_that_nobody_waited_for) {
  // Thread 0 of block 1 looks, thread 1 fences and takes.
  const auto body = [](bool waits) {
    const std::string look = "ld.relaxed.gpu.global.u32 %r3, [%rd3];\n";
    return element_of_block + "setp.ne.s32 %p2, %r2, 0;\n@%p2 bra second;\n" +
           "setp.ne.s32 %p3, %r1, 0;\n@%p3 bra done;\nst.global.f32 [%rd3+16], %f1;\n" +
           device_fence + "st.relaxed.gpu.global.u32 [%rd3], 1;\nbra done;\nsecond:\n" +
           "setp.ne.s32 %p3, %r1, 0;\n@%p3 bra on;\n" +
           (waits ? "poll:\n" + look + "setp.eq.s32 %p1, %r3, 0;\n@%p1 bra poll;\n" : look) +
           "on:\nbar.sync 0;\n@!%p3 bra done;\n" + device_fence +
           "ld.global.f32 %f2, [%rd3+16];\n" +
           "add.f32 %f1, %f1, %f2;\nst.global.f32 [%rd2], %f1;\n";
  };
  EXPECT_TRUE(proved(body(true), of(2, 2))) << text(prove_ptx(body(true), of(2, 2)));
  expect_of_schedule(body(false), of(2, 2));
}
TEST(Order, of_two_warps_is_not_what_one_saw_by_luck) {
  const auto body = [](bool waits) {
    const std::string look = "ld.relaxed.cta.global.u32 %r3, [%rd3];\n";
    return "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\nand.b32 %r4, %r1, 31;\n"
           "setp.ne.s32 %p3, %r4, 0;\n@%p3 bra done;\nsetp.ne.s32 %p2, %r1, 0;\n"
           "@%p2 bra second;\nst.shared.f32 [s+8], %f1;\nfence.acq_rel.cta;\n"
           "st.relaxed.cta.global.u32 [%rd3], 1;\nbra done;\nsecond:\n" +
           (waits ? "poll:\n" + look + "setp.eq.s32 %p1, %r3, 0;\n@%p1 bra poll;\n" : look) +
           "fence.acq_rel.cta;\nld.shared.f32 %f1, [s+8];\nadd.f32 %f1, %f1, %f2;\n"
           "st.global.f32 [%rd2], %f1;\n";
  };
  HandWritten how = of(1, 64);
  how.n = 2;
  EXPECT_TRUE(proved(body(true), how)) << text(prove_ptx(body(true), how));
  expect_of_schedule(body(false), how);
}
TEST(Order, of_tickets_counts_where_the_last_one_is_looked_for) {
  // Each of two blocks leaves its element and takes a ticket; `who` adds both.
  const auto body = [](const std::string& who) {
    return element_of_block + "mul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd6, %rd3, %rd6;\n" +
           "st.global.f32 [%rd6+16], %f1;\natom.acq_rel.gpu.global.inc.u32 %r3, [%rd3], 1;\n" +
           who + "@!%p1 bra done;\nld.global.f32 %f1, [%rd3+16];\nld.global.f32 %f2, [%rd3+20];\n" +
           "add.f32 %f1, %f1, %f2;\nst.global.f32 [%rd2], %f1;\n";
  };
  EXPECT_TRUE(proved(body("setp.eq.s32 %p1, %r3, 1;\n"), of(2)));
  // The ticket's number goes nowhere.
  expect_of_schedule(body("st.global.u32 [%rd6+32], %r3;\nsetp.eq.s32 %p1, %r2, 1;\n"), of(2));
}
TEST(Order, matters_for_what_stays_of_a_store_and_an_atomic) {
  // Nobody fences. What stays in the word is looked at in the second launch.
  const auto body = [](const std::string& second) {
    return element_of_block +
           "ld.global.u32 %r4, [%rd3+8];\nsetp.eq.s32 %p3, %r2, 0;\n"
           "@%p3 st.relaxed.gpu.global.u32 [%rd3], 1;\n"
           "@!%p3 atom.relaxed.gpu.global." +
           second +
           ";\n@!%p3 st.global.u32 [%rd3+16], %r3;\n"
           "@%p3 red.relaxed.gpu.global.add.f32 [%rd2], %f1;\n"
           "@!%p3 red.relaxed.gpu.global.add.f32 [%rd2], %f1;\n";
  };
  for (const std::string op : {"exch.b32 %r3, [%rd3], 2", "cas.b32 %r3, [%rd3], 1, 8",
                               "max.s32 %r3, [%rd3], 5", "or.b32 %r3, [%rd3], 6"}) {
    expect_of_schedule(body(op), of(2, 1, Fill::identity));
  }
  EXPECT_TRUE(proved(body("exch.b32 %r3, [%rd3+4], 2"), of(2, 1, Fill::identity)));
}

// --- floats

/// Three threads of as many warps add constants in %r3 to a word that begins as zero; `between`
/// stands between them. Thread 0 stores the element only where the word is `sum`.
std::string constants(const std::string& add, const std::string& between, const std::string& sum) {
  const auto by = [&](char warp, const std::string& value) {
    // Registers and labels of its own.
    std::string own = add;
    std::replace(own.begin(), own.end(), '#', warp);
    const std::string on = std::string("on") + warp;
    return std::string("shr.u32 %r4, %r1, 5;\nsetp.ne.s32 %p1, %r4, ") + warp + ";\n@%p1 bra " +
           on + ";\nand.b32 %r4, %r1, 31;\nsetp.ne.s32 %p1, %r4, 0;\n@%p1 bra " + on +
           ";\nmov.b32 %r3, " + value + ";\n" + own + on + ":\n";
  };
  return "ld.global.f32 %f1, [%rd1];\nmov.u32 %r8, 0;\n"
         "setp.eq.s32 %p4, %r1, 0;\n@%p4 st.shared.u32 [s], %r8;\nbar.sync 0;\n" +
         by('0', "0x3F800000") + between + by('1', "0x4CBEBC20") + between + by('2', "0xCCBEBC20") +
         "bar.sync 0;\nld.shared.u32 %r4, [s];\nsetp.ne.s32 %p2, %r1, 0;\n@%p2 bra done;\n" +
         "setp.ne.s32 %p3, %r4, " + sum + ";\n@%p3 bra done;\nst.global.f32 [%rd2], %f1;\n";
}
const std::string barrier = "bar.sync 0;\n";
HandWritten three_warps() {
  HandWritten how = of(1, 96);
  how.n = 1;
  return how;
}
// 1 + 1e8 - 1e8 is 0, and 1 in other orders.
TEST(Floats, that_are_constants_are_added_in_the_order_of_the_schedule) {
  const std::string add = "mov.b32 %f2, %r3;\nred.relaxed.cta.shared.add.f32 [s], %f2;\n";
  EXPECT_FALSE(proved(constants(add, "", "0"), three_warps()));
  EXPECT_TRUE(proved(constants(add, barrier, "0"), three_warps()));
}
TEST(Floats, that_a_retry_adds_are_added_in_the_order_of_the_schedule) {
  const auto retry = [](const std::string& combine) {
    return "mov.u32 %r1#, 0;\nagain#:\nmov.b32 %f1#, %r1#;\nmov.b32 %f2#, %r3;\n" + combine +
           "mov.b32 %r2#, %f3#;\natom.relaxed.cta.shared.cas.b32 %r3#, [s], %r1#, %r2#;\n"
           "setp.ne.s32 %p1#, %r3#, %r1#;\nmov.u32 %r1#, %r3#;\n@%p1# bra again#;\n";
  };
  const auto sum = retry("add.f32 %f3#, %f1#, %f2#;\n");
  EXPECT_FALSE(proved(constants(sum, "", "0"), three_warps()));
  EXPECT_TRUE(proved(constants(sum, barrier, "0"), three_warps()));
  // A maximum is the same in every order.
  const auto most = retry("max.f32 %f3#, %f1#, %f2#;\n");
  EXPECT_TRUE(proved(constants(most, "", "0x4CBEBC20"), three_warps()));
}
TEST(Floats, are_told_from_integers_that_are_added_in_any_order) {
  const std::string add = "red.relaxed.cta.shared.add.u32 [s], %r3;\n";
  EXPECT_TRUE(proved(constants(add, "", "0x58FD7840"), three_warps()));
}
TEST(Floats, of_one_thread_or_that_change_nothing_have_one_order) {
  const std::string add = "red.relaxed.gpu.global.add.f32 [%rd2], %f1;\n";
  HandWritten how = of(2, 1, Fill::identity);
  how.n = 0;
  // Both blocks have nothing to add.
  const auto none = prove_ptx("mov.f32 %f1, 0f00000000;\n" + add, how);
  EXPECT_TRUE(none.proved()) << text(none);
  EXPECT_FALSE(none.any_association);
  EXPECT_FALSE(prove_ptx(element_of_block + add, of(1, 1, Fill::identity)).any_association);
  EXPECT_TRUE(prove_ptx(element_of_block + add, of(2, 1, Fill::identity)).any_association);
}
TEST(Floats, that_are_equal_may_come_in_any_order) {
  // Of three warps two add 0.1 and one adds nothing; or one adds a number of its own, or one has
  // added another one before, which `first` does.
  const auto body = [](const std::string& third, const std::string& first = "") {
    return "ld.global.f32 %f1, [%rd1];\nmov.u32 %r8, 0;\nsetp.eq.s32 %p4, %r1, 0;\n"
           "@%p4 st.shared.u32 [s], %r8;\nbar.sync 0;\nsetp.lt.s32 %p1, %r1, 64;\n"
           "mov.b32 %r3, " +
           third +
           ";\nselp.b32 %r3, 0x3DCCCCCD, %r3, %p1;\nand.b32 %r4, %r1, 31;\n"
           "setp.ne.s32 %p1, %r4, 0;\n@%p1 bra on;\nmov.b32 %f2, %r3;\n" +
           first +
           "red.relaxed.cta.shared.add.f32 [s], %f2;\non:\nbar.sync 0;\nld.shared.u32 %r4, [s];\n"
           "@!%p4 bra done;\nsetp.eq.s32 %p3, %r4, 7;\n@%p3 bra done;\n"
           "st.global.f32 [%rd2], %f1;\n";
  };
  EXPECT_TRUE(proved(body("0"), three_warps())) << text(prove_ptx(body("0"), three_warps()));
  EXPECT_TRUE(proved(body("0x3DCCCCCD"), three_warps()));
  EXPECT_FALSE(proved(body("0x3F800000"), three_warps()));
  EXPECT_FALSE(proved(body("0x3DCCCCCD", "@%p4 red.relaxed.cta.shared.add.f32 [s], 0f3F800000;\n"),
                      three_warps()));
}

// --- launches that may overlap: the same kernel twice

TEST(Overlap, shows_what_the_launch_before_leaves_only_for_a_moment) {
  // 5 is added and taken away again; who looks in between stores nothing.
  const auto body = [](const std::string& wait, const std::string& look) {
    return wait + element_of_block + look +
           "red.relaxed.gpu.global.add.u32 [%rd3], 5;\n"
           "red.relaxed.gpu.global.add.u32 [%rd3], -5;\n"
           "setp.ne.s32 %p1, %r3, 0;\n@%p1 bra done;\nst.relaxed.gpu.global.f32 [%rd2], %f1;\n";
  };
  const std::string wait = "griddepcontrol.wait;\n";
  for (const std::string look : {"ld.relaxed.gpu.global.u32 %r3, [%rd3];\n",
                                 "atom.relaxed.gpu.global.or.b32 %r3, [%rd3], 0;\n"}) {
    HandWritten how = of(1);
    how.launches = 2;
    EXPECT_TRUE(proved(body("", look), how)) << text(prove_ptx(body("", look), how));
    how.programmatic = true;
    expect_of_schedule(body("", look), how);
    EXPECT_TRUE(proved(body(wait, look), how)) << text(prove_ptx(body(wait, look), how));
  }
}
TEST(Overlap, with_the_launch_after_the_next_ends_where_the_one_between_waits) {
  // The first launch adds and takes away, the third waits and looks.
  const auto body = [](const std::string& middle) {
    const std::string wait = "griddepcontrol.wait;\n";
    return element_of_block +
           "ld.param.u32 %r9, [launch];\nsetp.eq.s32 %p1, %r9, 0;\nsetp.eq.s32 %p2, %r9, 1;\n"
           "@%p1 red.relaxed.gpu.global.add.u32 [%rd3], 5;\n"
           "@%p1 red.relaxed.gpu.global.add.u32 [%rd3], -5;\n@%p1 bra done;\n" +
           middle + wait + "@%p2 bra done;\nld.relaxed.gpu.global.u32 %r3, [%rd3];\n" +
           "setp.ne.s32 %p3, %r3, 0;\n@%p3 bra done;\nst.global.f32 [%rd2], %f1;\n";
  };
  HandWritten how = of(1);
  how.launches = 3;
  how.programmatic = true;
  EXPECT_TRUE(proved(body(""), how)) << text(prove_ptx(body(""), how));
  expect_of_schedule(body("@%p2 bra done;\n"), how);
}
TEST(Overlap, does_no_harm_to_what_both_launches_count) {
  HandWritten how = of(2, 1, Fill::identity);
  how.in = how.acc = Type::i32;
  how.op = Op::maximum;
  how.launches = 2;
  // Block 0 has both elements, each block counts.
  const auto body = [](const std::string& counting) {
    return "setp.ne.s32 %p2, %r2, 0;\n@%p2 bra on;\nld.global.v2.u32 {%r3, %r5}, [%rd1];\n"
           "max.s32 %r3, %r3, %r5;\nred.relaxed.gpu.global.max.s32 [%rd2], %r3;\non:\n" +
           counting;
  };
  const auto counts = body("red.relaxed.gpu.global.add.u32 [%rd3], 1;\n");
  const auto ticket = body(
      "atom.relaxed.gpu.global.inc.u32 %r4, [%rd3], 1;\nsetp.eq.s32 %p1, %r4, 1;\n"
      "@%p1 bra done;\n");
  EXPECT_TRUE(proved(ticket, how)) << text(prove_ptx(ticket, how));
  how.programmatic = true;
  EXPECT_TRUE(proved(counts, how)) << text(prove_ptx(counts, how));
  // A ticket of two launches is neither's.
  expect_of_schedule(ticket, how);
}

// --- barriers of a part of the block: four warps, of which each has an element in shared memory

std::string in_shared(const std::string& meet, const std::string& then) {
  return "shr.u32 %r3, %r1, 5;\nand.b32 %r4, %r1, 31;\nsetp.ne.s32 %p2, %r4, 0;\n"
         "mul.wide.u32 %rd5, %r3, 4;\nadd.s64 %rd6, %rd1, %rd5;\n"
         "cvt.u32.u64 %r5, %rd5;\nmov.u32 %r6, s;\nadd.s32 %r6, %r6, %r5;\n"
         "@%p2 bra meet;\nld.global.f32 %f1, [%rd6];\nst.shared.f32 [%r6], %f1;\nmeet:\n" +
         meet + "@%p2 bra done;\nand.b32 %r7, %r3, 1;\nsetp.ne.s32 %p3, %r7, 0;\n@%p3 bra done;\n" +
         then;
}
/// The even warps add what their neighbour has.
const std::string add_pairs =
    "ld.shared.f32 %f1, [%r6];\nld.shared.f32 %f2, [%r6+4];\nadd.f32 %f1, %f1, %f2;\n"
    "red.relaxed.gpu.global.add.f32 [%rd2], %f1;\n";
HandWritten four_warps() {
  HandWritten how = of(1, 128, Fill::identity);
  how.n = 4;
  return how;
}
TEST(NamedBarriers, do_not_tell_who_meets_where_more_warps_come_than_are_waited_for) {
  const auto proof = prove_ptx(in_shared("bar.sync 1, 64;\n", add_pairs), four_warps());
  EXPECT_EQ(proof.verdict, Verdict::no_proof);
  EXPECT_NE(text(proof).find("who meets at the barrier"), std::string::npos) << text(proof);
  // Each pair has a barrier of its own, as often as it likes.
  const std::string own =
      "shr.u32 %r8, %r3, 1;\nadd.s32 %r8, %r8, 1;\nbar.sync %r8, 64;\nbar.sync %r8, 64;\n";
  EXPECT_TRUE(proved(in_shared(own, add_pairs), four_warps()))
      << text(prove_ptx(in_shared(own, add_pairs), four_warps()));
  // One pair meets before the barrier of all, the other behind it.
  const std::string turns =
      "setp.lt.u32 %p4, %r3, 2;\n@!%p4 bra second;\nbar.sync 1, 64;\nsecond:\nbar.sync 0;\n"
      "@%p4 bra on;\nbar.sync 1, 64;\non:\n";
  EXPECT_TRUE(proved(in_shared(turns, add_pairs), four_warps()))
      << text(prove_ptx(in_shared(turns, add_pairs), four_warps()));
}
TEST(NamedBarriers, that_a_warp_only_comes_to_are_not_come_to_twice) {
  // Warps 1 and 3 come, the even ones wait; `once_more` of the former before the others have gone
  // on.
  const auto met = [](const std::string& once_more) {
    return "shr.u32 %r8, %r3, 1;\nadd.s32 %r8, %r8, 1;\nand.b32 %r9, %r3, 1;\n"
           "setp.ne.s32 %p4, %r9, 0;\n@%p4 bra coming;\nbar.sync %r8, 64;\n" +
           std::string(once_more.empty() ? "" : "bar.sync %r8, 64;\n") + "bra on;\ncoming:\n" +
           "bar.arrive %r8, 64;\n" + once_more + "on:\n";
  };
  EXPECT_TRUE(proved(in_shared(met(""), add_pairs), four_warps()));
  expect_of_schedule(in_shared(met("bar.arrive %r8, 64;\n"), add_pairs), four_warps());
}

// --- what data leave undefined: a word of shared memory that nobody wrote, in %r4

std::string with_undefined(const std::string& body) {
  return "ld.global.u32 %r3, [%rd1];\nld.shared.u32 %r4, [s];\n" + body + thread_0_stores_r3;
}
HandWritten one_word() {
  HandWritten how = integers();
  how.n = 1;
  return how;
}
TEST(Undefined, is_what_other_data_choose) {
  // Of the data of the run %p1 is false, and %r6 is 0: all is defined.
  const std::string never = "setp.eq.s32 %p1, %r3, 12345;\nselp.b32 %r6, -1, 0, %p1;\n";
  const std::string sum = "add.s32 %r3, %r3, %r5;\n";
  for (const auto& choice : std::vector<std::string>{
           "selp.b32 %r3, %r4, %r3, %p1;\n",
           "setp.gt.s32 %p2, %r4, 0;\nselp.b32 %r3, %r3, %r3, %p2;\n",
           "slct.s32.s32 %r5, %r6, %r4, %r6;\n" + sum,
           "sub.s32 %r7, 32, %r6;\nshl.b32 %r5, %r4, %r7;\n" + sum,
           "and.b32 %r5, %r6, %r4;\n" + sum,
           "not.b32 %r7, %r6;\nor.b32 %r5, %r7, %r4;\nnot.b32 %r5, %r5;\n" + sum,
           "lop3.b32 %r5, %r6, %r4, %r4, 0x80;\n" + sum,
           "bfe.u32 %r5, %r4, 0, %r6;\n" + sum,
           "bfi.b32 %r5, %r4, %r1, 0, %r6;\n" + sum,
           "add.s32 %r7, %r6, 0x5555;\nprmt.b32 %r5, %r4, %r1, %r7;\n" + sum,
       }) {
    const auto proof = prove_ptx(with_undefined(never + choice), one_word());
    EXPECT_EQ(proof.verdict, Verdict::no_proof) << choice;
    EXPECT_NE(text(proof).find("leave undefined"), std::string::npos) << choice << text(proof);
  }
  // A word of its own is undefined whatever the data, and nobody looks at it; a choice that the
  // shape makes is made for all data.
  for (const std::string none : {"add.s32 %r5, %r3, %r4;\n", "selp.b32 %r5, %r4, %r3, %p1;\n",
                                 "setp.lt.u32 %p2, %r1, 99;\nselp.b32 %r3, %r3, %r4, %p2;\n",
                                 "and.b32 %r5, %r4, 0;\nor.b32 %r3, %r3, %r5;\n"}) {
    const auto proof = prove_ptx(with_undefined(never + none), one_word());
    EXPECT_TRUE(proof.proved()) << none << text(proof);
  }
}

}  // namespace
}  // namespace gauntlet::prove::test
