// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Spellings that more than one verb prints.
#pragma once

#include <string>

#include "kernels/catalogue.hpp"
#include "text/json_file.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {

/// What the catalogue says of a variant, and what was compiled; docs/json.md describes the JSON.
[[nodiscard]] std::string text(const kernels::Variant& variant, const Style& style);
[[nodiscard]] Json to_json(const kernels::Variant& variant);

}  // namespace gauntlet::cli
