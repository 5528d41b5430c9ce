// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that come to a word one behind the other, each acquiring what the one before released:
// the latest stands for all, and who does not come behind it is told.
#include <fmt/format.h>

#include <set>
#include <string>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::turns {
namespace {

using Kinds = std::set<FindingKind>;

/// Of 2 blocks of 4 threads. %d0: an array of zeros, %d1: the thread's own word behind its first.
Kinds told(const std::string& body, const std::string& schedule) {
  const auto text_of =
      kernel(".param .u64 a",
             "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;"
             "mad.lo.u32 %r2, %r1, 4, %r0; mad.wide.u32 %d1, %r2, 4, %d0; add.u64 %d1, %d1, 64;\n" +
                 body + "\nret;");
  Kinds kinds;
  for (const Finding& f : judged(text_of, {schedule, 2, 4})) kinds.insert(f.kind);
  return kinds;
}

void expect(const std::string& body, const Kinds& wanted) {
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(told(body, schedule), wanted) << body << " " << schedule;
  }
}

std::string count(const std::string& how) {
  return "atom." + how + ".global.add.u32 %r3, [%d0], 1;";
}
const std::string wait =
    "L: ld.acquire.gpu.global.u32 %r3, [%d0]; setp.lt.u32 %p1, %r3, 8; @%p1 bra L;";
const std::string look = "ld.global.u32 %r4, [%d0];";

TEST(Turns, end_with_who_has_seen_all) {
  expect(count("acq_rel.gpu") + wait + look, {});
  expect(count("acq_rel.gpu") + look, {FindingKind::race_atomic});
  expect(count("relaxed.gpu") + wait + look, {FindingKind::race_atomic});
  expect(count("acq_rel.cta") + wait, {FindingKind::race_atomic});
}

TEST(Turns, order_what_was_done_before_them) {
  // Each looks at the word of the first, which that has written before it counted.
  const std::string look_at_first = "ld.global.u32 %r4, [%d0+64];";
  const std::string write = "st.global.u32 [%d1], %r2;";
  expect(write + count("acq_rel.gpu") + wait + look_at_first, {});
  expect(count("acq_rel.gpu") + write + wait + look_at_first, {FindingKind::race_write_read});
}

/// Each thread comes to four words again and again, at another of them than the threads beside it.
std::string rounds(const std::string& how, const std::string& type = "u32",
                   const std::string& between = "") {
  const std::string bytes = type == "u64" ? "8" : "4", value = type == "u64" ? "%d4" : "%r3";
  return "mov.u32 %r5, 0; R: add.u32 %r6, %r2, %r5; and.b32 %r6, %r6, 3; mad.wide.u32 %d2, %r6, " +
         bytes + ", %d0;" + between + "atom." + how + ".global.add." + type + " " + value +
         ", [%d2], 1; add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 8; @%p3 bra R;";
}
std::string wait_for(unsigned count, const std::string& type = "u32") {
  const std::string value = type == "u64" ? "%d4" : "%r3";
  return "L: ld.acquire.gpu.global." + type + " " + value + ", [%d0]; setp.lt." + type + " %p1, " +
         value + ", " + std::to_string(count) + "; @%p1 bra L;";
}
const std::string first_word = "ld.global.u32 %r4, [%d0+64];";

TEST(Turns, at_several_words_order_what_was_done_before_them) {
  const std::string write = "st.global.u32 [%d1], %r2;";
  for (const std::string type : {"u32", "u64"}) {
    expect(write + rounds("acq_rel.gpu", type) + wait_for(16, type) + first_word + look, {});
    expect(rounds("acq_rel.gpu", type) + write + wait_for(16, type) + first_word,
           {FindingKind::race_write_read});
    expect(write + rounds("relaxed.gpu", type) + wait_for(16, type) + first_word,
           {FindingKind::race_write_read});
    expect(write + rounds("acq_rel.gpu", type) + look, {FindingKind::race_atomic});
  }
}

TEST(Turns, at_a_word_that_others_come_to_otherwise_are_no_more_than_what_they_acquire) {
  // Each first: without a release, which who comes behind it in the word's order is told of; at one
  // block alone, which tells the other one nothing; by a store, which ends what was published.
  const std::string write = "st.global.u32 [%d1], %r2;", next = "ld.global.u32 %r4, [%d0+68];";
  const std::string relaxed = "atom.relaxed.gpu.global.add.u32 %r3, [%d2], 0;";
  const std::string narrow = "atom.acq_rel.cta.global.add.u32 %r3, [%d2], 0;";
  const std::string store = "setp.eq.u32 %p2, %r5, 3; @%p2 st.relaxed.gpu.global.u32 [%d2], 0;";
  for (const auto* schedule : pair_schedules) {
    for (const std::string& first : {relaxed, narrow, store}) {
      (void)told(write + rounds("acq_rel.gpu", "u32", first) + next + look, schedule);
      (void)told(
          write + "mov.u64 %d2, %d0; mov.u32 %r5, 3;" + first + rounds("acq_rel.gpu") + next + look,
          schedule);
    }
    const std::string last =
        "setp.eq.u32 %p2, %r2, 7; @%p2 atom.relaxed.gpu.global.add.u32 %r3, "
        "[%d0], 1;";
    EXPECT_EQ(told(rounds("acq_rel.gpu") + last + wait_for(17) + look, schedule), Kinds{});
  }
}

TEST(Turns, begin_anew_with_a_plain_store) {
  // What was published before it is no more, also where the count goes on behind it.
  const std::string reset = "setp.eq.u32 %p2, %r2, 0; @%p2 st.relaxed.gpu.global.u32 [%d0], 0;";
  const std::string body = count("acq_rel.gpu") + reset + count("acq_rel.gpu") + look;
  for (const auto* schedule : pair_schedules) {
    EXPECT_TRUE(told(body, schedule).contains(FindingKind::race_atomic)) << schedule;
  }
}

TEST(Turns, are_told_alike_when_what_is_known_has_become_too_long_meanwhile) {
  // Each thread of a warp comes to 64 words again and again, then as often as it takes to one of
  // its own; one of them looks at a word that another one has come to last.
  const auto told_of = [](unsigned rounds, unsigned alone) {
    const auto text_of = kernel(
        ".param .u64 a",
        fmt::format("ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r5, 0;"
                    "R: add.u32 %r6, %r0, %r5; and.b32 %r6, %r6, 63; mad.wide.u32 %d2, %r6, 4, %d0;"
                    "atom.acq_rel.gpu.global.exch.b32 %r3, [%d2], %r0;"
                    "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, {}; @%p3 bra R;"
                    "mad.wide.u32 %d2, %r0, 4, %d0; mov.u32 %r5, 0;"
                    "S: atom.acq_rel.gpu.global.exch.b32 %r3, [%d2+256], %r0;"
                    "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, {}; @%p3 bra S;"
                    "setp.eq.u32 %p0, %r0, 8; @%p0 ld.global.u32 %r4, [%d0]; ret;",
                    rounds, alone));
    GlobalMemory memory;
    const Address a = memory.allocate({.name = "a", .bytes = 384});
    memory.fill(a, std::byte{0}, 384);
    ModuleState state(load_module(text_of, "t.ptx"), memory);
    LaunchConfig config{.entry = "f", .grid = {1}, .block = {32}};
    config.races = true;
    config.add(a);
    return text(launch(state, config));
  };
  const std::string wanted = told_of(64, 1);
  EXPECT_NE(wanted.find("race_atomic a[0]"), std::string::npos) << wanted;
  EXPECT_NE(wanted.find("lane 1 at"), std::string::npos) << wanted;
  EXPECT_EQ(told_of(30 << 10, 4 << 10), wanted);
}

}  // namespace
}  // namespace gauntlet::simt::test::turns
