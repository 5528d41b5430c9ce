// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The executors that --on can name.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "harness/executor.hpp"

namespace gauntlet::cli {

/// The executor is known but not part of this build. what() is one line; exit_no_executor.
struct NoExecutor : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "simt" or "cuda". Throws UsageError for another word, NoExecutor for one that is not built.
[[nodiscard]] std::unique_ptr<Executor> make_executor(const std::string& name);

}  // namespace gauntlet::cli
