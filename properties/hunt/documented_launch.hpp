// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which cases a document itself could have launched: a counterexample among these speaks of what is
// printed, not of a block that nobody asked for.
#pragma once

#include "properties/case/case.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::properties {

/// n > 0, a block that the document names or implies (Variant::documented_blocks), as many blocks
/// as n needs, an input that starts where it was allocated.
[[nodiscard]] bool is_documented_launch(const Subject& subject, const Case& c);

}  // namespace gauntlet::properties
