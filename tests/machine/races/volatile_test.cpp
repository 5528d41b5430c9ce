// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Volatile accesses that PTX takes for relaxed atomics, and of which one reads what only decides a
// branch, are a warning; what is read into data, or is not atomic to PTX either, is an error.
#include <algorithm>
#include <string>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::volatile_pairs {
namespace {

using K = FindingKind;
using Told = std::set<std::pair<K, Severity>>;

/// Findings of 2 blocks of 64 threads. %r0: the thread, %r1: the block, %d0: an array of 256 zeros,
/// %d1: the thread's own word in it, %r2: that word's number; %p1: the first thread of all.
Told told(const std::string& body, const std::string& schedule) {
  const auto text_of =
      kernel(".param .u64 a",
             "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;"
             "mad.lo.u32 %r2, %r1, 64, %r0; mad.wide.u32 %d1, %r2, 4, %d0; mov.u32 %r5, 0;"
             "mov.u32 %r6, 0; setp.eq.u32 %p1, %r2, 0;\n" +
                 body + "\nret;",
             ".shared .align 8 .b8 s[256];");
  Told all;
  for (const Finding& f : judged(text_of, {schedule, 2})) {
    all.emplace(f.kind, f.severity);
    const bool advised = f.detail.find("cuda::atomic_ref") != f.detail.npos;
    EXPECT_EQ(advised, f.severity == Severity::warning) << f.detail;
  }
  return all;
}

void expect(const std::string& body, const Told& wanted) {
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(told(body, schedule), wanted) << body << " " << schedule;
  }
}

const std::string look = "ld.volatile.global.u32 %r3, [%d0+512];";
const std::string stop = "@%p1 st.volatile.global.u32 [%d0+512], 1;";
const std::string test = "setp.ne.u32 %p2, %r3, 0; @%p2 bra E;";
const std::string next = "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3; @%p3 bra L; E:";

/// A loop that looks at a flag, works, and stores what it has done; one thread sets the flag.
std::string until(const std::string& looks) {
  return "L:" + looks + "add.u32 %r6, %r6, %r0;" + stop + next + "st.global.u32 [%d1], %r6;";
}

TEST(VolatilePair, of_a_flag_to_stop_is_a_warning) {
  expect(until(look + test), {{K::race_read_write, Severity::warning}});
  expect(until("ld.relaxed.gpu.global.u32 %r3, [%d0+512];" + test),
         {{K::race_read_write, Severity::warning}});
  expect(until(look + "and.b32 %r4, %r3, 255; setp.ne.u32 %p4, %r4, 0; "
                      "vote.sync.any.pred %p2, %p4, -1; @%p2 bra E;"),
         {{K::race_read_write, Severity::warning}});
  expect(until(look + "setp.ne.u32 %p2, %r3, 0; @%p2 exit;"),
         {{K::race_read_write, Severity::warning}});
  // Looked at once, without a loop.
  expect(stop + look + test + "st.global.u32 [%d1], 1; E:",
         {{K::race_write_read, Severity::warning}});
}

TEST(VolatilePair, whose_value_is_read_into_data_is_an_error) {
  // Stored, added, selected, an address, the operand of an atomic, handed to other lanes.
  expect(until(look + test + "st.global.u32 [%d1], %r3;"), {{K::race_read_write, Severity::error}});
  expect(until(look + test + "add.u32 %r6, %r6, %r3;"), {{K::race_read_write, Severity::error}});
  expect(until(look + test + "selp.u32 %r4, 1, 2, %p2; add.u32 %r6, %r6, %r4;"),
         {{K::race_read_write, Severity::error}});
  expect(until(look + test + "@!%p2 add.u32 %r6, %r6, 1;"),
         {{K::race_read_write, Severity::error}});
  expect(until(look + test +
               "mul.wide.u32 %d5, %r3, 4; add.u64 %d5, %d5, %d1;"
               "ld.global.u32 %r4, [%d5];"),
         {{K::race_read_write, Severity::error}});
  expect(until(look + test + "red.global.add.u32 [%d0+1020], %r3;"),
         {{K::race_read_write, Severity::error}});
  expect(until(look + test + "shfl.sync.idx.b32 %r4, %r3, 0, 31, -1; add.u32 %r6, %r6, %r4;"),
         {{K::race_read_write, Severity::error}});
}

TEST(VolatilePair, that_ptx_takes_for_no_atomics_is_an_error) {
  // Other sizes, a part of the bytes, plain, and of too small a scope.
  expect(until("ld.volatile.global.u8 %r3, [%d0+512];" + test),
         {{K::race_read_write, Severity::error}});
  expect(until("ld.volatile.global.u64 %d3, [%d0+512]; cvt.u32.u64 %r3, %d3;" + test),
         {{K::race_read_write, Severity::error}});
  expect(until("ld.global.u32 %r3, [%d0+512];" + test), {{K::race_read_write, Severity::error}});
  expect(until("ld.relaxed.cta.global.u32 %r3, [%d0+512];" + test),
         {{K::race_read_write, Severity::error}});
}

TEST(VolatilePair, of_writes_of_different_values_is_an_error) {
  expect("setp.eq.u32 %p4, %r0, 5; @%p4 st.volatile.global.u32 [%d0+512], %r2;",
         {{K::race_write_write, Severity::error}});
}

TEST(VolatilePair, of_a_test_before_an_atomic_is_a_warning) {
  const std::string less = "setp.le.u32 %p2, %r3, %r0;", atomic = "[%d0+512], %r0;";
  expect(look + less + "@%p2 bra E; red.global.min.u32 " + atomic + "E:", {});
  const std::string more = "setp.ge.u32 %p2, %r3, %r0;";
  expect(look + more + "@%p2 bra E; red.global.max.u32 " + atomic + "E:",
         {{K::race_atomic, Severity::warning}});
  expect(look + more + "@!%p2 red.global.max.u32 " + atomic, {{K::race_atomic, Severity::warning}});
  expect("ld.global.u32 %r3, [%d0+512];" + more + "@%p2 bra E; red.global.max.u32 " + atomic + "E:",
         {{K::race_atomic, Severity::error}});
  // And is read into data behind it.
  expect(look + more + "@%p2 bra E; red.global.max.u32 " + atomic +
             "E:\nld.volatile.global.u32 %r4, [%d0+512]; st.global.u32 [%d1], %r4;",
         {{K::race_atomic, Severity::warning}, {K::race_atomic, Severity::error}});
}

TEST(VolatilePair, of_bytes_in_a_loop_that_works_is_a_warning) {
  // A thread decides for a byte by its own and its neighbour's, which may be another block's.
  const std::string bytes =
      "cvt.u64.u32 %d3, %r2; add.u64 %d3, %d3, %d0; xor.b32 %r7, %r2, 64;"
      "cvt.u64.u32 %d4, %r7; add.u64 %d4, %d4, %d0;";
  const std::string turn =
      "L: ld.volatile.global.u8 %r3, [%d4]; setp.ge.u32 %p2, %r3, 3; @%p2 bra M;"
      "st.volatile.global.u8 [%d3], 3; M:";
  expect(bytes + turn + next, {{K::race_read_write, Severity::warning}});
}

TEST(VolatilePair, of_a_status_that_neighbours_change_is_a_warning) {
  // A maximal independent set: who is still undecided looks at its neighbour, of the other block,
  // and puts the neighbour out; a byte for each.
  const std::string bytes =
      "cvt.u64.u32 %d3, %r2; add.u64 %d3, %d3, %d0; xor.b32 %r7, %r2, 64;"
      "cvt.u64.u32 %d4, %r7; add.u64 %d4, %d4, %d0;";
  const auto turns = [&](const std::string& looks_again) {
    return bytes +
           "L: mov.u32 %r8, 0; ld.volatile.global.u8 %r3, [%d3];"
           "setp.ge.u32 %p2, %r3, 3; @%p2 bra M; ld.volatile.global.u8 %r4, [%d4];"
           "setp.gt.u32 %p3, %r4, %r3; @%p3 bra N; setp.lt.u32 %p4, %r2, %r7; @!%p4 bra N;"
           "st.volatile.global.u8 [%d4], 3; st.volatile.global.u8 [%d3], 4; bra M;"
           "N: mov.u32 %r8, 1; M: add.u32 %r5, %r5, 1; setp.eq.u32 %p5, %r8, 1;" +
           looks_again + "setp.lt.u32 %p6, %r5, 3; and.pred %p5, %p5, %p6; @%p5 bra L;";
  };
  for (const auto* schedule : pair_schedules) {
    const Told warned = told(turns(""), schedule);
    EXPECT_FALSE(warned.empty()) << schedule;
    for (const auto& [kind, severity] : warned) EXPECT_EQ(severity, Severity::warning) << schedule;
    // What is read goes into a sum, which lacks a barrier.
    const Told summed = told(turns("ld.volatile.global.u8 %r9, [%d4]; add.u32 %r6, %r6, %r9;") +
                                 "st.global.u32 [%d1+512], %r6;",
                             schedule);
    EXPECT_TRUE(std::ranges::any_of(summed, [](const auto& one) {
      return one.second == Severity::error;
    })) << schedule;
  }
}

TEST(VolatilePair, of_shared_memory_follows_the_same_rule) {
  const std::string own = "mov.u64 %d5, s; mad.wide.u32 %d6, %r0, 4, %d5;", barrier = "bar.sync 0;";
  const std::string set = "setp.eq.u32 %p4, %r0, 40; @%p4 st.volatile.shared.u32 [%d5], 1;";
  const std::string first = own + "st.shared.u32 [%d6], 0;" + barrier;
  const std::string ask =
      "setp.lt.u32 %p5, %r0, 32; @!%p5 bra A;"
      "ld.volatile.shared.u32 %r3, [%d5];";
  expect(first + set + ask + "setp.ne.u32 %p2, %r3, 0; @%p2 bra A; st.global.u32 [%d1], 1; A:",
         {{K::race_write_read, Severity::warning}});
  expect(first + set + ask + "st.global.u32 [%d1], %r3; A:",
         {{K::race_write_read, Severity::error}});
  expect(first + set + barrier + ask + "st.global.u32 [%d1], %r3; A:", {});
}

TEST(VolatilePair,
     of_a_flag_that_publishes_without_a_release_leaves_the_race_on_the_data_an_error) {
  const std::string publish = "@!%p1 bra R; st.global.u32 [%d0+516], 7;\n" + stop + "bra D; R:";
  const std::string wait = "W:" + look + "setp.eq.u32 %p2, %r3, 0; @%p2 bra W; fence.acq_rel.gpu;";
  const std::string use = "\nld.global.u32 %r4, [%d0+516]; D: ";
  expect("setp.eq.u32 %p4, %r0, 0; @!%p4 bra D;" + publish + wait + use,
         {{K::race_write_read, Severity::error}, {K::race_write_read, Severity::warning}});
}

}  // namespace
}  // namespace gauntlet::simt::test::volatile_pairs
