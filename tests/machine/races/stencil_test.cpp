// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Words that many threads read by rows of lanes, shifted by a word or not, as a stencil does. Such
// rows are noted as they come (reads.hpp); a write races with each reader of its word all the same,
// and with nobody's of the word beside. A launch that writes an event log keeps reader by reader.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::stencil {
namespace {

/// Threads of a block stand in rows of 16; each reads 5 x 5 words from its own place on, in rows of
/// `pitch`, of which the last ones are nobody's.
constexpr int side = 16, reach = 5, pitch = 24, block = side * side;

/// How often a thread for which that holds reads the word.
template <class Is>
std::uint64_t reads(int word, Is is) {
  std::uint64_t count = 0;
  for (int dy = 0; dy < reach; ++dy) {
    for (int dx = 0; dx < reach; ++dx) {
      const int y = word / pitch - dy, x = word % pitch - dx;
      if (y >= 0 && y < side && x >= 0 && x < side) count += is(y * side + x) ? 1 : 0;
    }
  }
  return count;
}

struct Program {
  bool exact = false;        ///< each thread is kept apart
  std::string only = "";     ///< who reads: a guard
  std::string between = "";  ///< the reads and the write
  int writer = 0, writers_block = 0, word = 0;
  std::string write = "st.global.u32 [%d0+{}], 7;";
};
/// %r0: the thread, %r1: the block, %d0: the array, %d1: where the thread reads first, %p0: block
/// 0.
std::string text_of(const Program& p) {
  std::string body =
      "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; shr.u32 %r2, %r0, 4;"
      "and.b32 %r3, %r0, 15; setp.eq.u32 %p0, %r1, 0;\n";
  body += fmt::format("mad.lo.u32 %r3, %r2, {}, %r3; mad.wide.u32 %d1, %r3, 4, %d0;\n", pitch);
  for (int k = 0; k < reach * reach; ++k) {
    body += fmt::format(".loc 1 {} 0\n{}ld.global.u32 %r4, [%d1+{}];\n", k + 1, p.only,
                        4 * (k / reach * pitch + k % reach));
  }
  body += p.between + fmt::format("setp.eq.u32 %p1, %r0, {}; setp.eq.and.u32 %p1, %r1, {}, %p1;\n",
                                  p.writer, p.writers_block);
  body += ".loc 1 99 0\n@%p1 " + fmt::format(fmt::runtime(p.write), 4 * p.word) + "\nret;\n";
  if (p.exact) body += "fence.acq_rel.cta;\nret;\n";  // nobody comes here
  return kernel(".param .u64 a", body, ".file 1 \"k.cu\"\n");
}
std::uint64_t races_of(const Program& p, const std::string& schedule, std::uint32_t grid) {
  std::uint64_t count = 0;
  for (const Finding& f : judged(text_of(p), {schedule, grid, block, 4 * pitch * 24})) {
    count += f.count;
  }
  return count;
}
/// The first and last ones of rows that threads of several warps read, one inside, and some that
/// nobody reads.
const std::vector<int> words{0,
                             19,
                             20,
                             23,
                             pitch * 7,
                             pitch * 7 + 9,
                             pitch * 8 + 19,
                             pitch * 8 + 20,
                             pitch * 19 + 19,
                             pitch * 20};

TEST(Stencil, a_write_of_another_block_races_with_each_reader_of_its_word) {
  for (const char* const schedule : {"lockstep", "block_reversed", "random:1"}) {
    for (const int word : words) {
      Program p{.only = "@%p0 ", .writer = 37, .writers_block = 1, .word = word};
      const auto all = reads(word, [](int) { return true; });
      for (const bool exact : {false, true}) {
        p.exact = exact;
        EXPECT_EQ(races_of(p, schedule, 2), all) << schedule << " " << word;
      }
    }
  }
}

TEST(Stencil, a_write_of_the_block_races_with_readers_that_no_barrier_orders) {
  for (const int writer : {0, 100, 255}) {
    for (const int word : words) {
      const auto others = reads(word, [&](int t) { return t != writer; }),
                 of_other_warps = reads(word, [&](int t) { return t / 32 != writer / 32; });
      for (const bool exact : {false, true}) {
        Program p{.exact = exact, .writer = writer, .word = word};
        EXPECT_EQ(races_of(p, "lockstep", 1), others) << writer << " " << word;
        p.between = "bar.warp.sync 0xffffffff;\n";
        EXPECT_EQ(races_of(p, "lockstep", 1), of_other_warps) << writer << " " << word;
        p.between = "bar.sync 0;\n";
        EXPECT_EQ(races_of(p, "lockstep", 1), 0U) << writer << " " << word;
      }
    }
  }
}

TEST(Stencil, a_write_behind_a_barrier_races_with_readers_of_other_blocks) {
  for (const int word : words) {
    const auto all = reads(word, [](int) { return true; });
    for (const int writer : {0, 2}) {
      Program p{.between = "bar.sync 0;\n", .writers_block = writer, .word = word};
      EXPECT_EQ(races_of(p, "lockstep", 3) != 0, all != 0) << word;
      p.exact = true;
      EXPECT_EQ(races_of(p, "lockstep", 3), 2 * all) << word;
      p.write = "atom.global.add.u32 %r5, [%d0+{}], 1;";
      EXPECT_EQ(races_of(p, "random:2", 3), 2 * all) << word;
    }
  }
}

/// A window that moves by a word a round, by one instruction: the first who reads a word is not the
/// only one.
TEST(Stencil, a_write_by_the_first_reader_of_its_word_races_with_the_others_of_its_warp) {
  for (const int rounds : {1, 2, 5}) {
    for (const bool barrier : {false, true}) {
      for (const int writer : {1, 8, 31}) {
        const std::string text = fmt::format(
            "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r9, 0; mad.wide.u32 %d1, %r0, 4, "
            "%d0;\nLOOP: .loc 1 1 0\nld.global.u32 %r4, [%d1];\nadd.u64 %d1, %d1, 4;"
            "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, {}; @%p1 bra LOOP;\n{}"
            "setp.eq.u32 %p1, %r0, {};\n.loc 1 9 0\n@%p1 st.global.u32 [%d0+{}], 7;\nret;\n",
            rounds, barrier ? "bar.warp.sync 0xffffffff;\n" : "", writer, 4 * writer);
        const auto found = judged(kernel(".param .u64 a", text, ".file 1 \"k.cu\"\n"),
                                  {.block = 32, .bytes = 1024});
        EXPECT_EQ(found.size(), barrier || rounds == 1 ? 0U : 1U) << rounds << " " << writer;
      }
    }
  }
}

/// What one thread writes, all others have been waiting for in turn: rows that are read again and
/// again are those of their last epoch.
TEST(Stencil, reads_of_rounds_with_barriers_between_are_those_of_the_last_round) {
  for (const bool exact : {false, true}) {
    for (const bool barrier : {false, true}) {
      const std::string text = fmt::format(
          "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r9, 0; mad.wide.u32 %d1, %r0, 4, "
          "%d0;\nLOOP: .loc 1 1 0\nld.global.u32 %r4, [%d1+4];\n.loc 1 2 0\n"
          "ld.global.u32 %r4, [%d1];\n.loc 1 3 0\nld.global.u32 %r4, [%d1+8];\n{}"
          "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 20; @%p1 bra LOOP;\n"
          "setp.eq.u32 %p1, %r0, 7;\n.loc 1 9 0\n@%p1 st.global.u32 [%d0+32], 7;\nret;\n{}",
          barrier ? "bar.sync 0;\n" : "", exact ? "fence.acq_rel.cta;\nret;\n" : "");
      std::uint64_t count = 0;
      for (const Finding& f : judged(kernel(".param .u64 a", text, ".file 1 \"k.cu\"\n"),
                                     {.block = 64, .bytes = 1024})) {
        count += f.count;
      }
      EXPECT_EQ(count, barrier ? 0U : 2U) << exact;
    }
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::stencil
