// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The witnesses of what a check found to race.
#pragma once

#include <vector>

#include "properties/hunt/check.hpp"
#include "properties/hunt/subject.hpp"
#include "properties/witness/witness.hpp"

namespace gauntlet::formats {

/// Of each form with a race: the committed one, replayed (a form of the catalogue), or one that is
/// searched for (a spec's kernel). Forms without a schedule that makes the result wrong are left
/// out.
[[nodiscard]] std::vector<witness::Witness> witnesses(const properties::CheckReport& report,
                                                      const properties::Subject& subject);

}  // namespace gauntlet::formats
