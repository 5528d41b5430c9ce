// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What one run shows by itself: each finding breaks the property that its kind belongs to.
#include <fmt/format.h>

#include <array>

#include "properties/relations.hpp"

namespace gauntlet::properties {
namespace {

struct Class {
  std::string_view name, summary;
};
constexpr std::array<Class, 8> kClasses{{
    {"in_bounds", "every access lies in live memory and is aligned"},
    {"input_unchanged", "the kernel does not write to its input"},
    {"defined_values", "no value that nobody defined reaches an output, an address or a branch"},
    {"output_written", "every output cell is written"},
    {"contracts", "barriers are reached by the whole block, masks name the lanes that come"},
    {"terminates", "every launch runs to its end"},
    {"race_free", "no two unordered accesses to a cell, one of them a write"},
    {"matches_reference",
     "the result, and every block's partial result, is the reduction of its own elements"},
}};

constexpr std::size_t class_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::out_of_bounds_read:
    case FindingKind::out_of_bounds_write:
    case FindingKind::use_after_free:
    case FindingKind::unallocated:
    case FindingKind::misaligned:
      return 0;
    case FindingKind::write_to_input:
      return 1;
    case FindingKind::poison_output:
    case FindingKind::poison_address:
    case FindingKind::poison_branch:
    case FindingKind::poison_mask:
    case FindingKind::uninitialised_read:
      return 2;
    case FindingKind::unwritten_output:
      return 3;
    case FindingKind::partial_barrier:
    case FindingKind::not_in_own_mask:
    case FindingKind::named_lane_exited:
    case FindingKind::named_lane_absent:
    case FindingKind::divergent_barrier:
      return 4;
    case FindingKind::deadlock:
    case FindingKind::step_limit:
    case FindingKind::trap:
    case FindingKind::assertion:
    case FindingKind::refused:
    case FindingKind::executor_fault:
      return 5;
    case FindingKind::race_read_write:
    case FindingKind::race_write_read:
    case FindingKind::race_write_write:
    case FindingKind::race_atomic:
    case FindingKind::race_same_value:
      return 6;
    case FindingKind::wrong_result:
      return 7;
  }
  return 5;
}

constexpr std::string_view kKahan = "kahan_in_bound";

bool has_reference(const Run& base) { return base.verdict.reference.has_value(); }

/// A defect of the oracle, not of the kernel.
void check_kahan(Trial& trial, std::vector<Broken>& broken) {
  const SumReference& reference = *trial.base().verdict.reference;
  if (reference.kahan_in_bound) return;
  broken.push_back(
      wrong(kKahan, trial.base(), "kahan", 0,
            fmt::format("Kahan's sum {} is {:.3g} of its bound from the exact sum {}",
                        reference.kahan, reference.kahan_distance(), reference.exact)));
}

bool always(const Run&) { return true; }
bool may_not_change_input(const Run& base) { return !base.plan.input_may_change; }

template <std::size_t index>
void check(Trial& trial, std::vector<Broken>& broken) {
  for (const Finding& finding : trial.base().findings) {
    if (class_of(finding.kind) != index) continue;
    broken.push_back({std::string(kClasses[index].name), trial.base().c, finding});
  }
}

template <std::size_t... index>
std::vector<Property> make(std::index_sequence<index...>) {
  return {Property{kClasses[index].name, kClasses[index].summary,
                   index == class_of(FindingKind::write_to_input) ? may_not_change_input : always,
                   check<index>, false}...};
}

}  // namespace

std::vector<Property> single_run_properties() {
  auto list = make(std::make_index_sequence<kClasses.size()>());
  list.push_back({kKahan, "Kahan's sum of the elements lies within its own bound of the exact sum",
                  has_reference, check_kahan, false});
  return list;
}

bool report_related(const Run& related, std::vector<Broken>& broken) {
  for (const Finding& finding : related.findings) {
    broken.push_back({std::string(kClasses[class_of(finding.kind)].name), related.c, finding});
  }
  return !related.clean();
}

}  // namespace gauntlet::properties
