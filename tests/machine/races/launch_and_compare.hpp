// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches with the race detector on, judged by the second opinion (happens_before.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "machine/engine/machine.hpp"
#include "machine/state/event_log.hpp"

namespace gauntlet::simt::test {

/// Launches with the detector on and the log kept, and compares the two, and the detector with
/// itself on the same memory without a log. Returns the report; `difference` receives "" or what
/// one of them found and the other one did not.
[[nodiscard]] LaunchReport launch_and_compare(ModuleState& state, LaunchConfig config,
                                              std::string& difference);

/// Two blocks of kernel `f` with the detector on, and a log where one is given.
[[nodiscard]] inline LaunchConfig two_blocks(std::uint32_t threads, const std::string& schedule,
                                             EventLog* log) {
  LaunchConfig config;
  config.entry = "f";
  config.grid = {2};
  config.block = {threads};
  config.schedule = schedule;
  config.races = true;
  config.log = log;
  return config;
}

}  // namespace gauntlet::simt::test
