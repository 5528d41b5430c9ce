// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: two launches that overlap. Each is a programmatic dependent launch (sm_90):
// its blocks may take their places while the launch before still runs, so that the time between
// two launches is hidden. The price is that stream order says nothing any more until a thread has
// executed griddepcontrol.wait, which waits until the launch before has ended and its stores are
// visible. That all blocks of that launch have executed griddepcontrol.launch_dependents lets this
// one begin, and publishes nothing: the trigger is an optimisation alone, here executed at once.
//
// Before the wait each block asks for its input (prefetch), which hides most of what a small input
// costs. One block alone needs no second launch.
constexpr unsigned V = 16 / sizeof(T);  // elements of a vector
constexpr unsigned batch = 4;           // vectors that a thread has in flight
constexpr unsigned chains = V < 4 ? V : 4;

struct alignas(16) Vector {
  T x[V];
};

__device__ __forceinline__ uint4 identity_vector() {
  Vector v;
#pragma unroll
  for (unsigned e = 0; e < V; ++e) v.x[e] = T(IDENTITY);
  return *reinterpret_cast<const uint4*>(&v);
}

/// The elements of the block's tiles that this thread loads, for any n and any alignment. The input
/// is cut into vectors at aligned addresses, so that the first and the last one may lie in it only
/// partly. A tile is B * batch vectors; tile k belongs to block k mod G.
__device__ __forceinline__ ACC batched_value(const T* in, size_t n) {
  unsigned t = threadIdx.x, B = blockDim.x;
  unsigned shift = size_t(in) % 16 / sizeof(T);
  const T* origin = in - shift;  // aligned
  size_t end = n + shift;
  size_t whole = end / V;  // vectors from here on are not wholly inside
  unsigned vectors = B * batch;
  ACC sums[chains];
#pragma unroll
  for (unsigned e = 0; e < chains; ++e) sums[e] = IDENTITY;
  for (size_t tile = size_t(blockIdx.x) * vectors; tile * V < end;
       tile += size_t(gridDim.x) * vectors) {
    uint4 loaded[batch];  // as bits: bytes would be unpacked too early, and spill
    const T* from = origin + V * (tile + t);
    if (tile + vectors <= whole && (tile != 0 || shift == 0)) {
#pragma unroll
      for (unsigned u = 0; u < batch; ++u) {
        loaded[u] = *reinterpret_cast<const uint4*>(from + size_t(V) * (u * B));
      }
    } else {
      // Fewer than a tile's vectors are left, or the first one is skipped: 32 bits will do.
      unsigned left = unsigned(min(whole - tile, size_t(vectors)));
      bool skip = t == 0 && tile == 0 && shift != 0;
#pragma unroll
      for (unsigned u = 0; u < batch; ++u) {
        bool own = u * B + t < left && !(u == 0 && skip);
        loaded[u] =
            own ? *reinterpret_cast<const uint4*>(from + size_t(V) * (u * B)) : identity_vector();
      }
      // Then the elements of vectors that are only partly in the input, one by one.
      size_t last = whole;
      if (shift != 0) {
        if (tile == 0) {
          size_t stop = end < V ? end : V;
#pragma unroll 1
          for (size_t i = shift + t; i < stop; i += B) sums[0] = OP(sums[0], ACC(origin[i]));
        }
        last = whole == 0 ? 1 : whole;  // the first vector is not added twice
      }
      if (whole < tile + vectors) {
#pragma unroll 1
        for (size_t i = last * V + t; i < end; i += B) sums[0] = OP(sums[0], ACC(origin[i]));
      }
    }
#pragma unroll
    for (unsigned u = 0; u < batch; ++u) {
      Vector x = *reinterpret_cast<const Vector*>(&loaded[u]);
#pragma unroll
      for (unsigned e = 0; e < V; ++e) {
        sums[e % chains] = OP(sums[e % chains], ACC(x.x[e]));
      }
    }
  }
#pragma unroll
  for (unsigned e = 1; e < chains; ++e) sums[0] = OP(sums[0], sums[e]);
  return sums[0];
}

/// The block's value, in thread 0. `w` is free again after the next block barrier. The warps'
/// values take as many shuffles as there are warps to halve, not always five.
__device__ __forceinline__ ACC block_value(ACC (&w)[32], ACC v) {
  unsigned t = threadIdx.x, B = blockDim.x;
  unsigned lanes = min(B - t / 32 * 32, 32u);
  unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
#pragma unroll
  for (unsigned o = 16; o > 0; o /= 2) {
    ACC other = __shfl_down_sync(mask, v, o);
    if (lanes == 32 || t % 32 + o < lanes) v = OP(v, other);
  }
  if (B <= 32) return v;
  if (t % 32 == 0) w[t / 32] = v;
  __syncthreads();
  unsigned warps = (B + 31) / 32;
  if (t < 32) {
    v = t < warps ? w[t] : IDENTITY;
    for (unsigned o = 1u << (31 - __clz(warps - 1)); o > 0; o /= 2) {
      v = OP(v, __shfl_down_sync(0xffffffff, v, o));
    }
  }
  return v;
}

/// Every thread needs it, or a barrier behind it.
__device__ __forceinline__ void wait_for_launch_before() {
#if FIX(wait_by_all)
  asm volatile("griddepcontrol.wait;" ::: "memory");
#else
  if (threadIdx.x == 0) asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Asks for the block's first batch while the launch before still runs: a prefetch reads nothing,
/// so that it needs no wait, even where that launch writes what is asked for. Once the grid has
/// asked for enough it stops, since the launch before still loads its own (measured:
/// docs/timing.md).
__device__ __forceinline__ void prefetch_batch(const T* in, size_t n) {
  constexpr unsigned line_threads = 8;  // a line of 128 bytes is asked for by one thread
  // Vectors. Each instruction here delays the loads: in 64 bits this took 1.5 % of f64 2^20.
  constexpr unsigned enough = (3u << 20) / 16;
  unsigned at_once = gridDim.x * blockDim.x;
  size_t first = size_t(batch) * blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (unsigned u = 0; u < batch; ++u) {
    size_t i = V * (first + u * blockDim.x);
    if (u * at_once < enough && threadIdx.x % line_threads == 0 && i < n) {
      asm volatile("prefetch.L2 [%0];" ::"l"(in + i));
    }
  }
}

// Any block up to 1024 threads must fit the registers.
__global__ void __launch_bounds__(1024) dependent_launch(const T* in, ACC* out, size_t n) {
  __shared__ ACC w[32];
  asm volatile("griddepcontrol.launch_dependents;");
  prefetch_batch(in, n);
#if FIX(read_wait) && FIX(write_wait)
  wait_for_launch_before();
#elif FIX(read_wait)
  if (gridDim.x == 1) wait_for_launch_before();
#endif
  ACC v = block_value(w, batched_value(in, n));
#if FIX(write_wait) && !FIX(read_wait)
  wait_for_launch_before();
#endif
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
