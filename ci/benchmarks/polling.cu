// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A reduction without atomics: each block publishes its sum behind a flag, and every thread waits
// for every flag, with a fence in the loop. What costs the race detector most.
extern "C" __global__ void polling(const int* in, int* out, int* partials, int* flags, int n) {
  extern __shared__ int s[];
  const unsigned t = threadIdx.x, B = blockDim.x;
  const unsigned i = blockIdx.x * B + t;
  s[t] = i < static_cast<unsigned>(n) ? in[i] : 0;
  __syncthreads();
  for (unsigned k = B / 2; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  volatile int* flag = flags;
  if (t == 0) {
    partials[blockIdx.x] = s[0];
    __threadfence();
    flag[blockIdx.x] = 1;
  }
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) {
    while (flag[b] == 0) __threadfence();
    __threadfence();
    sum += *const_cast<volatile int*>(partials + b);
  }
  out[i] = sum;
}
