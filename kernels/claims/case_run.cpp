// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/claims/case_run.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/plan.hpp"
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

}  // namespace gauntlet::claims
