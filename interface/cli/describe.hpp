// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `gauntlet list` prints of variants.
#pragma once

#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::cli {

/// What is said of a variant, and what it is compiled for; docs/json.md describes the JSON.
[[nodiscard]] std::string text(const properties::Subject& subject, const Variant& variant,
                               const Style& style);
[[nodiscard]] Json to_json(const properties::Subject& subject, const Variant& variant);

/// The numbers of the documents' statements that the variant judges.
[[nodiscard]] std::vector<int> statements_about(const std::string& variant);

/// A row for each.
[[nodiscard]] std::string brief(const std::vector<const Variant*>& variants, const Style& style);
/// ": 23 printed, 8 described, 6 ours", none of 0; empty where nobody says.
[[nodiscard]] std::string by_origin(const std::vector<const Variant*>& variants);

}  // namespace gauntlet::cli
