// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a spec tells people of its kernel (docs/own_kernels.md):
//
//   row        4
//   printed    A v2, E reduce3
//   idea       the tree halves its step, thread t adds cell t + k
//   claim      consecutive threads touch consecutive cells
//   contract   blocks of 1 to 1024 threads, one element each
#pragma once

#include "properties/language/spec.hpp"
#include "properties/language/statements.hpp"

namespace gauntlet::spec {

/// Takes the statement where it is one of these; else false. Throws UsageError.
bool take_about(const Statement& statement, About& about);

}  // namespace gauntlet::spec
