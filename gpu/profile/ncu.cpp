// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/profile/ncu.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/numbers.hpp"

namespace gauntlet::profile {
namespace {

/// The fields of one line: quoted, a quote within doubled.
std::vector<std::string> fields(std::string_view line) {
  std::vector<std::string> all(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        all.back() += line[i++];
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      all.emplace_back();
    } else {
      all.back() += line[i];
    }
  }
  return all;
}

std::optional<std::uint64_t> whole(std::string text) {
  std::erase(text, ',');  // thousands
  const auto value = parse_number<double>(text, 0);
  if (!value) return {};
  return static_cast<std::uint64_t>(std::llround(*value));
}

}  // namespace

std::vector<NcuLaunch> parse_ncu(std::string_view csv, std::string_view file) {
  std::vector<NcuLaunch> launches;
  std::vector<std::string> head;
  std::size_t id = 0, kernel = 0, metric = 0, value = 0;
  std::string current;
  while (!csv.empty()) {
    const auto end = std::min(csv.find('\n'), csv.size());
    std::string_view line = csv.substr(0, end);
    csv.remove_prefix(std::min(end + 1, csv.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line.front() != '"') continue;  // ncu's own remarks
    auto row = fields(line);
    if (head.empty()) {
      head = std::move(row);
      const auto column = [&](std::string_view name) {
        const auto found = std::find(head.begin(), head.end(), name);
        if (found == head.end()) {
          throw NcuError(std::string(file) + ": no column `" + std::string(name) +
                         "`; profile with ncu --csv --print-units base");
        }
        return static_cast<std::size_t>(found - head.begin());
      };
      id = column("ID");
      kernel = column("Kernel Name");
      metric = column("Metric Name");
      value = column("Metric Value");
      continue;
    }
    if (row.size() != head.size()) {
      throw NcuError(std::string(file) + ": a line with " + std::to_string(row.size()) +
                     " fields instead of " + std::to_string(head.size()));
    }
    if (launches.empty() || row[id] != current) {
      current = row[id];
      launches.push_back({row[kernel], {}});
    }
    if (const auto v = whole(row[value])) launches.back().metrics[row[metric]] = *v;
  }
  if (launches.empty()) throw NcuError(std::string(file) + ": no launch was profiled");
  return launches;
}

}  // namespace gauntlet::profile
