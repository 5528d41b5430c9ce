// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous copies (cp.async): what they read and write is theirs until their issuer has waited
// for them, or somebody for the mbarrier that tracks them. Each right kernel is silent under every
// schedule, and what lacks the wait is found under every one.
#include <string>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::copies {
namespace {

using K = FindingKind;

/// A kernel of a block of 64 threads. %r0: the thread; %d0: an array, of which the thread has 16
/// bytes at %d1 and its neighbour in the other warp at %d2; %r1 and %r2: the same in s; `bar` and
/// `other`: mbarriers for all threads.
std::string program(const std::string& body) {
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
Races found(const std::string& body, const std::string& schedule) {
  Races races;
  for (const Finding& f : judged(program(body), {.schedule = schedule, .bytes = 2048}))
    races.insert(fmt::format("{} {}", name(f.kind), f.array));
  return races;
}

void expect(const std::string& body, const Races& wanted) {
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(found(body, schedule), wanted) << body << " " << schedule;
  }
}

std::string at(int line, const std::string& text) {
  return fmt::format("\n.loc 1 {} 0\n{}\n", line, text);
}
const std::string copy = at(1, "cp.async.cg.shared.global [%r1], [%d1], 16;"),
                  commit = "cp.async.commit_group;", wait = "cp.async.wait_group 0;",
                  barrier = "bar.sync 0;";
const std::string writes_source = at(2, "st.global.u32 [%d1+4], 7;"),
                  writes_cell = at(2, "st.shared.u32 [%r1+4], 7;"),
                  reads_cell = at(2, "ld.shared.u32 %r5, [%r1+4];"),
                  reads_source = at(2, "ld.global.u32 %r5, [%d1+4];");
const std::string others_source = at(2, "st.global.u32 [%d2+4], 7;"),
                  others_cell = at(2, "st.shared.u32 [%r2+4], 7;"),
                  reads_others_cell = at(2, "ld.shared.u32 %r5, [%r2+4];");

TEST(CopyUnderWay, has_its_source_and_its_destination_for_itself) {
  const std::pair<std::string, std::string> accesses[] = {
      {writes_source, "race_read_write a"},
      {writes_cell, "race_write_write s"},
      {reads_cell, "race_write_read s"},
      {at(2, "red.global.add.u32 [%d1+4], 1;"), "race_atomic a"}};
  for (const auto& [access, race] : accesses) {
    expect(copy + commit + access + wait, {race});
    expect(copy + access + "cp.async.wait_all;", {race});
    expect(copy + commit + access, {race});  // nobody waits
    expect(copy + commit + wait + access, {});
    expect(access + copy + commit + wait, {});
  }
  expect(copy + commit + reads_source + wait, {});
  expect(copy + commit + at(2, "st.global.u32 [%d1+1024], 7;") +
             at(3, "st.shared.u32 [%r1+1024], 7;") + wait,
         {});
}

TEST(CopyUnderWay, is_so_behind_barriers_that_come_before_its_wait) {
  struct Access {
    std::string text, race, before;  ///< before: where it comes first
  };
  const Access accesses[] = {{others_source, "race_read_write a", "race_write_read a"},
                             {others_cell, "race_write_write s", "race_write_write s"},
                             {reads_others_cell, "race_write_read s", "race_read_write s"}};
  for (const auto& [access, race, before] : accesses) {
    expect(copy + commit + barrier + access + wait, {race});
    expect(copy + commit + barrier + access + barrier + wait, {race});
    expect(copy + commit + barrier + barrier + access + barrier + wait + barrier, {race});
    expect(copy + commit + wait + access, {race});  // the wait is its issuer's alone
    expect(copy + commit + wait + barrier + access, {});
    expect(access + barrier + copy + commit + wait, {});
    expect(access + copy + commit + wait, {before});
  }
}

TEST(CopyUnderWay, meets_no_other_copy_to_its_cells) {
  const std::string again = at(2, "cp.async.cg.shared.global [%r1], [%d1+1024], 16;");
  const std::string part = at(2, "cp.async.ca.shared.global [%r1+8], [%d1+1024], 8;");
  const std::string beside = at(2, "cp.async.cg.shared.global [%r1+1024], [%d1], 16;");
  for (const std::string& other : {again, part}) {
    expect(copy + other + commit + wait, {"race_write_write s"});
    expect(copy + commit + other + commit + wait, {"race_write_write s"});
    expect(copy + commit + wait + other + commit + wait, {});
  }
  expect(copy + beside + commit + wait, {});
  // In a loop, by one instruction.
  const auto twice = [&](const std::string& between) {
    return "mov.u32 %r8, 0;\nL:\n" + copy + commit + between +
           "add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 2; @%p3 bra L;\n" + wait;
  };
  expect(twice(""), {"race_write_write s"});
  expect(twice(wait), {});
}

TEST(CopyUnderWay, of_the_same_bytes_by_several_threads_is_of_one_value) {
  const std::string same = at(1, "cp.async.ca.shared.global [%r4], [%d0], 4;");
  const std::string reads = at(2, "ld.shared.u32 %r5, [%r4];");
  expect(same + commit + wait, {"race_same_value s"});
  expect(same + commit + wait + barrier + reads, {"race_same_value s"});
  expect(same + commit + barrier + reads + wait, {"race_same_value s", "race_write_read s"});
  // Those of one thread are undefined, whatever they write.
  const std::string loop = "add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 2; @%p3 bra L;\n";
  const Races both = {"race_same_value s", "race_write_write s"};
  expect(same + at(3, "cp.async.ca.shared.global [%r4], [%d0], 4;"), both);
  expect(same + at(3, "cp.async.ca.shared.global [%r4], [%d0], 4;") + commit + wait, both);
  expect("mov.u32 %r8, 0;\nL:\n" + same + commit + loop + wait, both);
  expect("mov.u32 %r8, 0;\nL:\n" + same + commit + wait + loop, {"race_same_value s"});
  // Other bytes; some other bytes.
  const std::string own = "st.global.u32 [%d1+12], %r0;";
  expect(own + at(1, "cp.async.ca.shared.global [%r4], [%d1+12], 4;") + commit + wait,
         {"race_write_write s"});
  expect(own + at(1, "cp.async.cg.shared.global [%r4], [%d1], 16;") + commit + wait, both);
  // Of different sizes, the later bytes of one.
  const std::string part = at(2, "cp.async.ca.shared.global [%r2+8], [%d0+8], 8;");
  const std::string whole = at(1, "cp.async.cg.shared.global [%r1], [%d0], 16;");
  const std::string content = at(3, "@%p1 st.global.u32 [%d0+8], 7;") + barrier;
  expect(content + whole + part + commit + wait, {"race_same_value s"});
  expect(content + at(1, "cp.async.cg.shared.global [%r1], [%d0+16], 16;") + part + commit + wait,
         both);
}

TEST(CopyUnderWay, ends_for_each_of_the_threads_that_copy_from_one_place) {
  const std::string from_one = at(1, "cp.async.ca.shared.global [%r1], [%d0], 4;");
  const std::string writes = at(2, "@%p1 st.global.u32 [%d0], 7;");
  expect(from_one + commit + wait + barrier + writes, {});
  expect(from_one + commit + barrier + writes + wait, {"race_read_write a"});
  // All but one have waited.
  expect(from_one + commit + "setp.ne.u32 %p3, %r0, 40; @!%p3 bra M;" + wait + "M: " + barrier +
             writes + wait,
         {"race_read_write a"});
}

TEST(CopyUnderWay, is_as_long_as_its_group) {
  const std::string second = at(3, "cp.async.cg.shared.global [%r1+1024], [%d1+1024], 16;");
  const std::string both = copy + commit + second + commit + "cp.async.wait_group 1;";
  expect(both + writes_source + writes_cell + wait, {});
  expect(both + at(2, "st.global.u32 [%d1+1024], 7;") + wait, {"race_read_write a"});
  expect(both + at(2, "st.shared.u32 [%r1+1024], 7;") + wait, {"race_write_write s"});
  // What was not committed is in no group.
  expect(copy + wait + writes_source, {"race_read_write a"});
}

/// Two copies of a thread by one instruction, of which the second one's cells lie `step` bytes
/// behind the first one's.
std::string two_copies(const std::string& each, unsigned step) {
  return "mov.u32 %r8, 0;\nL:\n" + copy + each +
         fmt::format(
             "add.u32 %r1, %r1, {}; add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 2; @%p3 bra L;\n",
             step);
}

TEST(CopyUnderWay, is_so_while_others_of_its_thread_and_instruction_end) {
  const std::string one = "cp.async.wait_group 1;", from_one_place = two_copies(commit, 1024);
  const Races race{"race_read_write a"};
  for (const std::string& access : {writes_source, barrier + others_source}) {
    expect(from_one_place + one + access + wait, race);
    expect(from_one_place + one + barrier + access + wait, race);
    expect(from_one_place + wait + access, {});
    expect(from_one_place + one + wait + access, {});
    // With a third one from elsewhere the second has ended as well.
    const std::string third = at(3, "cp.async.cg.shared.global [%r1+-2048], [%d1+1024], 16;");
    expect(from_one_place + one + third + commit + access + wait, race);
    expect(from_one_place + one + third + commit + one + access + wait, {});
  }
  const std::string to_one_place = two_copies(commit, 0);
  for (const std::string& between : {std::string(), barrier}) {
    const Races both{"race_write_write s"}, all{"race_write_write s", "race_write_read s"};
    expect(to_one_place + one + between + reads_cell + wait, all);
    expect(to_one_place + wait + between + reads_cell, both);
    expect(to_one_place + one + wait + between + reads_cell, both);
  }
}

TEST(CopyUnderWay, reads_so_many_bytes_and_writes_them_all) {
  const std::string some =
      "mov.u32 %r7, 5;" + at(1, "cp.async.cg.shared.global [%r1], [%d1], 16, %r7;");
  expect(some + commit + at(2, "st.global.u8 [%d1+4], 7;") + wait, {"race_read_write a"});
  expect(some + commit + at(2, "st.global.u8 [%d1+5], 7;") + wait, {});
  expect(some + commit + at(2, "st.shared.u8 [%r1+15], 7;") + wait, {"race_write_write s"});
  const std::string none =
      "mov.u32 %r7, 0;" + at(1, "cp.async.cg.shared.global [%r1], [%d1], 16, %r7;");
  expect(none + commit + writes_source + wait, {});
  expect(none + commit + writes_cell + wait, {"race_write_write s"});
}

const std::string tracked = "cp.async.mbarrier.arrive.shared.b64 [bar];",
                  counted = "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];",
                  arrive = "mbarrier.arrive.shared.b64 %d3, [bar];",
                  phase = "W: mbarrier.test_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra W;\n";

TEST(CopyUnderWay, ends_with_the_phase_that_tracks_it_for_those_who_wait_for_that) {
  const std::pair<std::string, std::string> accesses[] = {{writes_source, "race_read_write a"},
                                                          {writes_cell, "race_write_write s"},
                                                          {reads_cell, "race_write_read s"},
                                                          {others_source, "race_read_write a"},
                                                          {reads_others_cell, "race_write_read s"}};
  for (const auto& [access, race] : accesses) {
    for (const std::string& ends : {tracked + arrive, counted}) {
      expect(copy + ends + phase + access, {});
      expect(copy + ends + access + phase, {race});
      // All have arrived, and nobody has waited.
      expect(copy + ends + barrier + access, {race});
    }
    expect(copy + arrive + phase + access, {race});  // not tracked
  }
}

TEST(CopyUnderWay, ends_with_the_first_phase_of_those_that_track_it) {
  const std::string by_other = "cp.async.mbarrier.arrive.noinc.shared.b64 [other];",
                    others_phase =
                        "V: mbarrier.test_wait.parity.shared.b64 %p4, [other], 0; @!%p4 bra V;\n",
                    reads = at(2, "ld.shared.u32 %r5, [%r1+4];");
  const std::string one_alone = "@!%p1 " + by_other;  // of which the phase never ends
  for (const std::string& access : {writes_source, reads, reads_others_cell}) {
    const Races race{access == writes_source ? "race_read_write a" : "race_write_read s"};
    expect(copy + one_alone + counted + phase + access, {});
    expect(copy + one_alone + arrive + phase + access, race);
    expect(copy + by_other + counted + phase + access, {});
    expect(copy + by_other + counted + others_phase + access, {});
    expect(copy + by_other + access + counted + others_phase, race);
  }
}

TEST(CopyUnderWay, is_in_no_cache_that_a_volatile_read_could_pass_by) {
  const std::string relaxed =
      "W: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p4, [bar], 0; @!%p4 bra W;\n";
  const std::string reads = at(2, "ld.volatile.shared.u32 %r5, [%r2+4];");
  expect(copy + counted + relaxed + reads, {"race_write_read s"});
  expect(copy + counted + barrier + reads, {"race_write_read s"});
  expect(copy + counted + phase + reads, {});
}

TEST(CopyUnderWay, ends_for_whom_one_who_has_waited_hands_it_on_to) {
  const std::string first_warp = "@!%p2 bra ON;\n" + phase + "ON: ";
  expect(copy + counted + first_warp + barrier + reads_others_cell, {});
  expect(copy + counted + first_warp + reads_others_cell, {"race_write_read s"});
  // The next use of the cells.
  const std::string second =
      "V: mbarrier.test_wait.parity.shared.b64 %p4, [bar], 1; @!%p4 bra V;\n";
  expect(copy + counted + phase + reads_others_cell + barrier + copy + counted + second +
             reads_others_cell,
         {});
  expect(copy + counted + phase + reads_others_cell + copy + counted + second,
         {"race_read_write s"});
}

TEST(CopyUnderWay, outlives_barriers_until_all_know_that_it_has_ended) {
  const std::string first_warp = "@!%p2 bra ON;\n" + phase + "ON: ";
  for (const std::string& access : {reads_others_cell, others_cell}) {
    const bool reads = access == reads_others_cell;
    const Races race{reads ? "race_write_read s" : "race_write_write s"};
    expect(copy + counted + barrier + barrier + access, race);
    expect(copy + counted + first_warp + barrier + barrier + access, {});
    // One lane has not waited, and does not know what the others do.
    const std::string but_one =
        "and.b32 %r6, %r0, 31; setp.eq.u32 %p3, %r6, 5;\n@%p3 bra ON;\n" + phase + "ON: ";
    expect(copy + counted + but_one + access, race);
  }
}

TEST(CopyUnderWay, ends_for_nobody_with_the_phase_of_another_mbarrier_that_lanes_arrive_at) {
  // Half of each warp arrives at one mbarrier, and the other half at the other one.
  const std::string halves =
      "and.b32 %r6, %r0, 16; setp.eq.u32 %p3, %r6, 0; mov.u32 %r7, other; @%p3 mov.u32 %r7, bar;"
      "@%p1 mbarrier.arrive.shared.b64 %d3, [bar], 32;"
      "@%p1 mbarrier.arrive.shared.b64 %d3, [other], 32;"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%r7];";
  const std::string others =
      "V: mbarrier.test_wait.parity.shared.b64 %p4, [other], 0; @!%p4 bra V;\n";
  const std::string reads = "bra ON; bra END;\nON: " + reads_others_cell + "END:";
  const Races race{"race_write_read s"};
  expect(copy + halves + phase + "@%p3 " + reads, {});
  expect(copy + halves + phase + "@!%p3 " + reads, race);
  expect(copy + halves + others + "@!%p3 " + reads, {});
  expect(copy + halves + others + "@%p3 " + reads, race);
  expect(copy + halves + phase + others + reads_others_cell, {});
}

TEST(CopyUnderWay, by_the_same_instruction_begins_again_behind_a_wait_of_its_issuer) {
  const auto twice = [](const std::string& between) {
    return "mov.u32 %r8, 0; mov.u32 %r6, bar;\nL:\n" + copy +
           "cp.async.mbarrier.arrive.noinc.shared.b64 [%r6]; mov.u32 %r6, other;" + between +
           "add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 2; @%p3 bra L;\n";
  };
  expect(twice(barrier), {"race_write_write s"});
  expect(twice(phase), {});
}

/// Thread 0 has the same 16 bytes copied twice by one instruction, to two places, which `bar`
/// counts and then `other`; `between` the two, of thread 0 alone.
std::string two_bulk_copies(const std::string& between) {
  std::string body;
  for (const auto* const mbarrier : {"bar", "other"}) {
    body += fmt::format(
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [{0}], 16;"
        "@!%p1 mbarrier.arrive.shared.b64 %d3, [{0}];",
        mbarrier);
  }
  return body + "mov.u32 %r6, bar; mov.u32 %r8, 0; @!%p1 bra M;\nL:\n" +
         at(1,
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%d0], 16, "
            "[%r6];") +
         "add.u32 %r8, %r8, 1; setp.eq.u32 %p3, %r8, 2; @%p3 bra M;\n" + between +
         "mov.u32 %r6, other; add.u32 %r4, %r4, 1024; bra L;\nM: ";
}

/// Races of one run, without the checker, which knows no bulk copies.
Races found_of_bulk(const std::string& body, const std::string& schedule) {
  Device device(program(body));
  const auto a = device.array<std::uint32_t>("a", std::vector<std::uint32_t>(512));
  Races races;
  const auto report = device.launch({.block = {64}, .schedule = schedule, .races = true}, a);
  EXPECT_TRUE(report.completed) << text(report);
  for (const Finding& f : report.findings)
    races.insert(fmt::format("{} {}", name(f.kind), f.array));
  return races;
}

TEST(BulkCopyUnderWay, is_known_to_have_ended_by_the_phase_of_its_own_mbarrier_alone) {
  const std::string first = "V: mbarrier.test_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra V;\n",
                    second =
                        "W: mbarrier.test_wait.parity.shared.b64 %p4, [other], 0; @!%p4 bra W;\n";
  const std::string by_issuer = at(2, "@%p1 st.global.u32 [%d0+4], 7;"),
                    by_other =
                        "setp.eq.u32 %p3, %r0, 40;" + at(2, "@%p3 st.global.u32 [%d0+4], 7;");
  const Races race{"race_read_write a"};
  for (const auto* schedule : pair_schedules) {
    for (const std::string& writes : {by_issuer, by_other}) {
      const auto of = [&](const std::string& between, const std::string& waits) {
        return found_of_bulk(two_bulk_copies(between) + waits + writes, schedule);
      };
      EXPECT_EQ(of("", ""), race) << schedule << writes;
      EXPECT_EQ(of("", second), race) << schedule << writes;
      EXPECT_EQ(of("", first), race) << schedule << writes;
      EXPECT_EQ(of("", first + second), Races{}) << schedule << writes;
      // The issuer has waited for the first one before it begins the second one.
      EXPECT_EQ(of(first, second), Races{}) << schedule << writes;
      EXPECT_EQ(of(first, ""), race) << schedule << writes;
    }
  }
}

TEST(CopyUnderWay, is_counted_by_arrivals_that_race_with_other_accesses_of_their_word) {
  const std::string overwritten = at(1, arrive) + at(2, "@%p1 st.shared.u64 [bar], %d0;");
  for (const auto* schedule : pair_schedules) {
    EXPECT_TRUE(found(overwritten, schedule).contains("race_atomic bar")) << schedule;
  }
}

TEST(CopyUnderWay, is_told_with_its_line_and_that_it_lacks_a_wait) {
  const auto told = [](const std::string& body) {
    Device device(program(body));
    const auto a = device.array<std::uint32_t>("a", std::vector<std::uint32_t>(512));
    const auto report = device.launch({.block = {64}, .races = true}, a);
    EXPECT_EQ(report.findings.size(), 1U) << text(report);
    EXPECT_EQ(report.findings.at(0).severity, Severity::error);
    return report.findings.at(0).detail;
  };
  EXPECT_EQ(
      told(copy + commit + writes_source + wait),
      "no wait for the asynchronous copy at k.cu:1 orders its read and the write at :2; until "
      "then it may be made at any time");
  EXPECT_EQ(
      told(copy + commit + reads_cell + wait),
      "no wait for the asynchronous copy at k.cu:1 orders its write and the read at :2; until "
      "then it may be made at any time");
  EXPECT_EQ(told(copy + copy + commit + wait),
            "no wait orders the asynchronous copies at k.cu:1 and at :1");
}

}  // namespace
}  // namespace gauntlet::simt::test::copies
