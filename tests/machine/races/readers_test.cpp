// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads of one word by many blocks are kept together where nothing can order blocks
// (race_readers.cpp). A kernel with a fence of the device's scope, which nobody reaches, keeps each
// by itself: all else is to be the same, races as often as they are.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/machine/races/race_pair.hpp"
#include "tests/machine/races/race_program.hpp"

namespace gauntlet::simt::test::readers {
namespace {

struct Shape {
  std::uint32_t blocks = 1, threads = 32;
  std::string schedule = "lockstep";
};

LaunchReport run(const std::string& ptx, const Shape& shape) {
  GlobalMemory memory;
  const Address a = memory.allocate({.name = "a", .bytes = 4096});
  memory.fill(a, std::byte{0}, 4096);
  ModuleState state(load_module(ptx, "t.ptx"), memory);
  LaunchConfig config{.entry = "f", .grid = {shape.blocks}, .block = {shape.threads}};
  config.schedule = shape.schedule;
  config.add(a);
  std::string difference;
  auto report = launch_and_compare(state, config, difference);
  EXPECT_TRUE(report.completed) << text(report);
  EXPECT_EQ(difference, "") << shape.schedule << "\n" << ptx;
  return report;
}

/// Findings of the kernel, whose blocks nothing orders; fails where they are others once its reads
/// are kept block by block.
std::vector<Finding> found(const std::string& ptx, const Shape& shape) {
  const auto with_fence = [&](const std::string& scope) {
    std::string text = ptx;
    return text.insert(text.rfind('}'), "fence.acq_rel." + scope + ";\nret;\n");
  };
  auto together = run(with_fence("cta"), shape).findings;
  const auto apart = run(with_fence("gpu"), shape).findings;
  EXPECT_EQ(together, apart) << shape.blocks << " blocks of " << shape.threads << ", "
                             << shape.schedule << "\n"
                             << ptx;
  return together;
}

/// %r0: the thread, %r1: the block; %d0: the array, of which %d1 is the thread's word, and %d2
/// where its 16 bytes are.
std::string program(const std::string& body) {
  return kernel(".param .u64 a",
                "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;"
                "mad.wide.u32 %d1, %r0, 4, %d0; mad.wide.u32 %d2, %r0, 16, %d0; mov.u32 %r4, s;"
                "mad.lo.u32 %r5, %r0, 16, %r4;" +
                    body + "\nret;",
                ".file 1 \"k.cu\"\n.shared .align 16 .b8 s[2048];\n");
}
std::string by_block(std::uint32_t block, const std::string& text) {
  return fmt::format("setp.eq.u32 %p1, %r1, {};\n.loc 1 2 0\n@%p1 {}\n", block, text);
}
const std::string read_by_row = "\n.loc 1 1 0\nld.global.u32 %r2, [%d1];\n",
                  read_one = "\n.loc 1 1 0\nld.global.u32 %r2, [%d0];\n",
                  copied =
                      "\n.loc 1 1 0\ncp.async.cg.shared.global [%r5], [%d2], 16;\n"
                      "cp.async.commit_group;\ncp.async.wait_group 0;\n";
const std::vector<std::string> schedules{"lockstep", "block_reversed", "high_lane_first",
                                         "random:1", "random:2"};

TEST(Readers, of_all_blocks_but_its_own_race_with_a_write) {
  struct Kind {
    std::string read, write;
    std::uint32_t readers;  ///< of the word, in each block
  };
  for (const auto& [read, write, readers] :
       {Kind{read_by_row, "st.global.u32 [%d1], 7;", 1}, Kind{copied, "st.global.u32 [%d2], 7;", 1},
        Kind{copied, "st.global.u32 [%d2+8], 7;", 1}}) {
    for (const auto& schedule : schedules) {
      for (const std::uint32_t writer : {0U, 7U, 19U}) {
        const Shape shape{20, 64, schedule};
        std::uint64_t races = 0;
        for (const Finding& f : found(program(read + by_block(writer, write)), shape)) {
          races += f.count;
        }
        EXPECT_EQ(races, 64 * 19 * readers) << schedule << " " << read << writer;
      }
    }
  }
}

TEST(Readers, of_its_own_block_race_with_a_write_where_no_barrier_is_between) {
  // Each thread of the block but the writer, and all threads of others.
  const std::string writes = "setp.eq.and.u32 %p2, %r0, 5, %p1;\n@%p2 st.global.u32 [%d0], 7;\n";
  const auto count = [&](const std::string& between, const Shape& shape) {
    std::uint64_t races = 0;
    const std::string one = by_block(9, "mov.u32 %r6, 0;") + writes;
    for (const Finding& f : found(program(read_one + between + one), shape)) races += f.count;
    return races;
  };
  for (const auto& schedule : schedules) {
    EXPECT_EQ(count("", {20, 64, schedule}), 64U * 20 - 1) << schedule;
    EXPECT_EQ(count("bar.sync 0;", {20, 64, schedule}), 64U * 19) << schedule;
    EXPECT_EQ(count("bar.sync 0;", {10, 64, schedule}), 64U * 9) << schedule;
  }
}

TEST(Readers, of_a_warp_race_with_a_write_by_one_of_them_where_nothing_is_between) {
  const std::string store = "\n.loc 1 2 0\n@%p1 st.global.u32 [%d0+8], 7;\n",
                    one = "\n.loc 1 1 0\nld.global.u32 %r2, [%d0+8];\n",
                    some =
                        "setp.lt.u32 %p2, %r0, 16;\n.loc 1 1 0\n@%p2 ld.global.u32 %r2, [%d0+8];\n",
                    others = "\n.loc 1 1 0\n@!%p2 ld.global.u32 %r2, [%d0+8];\n",
                    four = "\n.loc 1 1 0\nld.global.v4.u32 {%r2, %r3, %r6, %r7}, [%d0];\n",
                    own = "\n.loc 1 1 0\n@%p1 ld.global.u32 %r2, [%d0+8];\n",
                    sync = "bar.warp.sync 0xffffffff;\n", fence = "fence.acq_rel.cta;\n";
  struct Reads {
    std::string text;
    std::uint64_t races;  ///< where each thread is kept apart
  };
  for (const auto& [reads, races] :
       {Reads{one, 31}, Reads{some, 15}, Reads{some + others, 31}, Reads{four, 31},
        Reads{one + one, 62}, Reads{some + sync + one, 31}, Reads{one + sync + some, 15},
        Reads{one + sync + own, 0}, Reads{one + sync, 0}}) {
    for (const int writer : {0, 5}) {
      const std::string body = fmt::format("setp.eq.u32 %p1, %r0, {};\n", writer) + reads;
      const Shape shape{1, 32, writer == 0 ? "lockstep" : "random:1"};
      (void)run(program(body + store), shape);  // lanes need not be kept apart
      std::uint64_t count = 0;
      for (const Finding& f : run(program(body + store + fence), shape).findings) count += f.count;
      EXPECT_EQ(count, races) << body;
      EXPECT_TRUE(run(program(body + sync + store), shape).findings.empty()) << body;
    }
  }
}

TEST(Readers, of_blocks_that_others_wait_for_come_before_a_write) {
  // Who comes last takes the ticket behind all that the others have read.
  const std::string fence = "membar.gl;\n",
                    ticket =
                        "bar.sync 0;\nsetp.eq.u32 %p3, %r0, 0;\n@!%p3 bra END;\n"
                        "atom.global.add.u32 %r7, [%d0+2048], 1;\n",
                    last =
                        "setp.eq.u32 %p2, %r7, 19;\n.loc 1 2 0\n"
                        "@%p2 st.global.u32 [%d0], 7;\nEND:\n";
  for (const auto& schedule : schedules) {
    const Shape shape{20, 64, schedule};
    EXPECT_EQ(run(program(read_one + fence + ticket + fence + last), shape).findings.size(), 0U);
    EXPECT_EQ(run(program(read_one + ticket + fence + last), shape).findings.size(), 1U);
    EXPECT_EQ(found(program(read_one + ticket + last), shape).size(), 1U);
  }
}

TEST(Readers, of_random_programs_are_told_as_if_each_were_kept) {
  std::size_t races = 0;
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    constexpr std::uint32_t threads[] = {2, 5, 32, 33, 64};
    ProgramShape program{.seed = seed, .blocks = static_cast<std::uint32_t>(3 + seed % 9)};
    program.threads = threads[seed % 5];
    program.statements = 6 + static_cast<unsigned>(seed % 11);
    program.publishes = false;
    program.copies = seed % 2 == 0;
    program.exits = seed % 7 == 0;
    const std::string ptx = random_program(program);
    for (const char* schedule : {"lockstep", "block_reversed", "random:1"}) {
      races += found(ptx, {program.blocks, program.threads, schedule}).size();
    }
  }
  EXPECT_GT(races, 500U);
}

}  // namespace
}  // namespace gauntlet::simt::test::readers
