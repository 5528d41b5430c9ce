// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The properties, by file; properties/hunt/property.hpp lists them all.
#pragma once

#include <vector>

#include "properties/hunt/property.hpp"

namespace gauntlet::properties {

/// What one run shows by itself.
[[nodiscard]] std::vector<Property> single_run_properties();
/// Same data, other surroundings: the same bits.
[[nodiscard]] std::vector<Property> invariance_properties();
/// Transformed data: a result that follows from the base's.
[[nodiscard]] std::vector<Property> algebraic_properties();
/// Values that are not ordinary numbers; minima and maxima. Judged without the oracle.
[[nodiscard]] std::vector<Property> value_properties();

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
