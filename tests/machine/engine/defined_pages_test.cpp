// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of whole pages (machine/state/defined_pages.hpp) is what the states of their bytes
// say, and hides nothing from a launch.
#include "machine/state/defined_pages.hpp"

#include <fmt/format.h>

#include <random>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::defined_pages {
namespace {

constexpr std::uint32_t words = 3 * 1024 + 25;  // of three pages and a part of one

TEST(DefinedPages, are_those_whose_states_all_say_so) {
  constexpr std::uint64_t bytes = words * 4;
  unsigned known = 0, unknown = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    std::vector<std::uint8_t> state(bytes, seed % 2 == 0 ? initialised : uninitialised);
    DefinedPages pages;
    pages.begin(bytes);
    for (int step = 0; step < 200; ++step) {
      const std::uint64_t at = below(bytes), length = std::min(below(2 * 4096) + 1, bytes - at);
      const auto put = [&](ByteState to) { std::fill_n(state.begin() + at, length, to); };
      switch (below(40)) {
        case 0:
          pages.undefine(at, length);
          put(uninitialised);
          break;
        case 1:
          put(uninitialised);
          pages.forget(at, length);
          break;
        case 2:
          put(initialised);
          pages.define(at, length);
          break;
        default:
          std::fill_n(state.begin() + at, std::min<std::uint64_t>(length, 128), initialised);
          pages.look(state.data(), at);
          break;
      }
      const std::uint64_t from = below(bytes), size = std::min(below(256) + 1, bytes - from);
      const bool has = pages.has(from, size);
      if (has) {
        ASSERT_TRUE(all_defined(state.data() + from, size)) << seed << " " << step;
      }
      ++(has ? known : unknown);
    }
  }
  EXPECT_GT(known, 5000U);
  EXPECT_GT(unknown, 5000U);
}

/// Copies element by element from s, of which nobody wrote cell `hole`, or from itself.
std::string copy_of_shared(unsigned hole) {
  return kernel(
             ".param .u64 to, .param .u64 from",
             fmt::format(
                 "ld.param.u64 %d0, [to]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;"
                 "mad.lo.u32 %r2, %r0, 32, %r1; shl.b32 %r3, %r1, 2; mov.u32 %r4, s;"
                 "add.u32 %r3, %r3, %r4; setp.ne.u32 %p0, %r2, {}; @%p0 st.shared.u32 [%r3], %r2;"
                 "ld.shared.u32 %r5, [%r3]; mad.wide.u32 %d0, %r2, 4, %d0;"
                 "st.global.u32 [%d0], %r5;",
                 hole),
             ".shared .align 4 .b8 s[128];\n") +
         ".visible .entry g(.param .u64 to, .param .u64 from) { .reg .b32 %r<4>; .reg .b64 %d<4>;"
         "ld.param.u64 %d0, [to]; ld.param.u64 %d1, [from]; mov.u32 %r0, %ctaid.x;"
         "mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r0, 32, %r1; mad.wide.u32 %d0, %r2, 4, %d0;"
         "mad.wide.u32 %d1, %r2, 4, %d1; ld.global.u32 %r3, [%d1]; st.global.u32 [%d0], %r3; }\n";
}

constexpr std::uint32_t cells = 4 * 1024;

/// The cells of `out` that are undefined behind a launch that copies `in`, which the host has
/// filled, which then is read once, and of which then a launch writes all cells but one.
std::vector<std::uint32_t> undefined_behind(unsigned hole, unsigned jobs) {
  Device device(copy_of_shared(hole));
  const auto in = device.array("in", std::vector<std::uint32_t>(cells, 7));
  const auto scratch = device.array("scratch", std::vector<std::uint32_t>(cells, 7));
  const Launch launch{.grid = {cells / 32}, .block = {32}, .entry = "g", .jobs = jobs};
  Launch writes = launch;
  writes.entry = "f";
  EXPECT_EQ(text(device.launch(launch, scratch, in)), "");
  EXPECT_EQ(text(device.launch(writes, in, in)), "");
  EXPECT_EQ(text(device.launch(launch, scratch, in)), "");
  std::vector<std::uint32_t> undefined;
  for (std::uint32_t k = 0; k < cells; ++k) {
    if (!device.memory.initialised(scratch + 4ULL * k, 4)) undefined.push_back(k);
  }
  // The host writes it anew.
  const std::vector<std::uint32_t> ones(cells, 1);
  device.memory.write(in, std::as_bytes(std::span(ones)));
  EXPECT_EQ(text(device.launch(launch, scratch, in)), "");
  EXPECT_TRUE(device.memory.initialised(scratch, 4ULL * cells));
  return undefined;
}

TEST(DefinedPages, lose_the_cell_that_a_kernel_makes_undefined) {
  for (const unsigned jobs : {1U, 2U}) {
    for (const unsigned hole : {0U, 5U, 1023U, 1024U, cells - 1}) {
      EXPECT_EQ(undefined_behind(hole, jobs), std::vector<std::uint32_t>{hole}) << jobs;
    }
    EXPECT_EQ(undefined_behind(cells, jobs), std::vector<std::uint32_t>{}) << jobs;
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::defined_pages
