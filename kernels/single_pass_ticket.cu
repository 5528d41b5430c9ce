// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: one launch. Each block leaves its value in partials[] and takes a ticket;
// the block with the last ticket knows that all values are there and reduces them, always in the
// order of the blocks, so that the bits do not depend on which block came last.
//
// Taking the ticket is what makes "are there" true for other threads: it releases the store of the
// value before it, and the last one acquires what all others released. One atomic instruction with
// both orders costs less than an atomic between two __threadfence(), which is sequentially
// consistent each time. Thread 0 takes the ticket for its block, so that the others must wait for
// what it got. The ticket wraps to 0 by itself.
constexpr unsigned V = 16 / sizeof(T);  // elements of a vector
constexpr unsigned batch = 8;           // vectors that a thread has in flight
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
#if FIX(alignment)
  unsigned shift = size_t(in) % 16 / sizeof(T);
#else
  unsigned shift = 0;
#endif
  const T* origin = in - shift;  // aligned
  size_t end = n + shift;
#if FIX(vector_tail)
  size_t whole = end / V;  // vectors from here on are not wholly inside
#else
  size_t whole = (end + V - 1) / V;
#endif
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

/// By thread 0 of a block whose value is stored: did all others take their ticket before? In
/// assembly since CUDA C++ has no increment with an order.
__device__ __forceinline__ bool takes_last_ticket(unsigned* ticket) {
#if FIX(release_order) && FIX(acquire_order)
#define ORDER "acq_rel"
#elif FIX(release_order)
#define ORDER "release"
#elif FIX(acquire_order)
#define ORDER "acquire"
#else
#define ORDER "relaxed"
#endif
  unsigned mine, last = gridDim.x - 1;
#if FIX(ticket_reset)
  asm volatile("atom." ORDER ".gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(mine)
               : "l"(__cvta_generic_to_global(ticket)), "r"(last)
               : "memory");
#else
  asm volatile("atom." ORDER ".gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(mine)
               : "l"(__cvta_generic_to_global(ticket)), "r"(1)
               : "memory");
#endif
#undef ORDER
  return mine == last;
}

// Any block up to 1024 threads must fit the registers.
__global__ void __launch_bounds__(1024)
    single_pass_ticket(const T* in, ACC* out, ACC* partials, unsigned* ticket, size_t n) {
  __shared__ ACC w[32];
  __shared__ bool is_last;
  unsigned t = threadIdx.x;
  ACC v = block_value(w, batched_value(in, n));
  if (gridDim.x == 1) {
    if (t == 0) out[0] = v;
    return;
  }
  if (t == 0) {
    partials[blockIdx.x] = v;
    is_last = takes_last_ticket(ticket);
  }
#if FIX(block_barrier)
  __syncthreads();
  bool finish = is_last;
#else
  bool finish = is_last;
  __syncthreads();
#endif
  if (!finish) return;
  v = IDENTITY;
  for (unsigned i = t; i < gridDim.x; i += blockDim.x) v = OP(v, partials[i]);
  v = block_value(w, v);
  if (t == 0) out[0] = v;
}
