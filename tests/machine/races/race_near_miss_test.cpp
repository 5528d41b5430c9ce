// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Near misses: kernels in which everything is ordered stay silent under every schedule, and their
// twins, with one thing taken away, are found under every schedule. race_block.cu and
// race_device.cu hold them; the brute-force checker must agree with each.
#include <vector>

#include "tests/machine/races/race_pair.hpp"

namespace gauntlet::simt::test::race_near_miss {
namespace {

using K = FindingKind;

struct Pair {
  std::string name;
  std::uint32_t grid, block;
  std::set<K> planted;  ///< what the twin shows
  std::string array;    ///< and where
  bool note = false;    ///< the right one shows writes of one value, as a note
  bool cooperative = false;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

class RaceNearMiss : public ::testing::TestWithParam<Pair> {
 protected:
  static Races run(const std::string& entry, const std::string& schedule) {
    const Pair& pair = GetParam();
    return run_pair(pair.grid == 1 ? RACE_BLOCK_PTX : RACE_DEVICE_PTX,
                    {entry, pair.grid, pair.block, pair.cooperative,
                     pair.name == "launch_boundary" ? 2 : 1, entry == pair.name},
                    schedule);
  }
};

TEST_P(RaceNearMiss, is_silent) {
  Races expected;
  if (GetParam().note) expected = {"race_same_value " + GetParam().array};
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(run(GetParam().name, schedule), expected) << schedule;
  }
}

TEST_P(RaceNearMiss, has_a_twin_that_is_found) {
  Races expected;
  for (const auto kind : GetParam().planted) {
    expected.insert(fmt::format("{} {}", name(kind), GetParam().array));
  }
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(run(GetParam().name + "_twin", schedule), expected) << schedule;
  }
}

const Pair pairs[] = {
    {"same_value", 1, 64, {K::race_write_write}, "s", true},
    {"block_barrier", 1, 64, {K::race_write_read}, "s"},
    {"warp_barrier", 1, 32, {K::race_write_read}, "s"},
    {"partial_mask", 1, 32, {K::race_write_read}, "s"},
    {"tile_of_16", 1, 32, {K::race_write_read}, "s"},
    {"atomics", 1, 64, {K::race_atomic}, "a"},
    {"lanes_exited", 1, 32, {K::race_write_read}, "s"},
    {"double_buffer", 1, 64, {K::race_read_write}, "s"},
    {"reads_only", 1, 64, {K::race_read_write}, "a"},
    {"bytes_of_a_word", 1, 32, {K::race_write_write}, "s"},
    {"halves_of_a_word", 1, 64, {K::race_write_write}, "s"},
    {"warp_slice", 1, 64, {K::race_write_read, K::race_write_write}, "s"},
    {"named_barrier", 1, 128, {K::race_write_read}, "s"},
    {"producer_consumer", 1, 64, {K::race_write_read}, "s"},
    {"shuffle", 1, 32, {K::race_write_read}, "s"},
    {"vote", 1, 32, {K::race_write_read}, "s"},
    {"scratch_reuse", 1, 64, {K::race_read_write}, "s"},
    {"barrier_or", 1, 64, {K::race_write_read}, "s"},
    {"barrier_and", 1, 64, {K::race_write_read}, "s"},
    {"barrier_count", 1, 64, {K::race_write_read}, "s"},
    {"last_block", 4, 32, {K::race_write_read}, "a"},
    {"last_block_reader", 4, 32, {K::race_write_read}, "a"},
    {"last_block_scope", 4, 32, {K::race_write_read}, "a"},
    {"last_block_reader_scope", 4, 32, {K::race_write_read}, "a"},
    {"volatile_partials", 4, 32, {K::race_write_read}, "a"},
    {"ticket_after_barrier", 4, 64, {K::race_write_read}, "a"},
    {"fence_before_barrier", 4, 64, {K::race_write_read}, "a"},
    {"ticket_reset", 4, 32, {K::race_atomic, K::race_same_value}, "a"},
    {"atomic_ref_store", 3, 32, {K::race_read_write}, "a"},
    {"atomic_ref_scope", 3, 32, {K::race_read_write}, "a"},
    {"volatile_flag", 2, 32, {K::race_read_write}, "a"},
    {"cumulative_fence", 2, 64, {K::race_read_write}, "a"},
    {"spin_lock", 4, 32, {K::race_read_write, K::race_write_write}, "a"},
    {"compare_and_swap", 2, 32, {K::race_atomic}, "a"},
    {"status_exchange", 3, 32, {K::race_atomic}, "a"},
    {"swap_of_half", 2, 32, {K::race_atomic}, "a"},
    {"block_scope", 2, 32, {K::race_atomic}, "a"},
    {"grid_barrier", 3, 64, {K::race_write_read}, "a", false, true},
    {"launch_boundary", 3, 64, {K::race_write_read}, "a"},
};

INSTANTIATE_TEST_SUITE_P(Kernels, RaceNearMiss, ::testing::ValuesIn(pairs),
                         [](const auto& row) { return row.param.name; });

/// What a launch with races shows, kinds alone, and the first finding's detail.
struct Shown {
  std::vector<FindingKind> kinds;
  std::string detail;
};
Shown shown(const std::string& body, Dim3 grid, Dim3 block, std::string schedule = "lockstep") {
  Device device(kernel(".param .u64 a",
                       "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;"
                       "setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r1, 0;\n" +
                           body + "ret;",
                       ".shared .align 8 .b8 s[8];"));
  const auto a = device.array<std::uint64_t>("a", {0, 0});
  const auto report = device.launch(
      {.grid = grid, .block = block, .schedule = std::move(schedule), .races = true}, a);
  return {kinds(report), report.findings.empty() ? "" : report.findings[0].detail};
}

TEST(RaceDetail, says_why_relaxed_accesses_are_not_atomic_to_each_other) {
  const auto of = [](const std::string& store, const std::string& load) {
    const auto& detail =
        shown("@%p2 " + store + " [%d0], %r1; @!%p2 " + load + ", [%d0];", {2}, {1}).detail;
    const auto first = detail.find(';'), second = detail.find(';', first + 1);
    return first == detail.npos ? detail : detail.substr(first, second - first);
  };
  EXPECT_EQ(of("st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32 %r2"), "");
  EXPECT_EQ(of("st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u64 %d2"),
            "; accesses of 4 and of 8 bytes are not atomic to each other");
  EXPECT_EQ(of("st.relaxed.gpu.global.u32", "ld.relaxed.cta.global.u32 %r2"),
            "; an access of block scope is not atomic to other blocks");
}

TEST(RaceDetail, of_lanes_that_store_at_once_names_no_barrier) {
  const auto of = [](const std::string& store, Dim3 block) { return shown(store, {1}, block); };
  const auto lanes = of("st.shared.u32 [s], %r0;", {32});
  EXPECT_EQ(lanes.kinds, std::vector{K::race_write_write});
  EXPECT_NE(lanes.detail.find("nothing orders the writes of two lanes at "), std::string::npos)
      << lanes.detail;
  EXPECT_NE(of("st.shared.u32 [s], %r1;", {32}).detail.find("both write one value"),
            std::string::npos);
  EXPECT_NE(of("@%p1 st.shared.u32 [s], 1; @!%p1 st.shared.u32 [s], 2;", {32})
                .detail.find("no __syncwarp orders the write"),
            std::string::npos);
}

TEST(RaceDetail, takes_each_half_of_a_packed_pair_by_itself) {
  const std::string of_a_pair = "@%p2 red.global.add.noftz.f16x2 [%d0], %r1;";
  const auto beside = [&](const std::string& other) {
    return shown(of_a_pair + "mov.u16 %h1, 1; @!%p2 " + other, {2}, {1});
  };
  EXPECT_EQ(beside("red.global.add.noftz.f16x2 [%d0], %r1;").kinds, std::vector<K>{});
  EXPECT_EQ(beside("red.global.add.noftz.f16 [%d0+2], %h1;").kinds, std::vector<K>{});
  const auto other = beside("red.global.add.u32 [%d0], %r1;");
  EXPECT_EQ(other.kinds, std::vector{K::race_atomic});
  EXPECT_NE(other.detail.find("accesses of 2 and of 4 bytes are not atomic"), std::string::npos)
      << other.detail;
}

TEST(RacesOfACrowd, atomics_of_block_scope_are_atomic_to_their_own_block_alone) {
  // A fence has each thread's accesses kept apart, and 64 are more than a cell has room for.
  const std::string add = "membar.gl; red.relaxed.cta.global.add.u32 [%d0], 1; ";
  const std::string add_again = "red.relaxed.cta.global.add.u32 [%d0], 2; ";
  for (const auto* schedule : pair_schedules) {
    EXPECT_EQ(shown(add + add_again, {1}, {64}, schedule).kinds, std::vector<K>{}) << schedule;
    EXPECT_EQ(
        shown("@%p2 bra A; @!%p1 bra B; A: " + add + "B: " + add_again, {2}, {64}, schedule).kinds,
        std::vector{K::race_atomic})
        << schedule;
    EXPECT_EQ(shown(add + "st.relaxed.cta.global.u32 [%d0], 3; ", {1}, {64}, schedule).kinds,
              std::vector<K>{})
        << schedule;
    EXPECT_EQ(shown(add + "@%p1 st.global.u32 [%d0], 3; ", {1}, {64}, schedule).kinds,
              std::vector{K::race_atomic})
        << schedule;
  }
}

TEST(RacesBesideExits, a_lane_that_left_without_a_read_is_no_reader) {
  // All threads leave a loop but 40, which read one word: the others leave without, or read as
  // well.
  const std::string leave = "setp.ge.u32 %p3, %r0, 40; @%p3 bra OUT; ", barrier = "bar.sync 0; ";
  for (const std::string& word : {std::string("shared.u32 "), std::string("global.u32 ")}) {
    const std::string address = word[0] == 's' ? "[s]" : "[%d0]";
    const std::string write = "@%p1 st." + word + address + ", %r0; ";
    const std::string read = "ld." + word + "%r2, " + address + "; ";
    const std::string all_read = write + barrier + read + barrier + write + barrier;
    const std::string end = barrier + write + "OUT: ";
    for (const auto* schedule : pair_schedules) {
      EXPECT_EQ(shown(all_read + leave + read + end, {1}, {64}, schedule).kinds,
                (std::vector{K::partial_barrier}))
          << word << schedule;
      const auto kinds = shown(all_read + read + leave + end, {1}, {64}, schedule).kinds;
      EXPECT_EQ(std::set(kinds.begin(), kinds.end()),
                (std::set{K::partial_barrier, K::race_read_write}))
          << word << schedule;
    }
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::race_near_miss
