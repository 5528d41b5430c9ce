// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C shuffle: as int4_coarsened, the last 64 cells by one warp with shuffles.
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

__global__ void int4_shuffle(const T* in, ACC* out, size_t n) {
#ifdef B
  __shared__ ACC s[B];
  using step = size_t;  // as B is
#else
  extern __shared__ ACC s[];
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
  ACC y = IDENTITY;
  if (V * g < index(n)) {
    vector v = load(in, g, n);
    y = ACC(v.x[0]);
#pragma unroll
    for (unsigned e = 1; e < V; ++e) y = OP(y, ACC(v.x[e]));
  }
  s[t] = y;
  __syncthreads();
#if FIX(power_of_two_block)
  step k = B < 2 ? 0 : 1u << (31 - __clz(B - 1));
  for (; k > 32; k /= 2) {
    if (t < k && t + k < B) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#else
  for (step k = B / 2; k > 32; k /= 2) {
    if (t < k) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#endif
  if (t < 32) {
    y = s[t];
    if (B > 32 && t + 32 < B) y = OP(y, s[t + 32]);
#if FIX(partial_warp)
    unsigned lanes = B < 32 ? B : 32;
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
#pragma unroll
    for (unsigned o = 16; o > 0; o /= 2) {
      ACC other = __shfl_down_sync(mask, y, o);
      if (t + o < lanes) y = OP(y, other);
    }
#else
#pragma unroll
    for (unsigned o = 16; o > 0; o /= 2) y = OP(y, __shfl_down_sync(0xffffffffu, y, o));
#endif
    if (t == 0) ATOMIC_OP(out, y);
  }
}
