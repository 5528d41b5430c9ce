// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Bulk copies and reductions (PTX ISA 9.0, 9.7.9.25.4) of bytes that lie one behind the other: what
// they bring, when, and what is wrong around them, each beside the nearest right form.
#include <fmt/format.h>

#include <bit>
#include <numeric>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_bulk {
namespace {

using Words = std::vector<std::uint32_t>;
constexpr unsigned count = 64, bytes = 4 * count;

/// 64 threads: %r0 the thread, %p0 of thread 0, %r1 shared array s, %r2 the thread's word of it,
/// %r3 the mbarrier; %d0 and %d1 the arrays in and out, %d2 the thread's word of out.
std::string program(const std::string& body, unsigned arrivals = 1) {
  return kernel(
      ".param .u64 in, .param .u64 out",
      fmt::format(
          "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, s;\n"
          "mad.lo.u32 %r2, %r0, 4, %r1; mov.u32 %r3, bar; mad.wide.u32 %d2, %r0, 4, %d1;\n"
          "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r3], {}; bar.sync 0;\n",
          arrivals) +
          body + "ret;",
      ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 s[512];\n");
}
std::string expect(unsigned n) {
  return fmt::format("@%p0 mbarrier.arrive.expect_tx.shared.b64 %d9, [%r3], {};\n", n);
}
std::string load(unsigned n, const std::string& to = "%r1", const std::string& from = "%d0") {
  return fmt::format(
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{}], [{}], {}, "
      "[%r3];\n",
      to, from, n);
}
std::string store(unsigned n, const std::string& to = "%d1") {
  return fmt::format("@%p0 cp.async.bulk.global.shared::cta.bulk_group [{}], [%r1], {};\n", to, n);
}
std::string reduce(const std::string& how, const std::string& type) {
  return fmt::format(
      "@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.{}.{} [%d1], [%r1], {};\n", how,
      type, bytes);
}
const std::string wait = "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0; @!%p1 bra W;\n",
                  read = "ld.shared.u32 %r5, [%r2]; st.global.u32 [%d2], %r5;\n",
                  write = "mad.lo.u32 %r6, %r0, 3, 1; st.shared.u32 [%r2], %r6;\n",
                  proxy = "fence.proxy.async.shared::cta;\n", barrier = "bar.sync 0;\n",
                  commit = "@%p0 cp.async.bulk.commit_group;\n",
                  wait_group = "@%p0 cp.async.bulk.wait_group 0;\n",
                  wait_read = "@%p0 cp.async.bulk.wait_group.read 0;\n",
                  ready = write + proxy + barrier;

Words input() {
  Words v(2 * count);
  std::iota(v.begin(), v.end(), 100);
  return v;
}
struct Ran {
  LaunchReport report;
  Words out;
};
Ran run(const std::string& body, const Words& before = Words(count), unsigned arrivals = 1) {
  Device device(program(body, arrivals));
  const auto in = device.input("in", input());
  const auto out = device.array("out", before);
  Ran ran;
  ran.report = device.launch({.block = {count}, .step_limit = 100'000, .races = true}, in, out);
  ran.out = device.read<std::uint32_t>(out, before.size());
  return ran;
}
bool says(const Ran& ran, std::string_view what) {
  return text(ran.report).find(what) != std::string::npos;
}

TEST(BulkCopy, to_shared_memory_is_there_behind_its_mbarrier) {
  for (const unsigned n : {16U, 48U, bytes}) {
    const std::string zeros = "mov.u32 %r6, 7; st.shared.u32 [%r2], %r6; " + proxy + barrier;
    const Ran ran = run(zeros + load(n) + expect(n) + wait + read);
    ASSERT_TRUE(silent(ran.report)) << n;
    for (unsigned k = 0; k < count; ++k) EXPECT_EQ(ran.out[k], 4 * k < n ? 100 + k : 7) << n;
  }
}

TEST(BulkCopy, of_two_the_phase_waits_for_the_bytes_of_both) {
  const std::string both =
      load(128) + "add.u32 %r7, %r1, 128; add.u64 %d3, %d0, 256;\n" + load(128, "%r7", "%d3");
  const Ran ran = run(both + expect(256) + wait + read);
  ASSERT_TRUE(silent(ran.report));
  for (unsigned k = 0; k < count; ++k) EXPECT_EQ(ran.out[k], k < 32 ? 100 + k : 132 + k);
  // A phase that waits for those of one ends when the first has come.
  const Ran early = run(expect(128) + both + wait + read + barrier + expect(128));
  EXPECT_TRUE(has(early.report, FindingKind::race_write_read)) << text(early.report);
}

TEST(BulkCopy, is_not_there_before_the_wait) {
  const Ran early = run(load(bytes) + expect(bytes) + read + wait);
  EXPECT_TRUE(has(early.report, FindingKind::race_write_read));
  EXPECT_TRUE(says(early, "no wait for the asynchronous copy at"));
  // A barrier of the block is no wait for it.
  EXPECT_TRUE(has(run(load(bytes) + expect(bytes) + barrier + read + wait).report,
                  FindingKind::race_write_read));
}

TEST(BulkCopy, to_global_memory_takes_what_the_proxy_was_told_of) {
  const Ran ran = run(ready + store(bytes) + commit + wait_group);
  ASSERT_TRUE(silent(ran.report));
  for (unsigned k = 0; k < count; ++k) EXPECT_EQ(ran.out[k], 3 * k + 1);
  const Ran untold = run(write + barrier + store(bytes) + commit + wait_group);
  EXPECT_TRUE(only(untold.report, FindingKind::race_write_read));
  EXPECT_TRUE(says(untold, "missing is a fence.proxy.async"));
  EXPECT_TRUE(has(run(write + proxy + store(bytes) + commit + wait_group).report,
                  FindingKind::race_write_read));
}

TEST(BulkCopy, source_may_be_written_again_behind_the_wait_for_its_reads) {
  const std::string again = barrier + "st.shared.u32 [%r2], %r0;\n";
  EXPECT_TRUE(silent(run(ready + store(bytes) + commit + wait_read + again).report));
  EXPECT_TRUE(only(run(ready + store(bytes) + commit + again + wait_read).report,
                   FindingKind::race_read_write));
  // What was not committed is not waited for.
  EXPECT_TRUE(has(run(ready + store(bytes) + wait_read + again + commit + wait_group).report,
                  FindingKind::race_read_write));
}

TEST(BulkCopy, result_in_global_memory_is_there_behind_the_wait_for_all_of_it) {
  const std::string reads = "@%p0 ld.global.u32 %r5, [%d1+8]; @%p0 st.shared.u32 [%r1+508], %r5;\n";
  EXPECT_TRUE(silent(run(ready + store(bytes) + commit + wait_group + reads).report));
  EXPECT_TRUE(has(run(ready + store(bytes) + commit + wait_read + reads).report,
                  FindingKind::race_write_read));
}

TEST(BulkCopy, block_ends_behind_its_waits) {
  EXPECT_TRUE(silent(run(ready + store(bytes) + commit + wait_read).report));
  const Ran reads = run(ready + store(bytes) + commit);
  EXPECT_TRUE(only(reads.report, FindingKind::use_after_free));
  EXPECT_TRUE(says(reads, "missing is cp.async.bulk.wait_group.read"));
  const Ran writes = run(load(bytes));
  EXPECT_TRUE(only(writes.report, FindingKind::use_after_free));
  EXPECT_TRUE(says(writes, "nobody has waited for the phase"));
}

TEST(BulkCopy, is_of_16_bytes_or_a_multiple) {
  EXPECT_TRUE(has(run(load(20) + expect(20)).report, FindingKind::misaligned));
  EXPECT_TRUE(has(run("add.u32 %r7, %r1, 8;\n" + load(16, "%r7") + expect(16)).report,
                  FindingKind::misaligned));
  EXPECT_TRUE(has(run("add.u64 %d3, %d0, 4;\n" + load(16, "%r1", "%d3") + expect(16)).report,
                  FindingKind::misaligned));
}

TEST(BulkCopy, stays_inside_its_arrays) {
  const std::string last = "add.u64 %d3, %d0, 256;\n", beyond = "add.u64 %d3, %d0, 272;\n";
  EXPECT_TRUE(silent(run(last + load(bytes, "%r1", "%d3") + expect(bytes) + wait + read).report));
  EXPECT_TRUE(has(run(beyond + load(bytes, "%r1", "%d3") + expect(bytes)).report,
                  FindingKind::out_of_bounds_read));
  EXPECT_TRUE(has(run("add.u32 %r7, %r1, 272;\n" + load(bytes, "%r7") + expect(bytes)).report,
                  FindingKind::out_of_bounds_write));
  EXPECT_TRUE(
      has(run(ready + "add.u64 %d3, %d1, 16;\n" + store(bytes, "%d3") + commit + wait_group).report,
          FindingKind::out_of_bounds_write));
}

TEST(BulkCopy, over_an_mbarrier_is_told_and_takes_its_place) {
  const std::string other = "@%p0 mbarrier.init.shared.b64 [%r1+32], 1;\n" + proxy + barrier,
                    ended = "@%p0 mbarrier.inval.shared.b64 [%r1+32]; " + proxy + barrier,
                    copied = expect(bytes) + load(bytes) + wait + read;
  Words brought = input();
  brought.resize(count);
  const auto over = run(other + copied), right = run(other + ended + copied);
  EXPECT_TRUE(only(over.report, FindingKind::poison_mask));
  EXPECT_TRUE(says(over, "writes the word of an mbarrier"));
  EXPECT_TRUE(silent(right.report));
  EXPECT_EQ(over.out, brought);
  EXPECT_EQ(right.out, brought);
}

TEST(BulkCopy, carries_what_nobody_has_written) {
  const std::string half =
      "setp.lt.u32 %p2, %r0, 32; @%p2 st.shared.u32 [%r2], %r0;\n" + proxy + barrier;
  Device device(program(half + store(bytes) + commit + wait_group + barrier +
                        "ld.global.u32 %r5, [%d2]; setp.eq.u32 %p3, %r5, 9; @%p3 bra E; E:\n"));
  const auto in = device.input("in", input());
  const auto out = device.array("out", Words(count));
  const auto report = device.launch({.block = {count}}, in, out);
  ASSERT_TRUE(has(report, FindingKind::poison_branch)) << text(report);
  EXPECT_EQ(report.findings[0].count, 1U);  // of the second warp alone
  EXPECT_EQ(report.findings[0].at.warp, 1U);
}

TEST(BulkReduction, is_what_its_name_says) {
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  struct Row {
    const char *how, *type;
    std::uint32_t (*both)(std::uint32_t old, std::uint32_t x);
  };
  const Row rows[] = {
      {"add", "u32", [](std::uint32_t old, std::uint32_t x) { return old + x; }},
      {"add", "s32", [](std::uint32_t old, std::uint32_t x) { return old + x; }},
      {"min", "u32", [](std::uint32_t old, std::uint32_t x) { return std::min(old, x); }},
      {"max", "u32", [](std::uint32_t old, std::uint32_t x) { return std::max(old, x); }},
      {"min", "s32", [](std::uint32_t old, std::uint32_t x) { return std::min(old, x); }},
      {"max", "s32", [](std::uint32_t old, std::uint32_t x) { return std::max(old, x); }},
      {"and", "b32", [](std::uint32_t old, std::uint32_t x) { return old & x; }},
      {"or", "b32", [](std::uint32_t old, std::uint32_t x) { return old | x; }},
      {"xor", "b32", [](std::uint32_t old, std::uint32_t x) { return old ^ x; }},
      {"inc", "u32", [](std::uint32_t old, std::uint32_t x) { return old >= x ? 0 : old + 1; }},
      {"dec", "u32",
       [](std::uint32_t old, std::uint32_t x) { return old == 0 || old > x ? x : old - 1; }}};
  Words before(count);
  for (unsigned k = 0; k < count; ++k) before[k] = (k * 37 + 11) % 150;
  for (const Row& row : rows) {
    SCOPED_TRACE(fmt::format("{}.{}", row.how, row.type));
    const Ran ran = run(ready + reduce(row.how, row.type) + commit + wait_group, before);
    ASSERT_TRUE(silent(ran.report));
    for (unsigned k = 0; k < count; ++k) EXPECT_EQ(ran.out[k], row.both(before[k], 3 * k + 1)) << k;
  }
  // Floats, of which each is rounded once.
  const std::string floats =
      "cvt.rn.f32.u32 %x0, %r0; st.shared.f32 [%r2], %x0;\n" + proxy + barrier;
  for (auto& x : before) x = bits(0x1p24F);
  const Ran ran = run(floats + reduce("add", "f32") + commit + wait_group, before);
  ASSERT_TRUE(silent(ran.report));
  for (unsigned k = 0; k < count; ++k) EXPECT_EQ(ran.out[k], bits(0x1p24F + static_cast<float>(k)));
}

TEST(BulkReduction, of_several_threads_is_atomic) {
  // Both halves of the block add to one array; an addition of a thread's own is one more.
  std::string both = ready + "setp.eq.u32 %p2, %r0, 32; or.pred %p0, %p0, %p2;\n" +
                     reduce("add", "u32") + commit + wait_group;
  const Ran ran = run(both + "red.global.add.u32 [%d2], 5;\n");
  ASSERT_TRUE(silent(ran.report));
  for (unsigned k = 0; k < count; ++k) EXPECT_EQ(ran.out[k], 2 * (3 * k + 1) + 5);
  const Ran plain = run(both + "st.global.u32 [%d2], %r0;\n");
  EXPECT_TRUE(has(plain.report, FindingKind::race_atomic)) << text(plain.report);
}

TEST(BulkCopy, of_a_form_that_ptx_does_not_have_is_refused) {
  const auto refused = [](const std::string& statement) {
    return !load_error(program(statement)).empty();
  };
  EXPECT_FALSE(refused(load(16)));
  EXPECT_TRUE(refused("cp.async.bulk.global.global.bulk_group [%d0], [%d1], 16;"));
  EXPECT_TRUE(refused("cp.async.bulk.shared::cluster.global.bulk_group [%r1], [%d1], 16;"));
  EXPECT_TRUE(refused(
      "cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%d1], [%r1], 16, [%r3];"));
  EXPECT_TRUE(
      refused("cp.reduce.async.bulk.global.shared::cta.bulk_group.mul.u32 [%d1], [%r1], 16;"));
  EXPECT_TRUE(refused("cp.async.bulk.wait_group %r1;"));
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_bulk
