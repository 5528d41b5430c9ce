// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Spellings that more than one verb prints, and their JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.hpp"
#include "core/finding.hpp"
#include "kernels/catalogue.hpp"
#include "oracle/oracle.hpp"
#include "text/json_file.hpp"

namespace gauntlet::cli {

/// The case without the keys that hold their defaults; parse_case gives the same Case back. The
/// line that people read and paste.
[[nodiscard]] std::string short_line(const Case& c);

/// "poison_output out, wrong_result out"; "nothing" when empty.
[[nodiscard]] std::string spell(const std::vector<kernels::Expected>& expected);

[[nodiscard]] Json to_json(const kernels::Expected& expected);
[[nodiscard]] Json to_json(const std::vector<kernels::Expected>& expected);
[[nodiscard]] Json to_json(const Finding& finding);
/// Kahan's sum beside the exact one; null where there is none.
[[nodiscard]] Json to_json(const std::optional<SumReference>& reference);

/// {"schema": "gauntlet.VERB", "version": json_schema_version}
[[nodiscard]] Json json_head(std::string_view verb);

}  // namespace gauntlet::cli
