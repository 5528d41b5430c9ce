// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Of a few samples: the middle one, and how far apart they lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace gauntlet {

/// The middle sample, or the mean of the two middle ones. 0 for no samples.
[[nodiscard]] inline double median(std::span<const double> samples) {
  if (samples.empty()) return 0;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// (greatest - least) / median, in percent. 0 for fewer than two samples.
[[nodiscard]] inline double spread_percent(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const auto [least, greatest] = std::ranges::minmax(samples);
  const double middle = median(samples);
  return middle > 0 ? 100 * (greatest - least) / middle : 0;
}

}  // namespace gauntlet
