// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "statistics.hpp"

int main() {
  for (const std::size_t n : {1, 127, 128, 1000}) {
    const double sum = statistics::sum(std::vector<float>(n, 0.5F));
    std::printf("%zu halves are %g\n", n, sum);
    if (sum != 0.5 * static_cast<double>(n)) return 1;
  }
  return 0;
}
