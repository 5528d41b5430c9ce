// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C vectorised: one 16-byte load per thread (an int4 there) goes to shared memory, which is 16
// bytes per thread, and its elements are added from there.
constexpr unsigned V = 16 / sizeof(T);
struct alignas(16) vector {
  T x[V];
};

/// Vector g of the input; the identity where there is no element.
__device__ __forceinline__ vector load(const T* in, size_t g, size_t n) {
#if FIX(vector_tail) || FIX(alignment)
  bool whole = true;
#if FIX(vector_tail)
  whole = V * g + V <= n;
#endif
#if FIX(alignment)
  whole = whole && size_t(in) % 16 == 0;
#endif
  if (!whole) {
    vector v;
#pragma unroll
    for (unsigned e = 0; e < V; ++e) v.x[e] = V * g + e < n ? in[V * g + e] : T(IDENTITY);
    return v;
  }
#endif
  uint4 bits = reinterpret_cast<const uint4*>(in)[g];  // one load, whatever T is
  return *reinterpret_cast<const vector*>(&bits);
}

__global__ void int4_through_shared(const T* in, ACC* out, size_t n) {
#ifdef B
  __shared__ T s[V * B];
  using step = size_t;  // as B is
#else
  extern __shared__ __align__(16) T s[];
  const unsigned B = blockDim.x;
  using step = unsigned;
#endif
#if FIX(index_width)
  using index = size_t;
#else
  using index = unsigned;
#endif
  unsigned t = threadIdx.x;
  index g = index(blockIdx.x) * blockDim.x + t;
  vector v;
  if (V * g < index(n)) {
    v = load(in, g, n);
  } else {
#pragma unroll
    for (unsigned e = 0; e < V; ++e) v.x[e] = T(IDENTITY);
  }
  reinterpret_cast<uint4*>(s)[t] = *reinterpret_cast<const uint4*>(&v);
  __syncthreads();
  ACC y = ACC(s[V * t]);
#pragma unroll
  for (unsigned e = 1; e < V; ++e) y = OP(y, ACC(s[V * t + e]));
  __syncthreads();
  ACC* sums = reinterpret_cast<ACC*>(s);
  sums[t] = y;
  __syncthreads();
#if FIX(power_of_two_block)
  step k = B < 2 ? 0 : 1u << (31 - __clz(B - 1));
  for (; k > 0; k /= 2) {
    if (t < k && t + k < B) sums[t] = OP(sums[t], sums[t + k]);
    __syncthreads();
  }
#else
  for (step k = B / 2; k > 0; k /= 2) {
    if (t < k) sums[t] = OP(sums[t], sums[t + k]);
    __syncthreads();
  }
#endif
  if (t == 0) ATOMIC_OP(out, sums[0]);
}
