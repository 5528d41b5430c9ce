// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/machine/races/fast_ways.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "machine/counters/counters.hpp"
#include "machine/races/launch_order.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::fast_ways {

Ran::Accesses taken(AccessMap& map) {
  Ran::Accesses all;
  for (const auto& [base, ranges] : map.take()) {
    for (const auto& range : ranges) {
      all.emplace_back(range.begin, range.end, range.ways, range.bytes, range.step);
    }
  }
  std::ranges::sort(all);
  return all;
}

Ran run(const std::shared_ptr<const Module>& module, const AccessShape& shape, std::uint32_t blocks,
        const std::string& schedule, Way way) {
  GlobalMemory memory;
  std::vector<std::pair<Address, std::uint64_t>> arrays;
  EventLog log;
  KernelProfile profile;
  AccessMap accesses, early;
  LaunchSteps steps;
  auto config = two_blocks(shape.threads, schedule, way == Way::by_lane ? &log : nullptr);
  config.grid = {blocks};
  if (way == Way::by_instruction) config.profile = &profile;
  if (way == Way::by_lane || way == Way::accounted) config.accesses = &accesses;
  if (way == Way::on_threads) config.jobs = 3;
  config.alone = 0;
  if (shape.waits) {
    config.early_accesses = &early;
    config.steps = &steps;
  }
  const auto array = [&](const char* name, std::uint64_t bytes, std::uint64_t defined, int step) {
    GlobalMemory::Options options;
    options.name = name;
    options.bytes = bytes;
    options.read_only = std::string_view(name) == "in";
    const auto at = memory.allocate(options);
    std::vector<std::byte> values(defined);
    for (std::size_t i = 0; i < defined; ++i)
      values[i] = static_cast<std::byte>((i * 37 + 5) * step);
    memory.write(at, values);
    arrays.emplace_back(at, bytes);
    config.add(at);
  };
  array("a", AccessShape::array_bytes, AccessShape::defined_bytes, 1);
  array("in", AccessShape::in_bytes, AccessShape::in_bytes, 1);
  array("b", AccessShape::row_bytes, AccessShape::row_bytes, 0);
  array("out", shape.out_bytes(blocks), 0, 0);
  ModuleState state(module, memory);
  Ran ran;
  ran.report = launch(state, config);
  for (const auto& [at, bytes] : arrays) {
    const auto begin = ran.content.size();
    ran.content.resize(begin + bytes);
    memory.read(at, std::span(ran.content).subspan(begin));
    const Allocation& of = *memory.find(at);
    ran.states.insert(ran.states.end(), of.state, of.state + bytes);
  }
  ran.accesses = taken(accesses);
  ran.early = taken(early);
  ran.steps = {steps.waits, steps.triggers, steps.begins_next_at_once};
  return ran;
}

Ran same_on_all_ways(const std::shared_ptr<const Module>& module, const AccessShape& shape,
                     std::uint32_t blocks, const std::string& schedule, const std::string& ptx) {
  const Ran apart = run(module, shape, blocks, schedule, Way::by_lane);
  Ran usual;
  for (const Way way : {Way::by_instruction, Way::accounted, Way::on_threads, Way::usual}) {
    if (way == Way::on_threads && (schedule != "lockstep" || blocks < 3)) continue;
    usual = run(module, shape, blocks, schedule, way);
    const auto where =
        fmt::format("seed {}, {}, way {}\n{}", shape.seed, schedule, static_cast<int>(way), ptx);
    EXPECT_EQ(usual.report.findings, apart.report.findings) << where << "this way:\n"
                                                            << text(usual.report) << "by lane:\n"
                                                            << text(apart.report);
    EXPECT_EQ(usual.report.counters, apart.report.counters) << where;
    EXPECT_EQ(usual.content, apart.content) << where;
    EXPECT_EQ(usual.states, apart.states) << where;
    EXPECT_EQ(usual.early, apart.early) << where;
    EXPECT_EQ(usual.steps, apart.steps) << where;
    if (way == Way::accounted) {
      EXPECT_EQ(usual.accesses, apart.accesses) << where;
    }
  }
  return usual;
}

}  // namespace gauntlet::simt::test::fast_ways
