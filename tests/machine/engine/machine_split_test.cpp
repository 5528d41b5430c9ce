// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of one launch on several threads: what is found, counted and stored is what one thread
// finds, counts and stores.
#include <fmt/format.h>

#include <bit>
#include <string>
#include <vector>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_split {
namespace {

using K = FindingKind;

constexpr std::uint32_t blocks = 40, threads = 64, cells = blocks * threads;

// %r1: the block, %r2: the thread in it, %r3: the thread in the grid, %d0: a; %d1, %d2: its cell.
constexpr std::string_view start =
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r4, %ntid.x;"
    "mad.lo.s32 %r3, %r1, %r4, %r2; ld.param.u64 %d0, [a]; ld.param.u64 %d3, [b];"
    "mul.wide.u32 %d4, %r3, 4; add.s64 %d1, %d0, %d4; add.s64 %d2, %d3, %d4;\n";

std::string body(std::string_view text) {
  return kernel(".param .u64 a, .param .u64 b", std::string(start) + std::string(text));
}

struct Ran {
  std::vector<std::uint32_t> a, b;
  std::vector<bool> defined;
  std::string findings;
  bool completed = false;
  Counters counters;
  std::uint32_t beside = 0;
  bool operator==(const Ran& other) const {
    return a == other.a && b == other.b && defined == other.defined && findings == other.findings &&
           completed == other.completed && counters == other.counters;
  }
};

enum class B : std::uint8_t { written, unwritten, output };

Ran run(const std::string& ptx, unsigned jobs, B of_b = B::written, Launch launch = {}) {
  Device device(ptx);
  std::vector<std::uint32_t> values(cells);
  for (std::uint32_t k = 0; k < cells; ++k) {
    values[k] = std::bit_cast<std::uint32_t>(1.0F + static_cast<float>(k % 97) * 0.37F);
  }
  const Address a = device.array("a", values);
  const Address b = of_b == B::written  ? device.array("b", std::vector<std::uint32_t>(cells))
                    : of_b == B::output ? device.output<std::uint32_t>("b", cells)
                                        : device.uninitialised<std::uint32_t>("b", cells);
  launch.grid = {blocks};
  launch.block = {threads};
  launch.races = true;
  launch.jobs = jobs;
  const auto report = device.launch(launch, a, b);
  Ran ran{device.read<std::uint32_t>(a, cells),
          device.read<std::uint32_t>(b, cells),
          {},
          {},
          report.completed,
          report.counters,
          report.beside};
  for (std::uint32_t k = 0; k < cells; ++k) {
    ran.defined.push_back(device.memory.initialised(b + 4 * k, 4));
  }
  for (const auto& f : report.findings) {
    ran.findings += to_string(f) + fmt::format(" x{}\n", f.count);
  }
  return ran;
}

/// The same on one thread, two and five. The blocks that ran beside others, at most.
std::uint32_t same(const std::string& ptx, B of_b = B::written, const Launch& launch = {}) {
  const Ran alone = run(ptx, 1, of_b, launch);
  EXPECT_EQ(alone.beside, 0U);
  std::uint32_t beside = 0;
  for (const unsigned jobs : {2U, 5U}) {
    const Ran ran = run(ptx, jobs, of_b, launch);
    EXPECT_TRUE(ran == alone) << jobs << " threads: " << ran.findings
                              << "alone: " << alone.findings;
    beside = std::max(beside, ran.beside);
  }
  return beside;
}

/// Something is found, and all is as on one thread.
void found_alone(const std::string& ptx, K kind, B of_b = B::written) {
  EXPECT_EQ(same(ptx, of_b), 0U);
  EXPECT_NE(run(ptx, 1, of_b).findings.find(name(kind)), std::string::npos)
      << run(ptx, 1, of_b).findings;
}

constexpr std::string_view add_one = "ld.global.u32 %r5, [%d1]; add.u32 %r5, %r5, 1;";

TEST(Split, blocks_that_touch_cells_of_their_own_run_side_by_side) {
  const auto ptx = body(std::string(add_one) + "st.global.u32 [%d2], %r5;");
  EXPECT_EQ(same(ptx), blocks - 1);
  EXPECT_EQ(run(ptx, 2).findings, "");
  EXPECT_EQ(run(ptx, 2).b[cells - 1], run(ptx, 2).a[cells - 1] + 1);
  EXPECT_EQ(same(ptx, B::output), blocks - 1);
}

/// A block that comes late turns to volatile accesses, of addresses that may be of shared memory:
/// what it stores until the threads have stopped is undone as all else is.
TEST(Split, volatile_stores_of_a_late_block_are_made_once) {
  const auto ptx = body(
      "setp.ge.u32 %p0, %r1, 32;"  // whose page nobody else stores to
      "@%p0 ld.volatile.u32 %r5, [%d1]; @!%p0 ld.u32 %r5, [%d1]; add.u32 %r5, %r5, 1;"
      "@%p0 st.volatile.u32 [%d1], %r5; @!%p0 st.u32 [%d1], %r5;");
  EXPECT_EQ(same(ptx), 0U);
  const auto late = std::size_t{32} * threads;
  EXPECT_EQ(run(ptx, 5).a[late],
            std::bit_cast<std::uint32_t>(1.0F + static_cast<float>(late % 97) * 0.37F) + 1);
  EXPECT_EQ(run(ptx, 1).findings, "");
}

TEST(Split, a_launch_that_is_long_for_sure_runs_side_by_side_from_its_first_block) {
  std::string long_code(add_one);
  for (int k = 0; k < 2000; ++k) long_code += "add.u32 %r5, %r5, 1;";
  EXPECT_EQ(same(body(long_code + "st.global.u32 [%d2], %r5;")), blocks);
  found_alone(body(long_code + "st.global.u32 [%d2+4], %r5; ld.global.u32 %r5, [%d2+40000];"),
              K::out_of_bounds_read);
}

TEST(Split, a_short_launch_stays_on_one_thread) {
  const auto ptx = body(std::string(add_one) + "st.global.u32 [%d2], %r5;");
  Launch launch;
  launch.alone = 200'000;
  EXPECT_EQ(same(ptx, B::written, launch), 0U);
}

TEST(Split, other_schedules_stay_on_one_thread) {
  const auto ptx = body(std::string(add_one) + "st.global.u32 [%d2], %r5;");
  for (const char* const schedule : {"random:7", "block_reversed"}) {
    Launch launch;
    launch.schedule = schedule;
    EXPECT_EQ(same(ptx, B::written, launch), 0U);
  }
}

TEST(Split, neighbouring_bytes_of_a_word_are_no_conflict) {
  EXPECT_EQ(same(body("cvt.u64.u32 %d5, %r3; add.s64 %d5, %d3, %d5; st.global.u8 [%d5], %r1;")),
            blocks - 1);
}

TEST(Split, what_all_blocks_read_is_no_conflict) {
  EXPECT_EQ(same(body("ld.global.u32 %r5, [%d0+16]; st.global.u32 [%d2], %r5;")), blocks - 1);
}

TEST(Split, floating_point_sums_have_the_bits_of_one_thread) {
  const auto ptx = body("ld.global.f32 %x1, [%d1]; atom.global.add.f32 %x2, [%d3], %x1;");
  EXPECT_EQ(same(ptx), blocks - 1);
  EXPECT_EQ(run(ptx, 2).findings, "");
  EXPECT_NE(run(ptx, 2).b[0], 0U);
}

TEST(Split, a_histogram_runs_side_by_side) {
  EXPECT_EQ(same(body("and.b32 %r5, %r3, 7; mul.wide.u32 %d5, %r5, 4; add.s64 %d5, %d3, %d5;"
                      "atom.global.add.u32 %r6, [%d5], 1; red.global.max.u32 [%d3+64], %r3;")),
            blocks - 1);
}

/// %r5, %d5: an operand of each thread; %d1: a cell of its own, %d6: one of sixteen.
std::string operations(std::string_view text) {
  return body(
      "mul.lo.u32 %r5, %r3, -1640531535; cvt.u64.u32 %d5, %r5; mul.lo.u64 %d5, %d5, -7046029254386;"
      "and.b32 %r6, %r3, 15; mul.wide.u32 %d6, %r6, 8; add.s64 %d6, %d0, %d6;\n" +
      std::string(text));
}

TEST(Split, operations_on_integers_leave_what_they_leave_on_one_thread) {
  for (const std::string_view op : {"add", "min", "max"}) {
    for (const std::string_view type : {"u32", "s32", "u64", "s64"}) {
      if (op == "add" && type == "s64") continue;
      const bool wide = type.ends_with("64");
      const auto ptx =
          operations(fmt::format("red.global.{}.{} [%d6], {};", op, type, wide ? "%d5" : "%r5"));
      EXPECT_EQ(same(ptx), blocks - 1) << op << type;
      EXPECT_NE(run(ptx, 2).a, run(operations(""), 2).a) << op << type;
    }
  }
  for (const std::string_view op : {"and", "or", "xor"}) {
    EXPECT_EQ(same(operations(fmt::format("red.global.{}.b32 [%d6], %r5;", op))), blocks - 1);
    EXPECT_EQ(same(operations(fmt::format("red.global.{}.b64 [%d6], %d5;", op))), blocks - 1);
  }
  // More cells than a few.
  EXPECT_EQ(same(operations("red.global.add.u32 [%d1], %r5;")), blocks - 1);
}

TEST(Split, operations_whose_order_makes_a_difference_come_in_it) {
  const auto of = [](std::string_view text) { return same(operations(text)); };
  EXPECT_EQ(of("red.global.add.u32 [%d6], %r5; red.global.xor.b32 [%d6], %r3;"), blocks - 1);
  EXPECT_EQ(of("red.global.max.u32 [%d6], %r5; red.global.max.s32 [%d6], %r5;"), blocks - 1);
  EXPECT_EQ(of("red.global.inc.u32 [%d6], %r5;"), blocks - 1);
  EXPECT_EQ(of("atom.global.exch.b32 %r7, [%d6], %r5;"), blocks - 1);
  EXPECT_EQ(of("atom.global.cas.b32 %r7, [%d6], %r3, %r5;"), blocks - 1);
}

TEST(Split, a_ticket_stays_on_one_thread) {
  EXPECT_EQ(same(body("atom.global.add.u32 %r5, [%d3], 1; st.global.u32 [%d2+256], %r5;")), 0U);
}

TEST(Split, a_result_that_only_a_guard_reads_is_read) {
  EXPECT_EQ(same(body("atom.global.add.u32 %r5, [%d3], 1; setp.eq.u32 %p1, %r5, 5;"
                      "@%p1 st.global.u32 [%d3+400], 1;")),
            0U);
}

TEST(Split, a_cell_that_is_added_to_and_read_stays_on_one_thread) {
  // In the block itself: nothing to report, but the sum has to be there.
  EXPECT_EQ(same(body("mul.wide.u32 %d5, %r1, 4; add.s64 %d5, %d3, %d5;"
                      "atom.global.add.u32 %r5, [%d5], 1; bar.sync 0; ld.global.u32 %r6, [%d5];"
                      "st.global.u32 [%d1], %r6;")),
            0U);
}

TEST(Split, a_sum_onto_what_nobody_wrote_stays_on_one_thread) {
  EXPECT_EQ(same(body("atom.global.add.u32 %r5, [%d3], 1;"), B::unwritten), 0U);
  found_alone(body("atom.global.add.u32 %r5, [%d3], 1;"), K::poison_output, B::output);
}

TEST(Split, sums_of_blocks_that_take_several_turns_stay_on_one_thread) {
  // But for the first block's each warp runs far longer than a turn: the next block has started
  // when it ends.
  EXPECT_EQ(same(body("mov.u32 %r7, 0; setp.eq.u32 %p2, %r1, 0; @%p2 bra E;\n"
                      "L: add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 30000;"
                      "@%p1 bra L;\nE: ld.global.f32 %x1, [%d1];"
                      "atom.global.add.f32 %x2, [%d3], %x1;")),
            0U);
}

TEST(Split, a_race_between_blocks_is_found_as_on_one_thread) {
  found_alone(body("st.global.u32 [%d3], %r1;"), K::race_write_write);
  found_alone(body("setp.eq.u32 %p1, %r2, 0; @%p1 st.global.u32 [%d3], 7;"), K::race_same_value);
  found_alone(body("ld.global.u32 %r5, [%d3+128]; setp.eq.u32 %p1, %r3, 2000;"
                   "@%p1 st.global.u32 [%d3+128], 7;"),
              K::race_read_write);
  found_alone(body("atom.global.add.u32 %r5, [%d3], 1; setp.eq.u32 %p1, %r3, 2000;"
                   "@%p1 st.global.u32 [%d3], 7;"),
              K::race_atomic);
}

TEST(Split, a_race_with_the_first_block_alone_is_found) {
  found_alone(body("setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%d2], 7;"
                   "@!%p1 ld.global.u32 %r5, [%d3+4];"),
              K::race_write_read);
}

TEST(Split, what_a_block_reads_of_the_one_before_is_there) {
  // Cell k becomes cell k - 64 plus 1: a chain through all blocks.
  const auto ptx = body(
      "setp.eq.u32 %p1, %r1, 0; @!%p1 ld.global.u32 %r5, [%d2+-256];"
      "@%p1 mov.u32 %r5, 0; add.u32 %r5, %r5, 1; st.global.u32 [%d2], %r5;");
  found_alone(ptx, K::race_read_write);
  EXPECT_EQ(run(ptx, 5).b[cells - 1], blocks);
}

TEST(Split, without_races_a_chain_has_the_values_of_one_thread) {
  const auto ptx = body(
      "setp.eq.u32 %p1, %r1, 0; @!%p1 ld.global.u32 %r5, [%d2+-256];"
      "@%p1 mov.u32 %r5, 0; add.u32 %r5, %r5, 1; st.global.u32 [%d2], %r5;");
  for (const unsigned jobs : {1U, 5U}) {
    Device device(ptx);
    const Address a = device.array("a", std::vector<std::uint32_t>(cells));
    const Address b = device.array("b", std::vector<std::uint32_t>(cells));
    EXPECT_TRUE(silent(device.launch({.grid = {blocks}, .block = {threads}, .jobs = jobs}, a, b)));
    EXPECT_EQ(device.read<std::uint32_t>(b, cells)[cells - 1], blocks);
  }
}

TEST(Split, an_overrun_of_the_last_block_is_found_as_on_one_thread) {
  found_alone(body("st.global.u32 [%d2+4], %r3;"), K::out_of_bounds_write);
  found_alone(body("setp.ge.u32 %p1, %r3, 2555; @%p1 ld.global.u32 %r5, [%d2+256];"
                   "st.global.u32 [%d2], %r3;"),
              K::out_of_bounds_read);
}

TEST(Split, an_undefined_value_is_found_as_on_one_thread) {
  found_alone(body("setp.eq.u32 %p1, %r3, 2000; @!%p1 mov.u32 %r5, 1; st.global.u32 [%d2], %r5;"),
              K::poison_output, B::output);
  found_alone(body("ld.global.u32 %r5, [%d2]; setp.eq.u32 %p1, %r5, 0; @%p1 bra L;\nL: ret;"),
              K::poison_branch, B::unwritten);
}

TEST(Split, an_undefined_value_that_is_stored_keeps_its_origin) {
  EXPECT_EQ(same(body("ld.global.u32 %r5, [%d2]; st.global.u32 [%d1], %r5;"), B::unwritten),
            blocks - 1);
}

TEST(Split, volatile_accesses_and_fences_stay_on_one_thread) {
  EXPECT_EQ(same(body("st.volatile.global.u32 [%d2], %r3;")), 0U);
  // Of generic addresses it is seen when it is executed; in any order of lanes.
  const std::string reversed =
      "sub.u32 %r5, 63, %r2; mad.lo.u32 %r5, %r1, 64, %r5; mul.wide.u32 %d5, %r5, 4;"
      "add.s64 %d5, %d3, %d5;";
  EXPECT_EQ(same(body("st.volatile.u32 [%d2], %r3;")), 0U);
  EXPECT_EQ(same(body(reversed + "st.volatile.u32 [%d5], %r3;")), 0U);
  EXPECT_EQ(same(body(reversed + "ld.volatile.u32 %r6, [%d5];")), 0U);
  EXPECT_EQ(same(body(reversed + "st.u32 [%d5], %r3;")), blocks - 1);
  EXPECT_EQ(same(body("st.global.u32 [%d2], %r3; membar.gl;")), 0U);
  EXPECT_EQ(same(body("st.global.u32 [%d2], %r3; membar.cta;")), blocks - 1);
  EXPECT_EQ(same(body("atom.acq_rel.gpu.global.add.u32 %r5, [%d3], 1;")), 0U);
  EXPECT_EQ(same(body("atom.cta.global.add.u32 %r5, [%d2], 1;")), 0U);
}

TEST(Split, an_endless_block_meets_its_limit_as_on_one_thread) {
  Launch launch;
  launch.step_limit = 1000;
  EXPECT_EQ(same(body("setp.ne.u32 %p1, %r1, 30;\n@!%p1 bra L;\nbra M;\nL: bra L;\nM: ret;"),
                 B::written, launch),
            0U);
}

/// Accesses of the word at %d3, or of a part of it.
constexpr std::string_view accesses[] = {
    "ld.global.u32 %r5, [%d3];",
    "ld.global.u64 %d5, [%d3];",
    "ld.global.u8 %r5, [%d3+5];",
    "st.global.u32 [%d3], 7;",
    "st.global.u64 [%d3], %d0;",
    "red.global.add.u32 [%d3], 1;",
    "red.global.add.u32 [%d3+4], 1;",
    "red.global.add.u64 [%d3], %d0;",
    "atom.global.max.u32 %r5, [%d3+4], 1;",
    "atom.global.cas.b64 %d5, [%d3], %d0, %d0;",
    "mov.u16 %h1, 1; atom.global.cas.b16 %h2, [%d3+2], %h1, %h1;",
    "mov.u16 %h1, 1; red.global.add.noftz.f16 [%d3+2], %h1;",
    "mov.u32 %r5, 1; red.global.add.noftz.f16x2 [%d3], %r5;",
    "red.relaxed.sys.global.add.u32 [%d3], 1;",
    "red.relaxed.cta.global.add.u32 [%d3], 1;",
    "ld.volatile.global.u32 %r5, [%d3];",
    "st.volatile.global.u32 [%d3], 7;",
    "ld.relaxed.gpu.global.u64 %d5, [%d3];",
};

TEST(Split, whatever_two_blocks_access_the_findings_are_those_of_one_thread) {
  const auto by_block = [](unsigned block, std::string_view access) {
    return fmt::format("setp.ne.u32 %p1, %r6, {};\n@%p1 bra L{};\n{}\nL{}:\n", 64 * block, block,
                       access, block);
  };
  std::size_t races = 0, silent = 0;
  for (const auto first : accesses) {
    for (const auto second : accesses) {
      // On the thread of the first block alone; in pieces of their own; side by side.
      for (const auto& [one, other] : {std::pair{0U, 30U}, {3U, 30U}, {21U, 22U}}) {
        const auto ptx =
            body("mov.u32 %r6, %r3;\n" + by_block(one, first) + by_block(other, second));
        (void)same(ptx);
        if (HasFailure()) FAIL() << ptx;
        (run(ptx, 2).findings.empty() ? silent : races) += 1;
      }
    }
  }
  EXPECT_GT(races, 400U);
  EXPECT_GT(silent, 200U);
}

TEST(Split, atomics_of_several_sizes_on_one_word_are_found_as_on_one_thread) {
  const auto of = [](std::string_view in_0, std::string_view in_30) {
    return body(
        fmt::format("setp.eq.u32 %p1, %r3, 0; setp.eq.u32 %p2, %r3, 1920;"
                    "@%p1 {} @%p2 {}",
                    in_0, in_30));
  };
  const std::string_view four = "red.global.add.u32 [%d3+4], 1;";
  const std::string_view eight = "red.global.add.u64 [%d3], %d0;";
  found_alone(of(four, eight), K::race_atomic);
  found_alone(of(eight, four), K::race_atomic);
  // Of one size, and of neighbouring words.
  EXPECT_EQ(same(of(four, four)), blocks - 1);
  EXPECT_EQ(same(of(eight, "red.global.add.u32 [%d3+8], 1;")), blocks - 1);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_split
