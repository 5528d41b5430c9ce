// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Near misses: kernels in which everything is ordered stay silent under every schedule, and their
// twins, with one thing taken away, are found under every schedule. race_block.cu and
// race_device.cu hold them; the brute-force checker must agree with each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tests/simt/happens_before.hpp"
#include "tests/simt/machine_device.hpp"

namespace gauntlet::simt::test {
namespace {

using K = FindingKind;
using Races = std::set<std::string>;  ///< kind and array

std::shared_ptr<const Module> module_in(const std::string& path) {
  static std::map<std::string, std::shared_ptr<const Module>> loaded;
  auto& module = loaded[path];
  if (module == nullptr) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    module = load_module(text.str(), path);
  }
  return module;
}

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
  /// Races under a schedule, as kind and array; what else is found fails.
  static Races run(const std::string& entry, const std::string& schedule) {
    const Pair& pair = GetParam();
    GlobalMemory memory;
    GlobalMemory::Options options;
    options.bytes = 4096;
    options.name = "a";
    const auto a = memory.allocate(options);
    options.name = "out";
    options.output = true;
    const auto out = memory.allocate(options);
    memory.fill(a, std::byte{0}, 4096);
    memory.fill(out, std::byte{0}, 4096);
    ModuleState state(module_in(pair.grid == 1 ? RACE_BLOCK_PTX : RACE_DEVICE_PTX), memory);
    LaunchConfig config;
    config.entry = entry;
    config.grid = {pair.grid};
    config.block = {pair.block};
    config.shared_bytes = 2048;
    config.cooperative = pair.cooperative;
    config.schedule = schedule;
    config.add(a);
    config.add(out);
    Races found;
    for (int k = 0; k < (pair.name == "launch_boundary" ? 2 : 1); ++k) {
      std::string difference;
      const auto report = launch_and_compare(state, config, difference);
      EXPECT_TRUE(report.completed) << text(report);
      EXPECT_EQ(difference, "") << schedule;
      for (const auto& f : report.findings) {
        // A read that comes too early may meet what nobody has written yet.
        if (f.kind == K::poison_output && entry != pair.name) continue;
        found.insert(fmt::format("{} {}", name(f.kind), f.array));
      }
      const int done = 1;
      memory.write(out, std::as_bytes(std::span(&done, 1)));
    }
    return found;
  }
};

constexpr const char* schedules[] = {"lockstep",      "low_lane_first", "high_lane_first",
                                     "warp_reversed", "block_reversed", "random:1",
                                     "random:2",      "random:3"};

TEST_P(RaceNearMiss, IsSilent) {
  Races expected;
  if (GetParam().note) expected = {"race_same_value " + GetParam().array};
  for (const auto* schedule : schedules) {
    EXPECT_EQ(run(GetParam().name, schedule), expected) << schedule;
  }
}

TEST_P(RaceNearMiss, HasATwinThatIsFound) {
  Races expected;
  for (const auto kind : GetParam().planted) {
    expected.insert(fmt::format("{} {}", name(kind), GetParam().array));
  }
  for (const auto* schedule : schedules) {
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
    {"block_scope", 2, 32, {K::race_atomic}, "a"},
    {"grid_barrier", 3, 64, {K::race_write_read}, "a", false, true},
    {"launch_boundary", 3, 64, {K::race_write_read}, "a"},
};

INSTANTIATE_TEST_SUITE_P(Kernels, RaceNearMiss, ::testing::ValuesIn(pairs),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace gauntlet::simt::test
