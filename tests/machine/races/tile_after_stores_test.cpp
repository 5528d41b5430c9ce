// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles that a warp loads where another warp's accesses are known already: stores of a whole warp,
// which are put off as the tile is, and those that are not, as of bytes and atomic ones.
#include <set>
#include <string>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::tile_after_stores {
namespace {

/// Kinds of findings of two warps that have written 32 rows of 12 words and passed a barrier, if
/// then the first one does `first`, and the second one loads 8 words of each row. %r0: the thread,
/// %r4: the rows, %r5: the thread's word.
std::set<FindingKind> kinds_of(const std::string& first, const std::string& behind = "",
                               const std::string& before = "") {
  std::string text =
      "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r4, s; mad.lo.u32 %r5, %r0, 4, %r4;\n";
  for (int k = 0; k < 6; ++k) text += "st.shared.u32 [%r5+" + std::to_string(256 * k) + "], %r0;";
  text += "bar.sync 0; setp.ge.u32 %p1, %r0, 32; @%p1 bra T;\n" + first + "\nbra E;\nT:\n" +
          before +
          "wmma.load.a.sync.aligned.row.m32n8k16.shared.bf16 "
          "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%r4], 24;\nE:\n" +
          behind + "\nret;";
  const auto program = kernel(".param .u64 a", text, ".shared .align 128 .b8 s[1536];");
  std::set<FindingKind> kinds;
  for (const Finding& f : judged(program, {"lockstep"})) kinds.insert(f.kind);
  return kinds;
}
using Kinds = std::set<FindingKind>;

TEST(TileAfterStores, races_with_those_of_a_whole_warp_of_a_byte_and_of_an_atomic) {
  EXPECT_EQ(kinds_of("st.shared.u32 [%r5], 1;"), Kinds{FindingKind::race_write_read});
  EXPECT_EQ(kinds_of("setp.eq.u32 %p2, %r0, 3; @%p2 st.shared.u8 [%r4+5], 1;"),
            Kinds{FindingKind::race_write_read});
  EXPECT_EQ(kinds_of("setp.eq.u32 %p2, %r0, 3; @%p2 atom.shared.add.u32 %r6, [%r4+48], 1;"),
            Kinds{FindingKind::race_atomic});
  // Here and there, of which each is put off as well.
  EXPECT_EQ(kinds_of("mad.lo.u32 %r6, %r0, 8, %r4; st.shared.u32 [%r6], 1;"),
            Kinds{FindingKind::race_write_read});
  EXPECT_EQ(kinds_of("mad.lo.u32 %r6, %r0, 48, %r4; st.shared.u32 [%r6+32], 1;"), Kinds{});
  EXPECT_EQ(kinds_of("ld.shared.u32 %r6, [%r5];"), Kinds{});
  EXPECT_EQ(kinds_of("add.u32 %r5, %r0, 1;"), Kinds{});
}

TEST(TileAfterStores, races_with_a_later_store_also_to_what_its_last_register_loads) {
  for (const int word : {0, 7, 12 * 15 + 7, 12 * 16, 12 * 31 + 7}) {
    const std::string store =
        "setp.eq.u32 %p2, %r0, 3; @%p2 st.shared.u32 [%r4+" + std::to_string(4 * word) + "], 1;";
    EXPECT_EQ(kinds_of("add.u32 %r5, %r0, 1;", store), Kinds{FindingKind::race_read_write}) << word;
    EXPECT_EQ(kinds_of("add.u32 %r5, %r0, 1;", "bar.sync 0;" + store), Kinds{}) << word;
  }
}

TEST(TileAfterStores, is_ordered_by_its_own_warps_barrier_behind_a_store_whoever_comes_next) {
  const std::string own = "setp.eq.u32 %p2, %r0, 35; @%p2 st.shared.u8 [%r4+5], 1;\n",
                    fence = "bar.warp.sync 0xffffffff;\n",
                    store = "setp.eq.u32 %p2, %r0, 35; @%p2 st.shared.u8 [%r4+6], 1;\n",
                    other = "setp.eq.u32 %p2, %r0, 3; @%p2 st.shared.u8 [%r4+132], 1;\n";
  for (const std::string& next : {std::string(), other, fence + store, fence + store + other}) {
    EXPECT_EQ(kinds_of("add.u32 %r5, %r0, 1;", next, own + fence), Kinds{}) << next;
  }
  EXPECT_EQ(kinds_of("add.u32 %r5, %r0, 1;", other, own), Kinds{FindingKind::race_write_read});
  EXPECT_EQ(kinds_of("add.u32 %r5, %r0, 1;", store + other, fence),
            Kinds{FindingKind::race_read_write});
}

}  // namespace
}  // namespace gauntlet::simt::test::tile_after_stores
