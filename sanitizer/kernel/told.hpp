// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Findings of a launch in words, whoever launched it: causes with the lines of the source.
#pragma once

#include <string>
#include <vector>

#include "base/finding.hpp"
#include "base/text/text.hpp"
#include "sanitizer/kernel/causes.hpp"
#include "sanitizer/kernel/excerpt.hpp"

namespace gauntlet::sanitize {

/// What happened, why, and the user's source lines with a caret for each party, in lines of 80
/// columns; nothing is cut. Of a cause with many pairs of lines one is shown and the others are
/// named. `texts` are quoted in the place of files.
[[nodiscard]] std::string told(const Cause& cause, const Style& style,
                               const SourceTexts& texts = {});

/// All findings of a launch, cause by cause: errors, then warnings, then notes.
[[nodiscard]] std::string told(const std::vector<Finding>& findings, const Style& style,
                               const SourceTexts& texts = {});

/// What printf of the kernels wrote, line by line under a heading; empty where it wrote nothing.
[[nodiscard]] std::string told_printed(const std::string& printed, const Style& style);

/// "1 error, 2 warnings" by cause; "clean" where no cause is worse than a note, notes behind it.
[[nodiscard]] std::string verdict(const std::vector<Cause>& causes);

}  // namespace gauntlet::sanitize
