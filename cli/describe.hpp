// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Spellings that more than one verb prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/case.hpp"
#include "core/finding.hpp"
#include "kernels/catalogue.hpp"
#include "text/json_file.hpp"

namespace gauntlet::cli {

/// The case without the keys that hold their defaults; parse_case gives the same Case back. The
/// line that people read and paste.
[[nodiscard]] std::string short_line(const Case& c);

/// "poison_output out, wrong_result out"; "nothing" when empty.
[[nodiscard]] std::string spell(const std::vector<kernels::Expected>& expected);

}  // namespace gauntlet::cli
