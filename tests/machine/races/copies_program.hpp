// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of asynchronous copies (cp.async), and what has to be found in them.
#pragma once

#include <string>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::copies {

/// A kernel of a block of 64 threads. %r0: the thread; %d0: an array, of which the thread has 16
/// bytes at %d1 and its neighbour in the other warp at %d2; %r1 and %r2: the same in s; `bar` and
/// `other`: mbarriers for all threads.
inline std::string program(const std::string& body) {
  return kernel(
      ".param .u64 a",
      "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; xor.b32 %r3, %r0, 32; mov.u32 %r4, s;"
      "mad.wide.u32 %d1, %r0, 16, %d0; mad.wide.u32 %d2, %r3, 16, %d0;"
      "mad.lo.u32 %r1, %r0, 16, %r4; mad.lo.u32 %r2, %r3, 16, %r4;"
      "setp.eq.u32 %p1, %r0, 0; setp.lt.u32 %p2, %r0, 32; mov.u32 %r9, 64;"
      "@%p1 mbarrier.init.shared.b64 [bar], %r9;"
      "@%p1 mbarrier.init.shared.b64 [other], %r9; bar.sync 0;\n" +
          body + "\nret;",
      ".file 1 \"k.cu\"\n.shared .align 16 .b8 s[2048];\n.shared .align 8 .b64 bar, other;\n");
}

/// Races of one run, which the brute-force checker has to confirm: kinds, and where.
inline Races found(const std::string& body, const std::string& schedule) {
  Races races;
  for (const Finding& f : judged(program(body), {.schedule = schedule, .bytes = 2048}))
    races.insert(fmt::format("{} {}", name(f.kind), f.array));
  return races;
}

inline void expect(const std::string& body, const Races& wanted) {
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(found(body, schedule), wanted) << body << " " << schedule;
  }
}

inline std::string at(int line, const std::string& text) {
  return fmt::format("\n.loc 1 {} 0\n{}\n", line, text);
}
inline const std::string copy = at(1, "cp.async.cg.shared.global [%r1], [%d1], 16;"),
                         commit = "cp.async.commit_group;", wait = "cp.async.wait_group 0;",
                         barrier = "bar.sync 0;";
inline const std::string writes_source = at(2, "st.global.u32 [%d1+4], 7;"),
                         writes_cell = at(2, "st.shared.u32 [%r1+4], 7;"),
                         reads_cell = at(2, "ld.shared.u32 %r5, [%r1+4];"),
                         reads_source = at(2, "ld.global.u32 %r5, [%d1+4];");
inline const std::string others_source = at(2, "st.global.u32 [%d2+4], 7;"),
                         others_cell = at(2, "st.shared.u32 [%r2+4], 7;"),
                         reads_others_cell = at(2, "ld.shared.u32 %r5, [%r2+4];"),
                         reads_all_of_others =
                             at(2, "ld.shared.v4.u32 {%r5, %r6, %r7, %r10}, [%r2];");

inline const std::string
    tracked = "cp.async.mbarrier.arrive.shared.b64 [bar];",
    counted = "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];",
    arrive = "mbarrier.arrive.shared.b64 %d3, [bar];",
    others_phase = "V: mbarrier.test_wait.parity.shared.b64 %p4, [other], 0; @!%p4 bra V;\n",
    phase = "W: mbarrier.test_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra W;\n";

}  // namespace gauntlet::simt::test::copies
