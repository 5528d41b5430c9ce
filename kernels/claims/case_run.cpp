// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/claims/case_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kernels/subject.hpp"
#include "machine/engine/machine.hpp"
#include "machine/engine/module.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::claims {
namespace {

std::vector<Access> accesses_of(const simt::EventLog& log, const simt::Kernel& kernel) {
  std::vector<Access> result;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> intervals;
  std::uint64_t lowest = ~std::uint64_t{0};
  for (const simt::Event& event : log) {
    using What = simt::Event::What;
    const std::pair thread{event.block, event.thread};
    if (event.what == What::block_leave) ++intervals[thread];
    if (event.what != What::read && event.what != What::write) continue;
    Access access;
    access.write = event.what == What::write;
    access.block = event.block;
    access.thread = event.thread;
    access.address = event.address;
    access.width = event.width;
    access.interval = intervals[thread];
    access.shared = event.shared;
    const std::int32_t loc = kernel.code.at(event.inst).loc;
    if (loc >= 0) access.line = kernel.lines.at(static_cast<std::size_t>(loc)).line;
    if (event.shared) lowest = std::min(lowest, event.address);
    result.push_back(access);
  }
  for (Access& access : result) access.address -= access.shared ? lowest : 0;
  return result;
}

}  // namespace

CaseRun run_case(std::string_view line, bool log) {
  CaseRun run;
  const Case open = parse_case(line);
  run.plan = kernels::plan(open);
  run.c = resolved(open, run.plan);
  simt::ExecutorOptions options;
  options.profile = &run.profile;
  if (log) {
    options.launch = [&](simt::ModuleState& state, simt::LaunchConfig& config) {
      simt::EventLog events;
      config.log = &events;
      auto report = simt::launch(state, config);
      run.accesses.push_back(accesses_of(events, *state.module()->find(config.entry)));
      return report;
    };
  }
  run.observation = simt::make_executor(options)->run(run.c, run.plan);
  run.verdict = gauntlet::judge(run.c, run.plan, run.observation);
  return run;
}

namespace {

using Cells = std::set<std::uint64_t>;

/// What the threads of a block did to shared memory in one step.
struct Step {
  std::map<std::uint32_t, Cells> read, written;  ///< by thread
  [[nodiscard]] Cells added() const {
    Cells result;
    for (const auto& [thread, cells] : read) {
      const auto own = written.find(thread);
      for (const std::uint64_t cell : cells) {
        if (own != written.end() && !own->second.contains(cell)) result.insert(cell);
      }
    }
    return result;
  }
  [[nodiscard]] Cells touched() const {
    Cells result;
    for (const auto* by_thread : {&read, &written}) {
      for (const auto& [thread, cells] : *by_thread) result.insert(cells.begin(), cells.end());
    }
    return result;
  }
};

/// Accesses to shared memory in steps: by interval, and within it, where several steps follow each
/// other without a block barrier (`unrolled`), by the stores that the thread has made: a step ends
/// with one.
std::vector<Step> steps_of(const std::vector<Access>& accesses, bool unrolled) {
  std::vector<Step> steps;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keys;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> stores;  // interval, thread
  for (const Access& access : accesses) {
    // The first interval fills the array.
    if (!access.shared || access.interval == 0) continue;
    auto& stored = stores[{access.interval, access.thread}];
    const std::pair key{access.interval, unrolled ? stored : 0};
    if (access.write) ++stored;
    auto at = std::find(keys.begin(), keys.end(), key);
    if (at == keys.end()) {
      at = keys.insert(at, key);
      steps.emplace_back();
    }
    Step& step = steps[static_cast<std::size_t>(at - keys.begin())];
    (access.write ? step.written : step.read)[access.thread].insert(access.address / 4);
  }
  return steps;
}

}  // namespace

TreeSteps tree_steps(const std::string& variant) {
  constexpr std::uint32_t block_size = 256;
  const std::string line =
      fmt::format("{}@fixed f32->f32 sum n={} block={} grid=1", variant, block_size, block_size);
  const CaseRun run = run_case(line, true);
  TreeSteps steps;
  const auto by_interval = steps_of(run.accesses.at(0), false);
  const auto& intervals = run.profile.launches.at(0).intervals;
  for (std::size_t k = 0; k < 8; ++k) {
    // Interval 0 fills the array; the one after the last step stores the block's value.
    const auto& counters = intervals.at(k + 1).total;
    steps.degree.push_back(std::max(counters.shared_load.degree, counters.shared_store.degree));
    steps.conflicts.push_back(counters.shared_load.conflicts + counters.shared_store.conflicts);
    steps.divergent.push_back(counters.divergent_branches);
    std::map<std::uint32_t, std::uint64_t> lanes;
    for (const auto& [thread, cells] : by_interval.at(k).written) ++lanes[thread / 32];
    steps.warps.push_back(lanes.size());
    steps.lanes.push_back(lanes.empty() ? 0 : lanes.begin()->second);
  }
  return steps;
}

Touched touched_again(const std::string& variant, const std::string& form, std::uint32_t block,
                      bool unrolled) {
  const CaseRun run = run_case(
      fmt::format("{}@{} f32->f32 sum n={} block={} grid=1", variant, form, block, block), true);
  const auto steps = steps_of(run.accesses.at(0), unrolled);
  Touched result;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Cells added = steps[k].added();
    result.added += added.size();
    if (k + 1 == steps.size()) break;
    const Cells next = steps[k + 1].touched();
    for (const std::uint64_t cell : added) result.again += next.contains(cell) ? 1 : 0;
  }
  return result;
}

}  // namespace gauntlet::claims
