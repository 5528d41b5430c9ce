// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of whole pages (machine/state/defined_pages.hpp) is what the states of their bytes
// say, and hides nothing from a launch.
#include "machine/state/defined_pages.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

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

/// Of this process, in bytes.
std::int64_t private_memory() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0, resident = 0, shared = 0;
  statm >> all >> resident >> shared;
  return (resident - shared) * sysconf(_SC_PAGESIZE);
}

TEST(DefinedPages, give_the_memory_of_their_states_back_whoever_writes_them_in_which_order) {
  constexpr std::uint64_t many = UniformBytes::many, bytes = 8 * many + 12345, page = 4096;
  for (const bool backwards : {false, true}) {
    UniformBytes states(bytes, uninitialised);
    DefinedPages pages;
    pages.begin(bytes, &states);
    const std::int64_t before = private_memory();
    std::int64_t most = 0;
    for (std::uint64_t k = 0; k * page < bytes; ++k) {
      const std::uint64_t at = (backwards ? (bytes - 1) / page - k : k) * page;
      std::fill_n(states.data() + at, std::min(page, bytes - at), initialised);
      pages.look(states.data(), at);
      most = std::max(most, private_memory() - before);
    }
    EXPECT_LT(most, 2 * static_cast<std::int64_t>(many));
    EXPECT_TRUE(pages.has_all(0, bytes));
    EXPECT_TRUE(all_defined(states.data(), bytes));
    // One that stays unknown keeps those around it.
    states.fill(0, bytes, uninitialised);
    pages.forget();
    std::fill_n(states.data(), many, initialised);
    pages.undefine(5, 1);
    states.data()[5] = uninitialised;
    for (std::uint64_t at = 0; at < many; at += page) pages.look(states.data(), at);
    EXPECT_GE(private_memory() - before, static_cast<std::int64_t>(many));
    EXPECT_FALSE(pages.has(0, page));
    EXPECT_EQ(states.data()[5], uninitialised);
  }
}

TEST(DefinedPages, that_are_given_back_lose_nothing_that_another_thread_makes_undefined) {
  constexpr std::uint64_t many = UniformBytes::many, bytes = 4 * many, page = 4096;
  std::mt19937 random(5);
  unsigned unknown = 0;
  for (int round = 0; round < 8; ++round) {
    UniformBytes states(bytes, uninitialised);
    DefinedPages pages;
    pages.begin(bytes, &states);
    std::atomic<std::uint64_t> done{0};
    std::vector<std::uint64_t> holes;
    std::thread other([&] {
      while (done < bytes) {
        const std::uint64_t end = done;
        if (end < page) continue;
        const std::uint64_t hole = end - 1 - random() % page;
        if (random() % 4 != 0 || hole / many == 3) {  // mostly beside what is given back next
          std::this_thread::yield();
          continue;
        }
        pages.undefine(hole, 1);
        states.data()[hole] = uninitialised;
        holes.push_back(hole);
      }
    });
    for (std::uint64_t at = 0; at < bytes; at += page) {
      std::fill_n(states.data() + at, page, initialised);
      pages.look(states.data(), at);
      done = at + page;
    }
    other.join();
    for (const std::uint64_t hole : holes) {
      ASSERT_EQ(states.data()[hole], uninitialised) << hole;
      ASSERT_FALSE(pages.has(hole, 1));
    }
    unknown += static_cast<unsigned>(holes.size());
    EXPECT_TRUE(all_defined(states.data() + 3 * many, many));
  }
  EXPECT_GT(unknown, 0U);
}

constexpr std::uint32_t streamed = 12U << 20;  // words, as many states as 6 pieces have

/// The memory that a launch of `threads` leaves taken beside the words that it stores, each thread
/// one or three side by side, and before the array is freed.
std::int64_t taken_by_stores(std::uint32_t each, unsigned jobs) {
  Device device(kernel(
      ".param .u64 to, .param .u64 from",
      "ld.param.u64 %d0, [to]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x;"
      "mad.lo.u32 %r2, %r0, %r2, %r1;" +
          fmt::format("mad.wide.u32 %d0, %r2, {}, %d0;", 4 * each) + "st.global.u32 [%d0], %r2;" +
          (each == 3 ? "st.global.u32 [%d0+4], %r1; st.global.u32 [%d0+8], %r0;" : "")));
  const Address to = device.memory.allocate({.name = "to", .bytes = 4ULL * streamed});
  const std::int64_t before = private_memory();
  const Launch launch{.grid = {streamed / 256 / each}, .block = {256}, .entry = "f", .jobs = jobs};
  EXPECT_EQ(text(device.launch(launch, to, to)), "");
  const std::int64_t taken = private_memory() - before;
  EXPECT_TRUE(device.memory.initialised(to, 4ULL * streamed));
  return taken;
}

TEST(DefinedPages, of_arrays_that_kernels_write_take_no_memory_beside_their_data) {
  constexpr auto data = static_cast<std::int64_t>(4ULL * streamed);
  for (const std::uint32_t each : {1U, 3U}) {
    EXPECT_LT(taken_by_stores(each, 1), data + 3 * data / 4) << each;
  }
  // Of three words a thread, two threads may leave pages of which nobody looks again.
  EXPECT_LT(taken_by_stores(1, 2), data + 3 * data / 4);
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
