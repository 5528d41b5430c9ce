// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Thrust's merge sort, whose kernels are programmatic dependent launches (CUB).
#include <thrust/device_vector.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdio>
#include <vector>

struct DigitsFirst {
  __host__ __device__ bool operator()(int a, int b) const {
    return a % 10 != b % 10 ? a % 10 < b % 10 : a < b;
  }
};

int main() {
  std::vector<int> values(20000);
  unsigned next = 1;
  for (int& value : values) value = static_cast<int>((next = next * 1664525 + 1013904223) >> 8);
  thrust::device_vector<int> cells(values.begin(), values.end());
  thrust::sort(cells.begin(), cells.end(), DigitsFirst());
  std::vector<int> got(values.size());
  thrust::copy(cells.begin(), cells.end(), got.begin());
  std::sort(values.begin(), values.end(), DigitsFirst());
  std::printf(got == values ? "sorted\n" : "not sorted\n");
}
