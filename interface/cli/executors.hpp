// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The executors that --on can name.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "properties/case/executor.hpp"

namespace gauntlet::cli {

/// The executor is known but cannot be used here: not part of this build, or no GPU. what() is one
/// line; exit_no_executor.
struct NoExecutor : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "simt" or "cuda". Throws UsageError for another word, NoExecutor for one that cannot be used,
/// with what to do `instead`. `interrupted` ends a run of "simt", as in its ExecutorOptions.
[[nodiscard]] std::unique_ptr<Executor> make_executor(const std::string& name,
                                                      const std::atomic<bool>& interrupted,
                                                      const std::string& instead = "use --on simt");

/// Threads that keep an executor busy: one per core, or for a GPU enough to fill its batches.
[[nodiscard]] unsigned default_jobs(const Executor& executor);

/// Candidates that shrinking tries on a GPU: each that fails may cost a worker process.
inline constexpr unsigned gpu_shrink_steps = 12;

/// What a GPU's workers went through, to follow the time; empty for the SIMT machine.
[[nodiscard]] std::string executor_notes(const Executor& executor);

}  // namespace gauntlet::cli
