// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of gauntlet sanitize.
#pragma once

#include <string>

#include "interface/cli/options.hpp"
#include "sanitizer/kernel/combinations.hpp"

namespace gauntlet::cli {

struct SanitizeCommand {
  sanitize::Request request;
  std::string json, sarif;  ///< paths of the results
};

/// Declares the verb, whose action is `run`.
void add_sanitize(CLI::App& app, Action& action, int (*run)(SanitizeCommand));

}  // namespace gauntlet::cli
