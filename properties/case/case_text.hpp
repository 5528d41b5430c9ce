// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases as people read them, and in JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_fields.hpp"
#include "properties/case/case.hpp"
#include "properties/case/variant.hpp"

namespace gauntlet {

/// The case without the keys that hold their defaults; parse_case gives the same Case back. The
/// line that people read and paste.
[[nodiscard]] std::string short_line(const Case& c);

/// "gauntlet repro 'sum.gauntlet n=3'", to be pasted.
[[nodiscard]] std::string repro_command(const Case& c, std::string_view options = {});

/// In JSON a case is its line.
inline void to_json(Json& json, const Case& c) { json = to_string(c); }
[[nodiscard]] inline Case read_json(const Json& json, const Case*) {
  return parse_case(json.get_ref<const std::string&>());
}

// How what a form shows is written.

/// "race_read_write partials", or the kind alone where no array is involved.
[[nodiscard]] std::string spell(const Expected& what);
/// "race_read_write partials, wrong_result out", or "nothing".
[[nodiscard]] std::string spell(const std::vector<Expected>& all);

}  // namespace gauntlet
