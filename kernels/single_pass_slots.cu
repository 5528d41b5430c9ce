// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: one launch without a fence and without a shared counter. Each block has a
// slot, in which its value and the mark that it is there are one 64-bit word, written atomically:
// who sees the mark has the value. The last block of the grid takes the words out as they come, and
// adds them in the order of the blocks, so that the bits are always the same.
//
// This saves the two trips to memory that a ticket costs (value, then counter), one after the
// other. A block waits for others, so these must run at the same time or have run before: blocks
// start in the order of their indices on every GPU so far, and the waiting one is the last.
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

using word = unsigned long long;
constexpr word mark = 1;

/// A value in 32-bit parts. Each is the upper half of a word of the slot, whose lower half is the
/// mark; a form without one_word keeps the value in a word beside that of the mark.
constexpr unsigned parts = (sizeof(ACC) + 3) / 4;
struct Payload {
  unsigned part[parts] = {};
};
#if FIX(one_word)
constexpr unsigned slot_words = parts;
#else
constexpr unsigned slot_words = 2;
#endif

__device__ __forceinline__ void leave(word* slot, ACC value) {
  Payload payload;
  memcpy(&payload, &value, sizeof(ACC));
#if FIX(one_word)
#pragma unroll
  for (unsigned k = 0; k < parts; ++k) atomicExch(slot + k, word(payload.part[k]) << 32 | mark);
#else
  slot[0] = payload.part[0];
  atomicExch(slot + 1, mark);
#endif
}

/// Looks until all words are there, and empties the slot.
__device__ __forceinline__ void take_words(word* slot, word* words, unsigned count) {
  bool all;
  do {
    all = true;
#pragma unroll
    for (unsigned k = 0; k < count; ++k) {
      words[k] = __nv_atomic_load_n(slot + k, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
      all = all && words[k] != 0;
    }
#if FIX(wait)
  } while (!all);
#else
  } while (false);
#endif
#if FIX(slot_reset)
#pragma unroll
  for (unsigned k = 0; k < count; ++k) {
    __nv_atomic_store_n(slot + k, word(0), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
#endif
}

__device__ __forceinline__ ACC take(word* slot) {
  Payload payload;
#if FIX(one_word)
  word words[parts];
  take_words(slot, words, parts);
#pragma unroll
  for (unsigned k = 0; k < parts; ++k) payload.part[k] = unsigned(words[k] >> 32);
#else
  word words[1];
  take_words(slot + 1, words, 1);
  payload.part[0] = unsigned(slot[0]);
#endif
  ACC value;
  memcpy(&value, &payload, sizeof(ACC));
  return value;
}

// Any block up to 1024 threads must fit the registers.
__global__ void __launch_bounds__(1024)
    single_pass_slots(const T* in, ACC* out, word* slots, size_t n) {
  __shared__ ACC w[32];
  unsigned t = threadIdx.x, last = gridDim.x - 1;
  ACC own = block_value(w, batched_value(in, n));
  if (blockIdx.x != last) {
    if (t == 0) leave(slots + size_t(slot_words) * blockIdx.x, own);
    return;
  }
  if (last == 0) {
    if (t == 0) out[0] = own;
    return;
  }
  ACC v = IDENTITY;
  for (unsigned i = t; i < last; i += blockDim.x) {
    v = OP(v, take(slots + size_t(slot_words) * i));
  }
  __syncthreads();
  v = block_value(w, v);
  if (t == 0) out[0] = OP(v, own);
}
