// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The properties, by file; properties/hunt/property.hpp lists them all. A property or relation of a
// file of its own is NAME.cpp, which defines NAME_properties(), and NAME in the list here.
#pragma once

#include <vector>

#include "properties/hunt/property.hpp"

namespace gauntlet::properties {

// clang-format off
// In the order in which they are asked.
#define GAUNTLET_PROPERTY_FILES(FILE) \
  FILE(single_run)     /* what one run shows by itself */ \
  FILE(invariance)     /* same data, other surroundings: the same bits */ \
  FILE(algebraic)      /* transformed data: a result that follows from the base's */ \
  FILE(special_values) /* not ordinary numbers; minima and maxima; judged without the oracle */
// clang-format on

#define GAUNTLET_PROPERTY_FILE(name) [[nodiscard]] std::vector<Property> name##_properties();
GAUNTLET_PROPERTY_FILES(GAUNTLET_PROPERTY_FILE)
#undef GAUNTLET_PROPERTY_FILE

/// Does the schedule let the lanes of a warp go on together?
[[nodiscard]] bool in_whole_warps(std::string_view schedule);
/// Would the run be a long one if each lane went on by itself?
[[nodiscard]] bool long_lane_by_lane(const Run& base);
/// Every order of the final additions gives the same bits: none is left open, or none rounds.
[[nodiscard]] bool order_does_not_matter(const Run& base);
/// Another run of the same elements gives the same bits.
[[nodiscard]] bool same_bits_again(const Run& base);

/// Findings of a related run, reported as that run's own (it is a failing case by itself).
/// True when there were any or the run was refused, so that there is nothing to compare.
bool report_related(const Run& related, std::vector<Broken>& broken);

/// wrong_result in cell `index` of `buffer` of the base.
[[nodiscard]] Broken wrong(std::string_view property, const Run& base, const std::string& buffer,
                           std::size_t index, std::string detail);

}  // namespace gauntlet::properties
