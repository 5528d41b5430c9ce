// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/session/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/scalar.hpp"

namespace gauntlet::sanitize {
namespace {

constexpr std::size_t values_in_text = 256, values_in_json = 1024;

std::vector<std::string> first_values(const ObservedBuffer& array, std::size_t most) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(most, array.defined.size()); ++i) {
    words.push_back(format_cell(array.type, array.bytes.data(), i, array.defined[i]));
  }
  return words;
}

/// The kernel, and which combination of several it is.
std::string title(const SanitizeOptions& options) {
  return options.combination.empty() ? options.kernel
                                     : fmt::format("{} {}", options.kernel, options.combination);
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
  Json json{{"schedule", run.schedule},
            {"completed", run.completed},
            {"found", found},
            {"counters", run.counters}};
  if (!run.printed.empty()) json["printed"] = run.printed;
  return json;
}

/// What `json` makes of each.
template <class Range, class F>
Json each(const Range& range, F json) {
  Json array = Json::array();
  for (const auto& one : range) array.push_back(json(one));
  return array;
}

}  // namespace

std::string new_findings(const ScheduleRun& run, const std::vector<Found>& findings,
                         const std::vector<Found>& earlier, const SanitizeOptions& options,
                         const Style& style) {
  const std::string printed = told_printed(run.printed, style);
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
  text = printed + text;
  if (text.empty() || options.schedules.size() == 1) return text;
  return style.bold(fmt::format("under {}", run.schedule)) + "\n" + text;
}

std::string values(const ObservedBuffer& array) {
  const std::string head = fmt::format("{} = ", array.name);
  std::string list = fmt::format("{}", fmt::join(first_values(array, values_in_text), ", "));
  if (array.defined.size() > values_in_text) {
    list += fmt::format(", ... ({} elements; --dump {}=FILE.npy writes them all)",
                        array.defined.size(), array.name);
  }
  return head + wrap(list, head.size(), head.size()) + "\n";
}

namespace {

/// An access of a shared array without a byte: only the dynamic one can have none.
bool uses_dynamic_shared(const SanitizeResult& result) {
  return std::ranges::any_of(result.runs, [](const ScheduleRun& run) {
    return std::ranges::any_of(run.findings, [](const Found& found) {
      const std::string& detail = found.finding.detail;
      return detail.starts_with("shared array ") && detail.find(" has 0 bytes") != detail.npos;
    });
  });
}

}  // namespace

std::string summary(const SanitizeResult& result, const SanitizeOptions& options,
                    const Style& style) {
  std::string text;
  for (const Dependence& d : result.dependences) {
    text +=
        wrap(fmt::format("note: {}[{}] depends on the schedule: {} under {}, {} under {}", d.array,
                         d.index, d.value, d.schedule, d.other_value, d.other_schedule),
             2, 0) +
        "\n";
  }
  if (!result.accesses_arrays) {
    text +=
        wrap(
            "note: the kernel accesses no array, so this proves nothing: nvcc removes what has no "
            "effect; let the kernel write its result to an array, or add -- -G",
            2, 0) +
        "\n";
  }
  if (options.launch.shared_bytes == 0 && uses_dynamic_shared(result)) {
    text +=
        wrap(
            "hint: the kernel declares extern __shared__ memory, of which this launch has none; "
            "add --shared BYTES",
            2, 0) +
        "\n";
  }
  const std::string found = verdict(causes_of(result));
  std::uint64_t instructions = 0;
  for (const ScheduleRun& run : result.runs) instructions += run.counters.warp_instructions;
  std::string over = result.runs.size() == 1 ? result.runs.front().schedule
                                             : counted(result.runs.size(), "schedule");
  if (result.runs.size() < options.schedules.size()) {
    over += fmt::format(" of {}", options.schedules.size());
  }
  if (result.interrupted) over += ", interrupted";
  const std::string coloured = result.clean(options.strict) ? style.good(found) : style.bad(found);
  const std::string line = fmt::format("{}: {} ({}, {})", title(options), found, over,
                                       counted(instructions, "warp instruction"));
  if (line.size() > columns) return text + wrap(line, 2, 0) + "\n";
  return text + fmt::format("{}: {} ({}, {})\n", title(options), coloured, over,
                            counted(instructions, "warp instruction"));
}

namespace {

/// The parameters in their order, then what else the command line names.
Json arguments(const spec::Loaded& loaded) {
  const spec::Spec& spec = loaded.program.spec;
  spec::Evaluator evaluator(loaded.program, {});
  std::vector<spec::Parameter> all = spec.parameters;
  for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
    const bool passed =
        std::ranges::any_of(all, [&](const spec::Parameter& p) { return p.array && p.index == k; });
    if (!passed) all.push_back({true, k});
  }
  return each(all, [&](const spec::Parameter& p) {
    const auto one = [&](const auto& a, std::uint64_t count, bool read_only) {
      return Json{{"name", a.name}, {"type", a.type},         {"array", p.array},
                  {"count", count}, {"read_only", read_only}, {"given", a.where.statement}};
    };
    if (!p.array) {
      const spec::Scalar& s = spec.scalars[p.index];
      return one(s, s.bytes() / size_of(s.type), false);
    }
    const spec::Array& a = spec.arrays[p.index];
    return one(a, evaluator.elements(p.index), a.role == spec::Role::in);
  });
}

}  // namespace

Json to_json(const SanitizeResult& result, const SanitizeOptions& options) {
  Json json(
      Json{{"kernel", options.kernel},
           {"symbol", options.launch.entry},
           {"grid", options.launch.grid},
           {"block", options.launch.block},
           {"shared_bytes", options.launch.shared_bytes},
           {"cooperative", options.launch.cooperative},
           {"repeat", options.repeat},
           {"races", options.races},
           {"arguments", arguments(*options.loaded)},
           {"clean", result.clean(options.strict)},
           {"interrupted", result.interrupted},
           {"findings", each(result.findings, [](const Found& found) { return to_json(found); })},
           {"schedules", each(result.runs, [](const ScheduleRun& run) { return to_json(run); })}});
  json["depends_on_schedule"] = each(result.dependences, [&](const Dependence& d) {
    const Json values = {{{"schedule", d.schedule}, {"value", d.value}},
                         {{"schedule", d.other_schedule}, {"value", d.other_value}}};
    return Json{{"array", d.array}, {"index", d.index}, {"values", values}};
  });
  json["dumped"] = Json::array();
  for (const ObservedBuffer& a : result.arrays) {
    if (std::ranges::count(options.dumps, a.name, &Dump::array) == 0) continue;
    json["dumped"].push_back(Json{{"name", a.name},
                                  {"type", a.type},
                                  {"cells", a.defined.size()},
                                  {"values", first_values(a, values_in_json)}});
  }
  return json;
}

}  // namespace gauntlet::sanitize
