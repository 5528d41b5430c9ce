// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Of races like ones that were told only the number is kept (ToldRaces). A launch that writes an
// event log tells each of them: `judged` compares what both say, numbers included. Here are loops
// that race again and again, and once in another way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::repeats {
namespace {

constexpr unsigned rounds = 24;

/// A loop of threads of which each has an element %r1 of s and %r2 of t, %d1 of a; %r5 and %d2: the
/// same of a thread of another warp. %r9: the round, %p3: the one in which `once` is executed, too.
std::string loop(const std::string& body, const std::string& once = "") {
  return kernel(
      ".param .u64 a",
      fmt::format(
          "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; xor.b32 %r4, %r0, 32; mov.u32 %r9, 0;"
          "mov.u32 %r8, %ctaid.x; mov.u32 %r1, s; mad.lo.u32 %r5, %r4, 4, %r1;"
          "mad.lo.u32 %r1, %r0, 4, %r1; mov.u32 %r2, t; mad.lo.u32 %r2, %r0, 4, %r2;"
          "mad.wide.u32 %d1, %r0, 4, %d0; mad.wide.u32 %d2, %r4, 4, %d0;\n"
          "LOOP: setp.eq.u32 %p3, %r9, {};\n{}\n{}\n"
          "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, {}; @%p1 bra LOOP; ret;",
          rounds - 5, body, once, rounds),
      ".file 1 \"k.cu\"\n.shared .align 16 .b8 s[1024];\n.shared .align 16 .b8 t[1024];\n");
}
std::string at(int line, const std::string& text) {
  return fmt::format("\n.loc 1 {} 0\n{}\n", line, text);
}

/// "kind array earlier line, line" and how often.
std::map<std::string, std::uint64_t> found(const std::string& ptx, const std::string& schedule,
                                           std::uint32_t grid = 1) {
  std::map<std::string, std::uint64_t> all;
  const JudgedLaunch how{.schedule = schedule, .grid = grid, .bytes = 4096};
  for (const Finding& f : judged(ptx, how)) {
    all[fmt::format("{} {} {}, {}", name(f.kind), f.array, f.other ? f.other->line : 0,
                    f.at.line)] += f.count;
  }
  return all;
}

const std::string stores = at(1, "st.shared.u32 [%r1], %r9;"),
                  loads = at(2, "ld.shared.u32 %r6, [%r5];"), barrier = "bar.sync 0;";

TEST(RepeatedRaces, are_counted_one_by_one) {
  for (const auto* schedule : pair_schedules) {
    for (const char* const exact : {"", "membar.cta;"}) {
      const auto all = found(loop(exact + stores + loads), schedule);
      ASSERT_EQ(all.size(), 1U) << schedule;
      EXPECT_GT(all.at("race_write_read s 1, 2"), 32 * (rounds - 1)) << schedule;
    }
  }
}

TEST(RepeatedRaces, hide_no_other_pair_of_instructions) {
  for (const auto* schedule : pair_schedules) {
    const auto all = found(loop(stores + loads, at(3, "@%p3 ld.shared.u32 %r7, [%r5];")), schedule);
    ASSERT_EQ(all.size(), 2U) << schedule;
    EXPECT_GT(all.at("race_write_read s 1, 2"), 32 * (rounds - 1)) << schedule;
    EXPECT_GE(all.at("race_write_read s 1, 3"), 32U) << schedule;
  }
}

/// One instruction accesses another array in one round.
TEST(RepeatedRaces, hide_no_race_on_another_array) {
  const std::string elsewhere =
                        "mov.u32 %r10, s; mov.u32 %r11, t; sub.u32 %r10, %r11, %r10;"
                        "selp.u32 %r10, %r10, 0, %p3; add.u32 %r1, %r1, %r10;"
                        "add.u32 %r5, %r5, %r10;",
                    back = "sub.u32 %r1, %r1, %r10; sub.u32 %r5, %r5, %r10;";
  for (const auto* schedule : pair_schedules) {
    const auto all = found(loop(elsewhere + stores + loads, back), schedule);
    ASSERT_EQ(all.size(), 2U) << schedule;
    EXPECT_GT(all.at("race_write_read s 1, 2"), 32 * (rounds - 2)) << schedule;
    EXPECT_GE(all.at("race_write_read t 1, 2"), 32U) << schedule;
  }
}

/// Blocks have a part of the array each, but in one round; of races the one is shown whose parties
/// are farthest apart.
TEST(RepeatedRaces, hide_no_race_of_blocks_behind_those_of_a_block) {
  const std::string apart =
      "mul.wide.u32 %d5, %r8, 1024; selp.u64 %d5, 0, %d5, %p3; add.u64 %d3, %d1, %d5;"
      "add.u64 %d4, %d2, %d5;";
  const auto body = apart + at(1, "st.global.u32 [%d3], %r9;") + at(2, "ld.global.u32 %r6, [%d4];");
  for (const auto* schedule : pair_schedules) {
    for (const char* const exact : {"", "membar.cta;"}) {
      const JudgedLaunch how{.schedule = schedule, .grid = 2, .bytes = 4096};
      bool between_blocks = false;
      for (const Finding& f : judged(loop(exact + body), how)) {
        if (f.kind != FindingKind::race_write_read) continue;
        between_blocks = f.other->block.x != f.at.block.x;
        EXPECT_GT(f.count, 2 * 32 * (rounds - 2)) << schedule;
      }
      EXPECT_TRUE(between_blocks) << schedule;
    }
  }
}

TEST(RepeatedRaces, of_parts_of_words_are_counted_one_by_one) {
  for (const auto* schedule : pair_schedules) {
    for (const unsigned bytes : {1U, 2U}) {
      const auto body =
          fmt::format(
              "mov.u32 %r3, s; mad.lo.u32 %r6, %r0, {0}, %r3; mad.lo.u32 %r7, %r4, {0}, %r3;",
              bytes) +
          at(1, fmt::format("st.shared.u{} [%r6], %r9;", 8 * bytes)) +
          at(2, fmt::format("ld.shared.u{} %r10, [%r7];", 8 * bytes));
      const auto all = found(loop(body), schedule);
      ASSERT_EQ(all.size(), 1U) << schedule;
      EXPECT_GT(all.at("race_write_read s 1, 2"), 32 * (rounds - 1)) << schedule;
    }
  }
}

/// A lane reads the word of the one behind it. The first half of a warp meets before it does.
TEST(RepeatedRaces, of_some_lanes_are_not_those_of_lanes_that_know_more) {
  const std::string half =
      "and.b32 %r6, %r0, 31; setp.ge.u32 %p2, %r6, 16;\n@%p2 bra ON;\nbar.warp.sync 0xffff;\nON: ";
  const auto body = stores + half + at(2, "ld.shared.u32 %r7, [%r1+4];") + barrier;
  for (const auto* schedule : pair_schedules) {
    const auto all = found(loop(body), schedule);
    ASSERT_EQ(all.size(), 1U) << schedule;
    // Lanes 15 to 30 of both warps, and the last one of the first.
    EXPECT_EQ(all.at("race_write_read s 1, 2"), 33 * rounds) << schedule;
  }
}

/// A warp stores once more in one round: then a load of its words meets a race that is to be told,
/// behind one of those told before.
TEST(RepeatedRaces, beside_one_that_is_to_be_told_are_counted_once) {
  for (const char* const which : {"lt", "ge"}) {
    const auto body = fmt::format("setp.{}.u32 %p2, %r0, 32; and.pred %p2, %p2, %p3;", which) +
                      at(1, "st.global.u32 [%d1], %r9;") + at(3, "@%p2 st.global.u32 [%d1], %r0;") +
                      at(2, "ld.global.u32 %r6, [%d2];") + barrier;
    for (const auto* schedule : pair_schedules) {
      for (const char* const exact : {"", "membar.cta;"}) {
        const auto all = found(loop(exact + body), schedule);
        ASSERT_EQ(all.size(), 2U) << schedule;
        EXPECT_EQ(all.at("race_write_read a 1, 2"), 64 * rounds) << schedule;
        EXPECT_EQ(all.at("race_write_read a 3, 2"), 32U) << schedule;
      }
    }
  }
}

/// In one round the values differ: then it is another finding.
TEST(RepeatedRaces, of_one_value_hide_none_of_several) {
  const auto body =
      "selp.u32 %r6, %r0, 7, %p3; and.b32 %r7, %r0, 31; shl.b32 %r7, %r7, 2;"
      "mov.u32 %r3, s; add.u32 %r3, %r3, %r7;" +
      at(1, "st.shared.u32 [%r3], %r6;") + barrier;
  for (const auto* schedule : pair_schedules) {
    const auto all = found(loop(body), schedule);
    ASSERT_EQ(all.size(), 2U) << schedule;
    EXPECT_EQ(all.at("race_same_value s 1, 1"), 32 * (rounds - 1)) << schedule;
    EXPECT_EQ(all.at("race_write_write s 1, 1"), 32U) << schedule;
  }
}

/// In one round two warps write the same.
TEST(RepeatedRaces, of_several_values_hide_none_of_one) {
  for (const std::string& words : {std::string("shared.u32 [%r"), std::string("global.u32 [%d")}) {
    const auto body = "setp.lt.u32 %p2, %r0, 32; selp.u32 %r6, 7, %r0, %p3;" +
                      at(1, "@%p2 st." + words + "1], %r6;") +
                      at(2, "@!%p2 st." + words + (words[0] == 's' ? "5" : "2") + "], %r6;") +
                      barrier;
    const std::string array = words[0] == 's' ? "s" : "a";
    for (const auto* schedule : pair_schedules) {
      for (const char* const exact : {"", "membar.cta;"}) {
        const auto all = found(loop(exact + body), schedule);
        ASSERT_EQ(all.size(), 2U) << schedule;
        EXPECT_EQ(all.at("race_write_write " + array + " 1, 2"), 32 * (rounds - 1)) << schedule;
        EXPECT_EQ(all.at("race_same_value " + array + " 1, 2"), 32U) << schedule;
      }
    }
  }
}

TEST(RepeatedRaces, near_miss) {
  for (const auto* schedule : pair_schedules) {
    EXPECT_TRUE(found(loop(stores + barrier + loads + barrier), schedule).empty()) << schedule;
    // Each warp by itself: what its lanes have stored lies elsewhere.
    EXPECT_TRUE(found(loop(stores + at(2, "ld.shared.u32 %r6, [%r2];") +
                           at(3, "ld.shared.u32 %r6, [%r1];")),
                      schedule)
                    .empty())
        << schedule;
  }
}

/// Threads of all blocks add to words from here and there.
TEST(RepeatedRaces, of_words_from_here_and_there_are_counted_one_by_one) {
  const auto add = [](const char* which) {
    return std::string(
               "mad.lo.u32 %r6, %r8, 64, %r0; mad.lo.u32 %r6, %r9, 131, %r6;"
               "mul.lo.u32 %r6, %r6, 40503; and.b32 %r6, %r6, 127;"
               "mad.wide.u32 %d3, %r6, 4, %d0;") +
           at(1, fmt::format("ld.global{}.u32 %r7, [%d3];", which)) + "add.u32 %r7, %r7, 1;" +
           at(2, fmt::format("st.global{}.u32 [%d3], %r7;", which));
  };
  for (const auto* schedule : pair_schedules) {
    for (const char* const which : {"", ".volatile"}) {
      const auto all = found(loop(add(which)), schedule, 3);
      EXPECT_GT(all.at("race_read_write a 1, 2"), 64 * rounds) << schedule;
      EXPECT_GT(all.at("race_write_write a 2, 2"), 64 * rounds) << schedule;
      const auto two =
          found(loop(add(which), at(3, "@%p3 ld.global.u32 %r7, [%d3+4];")), schedule, 3);
      EXPECT_GE(two.at("race_write_read a 2, 3"), 64U) << schedule;
    }
  }
}

/// Buffers that copies fill, `ahead` of the round in which a buffer is read; `waits`: for all but
/// so many. A quarter of the threads copies.
const std::string fills = at(1, "@%p2 cp.async.cg.shared.global [%r7], [%d1], 16;");
std::string pipeline(unsigned ahead, unsigned waits, const std::string& last,
                     const std::string& once = "", const std::string& copies = fills) {
  std::string text =
      "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r9, 0; mov.u32 %r4, s;"
      "and.b32 %r2, %r0, 15; shr.u32 %r3, %r0, 4; setp.lt.u32 %p2, %r2, 4;"
      "shl.b32 %r2, %r2, 4; shl.b32 %r3, %r3, 6; add.u32 %r1, %r2, %r3; mul.wide.u32 %d1, %r1, 1;"
      "add.u64 %d1, %d0, %d1; add.u32 %r1, %r1, %r4; shr.u32 %r6, %r2, 2; add.u32 %r6, %r6, %r4;"
      "add.u32 %r5, %r3, %r4; mov.u32 %r8, 0;\n"
      "FILL: setp.eq.u32 %p3, %r9, 11; and.b32 %r7, %r8, 3; mad.lo.u32 %r7, %r7, 256, %r1;" +
      copies + "cp.async.commit_group;" +
      fmt::format(
          "add.u32 %r8, %r8, 1; add.u32 %r11, %r9, {}; setp.lt.u32 %p1, %r8, %r11;"
          "@%p1 bra FILL; cp.async.wait_group {}; bar.sync 0;",
          ahead, waits) +
      "and.b32 %r7, %r9, 3; shl.b32 %r7, %r7, 8; add.u32 %r12, %r5, %r7; add.u32 %r13, %r6, %r7;" +
      at(2, "ld.shared.v4.u32 {%r14, %r15, %r16, %r17}, [%r12+16];") +
      at(3, "ld.shared.u32 %r14, [%r13];") + at(3, "ld.shared.u32 %r14, [%r13+128];") +
      at(4, "ld.shared.u8 %r14, [%r13+64];") + once + last +
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 24; @%p1 bra FILL; cp.async.wait_all; ret;";
  return kernel(".param .u64 a", text,
                ".file 1 \"k.cu\"\n.shared .align 16 .b8 s[1024];\n.shared .align 16 .b8 t[64];\n");
}

TEST(RepeatedRaces, of_copies_are_counted_one_by_one) {
  for (const auto* schedule : pair_schedules) {
    // One more than there are buffers, and a block behind the other.
    const auto all = found(pipeline(5, 4, ""), schedule, 2);
    EXPECT_GT(all.at("race_write_write s 1, 1"), 2 * 20 * 64U) << schedule;
    EXPECT_GT(all.at("race_write_read s 1, 2"), 2 * 20 * 64 * 4U) << schedule;
    EXPECT_GT(all.at("race_write_read s 1, 3"), 2 * 20 * 64 * 2U) << schedule;
    EXPECT_GT(all.at("race_write_read s 1, 4"), 2 * 20 * 64U) << schedule;
    EXPECT_EQ(all.size(), 4U) << schedule;
  }
}

/// Two copies of one line are one finding.
TEST(RepeatedRaces, of_two_copies_to_the_same_words_are_counted_for_each) {
  for (const auto* schedule : pair_schedules) {
    const auto all = found(pipeline(5, 4, "", "", fills + fills), schedule, 2);
    EXPECT_GT(all.at("race_write_read s 1, 2"), 2 * 2 * 20 * 64 * 4U) << schedule;
    EXPECT_GT(all.at("race_write_read s 1, 3"), 2 * 2 * 20 * 64 * 2U) << schedule;
  }
}

TEST(RepeatedRaces, of_copies_to_some_of_the_words_that_are_loaded_are_counted_for_these) {
  // Of each 16 words the first 8, by as many lanes.
  const std::string half =
      "setp.lt.u32 %p5, %r2, 128; shr.u32 %r18, %r2, 2; mul.lo.u32 %r18, %r18, 3;"
      "sub.u32 %r18, %r7, %r18;" +
      at(1, "@%p5 cp.async.ca.shared.global [%r18], [%d1], 4;");
  for (const auto* schedule : pair_schedules) {
    const auto all = found(pipeline(5, 4, "", "", half), schedule, 2);
    const std::uint64_t loads = all.at("race_write_read s 1, 3");
    EXPECT_GT(loads, 2 * 20 * 64U) << schedule;
    EXPECT_LT(loads, 2 * 24 * 64 * 2U) << schedule;
  }
}

TEST(RepeatedRaces, of_copies_hide_no_others) {
  const std::pair<std::string, std::string> planted[] = {
      {"@%p3 ld.shared.u32 %r14, [%r13+4];", "race_write_read s 1, 5"},
      {"@%p3 st.shared.u32 [%r13+64], 9;", "race_write_write s 1, 5"},
      {"@%p3 red.shared.add.u32 [%r13], 1;", "race_atomic s 1, 5"}};
  for (const auto* schedule : pair_schedules) {
    for (const auto& [once, race] : planted) {
      const auto all = found(pipeline(5, 4, "", at(5, once)), schedule, 2);
      EXPECT_GE(all.contains(race) ? all.at(race) : 0, 2 * 64U) << race << " " << schedule;
    }
    // The same load, in one round from another array, which nobody copies to.
    const auto elsewhere =
        found(pipeline(5, 4, "", "@%p3 mov.u32 %r13, t;" + at(5, "ld.shared.u32 %r14, [%r13];")),
              schedule, 2);
    EXPECT_TRUE(elsewhere.contains("race_write_read s 1, 5")) << schedule;
  }
}

TEST(RepeatedRaces, near_miss_of_copies) {
  for (const auto* schedule : pair_schedules) {
    EXPECT_TRUE(found(pipeline(4, 3, "bar.sync 0;"), schedule, 2).empty()) << schedule;
    EXPECT_TRUE(found(pipeline(3, 2, "bar.sync 0;"), schedule, 2).empty()) << schedule;
    EXPECT_FALSE(found(pipeline(4, 3, ""), schedule, 2).empty()) << schedule;
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::repeats
