// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Atomic operations that threads make again and again, as on a counter: one that the word's entry
// stands for already is not looked at (RaceDetector::has_atomic). It is where the entry says less
// of it than it should: of another block, epoch, warp or lane.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::atomics_again {
namespace {

/// A turn of a loop: threads from `first` up to `end`, of 64 in each of two blocks, make the atomic
/// operation, all by one instruction; then everybody does `behind`.
struct Turn {
  unsigned first = 0, end = 0;
  std::string behind = "";
};
using Turns = std::vector<Turn>;
using Races = std::vector<std::pair<FindingKind, std::uint64_t>>;

/// Behind the turns `thread` does `last`. %d0: the word.
Races races_of(const Turns& turns, unsigned thread, const std::string& last,
               const std::string& atomic = "red.global.add.u32 [%d0], 1;",
               const std::string& schedule = "lockstep") {
  std::string body =
      "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r9, 0;"
      "mad.lo.u32 %r2, %r1, 64, %r0;\n"
      // Who sleeps lets the others end the turn before; it orders nothing.
      "TURN: nanosleep.u32 1; mov.u32 %r3, 0;\n";
  for (std::size_t k = 0; k < turns.size(); ++k) {
    body += fmt::format(
        "setp.eq.u32 %p0, %r9, {}; setp.ge.and.u32 %p0, %r2, {}, %p0;"
        "setp.lt.and.u32 %p0, %r2, {}, %p0; @%p0 mov.u32 %r3, 1;\n",
        k, turns[k].first, turns[k].end);
  }
  body += "setp.ne.u32 %p0, %r3, 0;\n.loc 1 1 0\n@%p0 " + atomic + "\n";
  for (std::size_t k = 0; k < turns.size(); ++k) {
    if (turns[k].behind.empty()) continue;
    body +=
        fmt::format("setp.ne.u32 %p0, %r9, {0}; @%p0 bra N{0};\n{1}\nN{0}:\n", k, turns[k].behind);
  }
  body += fmt::format(
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, {}; @%p0 bra TURN;\nnanosleep.u32 1;\n"
      "setp.eq.u32 %p0, %r2, {};\n.loc 1 2 0\n@%p0 {}\nret;",
      turns.size(), thread, last);
  Races races;
  for (const Finding& f :
       judged(kernel(".param .u64 a", body, ".file 1 \"k.cu\"\n"), {schedule, 2, 64})) {
    races.emplace_back(f.kind, f.count);
  }
  return races;
}
const std::string read = "ld.global.u32 %r4, [%d0];", barrier = "bar.sync 0;",
                  of_warp = "bar.warp.sync 0xffffffff;";
constexpr unsigned nobody = 200;
constexpr auto race = FindingKind::race_atomic;

TEST(AtomicsAgain, are_those_of_another_block_too) {
  // A barrier of block 0 ends its own alone.
  EXPECT_EQ(races_of({{0, 32}, {64, 96}, {0, 0, barrier}}, 5, read), (Races{{race, 1}}));
  EXPECT_EQ(races_of({{0, 32}, {64, 96, barrier}, {0, 0}}, 70, read), (Races{{race, 1}}));
  EXPECT_EQ(races_of({{0, 32}, {0, 32, barrier}}, 5, read), Races{});
}

TEST(AtomicsAgain, are_those_of_their_epoch) {
  EXPECT_EQ(races_of({{0, 32, barrier}, {0, 32}}, 40, read), (Races{{race, 1}}));
  EXPECT_EQ(races_of({{0, 64, barrier}, {0, 64}}, 40, read), (Races{{race, 1}}));
  EXPECT_EQ(races_of({{0, 32, barrier}, {0, 32, barrier}}, 40, read), Races{});
  EXPECT_EQ(races_of({{0, 32, of_warp}, {0, 32}}, 5, read), (Races{{race, 1}}));
  EXPECT_EQ(races_of({{0, 32, of_warp}, {0, 32, of_warp}}, 5, read), Races{});
}

TEST(AtomicsAgain, are_those_of_their_warp_and_lane) {
  // What warp 0 has made, its own barrier ends.
  EXPECT_EQ(races_of({{0, 32}, {32, 64, of_warp}}, 5, read), (Races{{race, 1}}));
  EXPECT_EQ(races_of({{0, 32}, {0, 32, of_warp}}, 5, read), Races{});
  EXPECT_EQ(races_of({{4, 6}, {5, 7}}, 5, read), (Races{{race, 1}}));
  EXPECT_EQ(races_of({{5, 6}, {5, 6}}, 5, read), Races{});
  EXPECT_EQ(races_of({{5, 6}, {6, 7}}, 5, read), (Races{{race, 1}}));
}

TEST(AtomicsAgain, of_a_lane_that_exits_are_its_own_at_the_barrier_of_its_warp) {
  const std::string exits = "setp.eq.u32 %p1, %r2, 6; @%p1 exit;" + of_warp;
  EXPECT_EQ(races_of({{4, 6}, {6, 7, exits}}, 5, read), (Races{{race, 1}}));
  EXPECT_EQ(races_of({{4, 6}, {6, 7, of_warp}}, 5, read), Races{});
}

TEST(AtomicsAgain, of_a_blocks_scope_race_with_another_blocks_each_time) {
  const std::string narrow = "red.cta.global.add.u32 [%d0], 1;";
  const Turns turns{{0, 32}, {64, 96}, {0, 32}, {64, 96}};
  EXPECT_EQ(races_of(turns, nobody, read, narrow, "block_reversed"), (Races{{race, 96}}));
  EXPECT_EQ(races_of({{0, 32}, {0, 32}}, nobody, read, narrow), Races{});
}

TEST(AtomicsAgain, race_with_what_has_come_to_the_word_in_between_each_time) {
  // By thread 40: one read, more of them than have entries of their own, an atomic of another size.
  const std::string here = "setp.ne.u32 %p1, %r2, 40; @%p1 bra O;\n";
  std::string reads;
  for (unsigned k = 0; k < 24; ++k) reads += "ld.global.u32 %r4, [%d0];";
  const auto times = [&](const std::string& between) {
    std::uint64_t count = 0;
    const Turns turns{{0, 2, here + between + "\nO:"}, {0, 2}, {0, 2}};
    for (const auto& [kind, of_kind] : races_of(turns, nobody, read)) count += of_kind;
    return count;
  };
  EXPECT_EQ(times(read), 1 + 2 * 2U);
  EXPECT_EQ(times(reads), 24 * (1 + 2 * 2U));
  const std::string atomic = "red.global.add.u32 [%d0], 1;";
  EXPECT_EQ(times(atomic + atomic + reads), 24 * (1 + 2 * 2U));
  EXPECT_EQ(times("red.global.add.u64 [%d0], 1;"), 1 + 2 * 2U);
  EXPECT_EQ(times("red.global.add.u32 [%d0], 1;"), 0U);
}

}  // namespace
}  // namespace gauntlet::simt::test::atomics_again
