// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How what a form shows is written.
#pragma once

#include <string>
#include <vector>

#include "properties/case/variant.hpp"

namespace gauntlet {

/// "race_read_write partials", or the kind alone where no array is involved.
[[nodiscard]] std::string spell(const Expected& what);
/// "race_read_write partials, wrong_result out", or "nothing".
[[nodiscard]] std::string spell(const std::vector<Expected>& all);

}  // namespace gauntlet
