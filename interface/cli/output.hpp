// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How a verb tells what it found, and how it ends: text on standard output, remarks and progress on
// standard error, a JSON file, an interrupt, an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/progress.hpp"
#include "base/text/text.hpp"
#include "interface/formats/alerts.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::cli {

/// A line on standard error: wrapped where that is a terminal, whole where it is a file.
void remark(const std::string& line);

/// What results say of who made them, "gauntlet 0.9 (commit ...)". Set once, before any.
void set_maker(std::string maker);
[[nodiscard]] const std::string& maker();
/// The document with `made_by` behind its schema and version, where there is a maker.
[[nodiscard]] Json signed_by(const std::string& maker, const Json& document);

class Output {
 public:
  /// `json`: the path that --json names, or nothing. Throws UsageError where it cannot be written.
  /// `unit`: what the progress counts.
  explicit Output(std::string json, std::string unit = "forms");

  /// Set by SIGINT, SIGTERM and SIGHUP from the first call on. `told`: what is then said of the
  /// result, "this is what was compared until then".
  const std::atomic<bool>& watch(std::string told = {});

  Progress progress;
  const Style style;

  /// On standard output, at once; on standard error where an option writes to standard output.
  void print(const std::string& text);
  /// On standard error, a line.
  void remark(const std::string& line);
  /// Whatever is still to be printed, then the JSON file, signed. Returns the exit code: of an
  /// interrupt where one came, else of `as_expected`.
  [[nodiscard]] int finish(const std::string& text, const Json& json, bool as_expected,
                           const std::string& remark = {});
  /// The same with a document that is text already.
  [[nodiscard]] int finish(const std::string& text, const std::string& json, bool as_expected,
                           const std::string& remark = {});

 private:
  JsonFile file_;
  std::string told_;
  const std::atomic<bool>* interrupted_ = nullptr;
};

// The files for other programs that a verb writes beside its text.

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
