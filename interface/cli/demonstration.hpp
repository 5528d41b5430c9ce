// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet repro claim:N: the smallest demonstration of a statement's verdict.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernels/claims/demonstration.hpp"

namespace gauntlet::cli {

/// What "claim:3" asks for; nothing for a text that is no such request. Throws UsageError, in one
/// line, for a number without a demonstration.
[[nodiscard]] std::optional<claims::Demonstration> asked_demonstration(std::string_view text);

/// Of one that has launches of its own: runs them and tells what they show. The exit code.
[[nodiscard]] int demonstrate(const claims::Demonstration& demonstration, const std::string& json);

}  // namespace gauntlet::cli
