// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What one run shows by itself: each finding breaks the property that its kind belongs to.
#include <fmt/format.h>

#include <array>

#include "properties/hunt/relations.hpp"

namespace gauntlet::properties {
namespace {

/// Of each FindingClass.
constexpr std::array<std::string_view, enum_names<FindingClass>.size()> summaries{
    "every access is aligned and to live memory",
    "the kernel does not write to its input",
    "no uninitialised value reaches an output, an address or a branch",
    "every output cell is written",
    "barriers are reached by the whole block, masks name the lanes that come",
    "every launch runs to its end",
    "no two unordered accesses to a cell, one of them a write",
    "host code frees what it allocates, copies within arrays, and orders its streams",
    "the result, and every block's partial result, is the reduction of its own elements"};

Broken broken_by(const Finding& finding, const Case& c) {
  return {std::string(name(facts(finding.kind).of_class)), c, finding};
}

constexpr std::string_view kahan_property = "kahan_in_bound";

bool has_reference(const Run& base) { return base.verdict.reference.has_value(); }

/// A defect of the oracle, not of the kernel.
void check_kahan(Trial& trial, std::vector<Broken>& broken) {
  const SumReference& reference = *trial.base().verdict.reference;
  if (reference.kahan_in_bound) return;
  broken.push_back(
      wrong(kahan_property, trial.base(), "kahan", 0,
            fmt::format("Kahan's sum {} is {:.3g} of its bound from the exact sum {}",
                        reference.kahan, reference.kahan_distance(), reference.exact)));
}

bool always(const Run&) { return true; }
bool may_not_change_input(const Run& base) { return !base.plan.input_may_change; }
bool is_of_the_host(const Run& base) { return bool(base.plan.host); }
bool has_judged_cells(const Run& base) {
  return base.verdict.cells_judged != 0 ||
         std::ranges::any_of(base.findings, [](const Finding& finding) {
           return facts(finding.kind).of_class == FindingClass::matches_reference;
         });
}

using Applies = bool (*)(const Run&);
constexpr Applies applies(FindingClass c) {
  return c == FindingClass::input_unchanged     ? may_not_change_input
         : c == FindingClass::host_calls        ? is_of_the_host
         : c == FindingClass::matches_reference ? has_judged_cells
                                                : always;
}

template <FindingClass of_class>
void check(Trial& trial, std::vector<Broken>& broken) {
  for (const Finding& finding : trial.base().findings) {
    if (facts(finding.kind).of_class != of_class) continue;
    broken.push_back(broken_by(finding, trial.base().c));
  }
}

template <std::size_t... index>
std::vector<Property> make(std::index_sequence<index...>) {
  using C = FindingClass;
  return {Property{name(C{index}), summaries[index], applies(C{index}), check<C{index}>, false}...};
}

}  // namespace

std::vector<Property> single_run_properties() {
  auto list = make(std::make_index_sequence<summaries.size()>());
  list.push_back({kahan_property,
                  "Kahan's sum of the elements lies within its own bound of the exact sum",
                  has_reference, check_kahan, false});
  return list;
}

bool report_related(const Run& related, std::vector<Broken>& broken) {
  for (const Finding& finding : related.findings) {
    broken.push_back(broken_by(finding, related.c));
  }
  return !related.clean();
}

}  // namespace gauntlet::properties
