// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <optional>
#include <string>

#include "base/printable.hpp"
#include "base/text/text.hpp"
#include "interface/page/page.hpp"

namespace gauntlet::report {
namespace {

constexpr std::size_t longest_line = 400;

std::optional<std::string> line_of(const std::filesystem::path& file, std::uint64_t number) {
  std::ifstream stream(file);
  std::string line;
  for (std::uint64_t at = 0; at < number; ++at) {
    if (!std::getline(stream, line)) return std::nullopt;
  }
  const auto first = line.find_first_not_of(" \t");
  return first == line.npos ? std::string() : line.substr(first, longest_line);
}

/// A place has a file and a line, and is a thread's or a call's; steps of a trace, of which there
/// are thousands, are none.
bool is_place(const Json& object) {
  const auto file = object.find("file"), line = object.find("line");
  return file != object.end() && file->is_string() && line != object.end() &&
         line->is_number_unsigned() && *line != 0 && !object.contains("does");
}

}  // namespace

void add_sources(Json& document, const std::vector<std::filesystem::path>& folders) {
  if (document.is_object() && is_place(document)) {
    for (const std::filesystem::path& folder : folders) {
      const auto line = line_of(folder / document["file"].get<std::string>(), document["line"]);
      if (!line) continue;
      document["source"] = without_controls(*line);
      break;
    }
  }
  if (!document.is_structured()) return;
  for (Json& member : document) add_sources(member, folders);
}

}  // namespace gauntlet::report
