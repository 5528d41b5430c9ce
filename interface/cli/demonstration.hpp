// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet repro claim:N: the smallest demonstration of a statement's verdict.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "kernels/claims/demonstration.hpp"

namespace gauntlet::cli {

/// What "claim:3" asks for; nothing for a text that is no such request. Throws UsageError, in one
/// line, for a number without a demonstration.
[[nodiscard]] std::optional<claims::Demonstration> asked_demonstration(std::string_view text);

/// Of a demonstration that has launches of its own.
[[nodiscard]] std::string text(const claims::Demonstration& demonstration,
                               const std::vector<claims::Demonstrated>& shown, const Style& style);
[[nodiscard]] Json to_json(const claims::Demonstration& demonstration,
                           const std::vector<claims::Demonstrated>& shown);

}  // namespace gauntlet::cli
