// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `gauntlet list` prints of variants.
#pragma once

#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "properties/case/variant.hpp"

namespace gauntlet::cli {

/// What the catalogue says of a variant, and what was compiled; docs/json.md describes the JSON.
[[nodiscard]] std::string text(const Variant& variant, const Style& style);
[[nodiscard]] Json to_json(const Variant& variant);

/// The numbers of the documents' statements that the variant judges.
[[nodiscard]] std::vector<int> statements_about(const std::string& variant);

/// A row for each.
[[nodiscard]] std::string brief(const std::vector<const Variant*>& variants, const Style& style);
/// "23 printed, 8 described, 6 ours", none of 0.
[[nodiscard]] std::string by_origin(const std::vector<const Variant*>& variants);

}  // namespace gauntlet::cli
