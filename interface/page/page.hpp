// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Results as one HTML page that needs no network: the template with the documents in it.
#pragma once

#include <filesystem>
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

/// Whose results they are, as a document of the page: its first heading, and what stands below.
[[nodiscard]] Json about(const std::string& project, const std::string& commit,
                         const std::string& date);

/// Beside the places of findings and launches in `document`, "file" and "line", puts the line
/// itself as "source", where one of `folders` has the file.
void add_sources(Json& document, const std::vector<std::filesystem::path>& folders);

/// The page: the template with `documents`, in their order, as JSON.
[[nodiscard]] std::string page(const std::vector<Json>& documents);

}  // namespace gauntlet::report
