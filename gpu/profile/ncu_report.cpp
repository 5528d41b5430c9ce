// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/statistics.hpp"
#include "base/text/table.hpp"
#include "gpu/profile/ncu.hpp"

namespace gauntlet::profile {
namespace {

/// The unexplained last.
constexpr Rule rules[] = {Rule::merged, Rule::hoisted, Rule::loop, Rule::extra_passes, Rule::none};

/// "LEAST to MOST, median MEDIAN"
std::string spread(const NcuComparison& c, bool micro, double (ComparedLaunch::*ratio)() const) {
  std::vector<double> all;
  for (const auto& l : c.launches) {
    if (l.micro() == micro) all.push_back((l.*ratio)());
  }
  if (all.empty()) return "none";
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  return fmt::format("{:.2f} to {:.2f}, median {:.2f}", *least, *most, median(all));
}

std::vector<std::pair<std::string, std::string>> summary(const NcuComparison& c) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& [key, value] : c.facts) rows.emplace_back(key, value);
  const auto micro = static_cast<std::size_t>(
      std::count_if(c.launches.begin(), c.launches.end(), [](const auto& l) { return l.micro(); }));
  rows.emplace_back("launches", fmt::format("{} of fixed forms, {} of micro-kernels",
                                            c.launches.size() - micro, micro));
  std::size_t different = 0;
  for (const auto rule : rules) different += c.differing(rule);
  rows.emplace_back("counters",
                    fmt::format("{} compared, {} equal", c.counters(), c.counters() - different));
  for (const auto rule : rules) {
    rows.emplace_back(name(rule), fmt::format("{}", c.differing(rule)));
  }
  rows.emplace_back("warp instructions",
                    fmt::format("SASS for each of PTX: forms {}; micro-kernels {}",
                                spread(c, false, &ComparedLaunch::warp_ratio),
                                spread(c, true, &ComparedLaunch::warp_ratio)));
  rows.emplace_back(
      "thread instructions",
      fmt::format("forms {}; micro-kernels {}", spread(c, false, &ComparedLaunch::thread_ratio),
                  spread(c, true, &ComparedLaunch::thread_ratio)));
  rows.emplace_back("margin", fmt::format("{} to {}; launches outside: {}", least_ratio, most_ratio,
                                          c.outside_margin()));
  return rows;
}

/// "16" where both say so, else "machine / GPU".
std::string pair(std::uint64_t machine, std::uint64_t gpu, std::string_view between = " / ") {
  return machine == gpu ? fmt::format("{}", gpu) : fmt::format("{}{}{}", machine, between, gpu);
}
std::string pair(const ComparedLaunch& l, std::string_view counter) {
  const auto& all = compared_counters();
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].name == counter) return pair(all[k].machine(l.machine), l.gpu[k]);
  }
  return "?";
}

std::string forms_table(const NcuComparison& c) {
  Table table({"case", "launch", "global load", "global store", "global atomic", "shared load",
               "shared store", "warp instr.", "ratio", "thread ratio", "rule"});
  for (const auto& l : c.launches) {
    if (l.micro()) continue;
    std::string rule;
    for (const auto& d : l.differences) {
      if (rule.find(name(d.rule)) != std::string::npos) continue;
      rule += (rule.empty() ? "" : ", ") + std::string(name(d.rule));
    }
    const auto global = [&](const std::string& what) {
      return pair(l, what + ".requests") + "; " + pair(l, what + ".sectors");
    };
    const auto shared = [&](const std::string& what) {
      return pair(l, what + ".requests") + "; " + pair(l, what + ".wavefronts") + "; " +
             pair(l, what + ".conflicts");
    };
    table.row({l.name.substr(0, l.name.find(" data=")), fmt::to_string(l.index + 1),
               global("global_load"), global("global_store"), global("global_atomic"),
               shared("shared_load"), shared("shared_store"),
               pair(l.machine.warp_instructions, l.gpu_warp_instructions),
               fmt::format("{:.2f}", l.warp_ratio()), fmt::format("{:.2f}", l.thread_ratio()),
               rule.empty() ? "equal" : rule});
  }
  return table.markdown();
}

std::string micro_table(const NcuComparison& c) {
  struct Row {
    std::size_t launches = 0, counters = 0, different = 0, unexplained = 0;
  };
  std::map<std::string, Row> rows;
  for (const auto& l : c.launches) {
    if (!l.micro()) continue;
    auto& row = rows[l.name.substr(0, l.name.find(' '))];
    ++row.launches;
    row.counters += l.gpu.size();
    row.different += l.differences.size();
    for (const auto& d : l.differences) row.unexplained += d.rule == Rule::none ? 1U : 0U;
  }
  Table table({"micro-kernel", "launches", "counters", "equal", "explained", "unexplained"}, 1);
  for (const auto& [name, row] : rows) {
    table.row({name, fmt::to_string(row.launches), fmt::to_string(row.counters),
               fmt::to_string(row.counters - row.different),
               fmt::to_string(row.different - row.unexplained), fmt::to_string(row.unexplained)});
  }
  return table.markdown();
}

std::string unexplained(const NcuComparison& c) {
  std::string text;
  for (const auto& l : c.launches) {
    for (const auto& d : l.differences) {
      if (d.rule != Rule::none) continue;
      const auto& counter = compared_counters()[d.counter];
      text += fmt::format("{} (launch {}): {} is {} on the machine and {} on the GPU\n", l.name,
                          l.index + 1, counter.name, counter.machine(l.machine), l.gpu[d.counter]);
    }
    for (const auto& [what, ratio] :
         {std::pair{"warp", l.warp_ratio()}, std::pair{"thread", l.thread_ratio()}}) {
      if (ratio >= least_ratio && ratio <= most_ratio) continue;
      text += fmt::format("{} (launch {}): {:.2f} {} instructions for each of the machine's\n",
                          l.name, l.index + 1, ratio, what);
    }
  }
  return text;
}

}  // namespace

std::string markdown(const NcuComparison& c) {
  std::string text = "# Counters of the SIMT machine and of a GPU\n\n";
  text += "Generated by `gauntlet count --ncu`. docs/counters.md says what is counted and how.\n\n";
  text += "| what | |\n| --- | --- |\n";
  for (const auto& [what, value] : summary(c)) text += fmt::format("| {} | {} |\n", what, value);
  text += "\nDifferences that a rule explains:\n\n";
  for (const auto rule : rules) {
    if (rule != Rule::none && c.differing(rule) != 0) {
      text += fmt::format("- **{}**: {}.\n", name(rule), describe(rule));
    }
  }
  const auto open = unexplained(c);
  if (!open.empty()) text += "\nUnexplained:\n\n```\n" + open + "```\n";
  text +=
      "\n## Fixed forms\n\nGlobal accesses: requests; sectors. Shared accesses: requests; "
      "wavefronts; conflicts. One number where both agree, else machine / GPU. Ratios: GPU "
      "instructions for each of the machine's.\n\n";
  text += forms_table(c);
  text += "\n## Micro-kernels\n\n" + micro_table(c);
  return text;
}

Json to_json(const NcuComparison& c) {
  Json json = json_head("count-ncu");
  for (const auto& [key, value] : c.facts) json[key] = value;
  json["launches"] = c.launches.size();
  json["counters"] = c.counters();
  for (const auto rule : rules) json["differences"][std::string(name(rule))] = c.differing(rule);
  json["outside_margin"] = c.outside_margin();
  json["columns"] = "warp_instructions thread_instructions";
  for (const auto& counter : compared_counters()) {
    json["columns"] = json["columns"].get<std::string>() + " " + counter.name;
  }
  json["rows"] = Json::array();
  for (const auto& l : c.launches) {
    std::string values = pair(l.machine.warp_instructions, l.gpu_warp_instructions, "/");
    values += " " + pair(l.machine.thread_instructions, l.gpu_thread_instructions, "/");
    for (std::size_t k = 0; k < l.gpu.size(); ++k) {
      values += " " + pair(compared_counters()[k].machine(l.machine), l.gpu[k], "/");
    }
    Json row{{"case", l.name}, {"launch", l.index + 1}, {"entry", l.entry}, {"values", values}};
    for (const auto& d : l.differences) {
      row["rules"][compared_counters()[d.counter].name] = name(d.rule);
    }
    json["rows"].push_back(std::move(row));
  }
  return json;
}

std::string text(const NcuComparison& c) {
  std::string text;
  for (const auto& [what, value] : summary(c)) {
    text += fmt::format("  {:<20} {}\n", what, wrap(value, 23, 23));
  }
  return text + unexplained(c) +
         (c.agrees() ? "the machine and the GPU agree; 0 unexplained differences\n"
                     : "NOT in agreement\n");
}

}  // namespace gauntlet::profile
