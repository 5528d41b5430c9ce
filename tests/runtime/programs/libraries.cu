// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// CUB and Thrust, host code included.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <cstdio>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <vector>

int main() {
  constexpr int n = 5000;
  thrust::device_vector<int> values(n);
  thrust::sequence(values.begin(), values.end());
  std::printf("thrust::reduce %d\n", thrust::reduce(values.begin(), values.end()));

  thrust::device_vector<int> result(n);
  std::size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, values.begin(), result.begin(), n);
  thrust::device_vector<char> scratch(bytes);
  cudaError_t error = cub::DeviceReduce::Sum(thrust::raw_pointer_cast(scratch.data()), bytes,
                                             values.begin(), result.begin(), n);
  const int sum = result[0];
  std::printf("cub::DeviceReduce::Sum %d, %s\n", sum, cudaGetErrorName(error));

  cub::DeviceScan::InclusiveSum(nullptr, bytes, values.begin(), result.begin(), n);
  scratch.resize(bytes);
  error = cub::DeviceScan::InclusiveSum(thrust::raw_pointer_cast(scratch.data()), bytes,
                                        values.begin(), result.begin(), n);
  const int last = result[n - 1];
  std::printf("cub::DeviceScan::InclusiveSum %d, %s\n", last, cudaGetErrorName(error));

  std::vector<int> mixed(1000);
  for (int k = 0; k < 1000; ++k) mixed[k] = (k * 7919) % 1000;
  thrust::device_vector<int> sorted(mixed.begin(), mixed.end());
  thrust::sort(sorted.begin(), sorted.end());
  std::printf("thrust::sort %d %d %d\n", static_cast<int>(sorted[0]), static_cast<int>(sorted[500]),
              static_cast<int>(sorted[999]));
}
