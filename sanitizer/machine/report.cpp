// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/machine/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "core/scalar.hpp"

namespace gauntlet::sanitize {
namespace {

constexpr std::size_t most_lines = 5;
constexpr std::size_t values_in_text = 256, values_in_json = 1024;

std::string cut(std::string line) {
  if (line.size() <= columns) return line;
  line.resize(columns - 3);
  return line + "...";
}

/// The lines, broken where they are too long.
std::vector<std::string> broken(const std::vector<std::string>& whole) {
  std::vector<std::string> result;
  for (const std::string& line : whole) {
    const auto own = std::min(line.find_first_not_of(' '), line.size());
    std::istringstream parts(std::string(own, ' ') + wrap(line, own + 2, own));
    for (std::string part; std::getline(parts, part);) result.push_back(part);
  }
  return result;
}

bool fits(const std::vector<std::string>& lines) {
  return lines.size() <= most_lines &&
         std::ranges::all_of(lines, [](const auto& line) { return line.size() <= columns; });
}

/// Without folders but in the first place, which says where to look.
Finding shortened(Finding finding) {
  const auto strip = [&](const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == path.npos) return;
    for (auto at = finding.detail.find(path); at != std::string::npos;
         at = finding.detail.find(path)) {
      finding.detail.erase(at, slash + 1);
    }
  };
  strip(finding.at.file);
  if (finding.other) {
    strip(finding.other->file);
    finding.other->file.erase(0, finding.other->file.rfind('/') + 1);
  }
  return finding;
}

/// Thread and place in one line, without the kernel's name, which the last line of a run tells.
std::vector<std::string> merged(std::vector<std::string> lines) {
  if (lines.size() < 3 || !lines[1].starts_with("  by ") || !lines[2].starts_with("  at ")) {
    return lines;
  }
  lines[1] = lines[1].substr(0, lines[1].find(" of ")) + lines[2].substr(1);
  lines.erase(lines.begin() + 2);
  return lines;
}

std::vector<std::string> first_values(const Argument& argument, const ArrayState& state,
                                      std::size_t most) {
  std::vector<std::string> words;
  const auto size = size_of(argument.type);
  for (std::size_t i = 0; i < std::min<std::uint64_t>(most, argument.count); ++i) {
    words.push_back(state.defined[i] ? format_value(argument.type, state.bytes.data() + i * size)
                                     : "undefined");
  }
  return words;
}

Json to_json(const Found& found) {
  Json json = found.finding;
  json["schedule"] = found.schedule;
  json["launch"] = found.launch;
  return json;
}

Json to_json(const ScheduleRun& run) {
  std::set<std::pair<std::string_view, std::string>> kinds;
  for (const Found& found : run.findings) {
    kinds.emplace(name(found.finding.kind), found.finding.array);
  }
  Json found = Json::array();
  for (const auto& [kind, array] : kinds) found.push_back(Json{{"kind", kind}, {"array", array}});
  return Json{{"schedule", run.schedule},
              {"completed", run.completed},
              {"found", found},
              {"counters", run.counters}};
}

/// What `json` makes of each.
template <class Range, class F>
Json each(const Range& range, F json) {
  Json array = Json::array();
  for (const auto& one : range) array.push_back(json(one));
  return array;
}

}  // namespace

std::string five_lines(const Finding& finding, const Style& style) {
  const Finding brief = shortened(finding);
  auto whole = lines(finding);
  if (!fits(broken(whole))) whole = lines(brief);
  if (!fits(broken(whole))) whole = merged(lines(brief));
  auto lines = broken(whole);
  if (!fits(lines)) {  // as much of the detail as there is room for
    const std::size_t behind = finding.other ? 1 : 0;
    const auto detail = whole.end() - static_cast<std::ptrdiff_t>(behind + !brief.detail.empty());
    lines.assign(whole.begin(), detail);
    for (const std::string& line :
         broken({detail, whole.end() - static_cast<std::ptrdiff_t>(behind)})) {
      if (lines.size() + behind < most_lines) {
        lines.push_back(line);
      } else if (!lines.back().ends_with("...")) {
        lines.back() = cut(lines.back() + std::string(columns, ' '));
      }
    }
    if (behind != 0) lines.push_back(whole.back());
  }
  std::string text;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string line = cut(lines[k]);
    const bool marked = k == 0 && finding.severity != Severity::note;
    const auto colon = line.find(':');
    text +=
        marked && colon != line.npos ? style.bad(line.substr(0, colon)) + line.substr(colon) : line;
    text += '\n';
  }
  return text;
}

std::string new_findings(const ScheduleRun& run, const std::vector<Found>& findings,
                         const SanitizeOptions& options, const Style& style) {
  std::string text;
  std::uint32_t launch = 1;
  if (!findings.empty() && options.schedules.size() > 1) {
    text += style.bold(fmt::format("under {}", run.schedule)) + "\n";
  }
  for (const Found& found : findings) {
    if (found.launch != launch) {
      launch = found.launch;
      text += style.bold("in the second launch") + "\n";
    }
    text += five_lines(found.finding, style);
  }
  return text;
}

std::string values(const Argument& argument, const ArrayState& state) {
  const std::string head = fmt::format("{} = ", argument.name);
  std::string list =
      fmt::format("{}", fmt::join(first_values(argument, state, values_in_text), ", "));
  if (argument.count > values_in_text) {
    list += fmt::format(", ... ({} elements; --dump {}=FILE.npy writes them all)", argument.count,
                        argument.name);
  }
  return head + wrap(list, head.size(), head.size()) + "\n";
}

std::string summary(const SanitizeResult& result, const SanitizeOptions& options,
                    const Style& style) {
  std::string text;
  for (const Dependence& d : result.dependences) {
    text += wrap(fmt::format("note: {}[{}] depends on the schedule: {} under {}, {} under {}",
                             options.arguments[d.argument].name, d.index, d.value, d.schedule,
                             d.other_value, d.other_schedule),
                 2, 0) +
            "\n";
  }
  std::string verdict;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    const auto count = result.count(severity);
    if (count == 0) continue;
    if (severity == Severity::note && verdict.empty()) verdict = "clean";
    verdict += fmt::format("{}{}", verdict.empty() ? "" : ", ", counted(count, name(severity)));
  }
  if (verdict.empty()) verdict = "clean";
  std::uint64_t instructions = 0;
  for (const ScheduleRun& run : result.runs) instructions += run.counters.warp_instructions;
  std::string over = result.runs.size() == 1 ? result.runs.front().schedule
                                             : counted(result.runs.size(), "schedule");
  if (result.runs.size() < options.schedules.size()) {
    over += fmt::format(" of {}", options.schedules.size());
  }
  if (result.interrupted) over += ", interrupted";
  const std::string coloured = result.clean() ? style.good(verdict) : style.bad(verdict);
  const std::string line = fmt::format("{}: {} ({}, {})", options.kernel, verdict, over,
                                       counted(instructions, "warp instruction"));
  if (line.size() > columns) return text + wrap(line, 2, 0) + "\n";
  return text + fmt::format("{}: {} ({}, {})\n", options.kernel, coloured, over,
                            counted(instructions, "warp instruction"));
}

std::string entry_list(const std::string& file, const std::vector<KernelEntry>& entries,
                       const Style& style) {
  std::string text = fmt::format("{}: {}\n", file, counted(entries.size(), "kernel"));
  for (const KernelEntry& entry : entries) {
    text += "  " + style.bold(wrap(entry.signature, 6, 2)) + "\n";
    for (std::size_t k = 0; k < entry.parameters.size(); ++k) {
      const auto& [bytes, type] = entry.parameters[k];
      text += cut(fmt::format("    {}  {:>8}{}{}", k + 1, counted(bytes, "byte"),
                              type.empty() ? "" : "  ", type)) +
              "\n";
    }
  }
  if (!entries.empty()) {
    text += wrap(
                "To run one: --entry NAME --grid G --block B and one --arg for each parameter, "
                "in order",
                2, 0) +
            "\n";
  }
  return text;
}

Json to_json(const std::string& file, const std::vector<KernelEntry>& entries) {
  Json json = json_head("sanitize");
  json["file"] = file;
  json["kernels"] = entries;
  return json;
}

Json to_json(const std::string& file, const SanitizeResult& result, const SanitizeOptions& options,
             const std::vector<Dump>& dumps) {
  Json json = json_head("sanitize");
  json.update(
      Json{{"file", file},
           {"kernel", options.kernel},
           {"symbol", options.symbol},
           {"grid", options.grid},
           {"block", options.block},
           {"shared_bytes", options.shared_bytes},
           {"cooperative", options.cooperative},
           {"repeat", options.repeat},
           {"races", options.races},
           {"arguments", options.arguments},
           {"clean", result.clean()},
           {"interrupted", result.interrupted},
           {"findings", each(result.findings, [](const Found& found) { return to_json(found); })},
           {"schedules", each(result.runs, [](const ScheduleRun& run) { return to_json(run); })}});
  json["depends_on_schedule"] = each(result.dependences, [&](const Dependence& d) {
    const Json values = {{{"schedule", d.schedule}, {"value", d.value}},
                         {{"schedule", d.other_schedule}, {"value", d.other_value}}};
    return Json{
        {"array", options.arguments[d.argument].name}, {"index", d.index}, {"values", values}};
  });
  json["dumped"] = Json::array();
  for (const ArrayState& state : result.arrays) {
    if (std::ranges::find(dumps, state.argument, &Dump::argument) == dumps.end()) continue;
    const Argument& a = options.arguments[state.argument];
    json["dumped"].push_back(Json{{"name", a.name},
                                  {"type", a.type},
                                  {"cells", a.count},
                                  {"values", first_values(a, state, values_in_json)}});
  }
  return json;
}

}  // namespace gauntlet::sanitize
