// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A detector that may not take more memory goes no further, and what it has found stays.
#include <gtest/gtest.h>

#include "machine/engine/module.hpp"
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

}  // namespace
}  // namespace gauntlet::simt::test::small_room
