// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/profile/issue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/numbers.hpp"
#include "kernels/subject.hpp"

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

std::vector<Case> issue_cases() {
  std::vector<Case> cases;
  for (const char* variant : {"interleaved_atomic", "wide_active", "int4_through_shared"}) {
    for (const int block : {8, 32, 256}) {
      cases.push_back(kernels::compiled_kernels().completed(
          parse_case(fmt::format("{}@fixed i32->i32 sum n=100000000 block={}", variant, block))));
    }
  }
  return cases;
}

std::string source_of_folder(std::string_view folder) {
  constexpr std::size_t date = 10;  // YYYY-MM-DD
  if (folder.size() <= date + 1) return std::string(folder);
  std::string device(folder.substr(date + 1));
  std::replace(device.begin(), device.end(), '-', ' ');
  return fmt::format("{}, {}", device, folder.substr(0, date));
}

std::vector<IssueCount> read_issue(std::string_view csv) {
  const auto launches = parse_ncu(csv, "issue.csv");
  const auto cases = issue_cases();
  if (launches.size() != cases.size()) {
    throw NcuError(fmt::format("issue.csv: {} launches instead of {}; record it with ci/gpu-issue",
                               launches.size(), cases.size()));
  }
  std::vector<IssueCount> counts;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const auto sum = [&](std::string_view pattern) {
      std::uint64_t total = 0;
      for (const char* op : {"ld", "st"}) {
        const std::string metric = fmt::format(fmt::runtime(pattern), op);
        const auto found = launches[k].metrics.find(metric);
        if (found == launches[k].metrics.end()) {
          throw NcuError(fmt::format("issue.csv: launch {} has no {}", k, metric));
        }
        total += found->second;
      }
      return total;
    };
    counts.push_back({cases[k], sum("smsp__inst_executed_op_shared_{}_pred_on_any.sum"),
                      sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"),
                      sum("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"),
                      sum("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum")});
  }
  return counts;
}

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
