// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sanitizer/vendor/calibration.hpp"

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

// Where an H100 (compute-sanitizer 2025.3.1) has shown something other than the rule says.

constexpr std::string_view early_return =
    "Threads past n return before the barrier. CUDA asks that a whole block reaches a barrier, and "
    "the SIMT machine holds a kernel to that; on this hardware threads that have exited count as "
    "arrived, and synccheck follows the hardware. The machine is right about the contract, "
    "synccheck about what happens here.";

constexpr std::string_view racing_branch =
    "The barrier is missed by threads that return because of a value which they read too early. In "
    "the runs under synccheck all threads of a block took the same branch, or those that left had "
    "exited and counted as arrived. The SIMT machine is right: another order of the same lanes "
    "breaks the barrier. The cause is a race in shared memory, which racecheck reports.";

constexpr std::string_view stopped_first =
    "Both are right. The block takes undefined cells of the input's tail into its partial result, "
    "and initcheck reports each such read. The SIMT machine follows the value until it matters, "
    "and ends this form's second launch at its overrun of the partials, before the value reaches "
    "the output.";

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
    const bool is_it = e.tool == tool && e.variant == variant.id && e.form == form.name;
    if (is_it && by_rule(tool, form) != e.reports) return &e;
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

std::span<const Exception> exceptions() {
  static const std::vector<Exception> all{
      {"redux", "documented", Tool::synccheck, {}, early_return},
      {"redux", "fixed-early_exit", Tool::synccheck, {}, early_return},
      {"single_pass_ticket", "documented", Tool::synccheck, {}, racing_branch},
      {"single_pass_ticket", "fixed-block_barrier", Tool::synccheck, {}, racing_branch},
      {"vector_batch", "documented", Tool::initcheck, {Symptom::uninitialised}, stopped_first},
      {"vector_batch",
       "fixed-bounds_check",
       Tool::initcheck,
       {Symptom::uninitialised},
       stopped_first},
  };
  return all;
}

namespace {

/// The first case in which the tool shows something that it should not.
std::string example(const FormMeasure& form, Tool tool, const Symptoms& wanted) {
  for (const CaseMeasure& c : form.cases) {
    const auto seen = c.tools.find(tool);
    if (seen == c.tools.end()) continue;
    const Symptoms symptoms = seen->second.symptoms();
    if (!std::ranges::includes(wanted, symptoms)) return "; " + c.line;
  }
  return {};
}

}  // namespace

Symptoms wanted(Tool tool, const Variant& variant, const Form& form, Symptoms said) {
  if (variant.file.empty()) return expected(tool, variant, form);
  return form.expected.empty() ? Symptoms{} : said;
}

std::vector<std::string> calibration_failures(const Measurement& measurement) {
  std::vector<std::string> lines;
  for (const Tool tool : measurement.tools) {
    for (const Planted& p : planted()) {
      if (p.tool != tool) continue;
      for (const bool clean : {false, true}) {
        const std::string entry = calibration_entry(p.defect, clean);
        const auto found = std::ranges::find_if(
            measurement.calibration,
            [&](const CalibrationMeasure& c) { return c.tool == tool && c.entry == entry; });
        if (found == measurement.calibration.end() || !found->seen.problem.empty()) {
          lines.push_back(
              fmt::format("{} was not shown {}{}{}", name(tool), entry,
                          found == measurement.calibration.end() ? "" : ": ",
                          found == measurement.calibration.end() ? "" : found->seen.problem));
          continue;
        }
        const Symptoms wanted = clean ? Symptoms{} : p.reports;
        const Symptoms got = found->seen.symptoms();
        if (got == wanted) continue;
        lines.push_back(fmt::format("{} reports {} in {}, where {} is {}", name(tool), spell(got),
                                    entry, spell(wanted),
                                    clean               ? "right"
                                    : p.reports.empty() ? "all that this release sees"
                                                        : "planted"));
      }
    }
  }
  return lines;
}

std::vector<std::string> disagreements(const Measurement& measurement,
                                       const properties::Subject& subject) {
  std::vector<std::string> lines;
  for (const FormMeasure& form : measurement.forms) {
    const std::string who = properties::spelling(form.variant, form.form);
    const Variant* const variant = subject.find(form.variant);
    const Form* const entry = variant == nullptr ? nullptr : variant->form(form.form);
    if (entry == nullptr) {
      lines.push_back(who + " is not in " +
                      std::string(variant == nullptr ? "the catalogue" : variant->told_by()));
      continue;
    }
    for (const Tool tool : measurement.tools) {
      for (const CaseMeasure& c : form.cases) {
        const auto seen = c.tools.find(tool);
        const std::string why = seen == c.tools.end() ? "not run" : seen->second.problem;
        if (!why.empty()) lines.push_back(fmt::format("{}: {}: {}", name(tool), c.line, why));
      }
      const Symptoms got = reported(form, tool);
      const Symptoms due = wanted(tool, *variant, *entry, got);
      if (got == due) continue;
      lines.push_back(fmt::format("{} of {}: {}, where {} is expected{}", name(tool), who,
                                  spell(got), spell(due), example(form, tool, due)));
    }
  }
  return lines;
}

}  // namespace gauntlet::sanitizer
