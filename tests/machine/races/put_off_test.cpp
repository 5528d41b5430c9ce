// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads from shared memory that the detector puts off until somebody accesses what they loaded: a
// launch that writes an event log puts none off, and both find the same.
#include "machine/races/put_off.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::put_off {
namespace {

/// Findings of a block of 64 threads, or fewer, that have written a word of s each, and passed a
/// barrier. %r0: the thread, %r4: s, %r5: its word, %r6: that of the last thread but as many.
std::vector<Finding> found(const std::string& body, std::uint32_t threads = 64) {
  const auto program =
      kernel(".param .u64 a",
             "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r4, s; mov.u32 %r8, 0;"
             "mad.wide.u32 %d1, %r0, 4, %d0; mad.lo.u32 %r5, %r0, 4, %r4; sub.u32 %r6, 63, %r0;"
             "mad.lo.u32 %r6, %r6, 4, %r4; setp.lt.u32 %p1, %r0, 32; setp.eq.u32 %p2, %r0, 7;\n"
             "st.shared.u32 [%r5], %r0; bar.sync 0;\n" +
                 body + "\nE: st.global.u32 [%d1], %r7; ret;",
             ".shared .align 16 .b8 s[512];");
  return judged(program, {.block = threads});
}
bool is_race(const std::string& body) {
  return std::ranges::any_of(
      found(body), [](const Finding& f) { return f.kind == FindingKind::race_read_write; });
}

const std::string reversed = "ld.shared.u32 %r7, [%r6];",
                  side_by_side = "ld.shared.u32 %r7, [%r5];", one = "ld.shared.u32 %r7, [%r4+28];",
                  store = "st.shared.u32 [%r5], 1;", of_one = "@%p2 st.shared.u32 [%r5], 1;",
                  barrier = "bar.sync 0;";

TEST(PutOff, a_store_to_what_others_have_loaded_is_found) {
  EXPECT_TRUE(is_race(reversed + store));
  EXPECT_TRUE(is_race(one + of_one));
  EXPECT_TRUE(is_race(reversed + of_one));
  EXPECT_TRUE(is_race(one + barrier + one + of_one));
  EXPECT_TRUE(is_race(one + reversed + barrier + reversed + side_by_side + store));
  EXPECT_TRUE(is_race("ld.shared.u8 %r7, [%r6+1];" + store));
}

TEST(PutOff, a_store_behind_a_barrier_or_to_other_words_is_none) {
  EXPECT_FALSE(is_race(reversed + one + barrier + store));
  EXPECT_FALSE(is_race(side_by_side + store));
  EXPECT_FALSE(is_race(reversed + one + "st.shared.u32 [%r5+256], 1;"));
  EXPECT_FALSE(is_race("ld.shared.u8 %r7, [%r6+1];" + barrier + of_one));
}

/// Halves of each warp load the words from 24 on, over the end of a row of 32; groups of lanes two
/// vectors.
TEST(PutOff, of_lanes_that_go_on_where_others_end_or_load_the_same_each_word_counts) {
  const std::string halves =
                        "and.b32 %r9, %r0, 15; mad.lo.u32 %r9, %r9, 4, %r4;"
                        "ld.shared.u32 %r7, [%r9+96];",
                    vectors =
                        "shr.u32 %r9, %r0, 4; and.b32 %r9, %r9, 1;"
                        "mad.lo.u32 %r9, %r9, 32, %r4;"
                        "ld.shared.v4.u32 {%r7, %r10, %r11, %r12}, [%r9+112];";
  const auto raced = [](const std::string& loads, unsigned word) {
    return is_race(loads + "@%p2 st.shared.u32 [%r4+" + std::to_string(4 * word) + "], 1;");
  };
  for (unsigned word = 20; word < 48; ++word) {
    EXPECT_EQ(raced(halves, word), word >= 24 && word < 40) << word;
    EXPECT_EQ(raced(vectors, word), word >= 28 && word < 40 && word / 4 != 8) << word;
  }
}

TEST(PutOff, who_exits_before_the_barrier_is_ordered_by_none) {
  EXPECT_TRUE(is_race(reversed + "@%p1 bra E;" + barrier + store));
  EXPECT_FALSE(is_race("@!%p1 " + reversed + "@%p1 bra E;" + barrier + store));
}

TEST(PutOff, a_block_may_end_within_a_warp) {
  for (const std::uint32_t threads : {1, 8, 33, 63}) {
    const std::string next = one + "ld.shared.u32 %r7, [%r5+4];";
    EXPECT_TRUE(found(next + barrier + next + barrier + side_by_side + store, threads).empty());
    EXPECT_EQ(found(next + store, threads).empty(), threads == 1) << threads;
  }
}

TEST(PutOff, so_are_whole_rows_that_many_instructions_load) {
  std::string rows;
  for (int k = 0; k < 24; ++k) {
    rows += "@%p1 ld.shared.u32 %r7, [%r5+" + std::to_string(4 * k) + "];";
  }
  EXPECT_TRUE(is_race(rows + barrier + rows + store));
  EXPECT_TRUE(is_race(rows + barrier + rows + of_one));
  EXPECT_FALSE(is_race(rows + barrier + rows + barrier + store));
  EXPECT_FALSE(is_race(rows + barrier + rows + "st.shared.u32 [%r5+256], 1;"));
}

TEST(PutOff, more_loads_than_are_put_off_are_looked_at) {
  const auto loads = [](std::size_t count) {
    return "L: " + reversed + "add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, " +
           std::to_string(count) + "; @%p3 bra L;";
  };
  EXPECT_TRUE(is_race(loads(races::PutOff::most) + store));
  EXPECT_FALSE(is_race(loads(races::PutOff::most) + barrier + store));
}

std::vector<FindingKind> kinds_of(const std::string& body) {
  std::vector<FindingKind> all;
  for (const Finding& f : found(body)) all.push_back(f.kind);
  return all;
}

/// Stores from here and there are put off from the beginning on. %r9: two words of the thread's, in
/// the reversed order.
const std::string pair = "sub.u32 %r9, 63, %r0; mad.lo.u32 %r9, %r9, 8, %r4;",
                  store_pair = pair + "st.shared.v2.u32 [%r9], {%r0, 5};",
                  reversed_store = "st.shared.u32 [%r6], %r0;";

TEST(PutOff, stores_from_here_and_there_to_words_of_ones_own_are_no_races) {
  using Kinds = std::vector<FindingKind>;
  EXPECT_EQ(kinds_of(reversed_store + barrier + reversed_store + reversed + barrier + side_by_side),
            Kinds{});
  EXPECT_EQ(kinds_of(reversed_store + reversed + reversed_store + barrier + side_by_side), Kinds{});
  EXPECT_EQ(kinds_of(store_pair + "ld.shared.u32 %r7, [%r9+4];" + store_pair + barrier + one),
            Kinds{});
  EXPECT_EQ(kinds_of(one + barrier + store_pair + barrier + reversed), Kinds{});
}

TEST(PutOff, who_else_comes_to_what_was_stored_from_here_and_there_races) {
  using F = FindingKind;
  EXPECT_EQ(kinds_of(reversed_store + side_by_side), std::vector{F::race_write_read});
  EXPECT_EQ(kinds_of(reversed_store + one), std::vector{F::race_write_read});
  EXPECT_EQ(kinds_of(reversed_store + reversed + barrier + reversed_store + one),
            std::vector{F::race_write_read});
  EXPECT_EQ(kinds_of(one + reversed_store), std::vector{F::race_read_write});
  EXPECT_EQ(kinds_of(one + reversed + reversed_store), std::vector{F::race_read_write});
  EXPECT_EQ(kinds_of("st.shared.u32 [%r6], 7;" + store), std::vector{F::race_write_write});
  EXPECT_EQ(kinds_of(store_pair + "ld.shared.u32 %r7, [%r4+4];"), std::vector{F::race_write_read});
  EXPECT_EQ(kinds_of(store_pair + "@%p2 ld.shared.u8 %r7, [%r4+7];"),
            std::vector{F::race_write_read});
  EXPECT_EQ(kinds_of("@%p2 ld.shared.v2.u32 {%r7, %r9}, [%r4];" + store_pair),
            std::vector{F::race_read_write});
}

/// Between lanes of a warp, whose barrier orders them. %r10: the word of the lane as far from the
/// end.
const std::string swap = "xor.b32 %r10, %r0, 31; mad.lo.u32 %r10, %r10, 4, %r4;",
                  swapped_store = "st.shared.u32 [%r10], %r0;",
                  swapped = "ld.shared.u32 %r7, [%r10];", sync = "bar.warp.sync 0xffffffff;",
                  half = "and.b32 %r11, %r0, 31; setp.lt.u32 %p4, %r11, 16; @%p4 bra E;";

TEST(PutOff, what_lanes_of_a_warp_hand_on_behind_its_barrier_is_no_race) {
  using Kinds = std::vector<FindingKind>;
  const std::string in = store + sync + swapped + barrier,
                    out = swapped_store + sync + side_by_side + barrier;
  EXPECT_EQ(kinds_of(swap + in + in + out + out + in), Kinds{});
  EXPECT_EQ(kinds_of(swap + swapped_store + sync + side_by_side + sync + swapped_store + sync +
                     one + barrier),
            (Kinds{FindingKind::race_write_read}));
  EXPECT_EQ(kinds_of(swap + swapped + sync + store + sync + swapped + sync + swapped_store),
            Kinds{});
  EXPECT_EQ(kinds_of(swap + swapped_store + sync + half + side_by_side), Kinds{});
}

TEST(PutOff, what_lanes_of_a_warp_hand_on_without_its_barrier_or_to_others_races) {
  using F = FindingKind;
  const auto first = [](const std::string& body) {
    const auto all = kinds_of(swap + swapped_store + sync + side_by_side + barrier + body);
    return all.empty() ? F::deadlock : all[0];
  };
  EXPECT_EQ(first(swapped_store + side_by_side), F::race_write_read);
  EXPECT_EQ(first(swapped_store + sync + reversed), F::race_write_read);
  EXPECT_EQ(first(swapped_store + sync + side_by_side + reversed), F::race_write_read);
  EXPECT_EQ(first(swapped_store + sync + side_by_side + sync + swapped + reversed),
            F::race_write_read);
  EXPECT_EQ(first(side_by_side + sync + swapped + store), F::race_read_write);
  EXPECT_EQ(first(swapped + sync + store + side_by_side + swapped), F::race_write_read);
  EXPECT_EQ(first(reversed + sync + swapped_store), F::race_read_write);
  EXPECT_EQ(first(swapped_store + half + sync + side_by_side), F::race_write_read);
}

TEST(PutOff, who_exits_from_other_warps_changes_nothing_of_a_warps_barrier) {
  using F = FindingKind;
  const std::string begin = swap + "@%p1 bra E;";  // warp 0, which comes first
  EXPECT_EQ(kinds_of(begin + store + sync + swapped + sync + swapped_store + sync + side_by_side),
            std::vector<F>{});
  EXPECT_EQ(kinds_of(begin + swapped_store + side_by_side), std::vector{F::race_write_read});
  EXPECT_EQ(kinds_of(begin + swapped_store + half + sync + side_by_side),
            std::vector{F::race_write_read});
}

TEST(PutOff, what_was_stored_undefined_equals_nothing) {
  using F = FindingKind;
  const std::string nothing = "st.shared.u32 [%r6], %r15;";  // which is never written
  EXPECT_EQ(kinds_of(nothing + "ld.shared.u32 %r7, [%r6];" + barrier + nothing + barrier + one),
            std::vector<F>{});
  EXPECT_EQ(kinds_of(nothing + "mov.u32 %r15, 5; @%p2 st.shared.u32 [%r4], 5;"),
            std::vector{F::race_write_write});
  EXPECT_EQ(kinds_of("mov.u32 %r15, 5;" + nothing + "@%p2 st.shared.u32 [%r4], 5;"),
            std::vector{F::race_same_value});
  EXPECT_EQ(kinds_of(nothing + side_by_side), std::vector{F::race_write_read});
}

TEST(PutOff, what_a_vector_stored_is_known_where_its_register_is_gone) {
  const std::string mine =
      pair + "mov.u32 %r7, 6; st.shared.v2.u32 [%r9], {%r7, 5}; mov.u32 %r7, 5;";
  EXPECT_EQ(kinds_of(mine + "@%p2 st.shared.u32 [%r4], 6; @%p2 st.shared.u32 [%r4+4], 5;"),
            std::vector{FindingKind::race_same_value});
  EXPECT_EQ(kinds_of(mine + "@%p2 st.shared.u32 [%r4], 5; @%p2 st.shared.u32 [%r4+4], 5;"),
            (std::vector{FindingKind::race_write_write, FindingKind::race_same_value}));
}

/// Others are, too, from the first one on that comes to what was loaded.
const std::string own = side_by_side + store, begun = own + barrier;

std::vector<FindingKind> kinds(const std::string& body) { return kinds_of(begun + body); }

TEST(PutOff, stores_to_words_of_ones_own_are_no_races) {
  EXPECT_EQ(kinds(own + own + side_by_side + barrier + reversed), std::vector<FindingKind>{});
  EXPECT_EQ(kinds("st.shared.u32 [%r5], %r0; @%p1 st.shared.u32 [%r5], 3;" + barrier + reversed),
            std::vector<FindingKind>{});
  EXPECT_EQ(kinds("@%p2 st.shared.u32 [%r5], 3; @!%p2 ld.shared.u32 %r7, [%r5];" + own),
            std::vector<FindingKind>{});
}

TEST(PutOff, who_comes_to_a_word_that_another_has_stored_races) {
  using F = FindingKind;
  EXPECT_EQ(kinds(own + reversed), std::vector{F::race_write_read});
  EXPECT_EQ(kinds("st.shared.u32 [%r5], 1;" + reversed), std::vector{F::race_write_read});
  EXPECT_EQ(kinds(reversed + "st.shared.u32 [%r5], 1;"), std::vector{F::race_read_write});
  EXPECT_EQ(kinds("st.shared.u32 [%r6], 7;" + store), std::vector{F::race_write_write});
  EXPECT_EQ(kinds(own + "ld.shared.u8 %r7, [%r6+3];"), std::vector{F::race_write_read});
  EXPECT_EQ(kinds(own + "@%p2 ld.shared.v2.u32 {%r7, %r9}, [%r4];"),
            std::vector{F::race_write_read});
  EXPECT_EQ(kinds("st.shared.u32 [%r5], %r0; atom.shared.add.u32 %r7, [%r6], 1;").size(), 1U);
  EXPECT_EQ(kinds("st.shared.u32 [%r4], %r0;" + side_by_side).size(), 2U);
}

/// Of what is there already, beside equal loads.
TEST(PutOff, a_store_of_what_is_there_is_a_store) {
  const std::string back = "st.shared.u32 [%r5], %r7;", others_back = "st.shared.u32 [%r6], %r7;";
  EXPECT_EQ(kinds(side_by_side + back + side_by_side + back), std::vector<FindingKind>{});
  EXPECT_EQ(kinds(reversed + barrier + others_back + reversed + others_back + barrier + reversed),
            std::vector<FindingKind>{});
  EXPECT_EQ(kinds(reversed + barrier + others_back + side_by_side),
            std::vector{FindingKind::race_write_read});
  EXPECT_EQ(kinds(side_by_side + reversed + barrier + others_back + reversed + side_by_side),
            std::vector{FindingKind::race_write_read});
  // All words hold 1 by now.
  const std::string neighbours = "xor.b32 %r11, %r0, 1; mad.lo.u32 %r11, %r11, 4, %r4;" +
                                 side_by_side + barrier + back + "st.shared.u32 [%r11], ";
  EXPECT_EQ(kinds(neighbours + "1;"), std::vector{FindingKind::race_same_value});
  EXPECT_EQ(kinds(neighbours + "2;"), std::vector{FindingKind::race_write_write});
}

TEST(PutOff, what_was_stored_is_known_where_its_register_is_another_or_gone) {
  const std::string mine = "mov.u32 %r9, 5; st.shared.u32 [%r5], %r9;",
                    others = "st.shared.u32 [%r6], 5;";
  EXPECT_EQ(kinds(mine + others), std::vector{FindingKind::race_same_value});
  EXPECT_EQ(kinds(mine + "mov.u32 %r9, 6;" + others), std::vector{FindingKind::race_same_value});
  EXPECT_EQ(kinds("mov.u32 %r9, 6; st.shared.u32 [%r5], %r9; mov.u32 %r9, 5;" + others),
            std::vector{FindingKind::race_write_write});
  EXPECT_EQ(kinds(mine + "@%p1 bra E;" + others), std::vector{FindingKind::race_same_value});
}

}  // namespace
}  // namespace gauntlet::simt::test::put_off
