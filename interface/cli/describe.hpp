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

// docs/documents.md: which texts the letters A to E stand for, and for each of their kernels the
// variant, its defects, the statements that judge it and the first counterexample.

/// From the catalogue, the statements and the committed counterexamples (`regressions_dir` empty:
/// the source tree's). Throws CaseError for a file of counterexamples that does not parse.
[[nodiscard]] std::string documents_page(const std::string& regressions_dir = "");

}  // namespace gauntlet::cli
