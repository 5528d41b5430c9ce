// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/regressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/data_folder.hpp"
#include "core/finding.hpp"
#include "properties/check.hpp"

namespace gauntlet::properties {
namespace {

namespace fs = std::filesystem;

fs::path folder(const std::string& dir) { return dir.empty() ? default_regressions_dir() : dir; }

std::string file_name(std::string_view variant, std::string_view form) {
  return fmt::format("{}@{}.txt", variant, form);
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw CaseError(fmt::format("{}: cannot be read", path.string()));
  return std::move(text).str();
}

kernels::Expected parse_expected(std::string_view line, const std::string& where) {
  std::istringstream words{std::string(line)};
  std::string bang, kind, array, more;
  words >> bang >> kind >> array;
  if (bang != "!" || array.empty() || words >> more) {
    throw CaseError(fmt::format("{}: `{}`: write ! KIND ARRAY, with - for no array", where, line));
  }
  const auto parsed = parse<FindingKind>(kind);
  if (!parsed) throw CaseError(fmt::format("{}: unknown finding kind `{}`", where, kind));
  return {*parsed, array == "-" ? "" : array};
}

std::string spell(const kernels::Expected& expected) {
  return fmt::format("{} {}", name(expected.kind), expected.array.empty() ? "-" : expected.array);
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
}

std::string file_text(const FormReport& form) {
  std::string text;
  for (const Counterexample& example : form.counterexamples) {
    const Finding& first = example.findings.front();
    text += fmt::format("# {}: {}\n", example.property,
                        first.detail.empty() ? name(first.kind) : first.detail);
    text += to_string(example.c) + '\n';
    for (const kernels::Expected& expected : example.shows)
      text += fmt::format("! {}\n", spell(expected));
  }
  return text;
}

}  // namespace

std::string default_regressions_dir() {
  return data_folder("regressions", GAUNTLET_REGRESSIONS_DIR);
}

std::vector<Regression> parse_regressions(std::string_view text, const std::string& file_name) {
  std::vector<Regression> regressions;
  std::istringstream lines{std::string(text)};
  std::string line;
  const auto complete = [&] {
    if (!regressions.empty() && regressions.back().shows.empty()) {
      throw CaseError(fmt::format("{}: no line `! KIND ARRAY` says what the case must show",
                                  regressions.back().where));
    }
  };
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string where = fmt::format("{}:{}", file_name, number);
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != '!') {
      complete();
      try {
        regressions.push_back({parse_case(line), {}, where});
      } catch (const CaseError& error) {
        throw CaseError(fmt::format("{}: {}", where, error.what()));
      }
    } else if (regressions.empty()) {
      throw CaseError(fmt::format("{}: `{}` comes before any case line", where, line));
    } else {
      regressions.back().shows.push_back(parse_expected(line, where));
    }
  }
  complete();
  for (Regression& regression : regressions) {
    std::sort(regression.shows.begin(), regression.shows.end());
  }
  return regressions;
}

std::vector<Regression> load_regressions(const std::string& dir, std::string_view variant,
                                         std::string_view form) {
  const fs::path path = folder(dir) / file_name(variant, form);
  if (!fs::exists(path)) return {};
  std::vector<Regression> regressions = parse_regressions(read(path), path.filename().string());
  for (const Regression& regression : regressions) {
    if (regression.c.variant != variant || regression.c.form != form) {
      throw CaseError(fmt::format("{}: the case is of {}@{}; the file is named after {}@{}",
                                  regression.where, regression.c.variant, regression.c.form,
                                  variant, form));
    }
  }
  return regressions;
}

std::vector<Regression> load_all_regressions(const std::string& dir) {
  std::vector<fs::path> paths;
  if (!fs::exists(folder(dir))) return {};
  for (const auto& entry : fs::directory_iterator(folder(dir))) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Regression> all;
  for (const fs::path& path : paths) {
    for (Regression& regression : parse_regressions(read(path), path.filename().string())) {
      all.push_back(std::move(regression));
    }
  }
  return all;
}

std::vector<std::string> write_regressions(const CheckReport& report, const std::string& dir) {
  std::vector<std::string> written;
  const fs::path to = folder(dir);
  fs::create_directories(to);
  for (const FormReport& form : report.forms) {
    if (form.outcome != Outcome::as_expected) continue;
    const fs::path path = to / file_name(form.variant, form.form);
    if (form.counterexamples.empty()) {
      fs::remove(path);
      continue;
    }
    write(path, file_text(form));
    written.push_back(path.string());
  }
  return written;
}

}  // namespace gauntlet::properties
