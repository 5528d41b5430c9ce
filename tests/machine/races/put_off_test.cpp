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
  GlobalMemory memory;
  const Address a = memory.allocate({.name = "a", .bytes = 256});
  memory.fill(a, std::byte{0}, 256);
  ModuleState state(load_module(program, "t.ptx"), memory);
  LaunchConfig config{.entry = "f", .grid = {1}, .block = {threads}};
  config.add(a);
  std::string difference;
  const auto report = launch_and_compare(state, config, difference);
  EXPECT_TRUE(report.completed) << text(report);
  EXPECT_EQ(difference, "") << body;
  return report.findings;
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

/// Stores are put off, too, from the first one on that comes to what was loaded.
const std::string own = side_by_side + store, begun = own + barrier;

std::vector<FindingKind> kinds(const std::string& body) {
  std::vector<FindingKind> all;
  for (const Finding& f : found(begun + body)) all.push_back(f.kind);
  return all;
}

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
