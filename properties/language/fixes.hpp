// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a spec says of its kernel's fixes (docs/own_kernels.md):
//
//   fix barrier: the sums of the warps are read behind it
//     shows race_write_read warps, poison_output y
//   without barrier bounds: shows unallocated
//   documented
//     hides poison_output y
#pragma once

#include "properties/case/forms.hpp"
#include "properties/language/spec.hpp"
#include "properties/language/statements.hpp"

namespace gauntlet::spec {

/// Takes the statement where it is one of these; else false. Throws UsageError.
bool take_fix(const Statement& statement, FixesEntry& fixes);

/// The same of what is said of several fixes together, and of the documented form, once all fixes
/// are known. Throws UsageError.
bool take_several_fixes(const Statement& statement, Spec& spec);

}  // namespace gauntlet::spec
