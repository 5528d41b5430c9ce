// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/os/file.hpp"
#include "base/text/json_file.hpp"
#include "base/usage_error.hpp"
#include "properties/case/case_text.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Empty where there is no such file. Throws UsageError.
std::string text_of(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return {};
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw UsageError(fmt::format("{}: is no regular file", path));
  }
  if (auto text = os::read_file(path)) return *std::move(text);
  throw UsageError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
}

/// Adds what is new to the file at `path`. Throws UsageError, std::runtime_error.
bool keep_cases_of(const properties::FormReport& form, const std::string& path) {
  std::string text = text_of(path);
  if (!text.empty() && text.back() != '\n') text += '\n';
  const std::size_t before = text.size();
  for (const properties::Counterexample& example : form.counterexamples) {
    if (example.from_regressions) continue;
    Case c = example.c;
    c.variant = file_name(c.variant);
    std::string shows;
    for (const Expected& what : example.shows) {
      shows += (shows.empty() ? "" : ", ") + spell(what);
    }
    text += fmt::format("# {}\n{}\n", shows, to_string(c));
  }
  if (text.size() != before) JsonFile(path, {}).write_text(text);
  return text.size() != before;
}

}  // namespace

std::string cases_path(std::string_view spec_path) {
  return std::string(spec_path.substr(0, spec_path.rfind('.'))) + ".cases";
}

properties::Known read_cases(std::string_view spec_path,
                             const std::function<Case(const Case&)>& completed) {
  const std::string path = cases_path(spec_path);
  properties::Known known;
  known.where = path;
  std::istringstream file;
  try {
    file.str(text_of(path));
  } catch (const UsageError& error) {
    known.stale.push_back(fmt::format("{}; its cases are not replayed", error.what()));
  }
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const std::string where = fmt::format("{}:{}", path, number);
    try {
      Case c = parse_case(line);
      if (file_name(c.variant) != file_name(spec_path)) {
        throw CaseError(fmt::format("the case is of {}", c.variant));
      }
      c.variant = spec_path;
      known.cases.push_back({completed(c), {}, where});
    } catch (const CaseError& error) {
      known.stale.push_back(
          fmt::format("{}: {}; skipped: correct or delete the line", where, error.what()));
    }
  }
  return known;
}

properties::Kept keep_cases(const properties::CheckReport& report) {
  properties::Kept kept;
  for (const properties::FormReport& form : report.forms) {
    if (form.extra.empty()) continue;
    const std::string path = cases_path(form.variant);
    try {
      if (keep_cases_of(form, path)) kept.files.push_back(path);
    } catch (const std::exception& error) {
      kept.failures.emplace_back(error.what());
    }
  }
  return kept;
}

}  // namespace gauntlet::spec
