// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Of a few samples: the middle one, and how far apart they lie.
#pragma once

#include <span>

namespace gauntlet {

/// The middle sample, or the mean of the two middle ones. 0 for no samples.
[[nodiscard]] double median(std::span<const double> samples);

/// (greatest - least) / median, in percent. 0 for fewer than two samples.
[[nodiscard]] double spread_percent(std::span<const double> samples);

}  // namespace gauntlet
