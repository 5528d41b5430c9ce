// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of run_benchmark.cpp. increment: little work, so that what a launch costs by itself
// shows; rounds: blocks of much work; streams: blocks of much memory.
extern "C" __global__ void increment(int* cells, int count) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < count) ++cells[k];
}

extern "C" __global__ void rounds(float* cells, float* sum) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  float x = cells[k];
  for (int round = 0; round < 100; ++round) x = x * 0.99F + static_cast<float>(round % 7);
  cells[k] = x;
  atomicAdd(sum, x);
}

extern "C" __global__ void streams(const float* from, float* to) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  to[k] = from[k] * 2;
}
