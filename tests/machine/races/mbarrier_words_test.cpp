// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is found of arrivals and waits that come to the cells of their word late
// (race_mbarriers.cpp), and of rows that warps hand to each other by mbarriers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "machine/engine/module.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::mbarrier_words {
namespace {

/// Of two blocks of 64 threads, whose first one has made an mbarrier for 1000 arrivals: what races
/// with what, by lines, and how often. %r0: the thread, %p9: the first one, %p1: warp 1.
std::vector<std::string> races_of(const std::string& body) {
  const auto module = load_module(
      kernel(
          ".param .u64 a",
          "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; setp.eq.u32 %p9, %r0, 0;"
          "setp.ge.u32 %p1, %r0, 32; mov.u32 %r4, 1000; mov.u32 %r9, 0; mov.u32 %r1, bars;\n"
          "@%p9 mbarrier.init.shared.b64 [bars], %r4; @%p9 mbarrier.init.shared.b64 [bars+8], %r4;"
          "@%p9 mbarrier.init.shared.b64 [bars+16], %r4;"
          "bar.sync 0;\n" +
              body + "\nret;",
          ".file 1 \"p.cu\"\n.shared .align 16 .b64 bars[3];.shared .align 16 .b32 row[32];\n"),
      "p.ptx");
  const auto run = [&](EventLog* log) {
    GlobalMemory memory;
    const Address array = memory.allocate({.name = "a", .bytes = 512});
    memory.fill(array, std::byte{0}, 512);
    ModuleState state(module, memory);
    LaunchConfig config{.entry = "f", .grid = {2}, .block = {64}};
    config.races = true;
    config.log = log;
    config.add(array);
    return launch(state, config);
  };
  EventLog log;
  const LaunchReport usual = run(nullptr), apart = run(&log);
  EXPECT_EQ(usual.findings, apart.findings) << text(usual) << "by lane:\n" << text(apart) << body;
  std::vector<std::string> races;
  for (const Finding& f : usual.findings) {
    if (!name(f.kind).starts_with("race_")) continue;
    races.push_back(fmt::format("{} {} times, {} and {}", name(f.kind), f.count,
                                f.other ? f.other->line : 0, f.at.line));
  }
  return races;
}
std::string at(int line, const std::string& text) {
  return fmt::format(".loc 1 {} 0\n{}\n", line, text);
}
const std::string arrives = "mbarrier.arrive.shared.b64 _, [bars];";

TEST(MbarrierWords, of_threads_that_have_exited_count_behind_the_barrier_of_the_others) {
  // The first one of an epoch comes to its cells at once, and the one behind it later.
  const auto again = at(3, "@%p9 mbarrier.init.shared.b64 [bars], %r4;");
  EXPECT_EQ(races_of(at(1, arrives) + at(2, arrives) + "@%p1 exit; bar.sync 0;" + again),
            (std::vector<std::string>{"race_atomic 128 times, 1 and 3",
                                      "race_atomic 128 times, 2 and 3"}));
  EXPECT_EQ(races_of(at(1, arrives) + at(2, arrives) + "bar.sync 0;" + again),
            std::vector<std::string>{});
}

TEST(MbarrierWords, are_to_be_told_to_who_writes_by_another_proxy_behind_a_barrier) {
  const auto copies = [](const char* fence) {
    return at(1, arrives) + at(2, arrives) + fence + "bar.sync 0;" +
           at(3,
              "@%p9 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [bars], "
              "[%d0], 16, [bars+16];");
  };
  EXPECT_EQ(races_of(copies("")), (std::vector<std::string>{"race_write_write 8 times, 0 and 3",
                                                            "race_atomic 256 times, 1 and 3",
                                                            "race_atomic 256 times, 2 and 3"}));
  EXPECT_EQ(races_of(copies("fence.proxy.async.shared::cta;")), std::vector<std::string>{});
}

TEST(MbarrierWords, have_the_clock_of_the_latest_one_of_each_lane) {
  // All of warp 0 arrive, the first half, and all again; before the last time, or behind it, they
  // publish what they have done to a thread of warp 1, which writes to the word.
  const auto rounds = [](int published) {
    return fmt::format(
               "@%p1 bra OTHER;\nLOOP: setp.ne.u32 %p2, %r9, 1; setp.lt.u32 %p3, %r0, 16;"
               "or.pred %p2, %p2, %p3;\n.loc 1 1 0\n@%p2 mbarrier.arrive.shared.b64 _, [bars];\n"
               "add.u32 %r9, %r9, 1; setp.eq.u32 %p2, %r9, {};"
               "@%p2 mbarrier.arrive.shared.b64 %d3, [bars+8], 31; setp.lt.u32 %p2, %r9, 3;"
               "@%p2 bra LOOP; bra.uni END;\nOTHER: setp.ne.u32 %p2, %r0, 32; @%p2 bra END;\n"
               "mbarrier.arrive.shared.b64 _, [bars+8], 8;"
               "W: mbarrier.test_wait.parity.shared.b64 %p2, [bars+8], 0; @!%p2 bra W;\n",
               published) +
           at(2, "st.shared.u32 [bars+4], 7;") + "END:";
  };
  EXPECT_EQ(races_of(rounds(2)), std::vector<std::string>{"race_atomic 64 times, 1 and 2"});
  EXPECT_EQ(races_of(rounds(3)), std::vector<std::string>{});
}

/// Warp 0 writes a row in each of three rounds, and warp 1 reads it: what is published by each for
/// the other orders them, and nothing else does.
TEST(MbarrierWords, order_rows_that_warps_hand_to_each_other) {
  const auto ring = [](const std::string& before, const std::string& arrive,
                       const std::string& behind) {
    return "mov.u32 %r2, row; and.b32 %r3, %r0, 31; mad.lo.u32 %r3, %r3, 4, %r2; mov.u32 %r5, 32;"
           "setp.lt.u32 %p3, %r0, 31;"
           "@%p9 mbarrier.init.shared.b64 [bars], %r5; @%p9 mbarrier.init.shared.b64 [bars+8], %r5;"
           "bar.sync 0;\nLOOP: and.b32 %r6, %r9, 1; xor.b32 %r7, %r6, 1; @%p1 bra READS;\n"
           "W: mbarrier.try_wait.parity.shared.b64 %p2, [bars+8], %r7; @!%p2 bra W;\n" +
           before + arrive + behind +
           "bra.uni NEXT;\nREADS: mbarrier.try_wait.parity.shared.b64 %p2, [bars], %r6;"
           "@!%p2 bra READS;\n" +
           at(2, "ld.shared.u32 %r8, [%r3];") +
           "mbarrier.arrive.shared.b64 _, [bars+8];\n"
           "NEXT: add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 3; @%p2 bra LOOP;\n";
  };
  const std::string some = at(1, "@%p3 st.shared.u32 [%r3], %r9;"),
                    last = at(3, "@!%p3 st.shared.u32 [%r3], %r9;"), all = some + last;
  const std::string relaxed = "mbarrier.arrive.relaxed.cta.shared.b64 _, [bars];\n";
  EXPECT_EQ(races_of(ring(all, arrives, "")), std::vector<std::string>{});
  EXPECT_EQ(races_of(ring(some, arrives, "")), std::vector<std::string>{});
  for (const auto& race : races_of(ring(some, arrives, last))) {
    EXPECT_TRUE(race.ends_with("3 and 2") || race.ends_with("2 and 3")) << race;
  }
  EXPECT_NE(races_of(ring(some, arrives, last)), std::vector<std::string>{});
  EXPECT_NE(races_of(ring(all, relaxed, "")), std::vector<std::string>{});
}

}  // namespace
}  // namespace gauntlet::simt::test::mbarrier_words
