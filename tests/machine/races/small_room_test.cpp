// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A detector that may not take more memory goes no further, and what it has found stays.
#include <gtest/gtest.h>

#include <atomic>

#include "machine/engine/module.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::small_room {
namespace {

/// Findings of two stores, each by two threads to one cell, in parts of an array far apart.
std::size_t findings(std::atomic<std::int64_t>* room) {
  GlobalMemory memory;
  const Address a = memory.allocate({.name = "a", .bytes = 1 << 16});
  ModuleState state(
      load_module(kernel(".param .u64 a",
                         "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 1;"
                         "mul.wide.u32 %d1, %r1, 4; add.u64 %d0, %d0, %d1;"
                         "\n.loc 1 1 0\nst.global.u32 [%d0], %r0;"
                         "\n.loc 1 2 0\nst.global.u32 [%d0+32768], %r0;",
                         ".file 1 \"p.cu\"\n"),
                  "t.ptx"),
      memory);
  LaunchConfig config{.entry = "f", .grid = {1}, .block = {32}};
  config.races = true;
  config.race_room = room;
  config.add(a);
  return launch(state, config).findings.size();
}

TEST(SmallRoom, ends_the_search_for_races_and_shows) {
  EXPECT_EQ(findings(nullptr), 2U);
  std::atomic<std::int64_t> large{1 << 30}, small{100};
  EXPECT_EQ(findings(&large), 2U);
  EXPECT_GT(large, 0);
  EXPECT_EQ(findings(&small), 1U);
  EXPECT_LT(small, 0);
}

}  // namespace
}  // namespace gauntlet::simt::test::small_room
