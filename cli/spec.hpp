// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The verbs for kernels of a user, which a spec describes (docs/own_kernels.md).
#pragma once

#include <string>

#include "properties/check.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {

/// `gauntlet check FILE.gauntlet...`; `flags`: a file for read_flags. The exit code.
[[nodiscard]] int check_specs(properties::CheckOptions options, const std::string& on,
                              const std::string& with, const std::string& json,
                              const std::string& flags);

/// `gauntlet repro 'FILE.gauntlet ...'`. The exit code.
[[nodiscard]] int repro_spec(const Case& c, const std::string& on, const std::string& json,
                             bool alone, const std::string& flags);

/// What was found in each spec, with the line that replays it.
[[nodiscard]] std::string spec_report(const properties::CheckReport& report, const Style& style,
                                      const std::string& flags = {});

}  // namespace gauntlet::cli
