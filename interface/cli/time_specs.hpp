// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet time FILE.gauntlet: kernels of a user, each after a check on the same GPU.
#pragma once

#include <string>
#include <vector>

#include "interface/cli/output.hpp"

namespace gauntlet::cli {

struct TimeSpecs {
  std::vector<std::string> paths;
  std::string sizes;         ///< as --n; empty: the default
  unsigned repetitions = 0;  ///< 0: the default
  std::string flags;         ///< as --flags
};

/// The exit code. Throws cuda::Unavailable where there is no GPU, UsageError.
[[nodiscard]] int time_specs(const TimeSpecs& options, Output& output);

}  // namespace gauntlet::cli
