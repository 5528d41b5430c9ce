// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/tools/symptom.hpp"

#include <algorithm>
#include <array>

namespace gauntlet::sanitizer {
namespace {

constexpr std::array<std::string_view, 8> kNames{
    "global out of bounds", "shared out of bounds", "misaligned", "race",
    "uninitialised read",   "unwritten copied",     "barrier",    "other"};

}  // namespace

std::string_view name(Symptom symptom) { return kNames.at(static_cast<std::size_t>(symptom)); }

std::optional<Symptom> parse_symptom(std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Symptom>(found - kNames.begin());
}

Symptom symptom_of(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::out_of_bounds_read:
    case FindingKind::out_of_bounds_write:
    case FindingKind::unallocated:
      return finding.array == "s" ? Symptom::shared_bounds : Symptom::global_bounds;
    case FindingKind::misaligned:
      return Symptom::misaligned;
    case FindingKind::race_read_write:
    case FindingKind::race_write_read:
    case FindingKind::race_write_write:
      return Symptom::race;
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
