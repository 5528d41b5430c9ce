// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/machine/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "core/scalar.hpp"
#include "sanitizer/machine/causes.hpp"
#include "sanitizer/machine/excerpt.hpp"

namespace gauntlet::sanitize {
namespace {

constexpr std::size_t values_in_text = 256, values_in_json = 1024;

std::string cut(std::string line) {
  if (line.size() <= columns) return line;
  line.resize(columns - 3);
  return line + "...";
}

std::string thread(const Party& party) {
  const Dim3& b = party.block;
  const std::string block =
      b.y == 0 && b.z == 0 ? fmt::format("{}", b.x) : fmt::format("({},{},{})", b.x, b.y, b.z);
  return fmt::format("block {} warp {} lane {}{}", block, party.warp, party.lane,
                     party.value.empty() ? "" : ", value " + party.value);
}

/// "write by " of the two parties of a race: the finding's own, the other one.
std::pair<std::string_view, std::string_view> verbs(FindingKind kind) {
  switch (kind) {
    case FindingKind::race_read_write:
      return {"write by ", "read by "};
    case FindingKind::race_write_read:
      return {"read by ", "write by "};
    case FindingKind::race_write_write:
    case FindingKind::race_same_value:
      return {"write by ", "write by "};
    default:
      return {"by ", "by "};
  }
}

/// A place in the source with the lines that its marks name; where they cannot be read the labels
/// alone.
void add_place(std::vector<std::string>& text, const std::string& file, std::vector<Mark> marks) {
  const std::uint32_t line = marks.front().line;
  if (!file.empty() || line != 0) {
    text.push_back(line == 0 ? "  at " + file : fmt::format("  at {}:{}", file, line));
  }
  const auto shown = excerpt(file, marks, columns);
  text.insert(text.end(), shown.begin(), shown.end());
  if (!shown.empty()) return;
  for (const Mark& mark : marks) {
    const std::string where =
        marks.size() == 1 || mark.line == 0 ? "" : fmt::format(" at :{}", mark.line);
    text.push_back("  " + mark.label + where);
  }
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

/// Launch by launch.
std::vector<Cause> causes_of(const SanitizeResult& result) {
  std::vector<Cause> all;
  for (const std::uint32_t launch : {1U, 2U}) {
    std::vector<const Finding*> findings;
    for (const Found& found : result.findings) {
      if (found.launch == launch) findings.push_back(&found.finding);
    }
    for (Cause& cause : causes(findings)) all.push_back(std::move(cause));
  }
  return all;
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

std::string told(const Cause& cause, const Style& style) {
  const Finding& f = cause.shown();
  std::vector<std::string> text;
  const bool many = cause.findings.size() > 1;
  std::string head = fmt::format("{}: {}", name(f.severity), name(f.kind));
  if (!f.array.empty()) head += fmt::format(" {}[{}]", f.array, f.index);
  if (f.size != 0) head += ", " + counted(f.size, "byte");
  if (cause.count > 1) head += fmt::format(" ({} times)", cause.count);
  text.push_back(without_controls(head));
  if (!f.detail.empty()) text.push_back("  " + without_controls(f.detail));
  if (!f.kernel.empty() || !f.at.file.empty()) {
    const auto [own, others] = verbs(f.kind);
    std::vector<Mark> marks{{f.at.line, 0, std::string(own) + thread(f.at)}};
    const bool one_file = f.other && f.other->file == f.at.file;
    if (one_file) marks.push_back({f.other->line, 0, std::string(others) + thread(*f.other)});
    add_place(text, f.at.file, std::move(marks));
    if (f.other && !one_file) {
      add_place(text, f.other->file, {{f.other->line, 0, std::string(others) + thread(*f.other)}});
    }
  }
  if (many) {
    const std::string lines = cause.other_lines();
    text.push_back(fmt::format("  {} pairs of lines lack the same order{}{}; --json lists them",
                               cause.findings.size(), lines.empty() ? "" : ", also at ", lines));
  }
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const std::string& line = text[k];
    const bool quoted = line.find(" | ") != line.npos;  // source, fitted already
    const auto own = std::min(line.find_first_not_of(' '), line.size());
    std::string shown = quoted ? line : line.substr(0, own) + wrap(line, own + 2, own);
    const auto colon = shown.find(':');
    if (k == 0 && f.severity != Severity::note) {
      shown = style.bad(shown.substr(0, colon)) + shown.substr(colon);
    }
    result += shown + "\n";
  }
  return result;
}

std::string new_findings(const ScheduleRun& run, const std::vector<Found>& findings,
                         const std::vector<Found>& earlier, const SanitizeOptions& options,
                         const Style& style) {
  std::string text;
  for (const std::uint32_t launch : {1U, 2U}) {
    std::vector<const Finding*> all;
    for (const Found& found : earlier) {
      if (found.launch == launch) all.push_back(&found.finding);
    }
    const std::set<const Finding*> told_before(all.begin(), all.end());
    for (const Found& found : findings) {
      if (found.launch == launch) all.push_back(&found.finding);
    }
    std::string here;
    for (const Cause& cause : causes(all)) {
      if (!told_before.contains(cause.findings.front())) here += told(cause, style);
    }
    if (!here.empty() && launch == 2) text += style.bold("in the second launch") + "\n";
    text += here;
  }
  if (text.empty() || options.schedules.size() == 1) return text;
  return style.bold(fmt::format("under {}", run.schedule)) + "\n" + text;
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
  if (!result.accesses_arrays) {
    text +=
        wrap(
            "note: the kernel accesses no array, so that this proves nothing: nvcc leaves out what "
            "nobody can see; let the kernel write its result to an array, or add -- -G",
            2, 0) +
        "\n";
  }
  std::string verdict;
  const std::vector<Cause> all = causes_of(result);
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    const auto count = static_cast<std::size_t>(std::ranges::count(
        all, severity, [](const Cause& cause) { return cause.shown().severity; }));
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
  const std::string coloured =
      result.clean(options.strict) ? style.good(verdict) : style.bad(verdict);
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
           {"clean", result.clean(options.strict)},
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
