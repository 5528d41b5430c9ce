// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Values that nobody defined, in races and in the log of what the threads did: they are no numbers,
// and no two of them are equal.
#include <gtest/gtest.h>

#include "machine/engine/module.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::undefined_values {
namespace {

using K = FindingKind;

struct Ran {
  LaunchReport report;
  EventLog log;
};

/// One warp or more execute `body`: %r0 the thread, %d0 array "a" (defined), %d1 array "never"
/// (never written), %d2 the thread's cell of "own".
Ran run(const std::string& body, std::uint32_t threads = 32) {
  Ran ran;
  for (const bool logged : {false, true}) {
    GlobalMemory memory;
    const Address a = memory.allocate({.name = "a", .bytes = 1024});
    memory.fill(a, std::byte{0}, 1024);
    const Address never = memory.allocate({.name = "never", .bytes = 1024});
    const Address own = memory.allocate({.name = "own", .bytes = 4096});
    ModuleState state(load_module(kernel(".param .u64 a, .param .u64 never, .param .u64 own",
                                         "ld.param.u64 %d0, [a]; ld.param.u64 %d1, [never];"
                                         "ld.param.u64 %d2, [own]; mov.u32 %r0, %tid.x;"
                                         "mad.wide.u32 %d2, %r0, 4, %d2;\n" +
                                             body,
                                         ".file 1 \"p.cu\"\n"),
                                  "t.ptx"),
                      memory);
    LaunchConfig config{.entry = "f", .grid = {1}, .block = {threads}};
    config.races = !logged;
    if (logged) config.log = &ran.log;
    for (const Address array : {a, never, own}) config.add(array);
    auto report = launch(state, config);
    if (!logged) ran.report = std::move(report);
  }
  return ran;
}

/// Of the one finding.
struct Values {
  K kind{};
  std::string earlier, later;
  bool operator==(const Values&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Values& v) {
  return out << name(v.kind) << " `" << v.earlier << "` `" << v.later << '`';
}
Values values(const std::string& body, std::uint32_t threads = 32) {
  const auto report = run(body, threads).report;
  EXPECT_EQ(report.findings.size(), 1U) << text(report);
  if (report.findings.size() != 1) return {};
  const Finding& f = report.findings.front();
  return {f.kind, f.other->value, f.at.value};
}

const std::string undefined_register = "ld.global.u32 %r1, [%d1]; add.u32 %r1, %r1, 1;\n";
/// Warp 0 does the one, warp 1 the other.
std::string by_warps(const std::string& first, const std::string& second) {
  return "setp.gt.u32 %p0, %r0, 31; @%p0 bra Second;\n.loc 1 1 0\n" + first +
         "\nret;\nSecond:\n.loc 1 2 0\n" + second + "\nret;";
}

TEST(UndefinedValues, of_a_race_are_called_so_whoever_came_first) {
  const std::string store = "st.global.u32 [%d0], %r1;", load = "ld.global.u32 %r2, [%d0];";
  EXPECT_EQ(values(undefined_register + by_warps("setp.eq.u32 %p1, %r0, 3; @%p1 " + store,
                                                 "setp.eq.u32 %p1, %r0, 40; @%p1 " + load),
                   64),
            (Values{K::race_write_read, "undefined", ""}));
  EXPECT_EQ(values(undefined_register + by_warps("setp.eq.u32 %p1, %r0, 3; @%p1 " + load,
                                                 "setp.eq.u32 %p1, %r0, 40; @%p1 " + store),
                   64),
            (Values{K::race_read_write, "", "undefined"}));
}

TEST(UndefinedValues, of_a_race_of_whole_warps_are_called_so) {
  const std::string cells = "and.b32 %r3, %r0, 31; mad.wide.u32 %d3, %r3, 4, %d0;\n";
  const std::string store = "st.global.u32 [%d3], %r1;", load = "ld.global.u32 %r2, [%d3];";
  EXPECT_EQ(values(undefined_register + cells + by_warps(store, load), 64),
            (Values{K::race_write_read, "undefined", ""}));
  EXPECT_EQ(values("mov.u32 %r1, 7;\n" + cells + by_warps(store, load), 64),
            (Values{K::race_write_read, "7", ""}));
}

TEST(UndefinedValues, that_an_atomic_leaves_are_called_so) {
  const std::string add = "setp.eq.u32 %p1, %r0, 3; @%p1 atom.global.add.u32 %r2, [%d1], 1;";
  const std::string store = "setp.eq.u32 %p1, %r0, 40; @%p1 st.global.u32 [%d1], 5;";
  EXPECT_EQ(values(by_warps(add, store), 64), (Values{K::race_atomic, "undefined", "5"}));
  // In the other order the cell is defined when the atomic comes.
  EXPECT_EQ(values(by_warps("setp.eq.u32 %p1, %r0, 3; @%p1 st.global.u32 [%d1], 5;",
                            "setp.eq.u32 %p1, %r0, 40; @%p1 atom.global.add.u32 %r2, [%d1], 1;"),
                   64),
            (Values{K::race_atomic, "5", "6"}));
}

TEST(UndefinedValues, are_equal_to_nothing) {
  EXPECT_EQ(values(undefined_register + "st.global.u32 [%d0], %r1;"),
            (Values{K::race_write_write, "undefined", "undefined"}));
  EXPECT_EQ(values("mov.u32 %r1, 5; st.global.u32 [%d0], %r1;").kind, K::race_same_value);
  // That of one of two lanes.
  EXPECT_EQ(values("mov.u32 %r1, 5; setp.eq.u32 %p1, %r0, 31; @%p1 ld.global.u32 %r1, [%d1];"
                   "setp.gt.u32 %p2, %r0, 29; @%p2 st.global.u32 [%d0], %r1;"),
            (Values{K::race_write_write, "5", "undefined"}));
}

TEST(UndefinedValues, that_whole_warps_store_are_equal_to_nothing) {
  const std::string cells = "and.b32 %r3, %r0, 31; mad.wide.u32 %d3, %r3, 4, %d0;\n";
  const std::string store = "st.global.u32 [%d3], %r1;", seven = "mov.u32 %r1, 7;";
  EXPECT_EQ(values(undefined_register + cells + by_warps(store, store), 64),
            (Values{K::race_write_write, "undefined", "undefined"}));
  EXPECT_EQ(values(undefined_register + cells + by_warps(seven + store, store), 64),
            (Values{K::race_write_write, "7", "undefined"}));
  EXPECT_EQ(values(seven + cells + by_warps(store, store), 64).kind, K::race_same_value);
  // By one instruction, which stores 7 there next.
  const auto twice = [&](const std::string& first) {
    return values(first + cells +
                      by_warps("mov.u32 %r4, 0;\nAgain:\n" + store + seven +
                                   "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 2; @%p1 bra Again;",
                               seven + store),
                  64);
  };
  EXPECT_EQ(twice(undefined_register), (Values{K::race_write_write, "7", "7"}));
  EXPECT_EQ(twice(seven).kind, K::race_same_value);
}

/// The accesses of thread 0, with their undefined bits.
std::vector<std::uint64_t> undefined_bits(const std::string& body) {
  std::vector<std::uint64_t> bits;
  for (const Event& e : run(body).log) {
    if (e.what <= Event::What::atomic && e.thread == 0) bits.push_back(e.undefined);
  }
  return bits;
}

TEST(UndefinedValues, are_marked_in_the_log) {
  constexpr std::uint64_t word = 0xFFFF'FFFF;
  using Bits = std::vector<std::uint64_t>;
  EXPECT_EQ(undefined_bits(undefined_register + "st.global.u32 [%d2], %r1;"), (Bits{word, word}));
  EXPECT_EQ(undefined_bits("st.global.u32 [%d2], 1; ld.global.u32 %r1, [%d2];"), (Bits{0, 0}));
  EXPECT_EQ(undefined_bits("st.global.u32 [%d1+8], 1; ld.global.v2.u32 {%r1, %r2}, [%d1+8];"),
            (Bits{0, word << 32}));
  EXPECT_EQ(undefined_bits("ld.global.u32 %r1, [%d1]; mov.u32 %r2, 4;"
                           "st.global.v2.u32 [%d2+2048], {%r2, %r1};"),
            (Bits{word, word << 32}));
  EXPECT_EQ(undefined_bits("atom.global.add.u32 %r1, [%d1], 1;"), (Bits{word}));
  EXPECT_EQ(undefined_bits("atom.global.exch.b32 %r1, [%d1], 1;"), (Bits{0}));
}

}  // namespace
}  // namespace gauntlet::simt::test::undefined_values
