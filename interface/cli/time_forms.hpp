// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet time with variants of the catalogue: those that pass are timed.
#pragma once

#include <string>

#include "gpu/timing/pass.hpp"
#include "interface/cli/output.hpp"

namespace gauntlet::cli {

struct TimeForms {
  timing::PassOptions pass;  ///< selectors, samples
  std::string sizes, types;  ///< lists, as --n and --types; empty: the defaults
  std::string passed;        ///< what check wrote; empty: they are checked first
  std::string markdown;      ///< the page; empty: standard output
};

/// The exit code. Throws cuda::Unavailable where there is no GPU, UsageError.
[[nodiscard]] int time_forms(TimeForms options, Output& output);

}  // namespace gauntlet::cli
