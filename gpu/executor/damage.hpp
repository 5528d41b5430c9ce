// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a launch changed that it should not have, as findings.
#pragma once

#include <string>
#include <vector>

#include "base/finding.hpp"
#include "gpu/executor/job.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet::cuda {

/// The entry that findings of a plan name; empty where it launches nothing.
[[nodiscard]] std::string first_kernel(const Plan& plan);

/// Adds a finding for what changed inside `array`, an input, and one for its guard cells.
void add_damage(const Damage& damage, const std::string& array, const Plan& plan,
                std::vector<Finding>& findings);

}  // namespace gauntlet::cuda
