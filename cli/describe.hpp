// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Spellings that more than one verb prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/catalogue.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {

/// "poison_output out, wrong_result out"; "nothing" when empty.
[[nodiscard]] std::string spell(const std::vector<kernels::Expected>& expected);

}  // namespace gauntlet::cli
