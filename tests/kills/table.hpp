// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/kills.md.
#pragma once

#include <string>
#include <vector>

#include "tests/kills/kill.hpp"

namespace gauntlet::kills {

/// The page, in Markdown: one table for each variant that has something to delete.
[[nodiscard]] std::string table(const std::vector<std::vector<Row>>& variants);

}  // namespace gauntlet::kills
