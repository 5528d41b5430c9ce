// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a vendor tool can say of a form, as coarse as it has to be to compare it with the catalogue:
// which of two accesses comes first in a race, say, is a matter of the one schedule that ran.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "base/finding.hpp"

namespace gauntlet::sanitizer {

enum class Symptom : std::uint8_t {
  global_bounds,  ///< access outside every allocation
  shared_bounds,  ///< access outside the block's shared memory
  misaligned,
  race,           ///< in shared memory
  uninitialised,  ///< a kernel reads global memory that nobody wrote
  unwritten,      ///< the host copies memory that nobody wrote
  barrier,        ///< a barrier or warp primitive whose contract is broken
  other           ///< anything else that the tool reports
};
using Symptoms = std::set<Symptom>;
constexpr auto names(const Symptom*) {
  return names_of("global out of bounds", "shared out of bounds", "misaligned", "race",
                  "uninitialised read", "unwritten copied", "barrier", "other");
}

/// Of a finding that a tool's record became; "s" stands for shared memory.
[[nodiscard]] Symptom symptom_of(const Finding& finding);

/// "race, shared out of bounds"; "nothing" for none.
[[nodiscard]] std::string spell(const Symptoms& symptoms);

}  // namespace gauntlet::sanitizer
