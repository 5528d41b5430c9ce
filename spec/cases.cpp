// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "spec/cases.hpp"

#include <fmt/format.h>

#include <sstream>

#include "kernels/spelling.hpp"
#include "os/file.hpp"
#include "text/json_file.hpp"

namespace gauntlet::spec {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The file, or nothing where none is new.
std::string keep_cases_of(const properties::FormReport& form) {
  const std::string path = cases_path(form.variant);
  std::string text = os::read_file(path).value_or("");
  if (!text.empty() && text.back() != '\n') text += '\n';
  const std::size_t before = text.size();
  for (const properties::Counterexample& example : form.counterexamples) {
    if (example.from_regressions) continue;
    Case c = example.c;
    c.variant = file_name(c.variant);
    std::string shows;
    for (const kernels::Expected& what : example.shows) {
      shows += (shows.empty() ? "" : ", ") + kernels::spell(what);
    }
    text += fmt::format("# {}\n{}\n", shows, to_string(c));
  }
  if (text.size() == before) return {};
  JsonFile(path).write_text(text);
  return path;
}

}  // namespace

std::string cases_path(std::string_view spec_path) {
  return std::string(spec_path.substr(0, spec_path.rfind('.'))) + ".cases";
}

std::vector<properties::Regression> read_cases(std::string_view spec_path) {
  const std::string path = cases_path(spec_path);
  std::vector<properties::Regression> cases;
  std::istringstream file(os::read_file(path).value_or(""));
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const std::string where = fmt::format("{}:{}", path, number);
    try {
      cases.push_back({parse_case(line), {}, where});
    } catch (const CaseError& error) {
      throw CaseError(fmt::format("{}: {}", where, error.what()));
    }
    Case& c = cases.back().c;
    if (file_name(c.variant) != file_name(spec_path)) {
      throw CaseError(fmt::format("{}: the case is of {}", where, c.variant));
    }
    c.variant = spec_path;
  }
  return cases;
}

std::vector<std::string> keep_cases(const properties::CheckReport& report) {
  std::vector<std::string> paths;
  for (const properties::FormReport& form : report.forms) {
    std::string path = form.extra.empty() ? std::string{} : keep_cases_of(form);
    if (!path.empty()) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace gauntlet::spec
