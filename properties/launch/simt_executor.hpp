// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The Executor that runs a Case's plan on the SIMT machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/device.hpp"
#include "properties/case/case.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet::simt {

class Module;
class ModuleState;
struct LaunchConfig;
struct Profile;

struct ExecutorOptions {
  bool checks = true;
  bool races = true;             ///< detect data races; needs checks
  std::uint64_t step_limit = 0;  ///< 0: the machine's default
  bool record = false;  ///< Observation::schedule becomes a replay string (schedule_string.hpp)
  bool prints = false;  ///< Observation::printed is kept
  /// Gives the module that a launch names in place of the plan's (Plan::module); nullptr from it:
  /// the plan's. Called from the thread that runs the case.
  std::function<std::shared_ptr<const Module>(const std::string& name)> module = {};
  /// Not null: every launch appends its counters by line (machine/counters/counters.hpp). Then run
  /// is for one thread at a time.
  Profile* profile = nullptr;
  /// A programmatic dependent launch begins when the one before has ended: whether anything may go
  /// wrong when it does not is then said by races alone.
  bool in_order = false;
  /// Once true, a run ends at its next step by Interrupted. Null: none does.
  const std::atomic<bool>* interrupted = nullptr;
  /// Called for every launch in place of simt::launch, for example to ask for its event log.
  std::function<LaunchReport(ModuleState&, LaunchConfig&)> launch = {};
};

[[nodiscard]] std::unique_ptr<Executor> make_executor(const ExecutorOptions& options = {});

// What running a case on the SIMT machine costs the host.

/// Inputs of more bytes than this are made page by page, as a kernel touches them. A window of
/// blocks touches little of its input.
[[nodiscard]] std::uint64_t sparse_from(const Case& c);

/// Elements that the input has, its tail included. A floating-point number: n goes up to 2^64 - 1.
[[nodiscard]] double input_elements(const Case& c, const Plan& plan);

/// Bytes of host memory that the case needs at most. `races`: with the race detector.
[[nodiscard]] double memory_needed(const Case& c, const Plan& plan, bool races);

/// Throws CaseError, in one line, where that is more than the host has free.
void check_memory(const Case& c, const Plan& plan, bool races);

}  // namespace gauntlet::simt
