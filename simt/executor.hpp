// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The Executor that runs a Case's plan on the SIMT machine.
#pragma once

#include <memory>

#include "harness/executor.hpp"

namespace gauntlet::simt {

struct ExecutorOptions {
  bool checks = true;
  bool races = false;            ///< detect data races; needs checks
  std::uint64_t step_limit = 0;  ///< 0: the machine's default
};

[[nodiscard]] std::unique_ptr<Executor> make_executor(const ExecutorOptions& options = {});

}  // namespace gauntlet::simt
