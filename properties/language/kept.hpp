// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which reductions of a result need not be evaluated for each cell, or for each term of another:
// Bound::kept and forgets.
#pragma once

#include "properties/language/program.hpp"

namespace gauntlet::spec {

/// Sets them in a result whose other members are set; `kept`: how many have such a number.
void keep_reductions(BoundResult& result, int& kept);

}  // namespace gauntlet::spec
