// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: a grid-stride sum that keeps several 16-byte loads of each thread in
// flight, for any n and any alignment of an element.
//
// The input is cut into vectors of 16 bytes at aligned addresses, so that the first and the last
// one may lie in it only partly. A tile is B * batch_size vectors; tile k belongs to block k mod G.
// A tile that lies inside is loaded without a question, the first and the last are looked at vector
// by vector where they must. What a naive author leaves out: that the last tile may be shorter
// (`bounds_check`), the last vector (`vector_tail`), and where the input begins (`alignment`).
#pragma once

#include "kernels/block.cuh"
#include "kernels/fixes.cuh"
#include "kernels/shuffle.cuh"
#include "kernels/vector.cuh"

namespace gauntlet::device {

/// The input in vectors of 16 bytes.
template <class In>
struct Vectors {
  const In* origin;  ///< aligned; before the input's begin by `shift` elements
  u64 end;           ///< elements from the origin to the input's end
  unsigned shift;
  u64 whole;  ///< vectors from here on are not, or not wholly, inside
};

template <unsigned fixes, class In>
__device__ __forceinline__ Vectors<In> vectors_of(const In* in, u64 n) {
  constexpr unsigned V = vector_elements<In>;
  Vectors<In> v;
  v.shift = 0;
  if constexpr (has_fix(fixes, fix::alignment)) {
    v.shift = static_cast<unsigned>(reinterpret_cast<u64>(in)) % 16 / sizeof(In);
  }
  v.origin = in - v.shift;
  v.end = n + v.shift;
  v.whole = v.end / V;
  if constexpr (!has_fix(fixes, fix::vector_tail)) {
    v.whole = (v.end + V - 1) / V;
  }
  return v;
}

template <class In>
__device__ __forceinline__ uint4 load_bits(const In* from) {
  return *reinterpret_cast<const uint4*>(from);
}

template <class Op, class In>
__device__ __forceinline__ uint4 identity_bits() {
  Vector<In> v;
#pragma unroll
  for (unsigned e = 0; e < vector_elements<In>; ++e) {
    v.x[e] = Op::template identity<In>();
  }
  return *reinterpret_cast<const uint4*>(&v);
}

/// The elements of the tile's vectors that are only partly in the input: at most the first vector
/// and the last.
template <class Op, class Acc, class In>
__device__ __forceinline__ Acc partial_vectors(const Vectors<In>& v, u64 tile, unsigned vectors,
                                               Acc y) {
  constexpr unsigned V = vector_elements<In>;
  const unsigned B = blockDim.x;
  u64 last = v.whole;
  if (v.shift != 0) {
    if (tile == 0) {
      const u64 stop = v.end < V ? v.end : V;
#pragma unroll 1
      for (u64 i = v.shift + threadIdx.x; i < stop; i += B) {
        y = Op::combine(y, convert<Acc>(v.origin[i]));
      }
    }
    last = v.whole == 0 ? 1 : v.whole;  // the first vector is not added twice
  }
  if (v.whole < tile + vectors) {
#pragma unroll 1
    for (u64 i = last * V + threadIdx.x; i < v.end; i += B) {
      y = Op::combine(y, convert<Acc>(v.origin[i]));
    }
  }
  return y;
}

/// The value of all elements in the block's tiles that this thread loads.
template <unsigned fixes, unsigned batch_size, class Op, class Acc, class In>
__device__ __forceinline__ Acc batched_value(const In* in, u64 n) {
  constexpr unsigned V = vector_elements<In>;
  constexpr unsigned sum_count = V < 4 ? V : 4;  // independent chains of additions
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const Vectors<In> v = vectors_of<fixes>(in, n);
  const unsigned vectors = B * batch_size;
  const u64 stride = static_cast<u64>(gridDim.x) * vectors;
  Acc sums[sum_count];
#pragma unroll
  for (unsigned e = 0; e < sum_count; ++e) {
    sums[e] = Op::template identity<Acc>();
  }
  for (u64 tile = static_cast<u64>(blockIdx.x) * vectors; tile * V < v.end; tile += stride) {
    uint4 loaded[batch_size];  // as bits: bytes would be unpacked too early, and spill
    const In* from = v.origin + V * (tile + t);
    bool inside = true;
    if constexpr (has_fix(fixes, fix::bounds_check)) {
      inside = tile + vectors <= v.whole && (tile != 0 || v.shift == 0);
    }
    if (inside) {
#pragma unroll
      for (unsigned u = 0; u < batch_size; ++u) {
        loaded[u] = load_bits(from + u64{V} * (u * B));
      }
    } else {
      // Fewer than a tile's vectors are left, or the first one is skipped: 32 bits will do.
      const auto left = static_cast<unsigned>(min(v.whole - tile, u64{vectors}));
      const bool skip = t == 0 && tile == 0 && v.shift != 0;
#pragma unroll
      for (unsigned u = 0; u < batch_size; ++u) {
        const bool own = u * B + t < left && !(u == 0 && skip);
        loaded[u] = own ? load_bits(from + u64{V} * (u * B)) : identity_bits<Op, In>();
      }
      sums[0] = partial_vectors<Op>(v, tile, vectors, sums[0]);
    }
#pragma unroll
    for (unsigned u = 0; u < batch_size; ++u) {
      const Vector<In> x = *reinterpret_cast<const Vector<In>*>(&loaded[u]);
#pragma unroll
      for (unsigned e = 0; e < V; ++e) {
        sums[e % sum_count] = Op::combine(sums[e % sum_count], convert<Acc>(x.x[e]));
      }
    }
  }
#pragma unroll
  for (unsigned e = 1; e < sum_count; ++e) {
    sums[0] = Op::combine(sums[0], sums[e]);
  }
  return sums[0];
}

/// The block's value, in thread 0. `w` is free again after the next block barrier. The warps'
/// values take as many shuffles as there are warps to halve, not always five.
template <bool partial, class Op, class Acc>
__device__ __forceinline__ Acc block_value(Acc (&w)[32], Acc v) {
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned lanes = partial ? lanes_of_warp(t, B) : 32;
  v = lanes == 32 ? reduce_full_warp<Op>(v) : reduce_lanes<Op>(v, t % 32, lanes);
  if (B <= 32) {
    return v;
  }
  if (t % 32 == 0) {
    w[t / 32] = v;
  }
  __syncthreads();
  const unsigned warps = partial ? (B + 31) / 32 : B / 32;
  if (t < 32) {
    v = t < warps ? w[t] : Op::template identity<Acc>();
    for (unsigned o = first_step(warps); o > 0; o /= 2) {
      v = Op::combine(v, __shfl_down_sync(full_mask, v, o));
    }
  }
  return v;
}

/// Two launches: G partials, then one block over those.
template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void vector_batch(const In* in, Acc* out, u64 n) {
  __shared__ Acc w[32];
  constexpr bool partial = has_fix(fixes, fix::partial_warp);
  const Acc v = block_value<partial, Op>(w, batched_value<fixes, 8, Op, Acc>(in, n));
  if (threadIdx.x == 0) {
    out[blockIdx.x] = v;
  }
}

}  // namespace gauntlet::device
