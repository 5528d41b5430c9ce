// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "base/host_memory.hpp"
#include "base/os/parallel_for.hpp"
#include "base/scalar.hpp"
#include "sanitizer/kernel/npy.hpp"
#include "sanitizer/kernel/told.hpp"
#include "sanitizer/session/combinations.hpp"

namespace gauntlet::sanitize {

std::vector<std::string> first_values(const ObservedBuffer& array, std::size_t most) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(most, array.defined.size()); ++i) {
    words.push_back(format_cell(array.type, array.bytes.data(), i, array.defined[i]));
  }
  return words;
}

namespace {

constexpr std::size_t values_in_text = 256, values_in_json = 1024;

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

/// What a run printed, and the causes that it was the first to show, under a heading where the run
/// needs naming.
/// `earlier`: the findings of the runs before.
std::string new_findings(const ScheduleRun& run, std::span<const Found> findings,
                         std::span<const Found> earlier, const SanitizeOptions& options,
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

/// "out = 1, 2, 3", in lines of 80 columns; the first 256 elements.
std::string values(const ObservedBuffer& array) {
  const std::string head = fmt::format("{} = ", array.name);
  std::string list = fmt::format("{}", fmt::join(first_values(array, values_in_text), ", "));
  if (array.defined.size() > values_in_text) {
    list += fmt::format(", ... ({} elements; --dump {}=FILE.npy writes them all)",
                        array.defined.size(), array.name);
  }
  return head + wrap(list, head.size(), head.size()) + "\n";
}

/// An access of a shared array without a byte: only the dynamic one can have none.
bool uses_dynamic_shared(const SanitizeResult& result) {
  return std::ranges::any_of(result.runs, [](const ScheduleRun& run) {
    return std::ranges::any_of(run.findings, [](const Found& found) {
      const std::string& detail = found.finding.detail;
      return detail.starts_with("shared array ") && detail.find(" has 0 bytes") != detail.npos;
    });
  });
}

/// Results that depend on the schedule, then one line: what was found, over how much.
std::string summary(const SanitizeResult& result, const SanitizeOptions& options,
                    const Style& style) {
  std::string text;
  const auto say = [&](const std::string& line) { text += wrap(line, 2, 0) + "\n"; };
  for (const Dependence& d : result.dependences) {
    say(fmt::format("note: {}[{}] depends on the schedule: {} under {}, {} under {}", d.array,
                    d.index, d.value, d.schedule, d.other_value, d.other_schedule));
  }
  if (!result.accesses_arrays) {
    say("note: the kernel accesses no array, so this proves nothing: nvcc removes what has no "
        "effect; let the kernel write its result to an array, or add -- -G");
  }
  if (options.launch.shared_bytes == 0 && uses_dynamic_shared(result)) {
    say("hint: the kernel declares extern __shared__ memory, of which this launch has none; "
        "add --shared BYTES");
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

/// What docs/json.md lists of a launch, without the file.
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

}  // namespace

Sweep::Sweep(std::string file, std::vector<Combination> combinations, const Style& style)
    : file_(std::move(file)), combinations_(std::move(combinations)), style_(style) {
  for (const Combination& one : combinations_) check_memory(one.options, memory_available());
}

void Sweep::dump(const SanitizeOptions& options, const SanitizeResult& result,
                 const std::function<void(const std::string&)>& print) const {
  if (result.arrays.empty()) return;  // interrupted before the first schedule
  for (const Dump& dump : options.dumps) {
    const ObservedBuffer& array =
        *std::ranges::find(result.arrays, dump.array, &ObservedBuffer::name);
    if (dump.path.empty()) {
      print(values(array));
    } else {
      write_npy(dump.path, array.type, array.bytes);
    }
  }
}

void Sweep::run(const std::function<void(const std::string&)>& print,
                const std::atomic<bool>& interrupted) {
  for (const Combination& one : combinations_) {
    if (interrupted && !results_.empty()) break;
    SanitizeOptions options = one.options;
    // Each thread may need as much for races as one alone.
    const std::uint64_t room =
        memory_available() / std::max<std::uint64_t>(1, memory_needed(options));
    options.jobs =
        static_cast<unsigned>(std::clamp<std::uint64_t>(room, 1, os::thread_count(options.jobs)));
    const std::size_t told = findings_.size();  // of the combinations before
    const auto tell = [&](const ScheduleRun& run, std::vector<Found> fresh) {
      const auto all = std::span<const Found>(findings_);
      std::erase_if(fresh, [&](const Found& found) {
        return std::ranges::any_of(all.first(told),
                                   [&](const Found& other) { return same(found, other); });
      });
      print(new_findings(run, fresh, all.subspan(told), options, style_));
      findings_.insert(findings_.end(), fresh.begin(), fresh.end());
    };
    results_.push_back(sanitize(options, tell, interrupted));
    SanitizeResult& result = results_.back();
    dump(options, result, print);
    print(sanitize::summary(result, options, style_));
    // Large, and told; the JSON shows those that --dump names.
    std::erase_if(result.arrays, [&](const ObservedBuffer& array) {
      return std::ranges::count(options.dumps, array.name, &Dump::array) == 0;
    });
  }
}

bool Sweep::clean() const {
  for (std::size_t k = 0; k < results_.size(); ++k) {
    if (!results_[k].clean(combinations_[k].options.strict)) return false;
  }
  return true;
}

std::string Sweep::summary() const {
  if (combinations_.size() == 1) return {};
  std::size_t found = 0;
  const Combination* first = nullptr;
  for (std::size_t k = 0; k < results_.size(); ++k) {
    if (results_[k].clean(combinations_[k].options.strict)) continue;
    if (found++ == 0) first = &combinations_[k];
  }
  std::string text = counted(combinations_.size(), "combination");
  if (results_.size() < combinations_.size()) {
    text = fmt::format("{} of {}", results_.size(), text);
  }
  if (first == nullptr) return fmt::format("{}: {}\n", text, style_.good("clean"));
  return fmt::format("{}: {}; the first of these again:\n{}", text,
                     style_.bad(fmt::format("{} with findings", found)), first->command);
}

Json Sweep::json() const {
  Json json = json_head("sanitize");
  json["file"] = file_;
  if (combinations_.size() == 1) {
    json.update(to_json(results_.at(0), combinations_[0].options));
    return json;
  }
  json["clean"] = clean();
  json["interrupted"] = results_.size() < combinations_.size() ||
                        std::ranges::any_of(results_, &SanitizeResult::interrupted);
  json["combinations"] = Json::array();
  for (std::size_t k = 0; k < results_.size(); ++k) {
    Json one{{"combination", combinations_[k].options.combination}};
    one.update(to_json(results_[k], combinations_[k].options));
    json["combinations"].push_back(std::move(one));
  }
  return json;
}

}  // namespace gauntlet::sanitize
