// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A detector that may not take more memory goes no further, and what it has found stays.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "machine/engine/module.hpp"
#include "properties/launch/simt_executor.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::small_room {
namespace {

/// Findings of two stores, each by two threads to one cell; between them each lane stores in pages
/// of its own, about 400 KB of what is kept.
std::size_t findings(MemoryLimit* limit) {
  GlobalMemory memory;
  const Address a = memory.allocate({.name = "a", .bytes = 1 << 20});
  ModuleState state(
      load_module(
          kernel(".param .u64 a",
                 "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 1;"
                 "mul.wide.u32 %d1, %r1, 4; add.u64 %d0, %d0, %d1;"
                 "\n.loc 1 1 0\nst.global.u32 [%d0], %r0;"
                 "mul.wide.u32 %d1, %r0, 4096; ld.param.u64 %d2, [a]; add.u64 %d2, %d2, %d1;"
                 "st.global.u32 [%d2+8192], %r0; st.global.u32 [%d2+139264], %r0;"
                 "st.global.u32 [%d2+270336], %r0; st.global.u32 [%d2+401408], %r0;"
                 "st.global.u32 [%d2+532480], %r0; st.global.u32 [%d2+663552], %r0;"
                 "\n.loc 1 2 0\nst.global.u32 [%d0+2048], %r0;",
                 ".file 1 \"p.cu\"\n"),
          "t.ptx"),
      memory);
  LaunchConfig config{.entry = "f", .grid = {1}, .block = {32}};
  config.races = true;
  config.memory = limit;
  config.add(a);
  return launch(state, config).findings.size();
}

TEST(SmallRoom, ends_the_search_for_races_and_shows) {
  EXPECT_EQ(findings(nullptr), 2U);
  MemoryLimit large(1 << 30), small(300'000);
  EXPECT_EQ(findings(&large), 2U);
  EXPECT_FALSE(large.full());
  EXPECT_EQ(findings(&small), 1U);
  EXPECT_TRUE(small.full());
}

/// Every thread of blocks of 512 does this; %r1: its number in the grid, %d0: a.
LaunchReport run(std::string_view body, std::uint32_t grid, std::uint32_t shared,
                 MemoryLimit& limit, unsigned jobs = 1) {
  GlobalMemory memory;
  const Address a = memory.allocate({.name = "a", .bytes = std::uint64_t{grid} * 512 * 16});
  memory.fill(a, std::byte{1}, std::uint64_t{grid} * 512 * 16);
  ModuleState state(
      load_module(kernel(".param .u64 a",
                         "ld.param.u64 %d0, [a]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x;"
                         "mad.lo.u32 %r1, %r2, 512, %r3;" +
                             std::string(body),
                         ".extern .shared .align 16 .b8 s[];\n"),
                  "t.ptx"),
      memory);
  LaunchConfig config{.entry = "f", .grid = {grid}, .block = {512}};
  config.shared_bytes = shared;
  config.races = true;
  config.memory = &limit;
  config.jobs = jobs;
  config.alone = 1;
  config.add(a);
  LaunchReport report = launch(state, config);
  EXPECT_TRUE(report.completed);
  EXPECT_TRUE(report.findings.empty());
  return report;
}

/// Every thread comes to eight counters of 64, and publishes what it knows, or not.
std::string counting(const char* order) {
  return fmt::format(
      "mov.u32 %r4, 0;\nL: add.u32 %r5, %r1, %r4; and.b32 %r5, %r5, 63; mul.wide.u32 %d1, %r5, 4;"
      "add.u64 %d1, %d0, %d1; atom.{}.gpu.global.add.u32 %r6, [%d1], 1; add.u32 %r4, %r4, 1;"
      "setp.lt.u32 %p0, %r4, 256; @%p0 bra L; ret;",
      order);
}

TEST(SmallRoom, counts_vector_clocks) {
  MemoryLimit large(1 << 30), small(2 << 20), none_known(2 << 20);
  run(counting("acq_rel"), 2, 0, large);
  EXPECT_FALSE(large.full());
  run(counting("acq_rel"), 2, 0, small);
  EXPECT_TRUE(small.full());
  run(counting("relaxed"), 2, 0, none_known);
  EXPECT_FALSE(none_known.full());
}

/// What each thread does to elements of so many bytes, 16 bytes in all, of which neighbours are not
/// those of neighbouring lanes; %d1: the element.
std::string here_and_there(unsigned bytes, std::string_view access) {
  return fmt::format(
      "mul.lo.u32 %r4, %r1, {0}; mov.u32 %r5, 0;\nL: add.u32 %r6, %r4, %r5; mul.lo.u32 %r6, %r6, 5;"
      "and.b32 %r6, %r6, {1}; mad.wide.u32 %d1, %r6, {2}, %d0; {3}"
      "add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, {0}; @%p0 bra L;",
      16 / bytes, 32 * 512 * 16 / bytes - 1, bytes, access);
}

TEST(SmallRoom, of_elements_that_one_thread_each_accesses_takes_no_more_than_16_bytes_a_byte) {
  constexpr std::uint64_t bytes = 32 * 512 * 16;
  for (const auto& [element, access] : {
           std::pair{1U, "st.global.u8 [%d1], %r5;"},
           std::pair{1U, "ld.global.u8 %r7, [%d1]; st.global.u8 [%d1], %r7;"},
           std::pair{2U, "st.volatile.global.u16 [%d1], %r5;"},
           std::pair{4U, "red.global.add.u32 [%d1], %r5;"},
           std::pair{4U, "atom.global.cas.b32 %r7, [%d1], %r5, %r6;"},
           std::pair{8U, "red.global.add.u64 [%d1], 1;"},
           std::pair{8U,
                     "st.global.u32 [%d1], 1; st.global.u16 [%d1+4], 2;"
                     "st.global.u8 [%d1+6], 3; st.global.u8 [%d1+7], 4;"},
           std::pair{4U, "membar.gl; st.global.u32 [%d1], %r5;"},
       }) {
    SCOPED_TRACE(access);
    MemoryLimit limit(16 * bytes);
    run(here_and_there(element, access), 32, 0, limit);
    EXPECT_FALSE(limit.full());
  }
  // A value for each block, by one lane; beside it a word for each page of the array.
  constexpr std::uint32_t blocks = 32768;
  MemoryLimit limit(16 * 4 * blocks + (1 << 19));
  run("setp.ne.u32 %p0, %r3, 0; @%p0 ret; mad.wide.u32 %d1, %r2, 4, %d0; st.global.u32 [%d1], %r2;",
      blocks, 0, limit);
  EXPECT_FALSE(limit.full());
}

TEST(SmallRoom, counts_what_is_kept_of_shared_memory) {
  // Of each of 12,288 words, which another thread has written than the one that adds to it.
  constexpr std::string_view adds =
      "mov.u32 %r4, 0; mov.u32 %r6, s;"
      "fill: mad.lo.u32 %r5, %r4, 512, %r3; mad.lo.u32 %r5, %r5, 4, %r6; st.shared.u32 [%r5], 1;"
      "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 24; @%p1 bra fill;"
      "bar.sync 0; mov.u32 %r4, 0; mul.lo.u32 %r7, %r3, 7; and.b32 %r7, %r7, 511;"
      "look: mad.lo.u32 %r5, %r4, 512, %r7; mad.lo.u32 %r5, %r5, 4, %r6; red.shared.add.u32 [%r5], "
      "1;"
      "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 24; @%p1 bra look;";
  MemoryLimit large(32 << 20), small(1 << 19);
  run(adds, 4, 49152, large);  // of four blocks one behind the other
  EXPECT_FALSE(large.full());
  run(adds, 4, 49152, small);
  EXPECT_TRUE(small.full());
}

/// The estimate by which a case is refused, of an array of so many bytes.
std::uint64_t estimate(std::uint64_t bytes) {
  Case c;
  c.n = 1;
  Plan plan;
  plan.buffers.emplace_back();
  plan.buffers.back().bytes = bytes;
  return static_cast<std::uint64_t>(memory_needed(c, plan, true) - memory_needed(c, plan, false));
}

TEST(SmallRoom, is_what_is_estimated_for_a_case) {
  constexpr std::uint32_t grid = 64;
  const std::uint64_t room = estimate(std::uint64_t{grid} * 512 * 16);
  const auto loop = [](std::string_view word, std::string_view access) {
    return fmt::format(
        "mov.u32 %r4, 0; again: mad.lo.u32 %r5, %r4, 32768, %r1; {} and.b32 %r5, %r5, 131071;"
        "mul.wide.u32 %d1, %r5, 4; add.u64 %d1, %d0, %d1; ld.global.u32 %r6, [%d1]; {}"
        "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 4; @%p1 bra again;",
        word, access);
  };
  const auto is_enough = [&](std::uint64_t bytes, const std::string& body) {
    MemoryLimit limit(bytes);
    run(body, grid, 0, limit);
    return !limit.full();
  };
  // Each word by two threads, here and there; by one; and side by side.
  constexpr std::string_view apart = "mul.lo.u32 %r5, %r5, 40503;";
  constexpr std::string_view adds = "add.u32 %r6, %r6, 1; st.global.u32 [%d1], %r6;";
  const std::string by_two =
      loop(apart,
           "add.u32 %r5, %r5, 1; and.b32 %r5, %r5, 131071; mul.wide.u32 %d1, %r5, 4;"
           "add.u64 %d1, %d0, %d1; ld.global.u32 %r6, [%d1];");
  EXPECT_TRUE(is_enough(room, by_two));
  EXPECT_FALSE(is_enough(room / 2, by_two));
  EXPECT_TRUE(is_enough(room / 4, loop(apart, adds)));
  EXPECT_TRUE(is_enough(room / 8, loop("", adds)));
}

TEST(SmallRoom, counts_the_operations_that_threads_put_off) {
  // Two millions, of 32 bytes. Without room for them blocks run one behind the other.
  constexpr std::string_view sums =
      "and.b32 %r4, %r1, 1023; mul.wide.u32 %d1, %r4, 4; add.u64 %d0, %d0, %d1;"
      "mov.u32 %r4, 0; again: red.global.add.f32 [%d0], 0f00000000;"
      "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 64; @%p1 bra again;";
  MemoryLimit large(512 << 20), small(16 << 20);
  EXPECT_NE(run(sums, 64, 0, large, 2).beside, 0U);
  EXPECT_EQ(run(sums, 64, 0, small, 2).beside, 0U);
  EXPECT_FALSE(large.full());
  EXPECT_FALSE(small.full());
}

}  // namespace
}  // namespace gauntlet::simt::test::small_room
