// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The names that a spec declares and those that its expressions use.
#pragma once

#include <set>
#include <string>

#include "properties/language/spec.hpp"

namespace gauntlet::spec {

/// Declares n, rows and columns where they are used and no `size` says what they are. `names`: all
/// that is declared.
void add_implied_sizes(Spec& spec, std::set<std::string>& names);

/// Throws UsageError for a name that is not known where it stands, with the nearest one that is,
/// and for an array or a reduction where an integer is needed.
void check_names(const Spec& spec, const std::set<std::string>& names);

}  // namespace gauntlet::spec
