// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous copies (cp.async): what they read and write is theirs until somebody has waited
// for the mbarrier that tracks them. Each right kernel is silent under every
// schedule, and what lacks the wait is found under every one.
#include <string>

#include "tests/machine/races/copies_program.hpp"

namespace gauntlet::simt::test::copies {
namespace {

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
  for (const std::string& access : {reads_others_cell, reads_all_of_others}) {
    const std::string reads = "bra ON; bra END;\nON: " + access + "END:";
    const Races race{"race_write_read s"};
    expect(copy + halves + phase + "@%p3 " + reads, {});
    expect(copy + halves + phase + "@!%p3 " + reads, race);
    expect(copy + halves + others_phase + "@!%p3 " + reads, {});
    expect(copy + halves + others_phase + "@%p3 " + reads, race);
    expect(copy + halves + phase + others_phase + access, {});
  }
}

TEST(CopyUnderWay, by_the_same_instruction_begins_again_behind_a_wait_of_its_issuer) {
  const auto twice = [](const std::string& between) {
    return "mov.u32 %r8, 0; mov.u32 %r6, bar;\nL:\n" + copy +
           "cp.async.mbarrier.arrive.noinc.shared.b64 [%r6]; mov.u32 %r6, other;" + between +
           "add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 2; @%p3 bra L;\n";
  };
  expect(twice(barrier), {"race_write_write s"});
  expect(twice(commit + barrier), {"race_write_write s"});
  expect(twice(phase), {});
  const std::string first = "setp.eq.u32 %p5, %r8, 0;",
                    all = "@%p5 ld.shared.v4.u32 {%r5, %r7, %r9, %r10}, [%r2];";
  for (const std::string& reads : {std::string("@%p5 ld.shared.u32 %r5, [%r2+4];"), all}) {
    expect(twice(phase + first + at(2, reads)), {"race_write_read s"});
    expect(twice(phase + first + at(2, reads) + barrier), {});
  }
  expect(twice(commit + barrier + wait), {});
}

/// One warp has waited for the mbarrier, and the other one for another that everybody came to
/// later.
TEST(CopyUnderWay, has_ended_for_nobody_but_those_who_know_whoever_else_does) {
  const auto waits = [](const std::string& of_others) {
    return copy + counted + barrier + "mbarrier.arrive.shared.b64 %d3, [other];\n@%p2 bra A;\n" +
           of_others + "bra B;\nA: " + phase + "B: ";
  };
  for (const std::string& reads : {reads_others_cell, reads_all_of_others}) {
    expect(waits(others_phase) + reads, {"race_write_read s"});
    expect(waits("V: mbarrier.test_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra V;\n") + reads,
           {});
  }
}

/// Either wait makes a copy's writes visible to its issuer (PTX ISA 9.0, 9.7.9.25.3.4), whichever
/// way the machine has ended it.
TEST(CopyUnderWay, that_has_landed_ends_for_its_issuer_with_a_wait_for_its_group) {
  const std::pair<std::string, std::string> accesses[] = {{writes_source, "race_read_write a"},
                                                          {writes_cell, "race_write_write s"},
                                                          {reads_cell, "race_write_read s"}};
  for (const auto& [access, race] : accesses) {
    for (const std::string& ends : {tracked + arrive, counted}) {
      const std::string lands = ends + barrier;
      expect(copy + commit + lands + wait + access, {});
      expect(copy + lands + commit + wait + access, {});
      expect(copy + lands + "cp.async.wait_all;" + access, {});
      expect(copy + commit + lands + access + wait, {race});
      expect(copy + lands + wait + access, {race});  // it is in no group
    }
  }
  const std::string landed = copy + commit + counted + barrier;
  const Races race{"race_write_read s"};
  expect(landed + wait + reads_others_cell, race);
  expect(landed + wait + barrier + reads_others_cell, {});
  expect(landed + barrier + reads_others_cell, race);
  for (const char* const one_warp_or_lane :
       {"", "and.b32 %r6, %r0, 31; setp.eq.u32 %p2, %r6, 5;"}) {
    const std::string others = one_warp_or_lane + std::string("\n@%p2 bra ON;\n") + wait + "ON: ";
    expect(landed + others + reads_cell, race);
    expect(landed + others + barrier + reads_others_cell, race);
  }
}

TEST(CopyUnderWay, that_has_landed_is_as_long_as_its_group) {
  const std::string second =
                        at(3, "cp.async.cg.shared.global [%r1+1024], [%d1+1024], 16;") + commit,
                    reads_second = at(2, "ld.shared.u32 %r5, [%r1+1028];"),
                    one = "cp.async.wait_group 1;";
  const Races race{"race_write_read s"};
  for (const std::string& between : {std::string(), tracked}) {
    const std::string both = copy + commit + between + second + counted + barrier;
    expect(both + one + reads_cell, {});
    expect(both + one + reads_second, race);
    expect(both + one + wait + reads_second, {});
    expect(both + one + commit + one + reads_second, {});
  }
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

}  // namespace
}  // namespace gauntlet::simt::test::copies
