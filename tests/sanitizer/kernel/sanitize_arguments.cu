// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose arguments are more than arrays and numbers: structs with pointers, arrays of
// pointers, one array under two names, variables of the module.

struct View {
  char tag;
  const float* data;
  int count;
  double scale;
};

__global__ void of_view(View view, float* out) {
  const int t = threadIdx.x;
  if (t < view.count) out[t] = static_cast<float>(view.data[t] * view.scale) + view.tag;
}

// Rows of an array of pointers; a null row counts as zeros.
__global__ void row_sums(const float* const* rows, int width, float* out) {
  const float* row = rows[threadIdx.x];
  float sum = 0;
  for (int k = 0; row != nullptr && k < width; ++k) sum += row[k];
  out[threadIdx.x] = sum;
}

// Right for two arrays; for one under two names a thread reads what its neighbour writes.
__global__ void shift(const int* from, int* to) {
  const int t = threadIdx.x;
  to[t] = from[t + 1];
}

__constant__ float weights[4];
__device__ int launches;
__device__ float* target;
namespace settings {
__device__ unsigned bias = 7;
}

__global__ void weighted(const float* in) {
  const int t = threadIdx.x;
  target[t] = in[t] * weights[t % 4] + static_cast<float>(settings::bias);
  if (t == 0) launches += 1;
}
