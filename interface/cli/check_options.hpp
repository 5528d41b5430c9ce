// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of gauntlet check.
#pragma once

#include <string>

#include "interface/cli/exports.hpp"
#include "interface/cli/options.hpp"
#include "properties/hunt/check.hpp"

namespace gauntlet::cli {

/// Without --cases.
inline constexpr unsigned default_spec_cases = 200;

struct CheckCommand {
  properties::CheckOptions check;
  std::string on = "simt";
  std::string json;
  std::string with;  ///< tools of compute-sanitizer
  std::string flags;
  Exports exports;
  bool write_regressions = false;
  bool no_regressions = false;
  bool unshrunk = false;
  bool verbose = false;
};

/// Declares the verb, whose action is `run`.
void add_check(CLI::App& app, Action& action, int (*run)(CheckCommand));

}  // namespace gauntlet::cli
