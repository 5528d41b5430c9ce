// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles that a warp loads from shared memory in one step, which the detector puts off as one: a
// launch that writes an event log loads, and looks at, each register by itself, and both find the
// same.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::tile_loads {
namespace {

/// Kinds of findings of a block of two warps that have written s, 32 rows of 12 words, and passed a
/// barrier. Of each row the tiles have the first 8 words. %r0: the thread, %r4: s, %d0: 16 bytes.
std::vector<FindingKind> kinds_of(const std::string& body) {
  std::string text =
      "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r4, s;"
      "mad.lo.u32 %r5, %r0, 4, %r4;\n";
  for (int k = 0; k < 6; ++k) text += fmt::format("st.shared.u32 [%r5+{}], %r0;", 256 * k);
  const auto program = kernel(".param .u64 a", text + "bar.sync 0;\n" + body + "\nret;",
                              ".shared .align 128 .b8 s[1536];");
  std::vector<FindingKind> kinds;
  for (const Finding& f : judged(program, {.bytes = 256})) kinds.push_back(f.kind);
  return kinds;
}

const std::string barrier = "bar.sync 0;\n",
                  tile =
                      "wmma.load.a.sync.aligned.row.m32n8k16.shared.bf16 "
                      "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%r4], 24;\n",
                  rows =
                      "and.b32 %r6, %r0, 31; mad.lo.u32 %r6, %r6, 48, %r4;\n"
                      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r6];"
                      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, "
                      "[%r6+16];\n";
std::string by(int thread, const std::string& instruction) {
  return fmt::format("setp.eq.u32 %p1, %r0, {}; @%p1 {}\n", thread, instruction);
}
std::string store_to(int word) { return fmt::format("st.shared.u32 [%r4+{}], 1;", 4 * word); }
using Kinds = std::vector<FindingKind>;

TEST(TileLoads, a_store_to_a_word_of_a_tile_races_and_one_between_its_rows_does_not) {
  for (const std::string& load : {tile, rows}) {
    for (const int word : {0, 7, 8, 11, 12, 12 * 15 + 3, 12 * 15 + 10, 12 * 31 + 7, 12 * 31 + 8}) {
      const bool races = word % 12 < 8;
      EXPECT_EQ(kinds_of(load + by(40, store_to(word))),
                races ? Kinds{FindingKind::race_read_write} : Kinds{})
          << word;
      EXPECT_EQ(kinds_of(by(40, store_to(word)) + load),
                races ? Kinds{FindingKind::race_write_read} : Kinds{})
          << word;
      EXPECT_EQ(kinds_of(load + barrier + by(40, store_to(word)) + barrier + load), Kinds{});
    }
  }
}

/// Four lanes load 32 bytes side by side, from a multiple of 8 on.
TEST(TileLoads, a_store_to_the_end_of_what_lies_in_two_rows_of_cells_races) {
  const std::string of_doubles =
      "wmma.load.a.sync.aligned.row.m8n8k4.shared.f64 {%d10}, [%r4], 5;\n";
  for (int word = 28; word < 40; ++word) {
    const bool races = word % 10 < 8;
    EXPECT_EQ(kinds_of(of_doubles + by(40, store_to(word))),
              races ? Kinds{FindingKind::race_read_write} : Kinds{})
        << word;
  }
}

TEST(TileLoads,
     a_store_races_with_what_came_before_the_barrier_of_some_only_if_that_orders_it_not) {
  // Warp 1 has passed no barrier since its loads.
  const std::string half = "setp.lt.u32 %p2, %r0, 32; @!%p2 bra E;\n";
  EXPECT_EQ(kinds_of(tile + half + "bar.sync 1, 32;" + by(3, store_to(12)) + "E:"),
            Kinds{FindingKind::race_read_write});
  EXPECT_EQ(kinds_of(half + tile + "bar.sync 1, 32;" + by(3, store_to(12)) + "E:"), Kinds{});
}

TEST(TileLoads, a_copy_to_a_tile_races_until_it_has_been_waited_for_and_told_of) {
  const std::string copy = by(40, "cp.async.cg.shared.global [%r4+96], [%d0], 16;"),
                    between = by(40, "cp.async.cg.shared.global [%r4+80], [%d0], 16;"),
                    end = "cp.async.wait_all;\n";
  for (const std::string& load : {tile, rows}) {
    const Kinds racing = kinds_of(copy + load + end);
    EXPECT_FALSE(racing.empty());
    EXPECT_EQ(racing[0], FindingKind::race_write_read);
    EXPECT_EQ(kinds_of(copy + end + load), Kinds{FindingKind::race_write_read});
    EXPECT_EQ(kinds_of(load + copy + end), Kinds{FindingKind::race_read_write});
    EXPECT_EQ(kinds_of(copy + end + barrier + load + barrier + copy + end), Kinds{});
    EXPECT_EQ(kinds_of(between + load + end), Kinds{});
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::tile_loads
