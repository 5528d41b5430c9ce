// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/machine/races/launch_and_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "machine/engine/module.hpp"
#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/happens_before.hpp"

namespace gauntlet::simt::test {
namespace {

/// What the arrays hold, for another launch on the same.
class Kept {
 public:
  explicit Kept(GlobalMemory& memory) : memory_(memory), content_(memory.size()) {
    for (std::size_t k = 0; k < content_.size(); ++k) {
      const Allocation& array = memory.at(k);
      if (array.freed || array.make_page) continue;
      content_[k].assign(array.data, array.data + array.bytes);
      states_.emplace_back(array.state, array.state + array.bytes);
    }
  }
  void restore() {
    auto state = states_.begin();
    for (std::size_t k = 0; k < content_.size(); ++k) {
      const Allocation& array = memory_.at(k);
      if (array.freed || array.make_page) continue;
      std::ranges::copy(content_[k], array.data);
      std::ranges::copy(*state++, array.state);
    }
  }

 private:
  GlobalMemory& memory_;
  std::vector<std::vector<std::byte>> content_;
  std::vector<std::vector<std::uint8_t>> states_;
};

std::vector<Finding> races_of(const LaunchReport& report) {
  std::vector<Finding> races;
  std::ranges::copy_if(report.findings, std::back_inserter(races),
                       [](const Finding& f) { return name(f.kind).starts_with("race_"); });
  return races;
}

std::string text_of(const Finding& f) {
  return fmt::format("{} times {}\n", f.count, to_string(f));
}

}  // namespace

LaunchReport launch_and_compare(ModuleState& state, LaunchConfig config, std::string& difference) {
  EventLog log;
  config.races = true;
  // Who writes no log looks at several lanes, and neighbouring cells, at once.
  Kept kept(state.memory());
  const auto at_once = launch(state, config);
  kept.restore();
  config.log = &log;
  auto report = launch(state, config);
  const auto said = racing_lines(report);
  auto wanted = racing_lines(log, *state.module(), config);
  difference.clear();
  if (races_of(at_once) != races_of(report) || at_once.counters != report.counters) {
    difference += "without a log the detector says something else\n";
    for (const auto& f : races_of(at_once)) difference += "without: " + text_of(f);
    for (const auto& f : races_of(report)) difference += "with: " + text_of(f);
  }
  for (const auto& r : said) {
    // An entry that stands for many threads knows in which bits they differ, not who with whom.
    auto same = r;
    same.kind = FindingKind::race_same_value;
    if (r.kind == FindingKind::race_write_write && wanted.erase(same) != 0) continue;
    if (wanted.erase(r) == 0) difference += fmt::format("only the detector: {}\n", text(r));
  }
  for (const auto& r : wanted) difference += fmt::format("only the checker: {}\n", text(r));
  return report;
}

std::vector<Finding> judged(const std::string& ptx, const JudgedLaunch& l) {
  GlobalMemory memory;
  const Address a = memory.allocate({.name = "a", .bytes = l.bytes});
  memory.fill(a, std::byte{0}, l.bytes);
  ModuleState state(load_module(ptx, "t.ptx"), memory);
  std::vector<Finding> found;
  for (int k = 0; k < l.launches; ++k) {
    LaunchConfig config{.entry = "f", .grid = {l.grid}, .block = {l.block}, .schedule = l.schedule};
    config.add(a);
    std::string difference;
    const auto report = launch_and_compare(state, config, difference);
    EXPECT_TRUE(report.completed) << text(report) << ptx;
    EXPECT_EQ(difference, "") << ptx << l.schedule;
    std::ranges::copy(report.findings, std::back_inserter(found));
  }
  return found;
}

}  // namespace gauntlet::simt::test
