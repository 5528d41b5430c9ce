// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/count_ncu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/describe.hpp"
#include "cli/usage.hpp"
#include "core/statistics.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {
namespace {

using profile::ComparedLaunch;
using profile::NcuComparison;
using profile::Rule;

constexpr Rule rules[] = {Rule::merged, Rule::hoisted, Rule::loop, Rule::extra_passes, Rule::none};

bool agrees(const NcuComparison& c) {
  return c.differing(Rule::none) == 0 && c.outside_margin() == 0;
}

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
    rows.emplace_back(profile::name(rule), fmt::format("{}", c.differing(rule)));
  }
  rows.emplace_back("warp instructions",
                    fmt::format("SASS for each of PTX: forms {}; micro-kernels {}",
                                spread(c, false, &ComparedLaunch::warp_ratio),
                                spread(c, true, &ComparedLaunch::warp_ratio)));
  rows.emplace_back(
      "thread instructions",
      fmt::format("forms {}; micro-kernels {}", spread(c, false, &ComparedLaunch::thread_ratio),
                  spread(c, true, &ComparedLaunch::thread_ratio)));
  rows.emplace_back("margin", fmt::format("{} to {}; launches outside: {}", profile::least_ratio,
                                          profile::most_ratio, c.outside_margin()));
  return rows;
}

/// "16" where both say so, else "machine / GPU".
std::string pair(std::uint64_t machine, std::uint64_t gpu, std::string_view between = " / ") {
  return machine == gpu ? fmt::format("{}", gpu) : fmt::format("{}{}{}", machine, between, gpu);
}
std::string pair(const ComparedLaunch& l, std::string_view counter) {
  const auto& all = profile::compared_counters();
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].name == counter) return pair(all[k].machine(l.machine), l.gpu[k]);
  }
  return "?";
}

std::string forms_table(const NcuComparison& c) {
  std::string text =
      "| case | launch | global load | global store | global atomic | shared load | shared store | "
      "warp instr. | ratio | thread ratio | rule |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const auto& l : c.launches) {
    if (l.micro()) continue;
    std::string rule;
    for (const auto& d : l.differences) {
      if (rule.find(profile::name(d.rule)) != std::string::npos) continue;
      rule += (rule.empty() ? "" : ", ") + std::string(profile::name(d.rule));
    }
    const auto global = [&](const std::string& what) {
      return pair(l, what + ".requests") + "; " + pair(l, what + ".sectors");
    };
    const auto shared = [&](const std::string& what) {
      return pair(l, what + ".requests") + "; " + pair(l, what + ".wavefronts") + "; " +
             pair(l, what + ".conflicts");
    };
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {:.2f} | {:.2f} | {} |\n",
                        l.name.substr(0, l.name.find(" data=")), l.index + 1, global("global_load"),
                        global("global_store"), global("global_atomic"), shared("shared_load"),
                        shared("shared_store"),
                        pair(l.machine.warp_instructions, l.gpu_warp_instructions), l.warp_ratio(),
                        l.thread_ratio(), rule.empty() ? "equal" : rule);
  }
  return text;
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
  std::string text =
      "| micro-kernel | launches | counters | equal | explained | unexplained |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n";
  for (const auto& [name, row] : rows) {
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", name, row.launches, row.counters,
                    row.counters - row.different, row.different - row.unexplained, row.unexplained);
  }
  return text;
}

std::string unexplained(const NcuComparison& c) {
  std::string text;
  for (const auto& l : c.launches) {
    for (const auto& d : l.differences) {
      if (d.rule != Rule::none) continue;
      const auto& counter = profile::compared_counters()[d.counter];
      text += fmt::format("{} (launch {}): {} is {} on the machine and {} on the GPU\n", l.name,
                          l.index + 1, counter.name, counter.machine(l.machine), l.gpu[d.counter]);
    }
    for (const auto& [what, ratio] :
         {std::pair{"warp", l.warp_ratio()}, std::pair{"thread", l.thread_ratio()}}) {
      if (ratio >= profile::least_ratio && ratio <= profile::most_ratio) continue;
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
      text += fmt::format("- **{}**: {}.\n", profile::name(rule), profile::describe(rule));
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
  for (const auto rule : rules)
    json["differences"][std::string(profile::name(rule))] = c.differing(rule);
  json["outside_margin"] = c.outside_margin();
  json["columns"] = "warp_instructions thread_instructions";
  for (const auto& counter : profile::compared_counters()) {
    json["columns"] = json["columns"].get<std::string>() + " " + counter.name;
  }
  json["rows"] = Json::array();
  for (const auto& l : c.launches) {
    std::string values = pair(l.machine.warp_instructions, l.gpu_warp_instructions, "/");
    values += " " + pair(l.machine.thread_instructions, l.gpu_thread_instructions, "/");
    for (std::size_t k = 0; k < l.gpu.size(); ++k) {
      values += " " + pair(profile::compared_counters()[k].machine(l.machine), l.gpu[k], "/");
    }
    Json row{{"case", l.name}, {"launch", l.index + 1}, {"entry", l.entry}, {"values", values}};
    for (const auto& d : l.differences) {
      row["rules"][profile::compared_counters()[d.counter].name] = profile::name(d.rule);
    }
    json["rows"].push_back(std::move(row));
  }
  return json;
}

int count_ncu(const std::string& folder, const std::string& json, const std::string& page) {
  const JsonFile file(json);
  NcuComparison comparison;
  try {
    comparison = profile::compare_recording(folder);
  } catch (const profile::NcuError& error) {
    throw UsageError(fmt::format("--ncu {}", error.what()));
  }
  for (const auto& [what, value] : summary(comparison)) {
    fmt::print("  {:<20} {}\n", what, wrap(value, 23, 23));
  }
  fmt::print("{}", unexplained(comparison));
  fmt::print("{}\n", agrees(comparison) ? "the machine and the GPU agree; 0 unexplained differences"
                                        : "NOT in agreement");
  std::fflush(stdout);
  file.write(to_json(comparison));
  if (!page.empty()) {
    std::ofstream out(page, std::ios::binary);
    out << markdown(comparison);
    if (!out.flush()) {
      throw UsageError(fmt::format("--write {}: {}", page, std::system_category().message(errno)));
    }
  }
  return agrees(comparison) ? exit_as_expected : exit_not_as_expected;
}

}  // namespace gauntlet::cli
