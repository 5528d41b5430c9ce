// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A word of shared memory that all write with one value, and that is read without a barrier: a note
// where whoever reads it has written it first, so that the value is the same in every order.
#include <string>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::one_value {
namespace {

using K = FindingKind;
using Told = std::set<std::pair<K, Severity>>;

/// Findings of a block of 64 threads. %r0: the thread, %d1: its word of the array at %d0, %r4: s.
Told told(const std::string& body, const std::string& schedule) {
  const auto program =
      kernel(".param .u64 a",
             "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r4, s; mov.u32 %r5, 0;"
             "mad.wide.u32 %d1, %r0, 4, %d0; setp.lt.u32 %p1, %r0, 32; setp.eq.u32 %p2, %r0, 7;\n" +
                 body + "\nst.global.u32 [%d1], %r5; ret;",
             ".shared .align 8 .b8 s[256];");
  Told all;
  for (const Finding& f : judged(program, {schedule})) all.emplace(f.kind, f.severity);
  return all;
}

Severity worst(const Told& all) {
  Severity found = Severity::note;
  for (const auto& [kind, severity] : all) {
    if (severity == Severity::error) found = severity;
    if (severity == Severity::warning && found == Severity::note) found = severity;
  }
  return found;
}

void expect_notes(const std::string& body) {
  for (const auto* schedule : pair_schedules) {
    const Told all = told(body, schedule);
    EXPECT_TRUE(all.contains({K::race_same_value, Severity::note})) << body << " " << schedule;
    EXPECT_TRUE(all.contains({K::race_write_read, Severity::note})) << body << " " << schedule;
    EXPECT_EQ(worst(all), Severity::note) << body << " " << schedule;
  }
}

void expect_error(const std::string& body) {
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(worst(told(body, schedule)), Severity::error) << body << " " << schedule;
  }
}

const std::string write = "st.shared.u32 [%r4], 7;", read = "ld.shared.u32 %r5, [%r4];",
                  barrier = "bar.sync 0;";

TEST(OneValue, that_each_reader_has_written_is_a_note) {
  expect_notes(write + read);
  expect_notes(write + read + read + write + read);
  expect_notes(write + write + read);
  // What was there before a barrier does not matter; nor do the words beside it.
  expect_notes("@%p2 st.shared.u32 [%r4], 9;" + barrier + write + read);
  expect_notes(write + read + barrier + "st.shared.u32 [%r4], 8;" + read);
  expect_notes("mad.lo.u32 %r6, %r0, 4, %r4; " + barrier + write +
               "@!%p2 bra E; st.shared.u32 [%r6+4], 5; E: " + read);
}

TEST(OneValue, may_have_any_size) {
  expect_notes("st.shared.u8 [%r4+1], 7; ld.shared.u8 %r5, [%r4+1];");
  expect_notes("st.shared.u16 [%r4], 7; ld.shared.u16 %r5, [%r4];");
  expect_notes("mov.u64 %d3, 7; st.shared.u64 [%r4], %d3; ld.shared.u64 %d3, [%r4];");
  expect_notes("st.shared.v2.u32 [%r4], {7, 8}; ld.shared.u32 %r5, [%r4+4];");
}

TEST(OneValue, that_some_reader_has_not_written_is_an_error) {
  // The cell held another value before, or none.
  expect_error("@%p1 " + write + read);
  expect_error("@%p2 st.shared.u32 [%r4], 9;" + barrier + "@%p1 " + write + read);
  expect_error("setp.ne.u32 %p3, %r0, 40; @%p3 " + write + read);
  // Read first, by all or by one.
  expect_error("@%p2 st.shared.u32 [%r4], 9;" + barrier + read + write);
  expect_error("@%p2 st.shared.u32 [%r4], 9;" + barrier + "@%p2 " + read + write + read);
  expect_error("@%p2 st.shared.u32 [%r4], 7;" + barrier + read + write);
  expect_error("st.shared.u8 [%r4], 7;" + std::string("ld.shared.u8 %r5, [%r4+1];") +
               "st.shared.u8 [%r4+1], 7;");
}

TEST(OneValue, that_lanes_of_the_same_warp_have_not_written_is_an_error) {
  // Two lanes of each warp write; behind a barrier of their warp they may read, and no others.
  const std::string two =
      "and.b32 %r6, %r0, 31; setp.lt.u32 %p3, %r6, 2; @%p3 " + write + "bar.warp.sync 0xffffffff;";
  expect_notes(two + "@%p3 " + read);
  expect_error(two + "@%p1 " + read);
}

TEST(OneValue, beside_another_one_is_an_error) {
  expect_error("st.shared.u32 [%r4], %r0;" + read);
  expect_error(write + read + "st.shared.u32 [%r4], 8;" + read);
  expect_error(write + "@%p2 st.shared.u32 [%r4], 8;" + read);
  expect_error(write + read + "@%p2 st.shared.u32 [%r4], 8;");
  expect_error(write + "@%p2 st.shared.u8 [%r4], 8;" + read);
  expect_error(write + "@%p2 atom.shared.or.b32 %r6, [%r4], 0;" + read);
  // In a loop, in which only the last turn is of that value.
  expect_error("mov.u32 %r8, 0; L: add.u32 %r9, %r8, 6; st.shared.u32 [%r4], %r9;" + read +
               "bar.warp.sync -1; add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 2; @%p3 bra L;");
}

TEST(OneValue, of_global_memory_is_an_error) {
  // Also other blocks' threads may read it.
  expect_error("st.global.u32 [%d0+256], 7; ld.global.u32 %r5, [%d0+256];");
}

TEST(OneValue, says_why_it_is_a_note) {
  Device device(kernel("", "st.shared.u32 [s], 7; ld.shared.u32 %r5, [s]; ret;",
                       ".file 1 \"k.cu\"\n.shared .align 4 .b8 s[4];"));
  const auto report = device.launch({.block = {64}, .races = true});
  ASSERT_EQ(report.findings.size(), 2U) << text(report);
  for (const Finding& f : report.findings) {
    EXPECT_EQ(f.severity, Severity::note);
    if (f.kind == K::race_same_value) continue;
    EXPECT_NE(f.detail.find("; all write one value, and who reads it has written it before"),
              std::string::npos)
        << f.detail;
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::one_value
