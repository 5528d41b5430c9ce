// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cub::DeviceReduce as a program calls it.
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

cudaError_t reduce(const T* in, ACC* out, unsigned n, cudaStream_t stream) {
  const auto call = [&](void* storage, size_t& bytes) {
    return cub::DeviceReduce::Reduce(storage, bytes, in, out, n, cuda::std::plus<>{}, ACC(0),
                                     stream);
  };
  size_t bytes = 0;
  void* storage = nullptr;
  if (cudaError_t error = call(nullptr, bytes)) return error;
  if (cudaError_t error = cudaMallocAsync(&storage, bytes, stream)) return error;
  if (cudaError_t error = call(storage, bytes)) return error;
  return cudaFreeAsync(storage, stream);
}
