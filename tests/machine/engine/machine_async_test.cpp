// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cp.async (PTX ISA 9.0, 9.7.9.25): what is copied, and what is read before the wait.
#include <fmt/format.h>

#include <numeric>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_async {
namespace {

using Words = std::vector<std::uint32_t>;

/// 32 threads with %d0 and %r1 at their own `bytes` of in and of s; then `body`; then each thread
/// stores the word at %r2 to out.
std::string program(unsigned bytes, const std::string& body) {
  return kernel(
      ".param .u64 in, .param .u64 out",
      fmt::format("ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x;\n"
                  "mad.wide.u32 %d0, %r0, {0}, %d0; mad.wide.u32 %d1, %r0, 4, %d1;\n"
                  "mov.u32 %r1, s; mad.lo.u32 %r1, %r0, {0}, %r1; mov.u32 %r2, %r1;\n",
                  bytes) +
          body + "ld.shared.u32 %r3, [%r2]; st.global.u32 [%d1], %r3; ret;",
      ".shared .align 16 .b8 s[1024];\n");
}
Words input() {
  Words v(256);
  std::iota(v.begin(), v.end(), 100);
  return v;
}

struct Ran {
  LaunchReport report;
  Words out;
};
Ran run(unsigned bytes, const std::string& body, bool races = false) {
  const auto module = load_module(program(bytes, body), "t.ptx");
  GlobalMemory memory;
  ModuleState state(module, memory);
  GlobalMemory::Options options;
  options.name = "in";
  options.bytes = 1024;
  const auto in = memory.allocate(options);
  const auto content = input();
  memory.write(in, std::as_bytes(std::span(content)));
  options.name = "out";
  options.bytes = 128;
  options.output = true;
  const auto out = memory.allocate(options);
  LaunchConfig config;
  config.entry = "f";
  config.grid = {1};
  config.block = {32};
  config.races = races;
  config.add(in);
  config.add(out);
  Ran ran{launch(state, config), Words(32)};
  memory.read(out, std::as_writable_bytes(std::span(ran.out)));
  return ran;
}
const std::string wait = "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;\n";

TEST(AsyncCopy, arrives_with_the_wait) {
  for (const unsigned bytes : {4U, 8U, 16U}) {
    const auto copy = fmt::format("cp.async.{}.shared.global [%r1], [%d0], {}, {};\n",
                                  bytes == 16 ? "cg" : "ca", bytes, bytes);
    for (const auto& how : {wait, std::string("cp.async.wait_all; bar.sync 0;\n")}) {
      // Each thread reads what its neighbour copied.
      const auto ran =
          run(bytes,
              copy + how +
                  fmt::format("xor.b32 %r2, %r1, {}; add.u32 %r2, %r2, {};\n", bytes, bytes - 4),
              true);
      EXPECT_TRUE(silent(ran.report)) << bytes;
      for (std::uint32_t t = 0; t < 32; ++t) {
        EXPECT_EQ(ran.out[t], 100 + (t ^ 1) * (bytes / 4) + bytes / 4 - 1) << bytes;
      }
    }
  }
}

TEST(AsyncCopy, is_not_there_before_the_wait) {
  const std::string copy = "cp.async.ca.shared.global [%r1], [%d0], 4;\n";
  for (const std::string& how :
       {std::string("bar.sync 0;\n"), std::string("cp.async.commit_group; bar.sync 0;\n"),
        std::string("cp.async.wait_group 0; bar.sync 0;\n"),  // it was not committed
        std::string("cp.async.commit_group; cp.async.wait_group 1; bar.sync 0;\n")}) {
    const auto ran = run(4, copy + how);
    ASSERT_TRUE(only(ran.report, FindingKind::poison_output)) << how;
    EXPECT_NE(ran.report.findings[0].detail.find("before the wait"), std::string::npos)
        << text(ran.report);
  }
}

TEST(AsyncCopy, a_wait_leaves_the_youngest_groups_under_way) {
  const std::string two =
      "cp.async.ca.shared.global [%r1], [%d0], 4; cp.async.commit_group;\n"
      "cp.async.ca.shared.global [%r1+512], [%d0+512], 4; cp.async.commit_group;\n"
      "cp.async.wait_group 1;\n";
  const auto first = run(4, two);
  EXPECT_TRUE(silent(first.report));
  EXPECT_EQ(first.out[3], 103U);
  EXPECT_TRUE(only(run(4, two + "add.u32 %r2, %r1, 512;\n").report, FindingKind::poison_output));
  const auto both = run(4, two + "cp.async.wait_group 0; add.u32 %r2, %r1, 512;\n");
  EXPECT_TRUE(silent(both.report));
  EXPECT_EQ(both.out[3], 100 + 128 + 3U);
}

TEST(AsyncCopy, of_another_thread_is_a_race_without_a_barrier) {
  const std::string copy = "cp.async.ca.shared.global [%r1], [%d0], 4;\n";
  const auto ran = run(4, copy + "cp.async.wait_all; xor.b32 %r2, %r1, 4;\n", true);
  EXPECT_TRUE(has(ran.report, FindingKind::race_write_read) ||
              has(ran.report, FindingKind::race_read_write))
      << text(ran.report);
  // It may land as soon as it was begun: a barrier between that and the wait orders nothing.
  const auto early =
      run(4,
          "st.shared.u32 [%r1], 7; bar.sync 0; xor.b32 %r2, %r1, 4; ld.shared.u32 %r5, [%r2];\n" +
              copy + "cp.async.commit_group; bar.sync 0; cp.async.wait_all; mov.u32 %r2, %r1;\n",
          true);
  EXPECT_TRUE(has(early.report, FindingKind::race_write_read) ||
              has(early.report, FindingKind::race_read_write))
      << text(early.report);
}

TEST(AsyncCopy, of_fewer_bytes_is_filled_with_zeros) {
  // Lane l copies l % 17 bytes of 16: word k of lane l holds what is left for it.
  const std::string size = "rem.u32 %r7, %r0, 17;\n";
  for (unsigned k = 0; k < 4; ++k) {
    const auto ran = run(16, size + "cp.async.cg.shared.global [%r1], [%d0], 16, %r7;\n" + wait +
                                 fmt::format("add.u32 %r2, %r1, {};\n", 4 * k));
    EXPECT_TRUE(silent(ran.report));
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto bytes = lane % 17, whole = 100 + lane * 4 + k;
      const auto left = bytes > 4 * k ? bytes - 4 * k : 0;
      EXPECT_EQ(ran.out[lane], left >= 4 ? whole : whole & ((1U << 8 * left) - 1)) << lane;
    }
  }
  const std::string none = "cp.async.ca.shared.global [%r1], [%d0+100000], 4, ";
  const auto nothing = run(4, none + "0;\n" + wait);
  EXPECT_TRUE(silent(nothing.report));
  EXPECT_EQ(nothing.out, Words(32));
  EXPECT_TRUE(has(run(4, none + "1;\n" + wait).report, FindingKind::out_of_bounds_read));
  // A predicate says the same of all bytes.
  const auto some = run(4,
                        "setp.ge.u32 %p0, %r0, 5; @%p0 add.u64 %d0, %d0, 100000;\n"
                        "cp.async.ca.shared.global [%r1], [%d0], 4, %p0;\n" +
                            wait);
  EXPECT_TRUE(silent(some.report));
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(some.out[t], t < 5 ? 100 + t : 0);
}

TEST(AsyncCopy, out_of_bounds_and_misaligned_is_reported) {
  EXPECT_TRUE(has(run(4, "cp.async.ca.shared.global [%r1], [%d0+1000], 4;\n" + wait).report,
                  FindingKind::out_of_bounds_read));
  EXPECT_TRUE(has(run(4, "cp.async.ca.shared.global [%r1+1000], [%d0], 4;\n" + wait).report,
                  FindingKind::out_of_bounds_write));
  EXPECT_TRUE(has(run(4, "cp.async.cg.shared.global [%r1], [%d0], 16;\n" + wait).report,
                  FindingKind::misaligned));
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_async
