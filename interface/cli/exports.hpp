// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The files for other programs that a verb writes beside its text.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "interface/formats/alerts.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::cli {

/// Those of `gauntlet check`.
struct Exports {
  std::string sarif, junit, markdown;  ///< paths; empty: not wanted
};

CLI::Option* add_sarif(CLI::App& verb, std::string& path);
/// Where a path is given.
void write_sarif(const std::string& path, const std::string& verb,
                 const std::vector<formats::Alert>& alerts);

void add_exports(CLI::App& verb, Exports& exports);

/// Before any work. Throws UsageError for a path that cannot be written.
void require_writable(const Exports& exports);
using gauntlet::require_writable;  // of one file

/// The witnesses that SARIF and Markdown show are searched for in specs only.
void write(const Exports& exports, const properties::CheckReport& report,
           const properties::Subject& subject);

}  // namespace gauntlet::cli
