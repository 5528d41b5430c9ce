// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The Plan of a case of the catalogue.
#pragma once

#include "core/plan.hpp"

namespace gauntlet::kernels {

/// The plan for a case. Throws CaseError (one line, with the nearest right spelling) for an unknown
/// variant or form, or types/operator with no compiled kernel.
[[nodiscard]] Plan plan(const Case& c);

}  // namespace gauntlet::kernels
