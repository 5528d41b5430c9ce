// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is usual has ways of its own in the machine: loads and stores by all lanes at once
// (engine_runs.cpp, engine_gather.cpp) and by whole warps, rows and broadcasts of the race
// detector, straight code run by run, warps that are led (prologue_runs.hpp), lanes that run at
// once instead of one by one (trials.hpp), blocks on several threads (side_by_side.hpp). A launch
// that writes an event log looks at each access of each lane, one that counts by line executes
// instruction by instruction. Findings in their order and as often, memory, accesses and counters
// are the same.
#include "tests/machine/races/fast_ways.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "machine/races/launch_order.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::fast_ways {
namespace {

using Rows = AccessShape::Rows;

AccessShape shape_of(std::uint64_t seed) {
  static constexpr Rows rows[] = {Rows::none,  Rows::some,      Rows::scattered, Rows::none,
                                  Rows::whole, Rows::scattered, Rows::stencil};
  static constexpr std::uint32_t threads[] = {64, 160, 48, 1}, of_rows[] = {32, 64, 33, 48},
                                 of_whole[] = {128, 64, 96, 32}, beside[] = {0, 64, 16, 32, 1};
  AccessShape shape{.seed = seed, .rows = rows[seed % 7]};
  const std::uint64_t k = seed / 7;
  const bool whole = shape.rows == Rows::whole;
  shape.threads = (shape.rows == Rows::none ? threads : whole ? of_whole : of_rows)[k % 4];
  shape.global = seed % 7 != 1;
  shape.beside = whole ? 64 * static_cast<std::uint32_t>(k % 3) : beside[k % 5];
  shape.exact = k % 2 == 0;
  shape.strong = k % 3 == 0;
  shape.weak = k % 3 == 1;
  shape.waits = k % 4 == 1;
  shape.exits = k % 7 == 0;
  shape.faults = k % 5 == 0;
  return shape;
}

TEST(FastWays, give_what_the_slow_ones_give) {
  std::map<FindingKind, std::size_t> kinds;
  std::size_t silent = 0, led = 0, beside = 0, early = 0;
  for (std::uint64_t seed = 1; seed <= 700 && !::testing::Test::HasFailure(); ++seed) {
    const AccessShape shape = shape_of(seed);
    const std::uint32_t blocks = seed % 5 == 0 ? 5 : 2;
    const auto ptx = access_program(shape, blocks);
    const auto module = load_module(ptx, "p.ptx");
    led += module->find("f")->prologue.left_out.size();
    static constexpr const char* schedules[] = {"warp_reversed",  "low_lane_first",  "random:1",
                                                "block_reversed", "high_lane_first", "random:2"};
    for (unsigned k = 0; k < 4; ++k) {  // in lock step, and every other one
      const std::string schedule = k == 0 ? "lockstep" : schedules[(seed / 7 + 2 * k) % 6];
      const Ran ran = same_on_all_ways(module, shape, blocks, schedule, ptx);
      for (const auto& finding : ran.report.findings) ++kinds[finding.kind];
      silent += ran.report.findings.empty() ? 1 : 0;
      early += ran.early.size();
    }
    if (blocks > 2) beside += run(module, shape, blocks, "lockstep", Way::on_threads).report.beside;
  }
  using K = FindingKind;
  EXPECT_GT(kinds[K::race_read_write], 2000U);
  EXPECT_GT(kinds[K::race_write_read], 2000U);
  EXPECT_GT(kinds[K::race_atomic], 200U);
  EXPECT_GT(kinds[K::race_read_only], 50U);
  EXPECT_GT(kinds[K::out_of_bounds_read], 100U);
  EXPECT_GT(kinds[K::misaligned], 50U);
  EXPECT_GT(silent, 100U);
  EXPECT_GT(led, 500U);
  EXPECT_GT(beside, 8U);
  EXPECT_GT(early, 100U);
}

TEST(FastWays, give_what_the_slow_ones_give_of_asynchronous_copies) {
  std::map<FindingKind, std::size_t> kinds;
  std::size_t silent = 0;
  for (std::uint64_t seed = 1; seed <= 240 && !::testing::Test::HasFailure(); ++seed) {
    AccessShape shape = shape_of(1000 + seed);
    if (shape.rows == Rows::none) shape.rows = Rows::whole;
    shape.threads = seed % 3 == 0 ? 48 : 64;
    shape.global = seed % 2 == 0;
    shape.copies = true;
    const auto ptx = access_program(shape, 2);
    const auto module = load_module(ptx, "p.ptx");
    static constexpr const char* schedules[] = {"warp_reversed", "low_lane_first", "random:1"};
    for (const std::string schedule : {"lockstep", schedules[seed % 3]}) {
      const Ran ran = same_on_all_ways(module, shape, 2, schedule, ptx);
      for (const auto& finding : ran.report.findings) ++kinds[finding.kind];
      silent += ran.report.findings.empty() ? 1 : 0;
    }
  }
  using K = FindingKind;
  EXPECT_GT(kinds[K::race_read_write], 300U);
  EXPECT_GT(kinds[K::race_write_read], 300U);
  EXPECT_GT(kinds[K::race_write_write], 300U);
  EXPECT_GT(kinds[K::out_of_bounds_read] + kinds[K::misaligned], 10U);
  EXPECT_GT(silent, 5U);
}

/// Each thread reads a word, waits for the launch before, but in block 3, and writes another one.
TEST(FastWays, blocks_side_by_side_tell_what_comes_before_their_waits) {
  for (const std::string exact : {"", "membar.cta;"}) {
    const auto module = load_module(
        kernel(".param .u64 a",
               "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;"
               "mad.lo.u32 %r2, %r1, 32, %r0; mad.wide.u32 %d1, %r2, 4, %d0;" +
                   exact +
                   "ld.global.u32 %r5, [%d1]; setp.ne.u32 %p0, %r1, 3; @%p0 griddepcontrol.wait;"
                   "st.global.u32 [%d1+4096], %r5; griddepcontrol.launch_dependents; ret;"),
        "t.ptx");
    for (const unsigned jobs : {1U, 3U}) {
      GlobalMemory memory;
      const auto a = memory.allocate({.name = "a", .bytes = 8192});
      memory.fill(a, std::byte{0}, 8192);
      ModuleState state(module, memory);
      AccessMap early;
      LaunchSteps steps;
      auto config = two_blocks(32, "lockstep", nullptr);
      config.grid = {5};
      config.early_accesses = &early;
      config.steps = &steps;
      config.jobs = jobs;
      config.alone = 0;
      config.add(a);
      const auto report = launch(state, config);
      EXPECT_TRUE(report.findings.empty());
      EXPECT_EQ(report.beside != 0, jobs != 1) << exact;
      const auto accesses = taken(early);
      ASSERT_EQ(accesses.size(), 2U) << exact;
      EXPECT_EQ(std::get<0>(accesses[0]), a);
      EXPECT_EQ(std::get<1>(accesses[0]), a + 5 * 128);
      EXPECT_EQ(std::get<0>(accesses[1]), a + 4096 + 3 * 128) << "what block 3 writes";
      EXPECT_EQ(std::get<1>(accesses[1]), a + 4096 + 4 * 128);
      EXPECT_TRUE(steps.waits && steps.triggers && !steps.begins_next_at_once);
    }
  }
}

/// All lanes of warp 0 read a[0] and publish it, and again `rounds` - 1 times; warp 1 waits for
/// what is published and writes a[0].
std::vector<Finding> of_readers_and_a_writer(unsigned rounds) {
  const auto body = fmt::format(
      "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 32; mov.u32 %r9, 0;"
      "@%p0 bra WAIT;\n"
      "LOOP: ld.global.u32 %r5, [%d0];\n"
      "setp.eq.u32 %p1, %r9, 0; @%p1 red.release.gpu.global.add.u32 [%d0+64], 1;\n"
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, {}; @%p1 bra LOOP; ret;\n"
      "WAIT: ld.acquire.gpu.global.u32 %r6, [%d0+64]; setp.lt.u32 %p1, %r6, 32; @%p1 bra WAIT;\n"
      "setp.eq.u32 %p1, %r0, 32; @%p1 st.global.u32 [%d0], 7; ret;",
      rounds);
  Device device(kernel(".param .u64 a", body));
  const auto a = device.memory.allocate({.name = "a", .bytes = 128});
  device.memory.fill(a, std::byte{0}, 128);
  return device.launch({.block = {64}, .races = true}, a).findings;
}

TEST(FastWays, behind_a_release_are_not_published_by_it) {
  EXPECT_TRUE(of_readers_and_a_writer(1).empty());
  const auto found = of_readers_and_a_writer(2);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::race_read_write);
  EXPECT_EQ(found[0].count, 32U);
}

/// Of two blocks of two warps whose threads have %r0, %d0 (an element for each, the same in both
/// blocks), %p0 (block 1) and the round %r9. The mask is one that only the machine sees to be of
/// all lanes.
std::vector<std::string> races_of(bool exact, const std::string& body,
                                  const std::string& schedule = "lockstep") {
  const auto ptx = kernel(
      ".param .u64 a, .param .u64 in, .param .u64 b, .param .u64 out",
      std::string("ld.param.u64 %d4, [b]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;"
                  "mad.wide.u32 %d0, %r0, 4, %d4; setp.eq.u32 %p0, %r1, 1; mov.u32 %r9, 0;\n") +
          (exact ? "mov.u32 %r10, -1; bar.warp.sync %r10;\n" : "") + body,
      ".file 1 \"p.cu\"\n");
  const AccessShape shape{.global = true};
  const Ran ran = same_on_all_ways(load_module(ptx, "p.ptx"), shape, 2, schedule, ptx);
  std::vector<std::string> races;
  for (const auto& f : ran.report.findings) {
    races.push_back(fmt::format("{} {} times, {} and {}", name(f.kind), f.count,
                                f.other ? f.other->line : 0, f.at.line));
  }
  return races;
}

TEST(RacesOfRows, a_read_by_another_block_is_kept_beside_that_of_the_same_thread) {
  const auto read_then_write = [](const char* writer) {
    return fmt::format(
        ".loc 1 1 0\nld.global.u32 %r5, [%d0];\nbar.sync 0;\n"
        ".loc 1 2 0\n@{} st.global.u32 [%d0], %r5;\nret;",
        writer);
  };
  const std::vector<std::string> one{"race_read_write 64 times, 1 and 2"};
  for (const bool exact : {false, true}) {
    EXPECT_EQ(races_of(exact, read_then_write("%p0")), one) << exact;
    EXPECT_EQ(races_of(exact, read_then_write("!%p0")), one) << exact;
  }
  EXPECT_EQ(races_of(true, ".loc 1 1 0\nld.global.u32 %r5, [%d0];\nret;"),
            std::vector<std::string>{});
}

TEST(RacesOfRows, of_one_warp_behind_the_other_each_has_its_own_time) {
  // Warp 0 writes its row, and behind a barrier warp 1; then one of them reads the other's, warp 0
  // as the second one.
  const auto then = [](const char* reader) {
    return fmt::format(
        "@%p0 exit;\nshr.u32 %r4, %r0, 5;\nLOOP:\nbar.sync 0;\nsetp.eq.u32 %p2, %r4, %r9;\n"
        ".loc 1 1 0\n@%p2 st.global.u32 [%d0], %r0;\n"
        "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 2; @%p1 bra LOOP;\n"
        "setp.eq.u32 %p2, %r4, 1;\n.loc 1 2 0\n{};\nret;",
        reader);
  };
  for (const bool exact : {false, true}) {
    EXPECT_EQ(races_of(exact, then("@!%p2 ld.global.u32 %r5, [%d0+128]"), "warp_reversed"),
              std::vector<std::string>{"race_write_read 32 times, 1 and 2"})
        << exact;
    EXPECT_EQ(races_of(exact, then("@%p2 ld.global.u32 %r5, [%d0+-128]"), "warp_reversed"),
              std::vector<std::string>{})
        << exact;
  }
}

TEST(RacesOfRows, what_a_barrier_has_ended_leaves_no_other_value) {
  // Block 0 writes 5, and behind a barrier, by the other warp, 7; block 1 writes 7 each time.
  const std::string body =
      "LOOP:\nmul.lo.u32 %r2, %r9, 128;"
      "mul.lo.u32 %r3, %r9, 2; add.u32 %r3, %r3, 5; selp.u32 %r3, 7, %r3, %p0;"
      "shl.b32 %r4, %r0, 2; xor.b32 %r4, %r4, %r2; cvt.u64.u32 %d1, %r4; add.u64 %d1, %d4, %d1;\n"
      ".loc 1 1 0\nst.global.u32 [%d1], %r3;\nbar.sync 0;\n"
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 2; @%p1 bra LOOP; ret;";
  for (const auto& race : races_of(false, body)) {
    EXPECT_TRUE(race.starts_with("race_same_value")) << race;
  }
  EXPECT_EQ(races_of(false, body).size(), 1U);
}

/// Of two lanes that load a word, each by an instruction of its own: in the order of lanes the
/// second instruction comes first.
TEST(FastWays, tell_loads_of_lanes_that_run_one_by_one_in_the_order_of_lanes) {
  const auto loads = [](int offset) {
    return fmt::format(
        "add.u64 %d0, %d0, 128; @%p0 bra W;\n.loc 1 1 0\nld.global.u32 %r5, [%d0];\n"
        ".loc 1 2 0\nld.global.u32 %r6, [%d0+{}]; ret;\n"
        "W: .loc 1 3 0\nst.global.u32 [%d0+{}], %r0; ret;",
        offset, offset);
  };
  const std::vector<std::string> second_first{"race_read_write 64 times, 2 and 3",
                                              "race_read_write 63 times, 1 and 3"};
  EXPECT_EQ(races_of(false, loads(4), "low_lane_first"), second_first);
  EXPECT_EQ(races_of(false, loads(-4), "high_lane_first"), second_first);
}

/// One warp knows the addresses of the others where they lie as those of its lanes do: elements
/// side by side.
TEST(FastWays, load_what_does_not_lie_side_by_side_for_each_warp) {
  for (const unsigned step : {4, 8, 0, 12}) {
    const auto ptx = kernel(
        ".param .u64 a, .param .u64 in, .param .u64 b, .param .u64 out",
        fmt::format("ld.param.u64 %d0, [in]; ld.param.u64 %d1, [b]; mov.u32 %r0, %tid.x;"
                    "mul.wide.u32 %d2, %r0, {}; add.u64 %d2, %d0, %d2; ld.global.u32 %r5, [%d2];"
                    "mul.wide.u32 %d3, %r0, 4; add.u64 %d3, %d1, %d3; st.global.u32 [%d3], %r5;"
                    "ret;",
                    step));
    const Ran ran = same_on_all_ways(load_module(ptx, "p.ptx"), {}, 1, "lockstep", ptx);
    EXPECT_TRUE(ran.report.findings.empty()) << step;
  }
}

/// A store of what is there already, beside loads that are made again: it is a store all the same,
/// of elements side by side and of ones from here and there.
TEST(RacesOfRows, a_store_of_what_is_there_is_a_store) {
  for (const char* const element : {"mov.u64 %d1, %d0;", "mad.wide.u32 %d1, %r0, 12, %d4;",
                                    "mad.wide.s32 %d1, %r0, -4, %d4; add.u64 %d1, %d1, 1024;"}) {
    const auto in_rounds = [&](const char* stores, unsigned to_next_block = 0) {
      return fmt::format(
          "{} mul.wide.u32 %d2, %r1, {}; add.u64 %d1, %d1, %d2;\n"
          "LOOP:\n.loc 1 1 0\nld.global.u32 %r5, [%d1];\n"
          ".loc 1 2 0\n{} st.global.u32 [%d1], %r5;\n"
          "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra LOOP; ret;",
          element, to_next_block, stores);
    };
    using Races = std::vector<std::string>;
    for (const bool exact : {false, true}) {
      const Races of_one{"race_read_write 192 times, 1 and 2"};
      EXPECT_EQ(races_of(exact, in_rounds("@%p0")), of_one) << element;
      EXPECT_EQ(races_of(exact, in_rounds("@!%p0")), of_one) << element;
      EXPECT_EQ(races_of(exact, in_rounds("")),
                (Races{"race_read_write 384 times, 1 and 2", "race_same_value 192 times, 2 and 2"}))
          << element;
      EXPECT_EQ(races_of(exact, in_rounds("", 1024)), Races{}) << element;
    }
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::fast_ways
