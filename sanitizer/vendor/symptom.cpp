// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/symptom.hpp"

namespace gauntlet::sanitizer {

Symptom symptom_of(const Finding& finding) {
  if (is_race(finding.kind)) return Symptom::race;
  switch (finding.kind) {
    case FindingKind::out_of_bounds_read:
    case FindingKind::out_of_bounds_write:
    case FindingKind::unallocated:
      return finding.array == "s" ? Symptom::shared_bounds : Symptom::global_bounds;
    case FindingKind::misaligned:
      return Symptom::misaligned;
    case FindingKind::uninitialised_read:
      return Symptom::uninitialised;
    case FindingKind::unwritten_output:
      return Symptom::unwritten;
    case FindingKind::partial_barrier:
    case FindingKind::divergent_barrier:
    case FindingKind::not_in_own_mask:
      return Symptom::barrier;
    default:
      return Symptom::other;
  }
}

std::string spell(const Symptoms& symptoms) {
  if (symptoms.empty()) return "nothing";
  std::string text;
  for (const Symptom symptom : symptoms) {
    if (!text.empty()) text += ", ";
    text += name(symptom);
  }
  return text;
}

}  // namespace gauntlet::sanitizer
