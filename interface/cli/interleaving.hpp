// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the threads of a race do, drawn in text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "properties/witness/trace.hpp"

namespace gauntlet::cli {

/// A diagram: steps in the order of the schedule, a column for each thread, an arrow from one
/// access of a cell to the next one by another thread. `place`: of a step, for the last column.
[[nodiscard]] std::string interleaving(
    const std::vector<witness::Step>& steps,
    const std::function<std::string(const witness::Step&)>& place, const Style& style);

}  // namespace gauntlet::cli
