// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/statistics.hpp"

#include <algorithm>
#include <vector>

namespace gauntlet {

double median(std::span<const double> samples) {
  if (samples.empty()) return 0;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double spread_percent(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const auto [least, greatest] = std::ranges::minmax(samples);
  const double middle = median(samples);
  return middle > 0 ? 100 * (greatest - least) / middle : 0;
}

}  // namespace gauntlet
