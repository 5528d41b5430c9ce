// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's cases in which counters are compared with a GPU's.
#pragma once

#include <vector>

#include "properties/case/case.hpp"

namespace gauntlet::profile {

/// Every variant's fixed form in its first documented types: whole blocks and a partial one, and
/// blocks that are not whole warps where the form takes them. Grid filled in. No case in which
/// blocks wait for each other.
[[nodiscard]] std::vector<Case> form_cases();

}  // namespace gauntlet::profile
