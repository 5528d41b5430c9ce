// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of an array of which some words are kept in one way and others, or the same, in another:
// what comes to a word meets all that came before, however that was kept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::kept_rows {
namespace {

using Races = std::vector<std::pair<FindingKind, std::uint64_t>>;

/// Of blocks of a warp, of which each does its own part, one behind the other. %r0: the lane, %d0:
/// the array, %d1, %d2: its word and its 8 bytes of the lane; %p1: one of the lower half.
Races races_of(const std::vector<std::string>& parts, const std::string& variables = "") {
  std::string body =
      "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;"
      "mad.wide.u32 %d1, %r0, 4, %d0; mad.wide.u32 %d2, %r0, 8, %d0; setp.lt.u32 %p1, %r0, 16;\n";
  // Who sleeps lets those before end; it orders nothing.
  for (std::size_t k = 0; k < parts.size(); ++k) {
    body += fmt::format(
        "setp.ne.u32 %p0, %r1, {0}; @%p0 bra N{0};\n{1}\nret;\nN{0}: nanosleep.u32 1;\n", k,
        parts[k]);
  }
  Races races;
  for (const Finding& f :
       judged(kernel(".param .u64 a", body + "ret;", variables),
              {.grid = static_cast<std::uint32_t>(parts.size()), .block = 32, .bytes = 4096})) {
    races.emplace_back(f.kind, f.count);
  }
  return races;
}
using K = FindingKind;

TEST(KeptRows, a_read_of_words_that_were_written_beside_noted_reads_meets_the_writes) {
  // Words 0 to 15 have reads, of lanes 0 to 7 also by pairs; the others a write each.
  const std::string reads =
      "@%p1 ld.global.u32 %r4, [%d1];\nsetp.lt.u32 %p2, %r0, 8; @%p2 ld.global.u64 %d4, [%d2];\n";
  EXPECT_EQ(races_of({reads + "@!%p1 st.global.u32 [%d1], %r0;", "ld.global.u32 %r4, [%d1];"}),
            (Races{{K::race_write_read, 16}}));
  EXPECT_EQ(races_of({reads + "@!%p1 st.global.u32 [%d1], %r0;", "@%p1 ld.global.u32 %r4, [%d1];"}),
            Races{});
}

TEST(KeptRows, what_a_copy_reads_stays_a_copys_beside_other_reads) {
  const std::string copy =
      "mov.u32 %r4, s; mad.lo.u32 %r4, %r0, 4, %r4;"
      "cp.async.ca.shared.global [%r4], [%d1], 4;\n";
  const std::string reads = "@%p1 ld.global.u64 %d4, [%d2];\n";
  const std::string write = "st.global.u32 [%d1], %r0;\n", wait = "cp.async.wait_all;\n";
  const std::string s = ".shared .align 16 .b8 s[128];";
  EXPECT_EQ(races_of({copy + write + wait}, s), (Races{{K::race_read_write, 32}}));
  EXPECT_EQ(races_of({copy + reads + "bar.warp.sync -1;" + write + wait}, s),
            (Races{{K::race_read_write, 32}}));
  EXPECT_EQ(races_of({copy + reads + wait + "bar.warp.sync -1;" + write}, s), Races{});
}

/// A lane's word is another one in each round, which leaves what was there.
TEST(KeptRows, words_beside_single_bytes_are_told_from_each_other) {
  // Lane 0: words 0 and 1; lane 1: words 2 and 9. A page with single bytes has 4 numbers a word.
  const std::string rounds =
      "setp.eq.u32 %p2, %r0, 0; @%p2 st.global.u8 [%d0+1025], %r0;\n"
      "setp.gt.u32 %p2, %r0, 1; @%p2 ret;\n"
      "mul.lo.u32 %r4, %r0, 2; mov.u32 %r5, 0; mov.u32 %r9, 0;\n"
      "L: mad.wide.u32 %d3, %r4, 4, %d0; st.global.u32 [%d3], %r5;\n"
      "mad.lo.u32 %r4, %r0, 8, 1; add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 2; @%p2 bra L;";
  for (const auto& [word, races] : {std::pair(1, 1U), {9, 1U}, {2, 1U}, {3, 0U}}) {
    const auto read = fmt::format("setp.eq.u32 %p2, %r0, {}; @%p2 ld.global.u32 %r4, [%d1];", word);
    EXPECT_EQ(races_of({rounds, read}).size(), races) << word;
  }
}

/// A word that lanes read together, behind a barrier of the warp one of them again.
TEST(KeptRows, a_lane_that_reads_again_does_so_for_itself) {
  const std::string again =
      "mov.u32 %r9, 0; setp.lt.u32 %p2, %r0, 4;\n"
      "L: @%p2 ld.global.u32 %r4, [%d0];\nsetp.eq.u32 %p3, %r9, 1; @%p3 bra E;\n"
      "bar.warp.sync 0xffffffff; setp.eq.u32 %p2, %r0, 0; add.u32 %r9, %r9, 1; bra L;\nE: ";
  const auto write = [](int lane) {
    return fmt::format("setp.eq.u32 %p2, %r0, {}; @%p2 st.global.u32 [%d0], %r0;", lane);
  };
  EXPECT_EQ(races_of({again + write(0)}), Races{});
  EXPECT_EQ(races_of({again + write(1)}), (Races{{K::race_read_write, 1}}));
}

}  // namespace
}  // namespace gauntlet::simt::test::kept_rows
