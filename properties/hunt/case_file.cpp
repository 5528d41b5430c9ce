// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "base/os/file.hpp"

namespace gauntlet::properties {

namespace fs = std::filesystem;

std::vector<CaseEntry> parse_case_file(std::string_view text, const std::string& file_name,
                                       std::string_view fact) {
  std::vector<CaseEntry> entries;
  std::string note, line;
  std::istringstream lines{std::string(text)};
  const auto complete = [&] {
    if (entries.empty() || !entries.back().facts.empty()) return;
    throw CaseError(fmt::format("{}: no line `{}` below the case says what it shows",
                                entries.back().where, fact));
  };
  for (int number = 1; std::getline(lines, line); ++number) {
    const auto where = fmt::format("{}:{}", file_name, number);
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

std::vector<CaseEntry> load_case_file(const fs::path& path, std::string_view fact) {
  if (!fs::exists(path)) return {};
  const auto text = os::read_file(path);
  if (!text) throw CaseError(fmt::format("{}: cannot be read", path.string()));
  return parse_case_file(*text, path.filename().string(), fact);
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
