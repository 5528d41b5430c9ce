// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/regressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "base/data_folder.hpp"
#include "base/finding.hpp"
#include "base/os/file.hpp"
#include "properties/hunt/check.hpp"

namespace gauntlet::properties {
namespace {

namespace fs = std::filesystem;

fs::path folder(const std::string& dir) { return dir.empty() ? default_regressions_dir() : dir; }

constexpr std::string_view fact = "! KIND ARRAY, with - for no array";

Expected parse_expected(const CaseEntry::Fact& fact_line) {
  const auto& [text, where] = fact_line;
  std::istringstream words{text};
  std::string kind, array, more;
  words >> kind >> array;
  if (array.empty() || words >> more) {
    throw CaseError(fmt::format("{}: `! {}`: write {}", where, text, fact));
  }
  const auto parsed = parse<FindingKind>(kind);
  if (!parsed) throw CaseError(fmt::format("{}: unknown finding kind `{}`", where, kind));
  return {*parsed, array == "-" ? "" : array};
}

std::string spell(const Expected& expected) {
  return fmt::format("{} {}", name(expected.kind), expected.array.empty() ? "-" : expected.array);
}

std::string file_text(const FormReport& form) {
  std::string text;
  for (const Counterexample& example : form.counterexamples) {
    const Finding& first = example.findings.front();
    text += fmt::format("# {}: {}\n", example.property,
                        first.detail.empty() ? name(first.kind) : first.detail);
    text += to_string(example.c) + '\n';
    for (const Expected& expected : example.shows) text += fmt::format("! {}\n", spell(expected));
  }
  return text;
}

}  // namespace

std::string default_regressions_dir() {
  return data_folder("regressions", GAUNTLET_REGRESSIONS_DIR);
}

std::vector<Regression> load_regressions(const std::string& dir, std::string_view variant,
                                         std::string_view form) {
  std::vector<Regression> regressions;
  for (CaseEntry& entry : load_case_file(folder(dir) / case_file_name(variant, form), fact)) {
    Regression& regression =
        regressions.emplace_back(Regression{std::move(entry.c), {}, entry.where});
    for (const CaseEntry::Fact& f : entry.facts) regression.shows.push_back(parse_expected(f));
    std::ranges::sort(regression.shows);
    if (regression.c.variant != variant || regression.c.form != form) {
      throw CaseError(fmt::format("{}: the case is of {}@{}; the file is named after {}@{}",
                                  regression.where, regression.c.variant, regression.c.form,
                                  variant, form));
    }
  }
  return regressions;
}

std::vector<std::string> write_regressions(const CheckReport& report, const std::string& dir) {
  std::vector<std::string> written;
  fs::create_directories(folder(dir));
  for (const FormReport& form : report.forms) {
    if (form.outcome != Outcome::as_expected) continue;
    const fs::path path = folder(dir) / case_file_name(form.variant, form.form);
    write_case_file(path, file_text(form));
    if (!form.counterexamples.empty()) written.push_back(path.string());
  }
  return written;
}

std::vector<CaseEntry> load_case_file(const fs::path& path, std::string_view fact) {
  if (!fs::exists(path)) return {};
  const auto text = os::read_file(path);
  if (!text) throw CaseError(fmt::format("{}: cannot be read", path.string()));
  std::vector<CaseEntry> entries;
  std::string note, line;
  std::istringstream lines{*text};
  const auto complete = [&] {
    if (entries.empty() || !entries.back().facts.empty()) return;
    throw CaseError(fmt::format("{}: no line `{}` below the case says what it shows",
                                entries.back().where, fact));
  };
  for (int number = 1; std::getline(lines, line); ++number) {
    const auto where = fmt::format("{}:{}", path.filename().string(), number);
    if (line.empty()) continue;
    if (line[0] == '#') {
      note = line.substr(std::min<std::size_t>(2, line.size()));
    } else if (line[0] != '!') {
      complete();
      try {
        entries.push_back({parse_case(line), note, {}, where});
      } catch (const CaseError& error) {
        throw CaseError(fmt::format("{}: {}", where, error.what()));
      }
    } else if (!line.starts_with("! ")) {
      throw CaseError(fmt::format("{}: `{}`: write {}", where, line, fact));
    } else if (entries.empty()) {
      throw CaseError(fmt::format("{}: `{}` comes before any case line", where, line));
    } else {
      entries.back().facts.push_back({line.substr(2), where});
    }
  }
  complete();
  return entries;
}

std::vector<CaseEntry> load_case_files(const fs::path& folder, std::string_view fact) {
  if (!fs::exists(folder)) return {};
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<CaseEntry> all;
  for (const fs::path& path : paths)
    std::ranges::move(load_case_file(path, fact), std::back_inserter(all));
  return all;
}

std::string case_file_name(std::string_view variant, std::string_view form) {
  return fmt::format("{}@{}.txt", variant, form);
}

void write_case_file(const fs::path& path, const std::string& text) {
  if (text.empty()) {
    fs::remove(path);
    return;
  }
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
}

}  // namespace gauntlet::properties
