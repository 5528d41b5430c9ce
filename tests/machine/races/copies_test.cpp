// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous copies (cp.async): what they read and write is theirs until their issuer has waited
// for them. Each right kernel is silent under every
// schedule, and what lacks the wait is found under every one.
#include <string>

#include "tests/machine/races/copies_program.hpp"

namespace gauntlet::simt::test::copies {
namespace {

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

TEST(CopyUnderWay, that_ends_behind_another_one_to_its_cells_is_met_once) {
  // All have waited before anybody reads, which orders nothing.
  const std::string both = two_copies(commit, 0), one = "cp.async.wait_group 1;",
                    all =
                        "red.relaxed.gpu.global.add.u32 [%d0+1024], 1;\n"
                        "P: ld.relaxed.gpu.global.u32 %r5, [%d0+1024];"
                        "setp.lt.u32 %p4, %r5, 64; @%p4 bra P;\n";
  const Races races{"race_write_write s", "race_write_read s"};
  expect(both + one + wait + all + reads_others_cell, races);
  expect(both + one + wait + all + reads_all_of_others, races);
  expect(both + one + wait + barrier + reads_all_of_others, {"race_write_write s"});
}

/// The second copy leaves what others write, too; the first one does not.
TEST(CopyUnderWay, by_the_same_instruction_has_the_values_of_all_that_are) {
  const std::string content = "add.u32 %r6, %r0, 1; st.global.u32 [%d1+4], %r6; bar.sync 0;",
                    both = two_copies(commit + "membar.cta; add.u64 %d1, %d1, 1024;", 0),
                    same = at(2, "st.shared.u32 [%r2+4], 0;");
  const Races races{"race_write_write s"};
  expect(content + both + barrier + same + wait, races);
  expect(content + both + barrier + wait + same, races);
  expect(content + both + wait + barrier + same, races);
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
