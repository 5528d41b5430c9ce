// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Right kernels, one token away from what must not be proved: conversions, where a maximum begins,
// cells that are made by other instructions than their neighbours, shared memory that may stay
// undefined.
#include <climits>

// One thread each: what happens to a value shows in every cell.
__global__ void sum_f32(const float* x, float* y, unsigned n) {
  float s = 0;
  for (unsigned k = 0; k < n; ++k) s += x[k];
  y[0] = s;
}
__global__ void sum_i64(const long long* x, long long* y, unsigned n) {
  long long s = 0;
  for (unsigned k = 0; k < n; ++k) s += x[k];
  y[0] = s;
}
__global__ void sum_of_ints(const int* x, double* y, unsigned n) {
  double s = 0;
  for (unsigned k = 0; k < n; ++k) s += x[k];
  y[0] = s;
}
__global__ void sum_of_floats(const float* x, double* y, unsigned n) {
  double s = 0;
  for (unsigned k = 0; k < n; ++k) s += x[k];
  y[0] = s;
}
__global__ void copy_f32(const float* x, float* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
__global__ void widened(const int* x, double* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
__global__ void max_f32(const float* x, float* y, unsigned n) {
  float s = -INFINITY;
  for (unsigned k = 0; k < n; ++k) s = fmaxf(s, x[k]);
  y[0] = s;
}
__global__ void max_abs_i32(const int* x, int* y, unsigned n) {
  int s = INT_MIN;
  for (unsigned k = 0; k < n; ++k) s = max(s, abs(x[k]));
  y[0] = s;
}
__global__ void max_abs_f32(const float* x, float* y, unsigned n) {
  float s = 0;
  for (unsigned k = 0; k < n; ++k) s = fmaxf(s, fabsf(x[k]));
  y[0] = s;
}

// Odd and even cells by instructions of their own. The compiler must not see that they are the
// same.
#define CLAMP                                                                               \
  "{\n\t.reg .pred p, q;\n\t.reg .b32 m;\n\tsetp.lt.s32 p, %1, 3;\n\tsetp.lt.s32 q, %1, 7;" \
  "\n\tselp.s32 m, %1, 7, q;\n\tselp.s32 %0, 3, m, p;\n\t}"
__global__ void clamp_by_turns(const int* x, int* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i], r;
  if (i % 2 != 0) {
    asm volatile(CLAMP : "=r"(r) : "r"(v));
  } else {
    asm volatile(CLAMP : "=r"(r) : "r"(v));
    asm volatile("");
  }
  y[i] = r;
}
#define TWICE "{\n\t.reg .f64 t;\n\tcvt.rn.f64.s32 t, %1;\n\tadd.rn.f64 %0, t, t;\n\t}"
__global__ void scaled_by_turns(const int* x, double* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = x[i];
  double r;
  if (i % 2 != 0) {
    asm volatile(TWICE : "=d"(r) : "r"(v));
  } else {
    asm volatile(TWICE : "=d"(r) : "r"(v));
    asm volatile("");
  }
  y[i] = r;
}

// Chosen by data from two shared cells, both of which the thread has written.
__global__ void chosen(const int* x, int* y, unsigned n) {
  __shared__ int s[64];
  const unsigned i = blockIdx.x * 32 + threadIdx.x;
  const int v = i < n ? x[i] : 0;
  s[threadIdx.x] = v;
  s[threadIdx.x + 32] = v;
  __syncthreads();
  const int a = s[threadIdx.x], b = s[threadIdx.x + 32];
  int r;
  asm volatile("{\n\t.reg .pred q;\n\tsetp.gt.s32 q, %1, 1000000;\n\tselp.s32 %0, %2, %3, q;\n\t}"
               : "=r"(r)
               : "r"(v), "r"(a), "r"(b));
  if (i < n) y[i] = r;
}
