// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/expectation.hpp"

#include <algorithm>
#include <array>

namespace gauntlet::sanitizer {
namespace {

/// The buffers that plans name; every other array is a kernel's own, in shared memory.
bool is_global(std::string_view array) {
  constexpr std::array<std::string_view, 6> names{"in",       "out",    "out_second",
                                                  "partials", "ticket", "slots"};
  return std::ranges::find(names, array) != names.end();
}

bool is_out_of_bounds(FindingKind kind) {
  return kind == FindingKind::out_of_bounds_read || kind == FindingKind::out_of_bounds_write;
}

/// The tools run no window of blocks, and so see nothing that takes 2^31 elements.
bool only_wide(const Expected& finding, const Form& form) {
  return std::ranges::find(form.only_wide, finding) != form.only_wide.end();
}

/// A form that loads past the input meets cells there that nobody wrote, where they are mapped.
bool poison_is_global(const Form& form) {
  return std::ranges::any_of(form.expected, [&](const Expected& e) {
    return e.kind == FindingKind::out_of_bounds_read && e.array == "in" && !only_wide(e, form);
  });
}

/// The one symptom by which one of the tools shows this finding.
std::optional<std::pair<Tool, Symptom>> shown_by(const Expected& finding, const Form& form) {
  using Shown = std::pair<Tool, Symptom>;
  if (only_wide(finding, form)) return std::nullopt;
  if (is_out_of_bounds(finding.kind)) {
    return Shown{Tool::memcheck,
                 is_global(finding.array) ? Symptom::global_bounds : Symptom::shared_bounds};
  }
  if (is_race(finding.kind)) {
    if (is_global(finding.array)) return std::nullopt;
    return Shown{Tool::racecheck, Symptom::race};
  }
  switch (finding.kind) {
    case FindingKind::misaligned:
      return Shown{Tool::memcheck, Symptom::misaligned};
    case FindingKind::unwritten_output:
      return Shown{Tool::initcheck, Symptom::unwritten};
    case FindingKind::poison_output:
      if (!poison_is_global(form)) return std::nullopt;
      return Shown{Tool::initcheck, Symptom::uninitialised};
    case FindingKind::partial_barrier:
    case FindingKind::divergent_barrier:
    case FindingKind::not_in_own_mask:
      return Shown{Tool::synccheck, Symptom::barrier};
    default:
      return std::nullopt;
  }
}

}  // namespace

Symptoms by_rule(Tool tool, const Form& form) {
  Symptoms symptoms;
  for (const Expected& finding : form.expected) {
    const auto shown = shown_by(finding, form);
    if (shown && shown->first == tool) symptoms.insert(shown->second);
  }
  return symptoms;
}

const Exception* exception_of(Tool tool, const Variant& variant, const Form& form) {
  for (const Exception& e : exceptions()) {
    if (e.tool != tool || (e.variant != "*" && e.variant != variant.id)) continue;
    if (e.form != "*" && e.form != form.name) continue;
    if (by_rule(tool, form) == e.reports) continue;
    return &e;
  }
  return nullptr;
}

Symptoms expected(Tool tool, const Variant& variant, const Form& form) {
  const Exception* const e = exception_of(tool, variant, form);
  return e == nullptr ? by_rule(tool, form) : e->reports;
}

std::string_view why_silent(const Expected& finding, const Form& form) {
  if (shown_by(finding, form)) return {};
  if (only_wide(finding, form)) return "it takes 2^31 elements or more, which no tool was given";
  if (is_race(finding.kind)) return "racecheck looks at shared memory only, this race is in global";
  switch (finding.kind) {
    case FindingKind::wrong_result:
      return "a wrong value is not a misuse of memory or barriers: only an oracle can see it";
    case FindingKind::poison_output:
    case FindingKind::poison_branch:
    case FindingKind::poison_address:
    case FindingKind::poison_mask:
      return "initcheck follows global memory only; here the undefined value comes from shared "
             "memory or from a lane that does not exist";
    case FindingKind::named_lane_absent:
    case FindingKind::named_lane_exited:
      return "synccheck does not look for named lanes that never come";
    default:
      return "no tool looks for it";
  }
}

}  // namespace gauntlet::sanitizer
