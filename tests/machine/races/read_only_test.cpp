// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Read-only loads (ld.global.nc, ldu) of what the launch writes are found, whoever writes
// it and whenever, whatever is between; the same by a plain load, and of what is not written, is
// silent.
#include <string>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::read_only {
namespace {

using K = FindingKind;

/// A kernel of 2 blocks of 64 threads. %r0: the thread, %r1: the block, %d0: an array of 256 words,
/// %d1: the thread's own word in it, %d2: that of its neighbour; %p1: thread 0, %p2: block 0.
std::string program(const std::string& body) {
  return kernel(".param .u64 a",
                "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;"
                "mad.lo.u32 %r2, %r1, 64, %r0; mad.wide.u32 %d1, %r2, 4, %d0;"
                "xor.b32 %r3, %r2, 33; mad.wide.u32 %d2, %r3, 4, %d0;"
                "setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r1, 0;\n" +
                    body + "\nret;",
                ".file 1 \"k.cu\"\n");
}

/// Kinds of one run, which the brute-force checker has to confirm.
std::set<K> found(const std::string& body, const std::string& schedule, int launches = 1) {
  std::set<K> all;
  for (const Finding& f :
       judged(program(body), {.schedule = schedule, .grid = 2, .launches = launches})) {
    all.insert(f.kind);
  }
  return all;
}

void expect(const std::string& body, const std::set<K>& wanted) {
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(found(body, schedule), wanted) << body << " " << schedule;
  }
}

const std::string writes = "\n.loc 1 1 0\nst.global.u32 [%d1], %r0;\n";
const std::string barrier = "bar.sync 0;";

std::string by(const std::string& load, const std::string& address = "%d1") {
  return "\n.loc 1 2 0\n" + load + " %r5, [" + address + "];\n";
}
const std::string plain = "ld.global.u32", nc = "ld.global.nc.u32";

TEST(ReadOnlyLoad, of_what_its_own_thread_writes_is_found) {
  for (const std::string& load : {nc, std::string("ldu.global.u32")}) {
    expect(writes + by(load), {K::race_read_only});
    expect(by(load) + writes, {K::race_read_only});
    expect(writes + barrier + "membar.gl;" + by(load), {K::race_read_only});
  }
  expect(writes + by(plain), {});
  expect(by(plain) + writes, {});
}

TEST(ReadOnlyLoad, of_what_another_thread_writes_behind_a_barrier_is_found) {
  expect(writes + barrier + by(nc, "%d2"), {K::race_read_only});
  expect(by(nc, "%d2") + barrier + writes, {K::race_read_only});
  expect("membar.gl;" + writes + barrier + by(nc, "%d2"), {K::race_read_only});
  expect(writes + barrier + by(plain, "%d2"), {});
  expect(by(plain, "%d2") + barrier + writes, {});
}

TEST(ReadOnlyLoad, of_what_another_block_has_released_is_found) {
  const auto message = [&](const std::string& load) {
    return "@!%p1 ret; @!%p2 bra WAIT;\n.loc 1 1 0\nst.global.u32 [%d0+512], 7;\n"
           "st.release.gpu.global.u32 [%d0+1020], 1; ret;\n"
           "WAIT: ld.acquire.gpu.global.u32 %r6, [%d0+1020]; setp.eq.u32 %p3, %r6, 0;"
           "@%p3 bra WAIT;\n" +
           by(load, "%d0+512");
  };
  expect(message(nc), {K::race_read_only});
  expect(message(plain), {});
}

TEST(ReadOnlyLoad, of_an_atomic_operations_word_is_found) {
  const std::string add = "\n.loc 1 1 0\nred.global.add.u32 [%d1], 1;\n";
  expect(add + by(nc), {K::race_read_only});
  expect(by(nc) + "\n.loc 1 1 0\natom.global.exch.b32 %r6, [%d1], 1;\n", {K::race_read_only});
  expect(add + by(plain), {});
}

TEST(ReadOnlyLoad, without_an_order_either_is_one_finding) {
  expect(writes + by(nc, "%d2"), {K::race_read_only});
  expect(writes + by(plain, "%d2"), {K::race_write_read});
}

TEST(ReadOnlyLoad, of_bytes_that_are_written_alone_is_found) {
  // All read one word; vectors; bytes beside those that are written.
  const std::string one = "\n.loc 1 1 0\n@%p1 st.global.u8 [%d0+6], %r0;\n";
  expect("and.pred %p1, %p1, %p2;" + one + by(nc, "%d0+4"), {K::race_read_only});
  expect("and.pred %p1, %p1, %p2;" + one + by("ld.global.nc.u16", "%d0+4"), {});
  expect("and.pred %p1, %p1, %p2;" + one +
             "\n.loc 1 2 0\nld.global.nc.v4.u32 {%r5, %r6, %r7, %r8}, [%d0];\n",
         {K::race_read_only});
  expect("and.pred %p1, %p1, %p2;" + one +
             "\n.loc 1 2 0\nld.global.nc.v4.u32 {%r5, %r6, %r7, %r8}, [%d0+16];\n",
         {});
}

TEST(ReadOnlyLoad, of_what_an_earlier_launch_wrote_is_silent) {
  const std::string odd = "and.b32 %r6, %r5, 1;", body = by(nc, "%d0") + "mov.u32 %r7, 0;";
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(found(body, schedule, 2), std::set<K>{});
  }
  // The second launch reads what the first one wrote: the flag in a[255] says which one it is.
  const std::string second =
      "ld.global.u32 %r9, [%d0+1020]; setp.ne.u32 %p4, %r9, 0; bar.sync 0;\n@%p4 bra READ;" +
      writes +
      "setp.eq.u32 %p5, %r2, 127; @%p5 st.global.u32 [%d0+1016], 1; ret;\n"
      "READ:" +
      by(nc, "%d2");
  GlobalMemory memory;
  const Address a = memory.allocate({.name = "a", .bytes = 1024});
  memory.fill(a, std::byte{0}, 1024);
  ModuleState state(load_module(program(second), "t.ptx"), memory);
  for (const std::uint32_t flag : {0U, 1U}) {
    memory.write(a + 1020, std::as_bytes(std::span(&flag, 1)));
    auto config = two_blocks(64, "lockstep", nullptr);
    config.add(a);
    EXPECT_TRUE(silent(launch(state, config))) << flag;
  }
}

TEST(ReadOnlyLoad, is_told_with_what_to_write_instead) {
  Device device(program(writes + barrier + by(nc, "%d2")));
  const auto a = device.array<std::uint32_t>("a", std::vector<std::uint32_t>(256));
  const auto report = device.launch({.grid = {2}, .block = {64}, .races = true}, a);
  ASSERT_TRUE(only(report, K::race_read_only));
  const Finding& f = report.findings[0];
  EXPECT_EQ(f.severity, Severity::error);
  EXPECT_EQ(f.at.line, 2U);
  ASSERT_TRUE(f.other);
  EXPECT_EQ(f.other->line, 1U);
  EXPECT_EQ(f.detail,
            "nothing orders the write at k.cu:1 and the read-only load (ld.global.nc: __ldg, const "
            "__restrict__) at :2, no barrier and not the order within a thread: what the launch "
            "writes has to be read by a plain load");
}

TEST(ReadOnlyLoad, is_one_of_global_memory_and_nothing_more) {
  const auto refused = [](const std::string& body) { return !load_error(program(body)).empty(); };
  EXPECT_FALSE(refused("ld.global.nc.L1::no_allocate.v2.u32 {%r5, %r6}, [%d0];"));
  EXPECT_TRUE(refused("ld.shared.nc.u32 %r5, [%d0];"));
  EXPECT_TRUE(refused("ld.volatile.global.nc.u32 %r5, [%d0];"));
  EXPECT_TRUE(refused("ld.relaxed.gpu.global.nc.u32 %r5, [%d0];"));
  EXPECT_TRUE(refused("st.global.nc.u32 [%d0], %r5;"));
  EXPECT_TRUE(refused("red.global.nc.add.u32 [%d0], %r5;"));
}

}  // namespace
}  // namespace gauntlet::simt::test::read_only
