// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// nvcc makes `if (t == 0) sum += s[0]` a load by all lanes and a selp that drops what the others
// have loaded. That is no race of these; each near miss is one.
#include <string>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::dropped_values {
namespace {

/// Whether a block of 64 threads races, under each schedule; behind `body` each stores to its word
/// of s again. %r0: the thread, %r1: its value so far, %d0: an array, %d1: the thread's own word of
/// it; %p0: the first thread, %p1: another one. s+256 is undefined.
void expect_races(bool races, const std::string& body) {
  const auto text =
      kernel(".param .u64 a",
             "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, 1; mov.u32 %r9, s;"
             "mad.wide.u32 %d1, %r0, 4, %d0; mad.lo.u32 %r2, %r0, 4, %r9;"
             "setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r0, 33;"
             "st.shared.u32 [%r2], %r0; bar.sync 0;\n" +
                 body + "\nst.shared.u32 [%r2], 7; st.global.u32 [%d1], %r1; ret;",
             ".shared .align 8 .b8 s[512];");
  for (const auto* schedule : pair_schedules) {
    bool found = false;
    for (const Finding& f : judged(text, {schedule, 1})) {
      found |= f.kind == FindingKind::race_read_write || f.kind == FindingKind::race_write_read;
    }
    EXPECT_EQ(found, races) << body << " " << schedule;
  }
}

void is_clean(const std::string& body) { expect_races(false, body); }
void is_race(const std::string& body) { expect_races(true, body); }

const std::string load = "ld.shared.u32 %r3, [s];", pick = "selp.u32 %r4, %r3, 0, %p0;",
                  add = "add.u32 %r1, %r1, %r4;";

TEST(DroppedValue, is_read_by_nobody) {
  is_clean(load + pick + add);
  is_race(load + "add.u32 %r1, %r1, %r3;");
  // Whatever is made of it before, and behind a barrier of the warp, too.
  is_clean(load + "add.u32 %r4, %r1, %r3; selp.u32 %r1, %r4, %r1, %p0;");
  is_clean(
      "ld.shared.f32 %x1, [s]; cvt.f64.f32 %y2, %x1;"
      "selp.f64 %y3, %y2, 0d0000000000000000, %p0; cvt.rzi.u32.f64 %r4, %y3;" +
      add);
  is_clean(load + "bar.warp.sync -1;" + pick + add);
  // Two that one selp drops, and one that two drop.
  is_clean(load + "ld.shared.u32 %r5, [s]; add.u32 %r6, %r3, %r5; selp.u32 %r4, %r6, 0, %p0;" +
           add);
  is_clean(load + pick + add + "add.u32 %r5, %r3, 1; selp.u32 %r4, %r5, 0, %p0;");
}

TEST(DroppedValue, is_dropped_by_what_the_predicate_decides) {
  // As a maximum: of two reasons to take it, one is none of the value's.
  const std::string greater = "setp.gt.u32 %p2, %r3, %r1;", take = "selp.u32 %r1, %r3, %r1, %p3;";
  is_clean(load + greater + "and.pred %p3, %p0, %p2;" + take);
  is_race(load + greater + "or.pred %p3, %p0, %p2;" + take);
  is_race(load + greater + "and.pred %p3, %p1, %p2;" + take);
  is_clean("not.pred %p4, %p0;" + load + greater + "or.pred %p3, %p4, %p2;" +
           "selp.u32 %r1, %r1, %r3, %p3;");
  is_race("not.pred %p4, %p0;" + load + greater + "and.pred %p3, %p4, %p2;" +
          "selp.u32 %r1, %r1, %r3, %p3;");
  // A branch, and an instruction with a guard.
  is_clean(load + "@!%p0 bra L; add.u32 %r1, %r1, %r3; L:");
  is_race(load + "@!%p1 bra L; add.u32 %r1, %r1, %r3; L:");
  is_race(load + "@%p0 bra L; add.u32 %r1, %r1, %r3; L:");
  is_clean(load + "@%p0 add.u32 %r1, %r1, %r3;");
  is_race(load + "@!%p0 add.u32 %r1, %r1, %r3;");
}

TEST(DroppedValue, is_dropped_behind_a_jump) {
  const std::string both = "@%p0 bra A;" + load + "bra.uni B; A: mov.u32 %r3, 5; B:";
  is_clean(both + pick + add);
  is_race(both + "selp.u32 %r4, %r3, 0, %p1;" + add);
  // Behind a branch that another predicate decides.
  const std::string around = "setp.gt.u32 %p2, %r0, 40; @%p2 bra A; add.u32 %r1, %r1, 1; A:";
  is_clean(load + around + "bar.warp.sync -1;" + pick + add);
  is_race(load + around + "@%p2 mov.pred %p0, %p2;" + pick + add);
  is_race(load + "setp.gt.u32 %p2, %r0, 40; @%p2 bra A; add.u32 %r1, %r1, %r3; A:" + pick + add);
  is_race(both + pick + add + "@%p1 bra C; add.u32 %r1, %r1, %r3; C:");
}

TEST(DroppedValue, is_none_of_the_next_turn) {
  const std::string loop = "mov.u32 %r7, 0; mov.u32 %r3, 0; L:",
                    turn = "add.u32 %r7, %r7, 1; setp.lt.u32 %p5, %r7, 3; @%p5 bra L;";
  is_clean(loop + load + pick + add + turn);
  // Used in the next turn, before it is loaded again.
  is_race(loop + "add.u32 %r1, %r1, %r3;" + load + pick + add + turn);
  is_clean(loop + "mov.u32 %r3, 1; add.u32 %r1, %r1, %r3;" + load + pick + add + turn);
}

TEST(DroppedValue, is_that_of_the_lanes_which_the_predicate_says) {
  is_race(load + "selp.u32 %r4, 0, %r3, %p0;" + add);
  is_clean("not.pred %p2, %p0;" + load + "selp.u32 %r4, 0, %r3, %p2;" + add);
  is_race(load + "selp.u32 %r4, %r3, 0, %p1;" + add);
  is_race("ld.shared.u32 %r3, [s+4];" + pick + add);
}

TEST(DroppedValue, is_dropped_wherever_it_goes) {
  is_race(load + pick + add + "selp.u32 %r5, %r3, 0, %p1; add.u32 %r1, %r1, %r5;");
  is_race(load + pick + add + "st.global.u32 [%d0+1020], %r3;");
  is_race(load + pick + add + "@%p1 add.u32 %r1, %r3, %r1;");
  is_race(load + pick + add + "setp.eq.u32 %p2, %r3, 7; @%p2 bra L; add.u32 %r1, %r1, 1; L:");
  is_race(load + pick + add + "shfl.sync.idx.b32 %r5, %r3, 0, 31, -1; add.u32 %r1, %r1, %r5;");
  is_race(load + "selp.u32 %r4, %r3, %r3, %p0;" + add);
  is_race(load + pick + add + "@%p0 bra L; add.u32 %r1, %r1, %r3; L:");
  // It decides itself.
  is_race(load + "setp.ne.u32 %p2, %r3, 9; selp.u32 %r4, 0, %r3, %p2;" + add);
}

TEST(DroppedValue, is_known_to_be_dropped_when_it_is_loaded) {
  const std::string twice = "setp.eq.u32 %p2, %r0, 0;", later = "setp.eq.u32 %p2, %r0, 33;",
                    by_it = "selp.u32 %r4, %r3, 0, %p2;";
  is_clean(twice + load + by_it + add + later);
  is_race(twice + load + later + by_it + add);
  // Nor by what is undefined.
  is_race("ld.shared.u32 %r5, [s+256]; setp.eq.u32 %p2, %r5, 77;" + load + by_it + add);
}

TEST(DroppedValue, is_not_dropped_by_data) {
  const std::string by = "selp.u32 %r4, %r3, 0, %p2;" + add;
  is_race("ld.global.u32 %r5, [%d1]; setp.eq.u32 %p2, %r5, 77;" + load + by);
  is_race("ld.global.u32 %r5, [%d1]; add.u32 %r6, %r5, %r0; setp.eq.u32 %p2, %r6, 77;" + load + by);
  is_clean("ld.param.u32 %r5, [a]; and.b32 %r6, %r5, 0; setp.eq.u32 %p2, %r6, %r0;" + load + by);
}

TEST(DroppedValue, is_used_by_somebody) {
  is_race(load);
  is_race(load + "@%p0 bra L; L:");
}

TEST(DroppedValue, is_no_volatile_one_which_no_compiler_loads_for_nothing) {
  is_race("ld.volatile.shared.u32 %r3, [s];" + pick + add);
}

}  // namespace
}  // namespace gauntlet::simt::test::dropped_values
