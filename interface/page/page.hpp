// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Results as one HTML page that needs no network: the template with the documents in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_fields.hpp"

namespace gauntlet::report {

/// Whether the page shows documents of this schema ("gauntlet.check").
[[nodiscard]] bool shows(std::string_view schema);
/// "list, check, ...", of all that it shows.
[[nodiscard]] std::string shown_schemas();

/// The document without what the page does not show: samples of timings, findings of tools but for
/// their kinds. Throws JsonShapeError where a member that is to be shown is missing.
[[nodiscard]] Json slim(Json document);

/// The page: the template with `documents`, in their order, as JSON.
[[nodiscard]] std::string page(const std::vector<Json>& documents);

}  // namespace gauntlet::report
