// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A barrier of all blocks, counted and polled by their first threads between barriers of the block:
// behind it blocks know of each other by epochs. What is done between the count and the second
// barrier is of an epoch that nobody knows as a whole.
#include <set>
#include <string>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::grid_barrier {
namespace {

using Kinds = std::set<FindingKind>;

/// What a thread does: before the barrier, behind its block's count, behind the barrier. It does so
/// twice, with another such barrier in between.
struct Round {
  std::string before, between, behind;
};
constexpr const char* counts = "atom.release.gpu.global.add.u32 %r3, [%d0], 1;";
constexpr const char* waits = "ld.acquire.gpu.global.u32 %r4, [%d0];";

std::string barrier(unsigned number, const std::string& between, const std::string& waiting) {
  return fmt::format(
      "bar.sync 0; @%p0 bra B{0}; {1} L{0}: {2} setp.lt.u32 %p1, %r4, {3}; @%p1 bra L{0};\n"
      "B{0}: {4} bar.sync 0;\n",
      number, counts, waiting, 3 * number, between);
}

/// Of 3 blocks of 64 threads. %d0: an array of zeros, %d1: a word of all, %d2: a word of the
/// thread, %d3: that of the thread of the next block; %p2: the thread is one in the middle of
/// block 1.
Kinds told(const Round& round, const std::string& waiting, const std::string& schedule) {
  const auto text_of = kernel(
      ".param .u64 a",
      "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; add.u64 %d1, %d0, 64;"
      "mad.lo.u32 %r2, %r1, 64, %r0; mul.wide.u32 %d2, %r2, 4; add.u64 %d2, %d2, %d0;"
      "add.u64 %d2, %d2, 128; add.u32 %r5, %r2, 64; rem.u32 %r5, %r5, 192;"
      "mul.wide.u32 %d3, %r5, 4; add.u64 %d3, %d3, %d0; add.u64 %d3, %d3, 128;"
      "setp.ne.u32 %p0, %r0, 0; setp.eq.u32 %p2, %r2, 101;\n" +
          round.before + "\n" + barrier(1, round.between, waiting) + round.behind + "\n" +
          barrier(2, "", waits) + round.before + "\n" + barrier(3, "", waits) + round.behind +
          "\nret;");
  Kinds kinds;
  for (const Finding& f : judged(text_of, {schedule, 3})) kinds.insert(f.kind);
  return kinds;
}

const std::string read_all = "ld.global.u32 %r6, [%d1];",
                  write_one = "@%p2 st.global.u32 [%d1], 7;",
                  write_own = "st.global.u32 [%d2], %r2;", read_next = "ld.global.u32 %r6, [%d3];";

void expect(const Round& round, const std::string& waiting, const Kinds& wanted) {
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(told(round, waiting, schedule), wanted)
        << round.before << " " << round.between << " " << round.behind << " " << schedule;
  }
}

TEST(GridBarrier, orders_a_word_that_all_read_and_one_writes) {
  expect({read_all, "", write_one}, waits, {});
  expect({write_one, "", read_all}, waits, {});
}

TEST(GridBarrier, orders_words_side_by_side) {
  expect({write_own, "", read_next}, waits, {});
  expect({read_next, "", write_own}, waits, {});
}

TEST(GridBarrier, does_not_order_what_comes_behind_the_count) {
  // The first threads come back to what the others have done meanwhile.
  expect({"", read_next, write_own}, waits, {FindingKind::race_read_write});
  expect({"", write_own, read_next}, waits, {FindingKind::race_write_read});
}

TEST(GridBarrier, orders_what_comes_behind_the_count_where_a_block_sees_the_next_one) {
  // Whose first thread polls last meets counts of the next barrier, and knows what came before
  // them.
  const Round round{"", read_all, write_one};
  EXPECT_EQ(told(round, waits, "lockstep"), Kinds{});
  EXPECT_EQ(told(round, waits, "random:1"), Kinds{FindingKind::race_read_write});
}

TEST(GridBarrier, orders_nothing_without_its_acquire) {
  const std::string relaxed = "ld.relaxed.gpu.global.u32 %r4, [%d0];";
  expect({read_all, "", write_one}, relaxed, {FindingKind::race_read_write});
  expect({write_own, "", read_next}, relaxed, {FindingKind::race_write_read});
}

}  // namespace
}  // namespace gauntlet::simt::test::grid_barrier
