// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: 32-bit integers, a warp reduced by one instruction (redux.sync, compute
// capability 8.0). The instruction waits for the lanes of its mask that have not exited and takes
// the values of those: a full mask is right in a warp with fewer lanes. What goes wrong is around
// it.
#if OP_IS(sum)
#define REDUX __reduce_add_sync
#elif OP_IS(min)
#define REDUX __reduce_min_sync
#else
#define REDUX __reduce_max_sync
#endif

__global__ void redux(const T* in, ACC* out, size_t n) {
  __shared__ ACC w[32];
  unsigned t = threadIdx.x;
  size_t first = size_t(blockIdx.x) * blockDim.x + t;
#if !FIX(early_exit)
  if (first >= n) return;
#endif
#if FIX(identity)
  ACC v = IDENTITY;
#else
  ACC v = 0;
#endif
  for (size_t i = first; i < n; i += size_t(gridDim.x) * blockDim.x) v = OP(v, ACC(in[i]));
  v = REDUX(0xffffffffu, v);
  if (t % 32 == 0) w[t / 32] = v;
  __syncthreads();
#if FIX(partial_warp)
  unsigned warps = (blockDim.x + 31) / 32;
#else
  unsigned warps = blockDim.x / 32;
#endif
  if (t < warps) {
    v = REDUX(warps == 32 ? 0xffffffffu : (1u << warps) - 1, w[t]);
    if (t == 0) ATOMIC_OP(out, v);
  }
}
#undef REDUX
