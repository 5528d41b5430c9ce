// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that take more than arrays and numbers: a struct with a pointer, a table of pointers, a
// vector by value, a variable.

struct View {
  char tag;
  const float* data;
  int count;
  double scale;
};

/// With `broken` one element too many.
template <bool broken>
__global__ void of_view(View view, float* out) {
  const int t = threadIdx.x;
  if (t < view.count) out[t] = view.data[broken ? t + 1 : t] * float(view.scale) + view.tag;
}

/// A null row counts as zeros.
__global__ void row_sums(const float* const* rows, int width, float* out) {
  const float* row = rows[threadIdx.x];
  float sum = 0;
  for (int k = 0; row != nullptr && k < width; ++k) sum += row[k];
  out[threadIdx.x] = sum;
}

__device__ float weights[4];

__global__ void weighted(const float* in, float4 add, float* out) {
  const int t = threadIdx.x;
  out[t] = in[t] * weights[t % 4] + add.x + add.w;
}

template __global__ void of_view<false>(View, float*);
template __global__ void of_view<true>(View, float*);
