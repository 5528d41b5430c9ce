// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "statistics.hpp"

int main() {
  std::vector<float> values(1000, 1.0F);
  values[0] = 2.0F;
  const float maximum = statistics::maximum(values);
  std::printf("the maximum is %g\n", maximum);
  return maximum == 2.0F ? 0 : 1;
}
