// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Document C's vector loads: one 16-byte load per thread (int4, float4, double2, 8 halves, 16
// bytes), written V below for the elements of one vector. Document C has int and V = 4.
//
// As printed a thread loads its vector when its first element is inside the input. That reads past
// n when n is no multiple of V (`vector_tail`: a scalar tail), faults when `in` is not on a 16-byte
// boundary (`alignment`: scalar loads), and the index V*g wraps in 32 bits (`index_width`). The
// tree starts at B/2 (`power_of_two_block`).
#pragma once

#include "kernels/atomics.cuh"
#include "kernels/load.cuh"
#include "kernels/tree.cuh"

namespace gauntlet::device {

template <class In>
inline constexpr unsigned vector_elements = 16 / sizeof(In);

template <class In>
struct alignas(16) Vector {
  In x[vector_elements<In>];
};

/// The 16-byte load of vector g. The bits travel as a uint4, so that it is one instruction.
template <class In>
__device__ __forceinline__ Vector<In> load_vector(const In* in, u64 g) {
  const uint4 bits = reinterpret_cast<const uint4*>(in)[g];
  return *reinterpret_cast<const Vector<In>*>(&bits);
}

/// Vector g of the input, the identity where it has no element.
template <unsigned fixes, class Op, class In>
__device__ __forceinline__ Vector<In> vector_at(const In* in, u64 g, u64 n) {
  constexpr unsigned V = vector_elements<In>;
  const u64 first = V * g;
  bool whole = true;
  if constexpr (has_fix(fixes, fix::vector_tail)) {
    whole = first + V <= n;
  }
  if constexpr (has_fix(fixes, fix::alignment)) {
    whole = whole && reinterpret_cast<u64>(in) % 16 == 0;
  }
  if (whole) {
    return load_vector(in, g);
  }
  Vector<In> v;
#pragma unroll
  for (unsigned e = 0; e < V; ++e) {
    v.x[e] = first + e < n ? in[first + e] : Op::template identity<In>();
  }
  return v;
}

template <class Op, class Acc, class In>
__device__ __forceinline__ Acc combine_elements(const Vector<In>& v) {
  Acc y = convert<Acc>(v.x[0]);
#pragma unroll
  for (unsigned e = 1; e < vector_elements<In>; ++e) {
    y = Op::combine(y, convert<Acc>(v.x[e]));
  }
  return y;
}

/// f(vector) of the thread's vector, or what `otherwise` gives where that starts past n. Without
/// index_width the test V*g < n is done in 32 bits.
template <unsigned fixes, class Op, class In, class F, class Otherwise>
__device__ __forceinline__ auto with_own_vector(const In* in, u64 n, F f, Otherwise otherwise) {
  using I = Index<fixes, unsigned>;
  const I g = index_in_tile<I>(blockDim.x);
  if (vector_elements<In> * g < static_cast<I>(n)) {
    return f(vector_at<fixes, Op>(in, g, n));
  }
  return otherwise();
}

/// The thread's vector, or identities.
template <unsigned fixes, class Op, class In>
__device__ __forceinline__ Vector<In> own_vector(const In* in, u64 n) {
  return with_own_vector<fixes, Op>(
      in, n, [](const Vector<In>& v) { return v; },
      [] {
        Vector<In> v;
#pragma unroll
        for (unsigned e = 0; e < vector_elements<In>; ++e) {
          v.x[e] = Op::template identity<In>();
        }
        return v;
      });
}

/// The sum of its elements, or the identity.
template <unsigned fixes, class Op, class Acc, class In>
__device__ __forceinline__ Acc sum_of_own_vector(const In* in, u64 n) {
  return with_own_vector<fixes, Op>(
      in, n, [](const Vector<In>& v) { return combine_elements<Op, Acc>(v); },
      [] { return Op::template identity<Acc>(); });
}

/// C vectorised: the vectors go to shared memory, which is 16 bytes per thread, and are added
/// there.
template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void int4_through_shared(const In* in, Acc* out, u64 n) {
  constexpr unsigned V = vector_elements<In>;
  const unsigned t = threadIdx.x;
  const unsigned B = threads_of_block<block_size>();
  In* elements = shared_array_of<In, V * block_size>();
  const Vector<In> own = own_vector<fixes, Op>(in, n);
  reinterpret_cast<uint4*>(elements)[t] = *reinterpret_cast<const uint4*>(&own);
  __syncthreads();
  Acc y = convert<Acc>(elements[V * t]);
#pragma unroll
  for (unsigned e = 1; e < V; ++e) {
    y = Op::combine(y, convert<Acc>(elements[V * t + e]));
  }
  __syncthreads();
  Acc* s = reinterpret_cast<Acc*>(elements);
  s[t] = y;
  __syncthreads();
  halving_tree<0, has_fix(fixes, fix::power_of_two_block), Acc, Op, StepOfC<block_size>>(s, t, B);
  if (t == 0) {
    atomic_combine<Op>(out, s[0]);
  }
}

/// C "thread coarsening": the vector's elements are added in registers.
template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void int4_coarsened(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array_of<Acc, block_size>();
  const unsigned t = threadIdx.x;
  const unsigned B = threads_of_block<block_size>();
  s[t] = sum_of_own_vector<fixes, Op, Acc>(in, n);
  __syncthreads();
  halving_tree<0, has_fix(fixes, fix::power_of_two_block), Acc, Op, StepOfC<block_size>>(s, t, B);
  if (t == 0) {
    atomic_combine<Op>(out, s[0]);
  }
}

/// C shuffle: the last 64 cells are added by one warp with shuffles.
template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void int4_shuffle(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array_of<Acc, block_size>();
  const unsigned t = threadIdx.x;
  const unsigned B = threads_of_block<block_size>();
  s[t] = sum_of_own_vector<fixes, Op, Acc>(in, n);
  __syncthreads();
  halving_tree<32, has_fix(fixes, fix::power_of_two_block), Acc, Op, StepOfC<block_size>>(s, t, B);
  if (t < 32) {
    constexpr bool partial = has_fix(fixes, fix::partial_warp);
    const unsigned lanes = partial ? lanes_of_warp(t, B) : 32;
    const unsigned mask = mask_of_lanes(lanes);
    Acc y = s[t];
    if (B > 32 && t + 32 < B) {
      y = Op::combine(y, s[t + 32]);
    }
#pragma unroll
    for (unsigned o = 16; o > 0; o /= 2) {
      const Acc other = __shfl_down_sync(mask, y, o);
      if (!partial || t + o < lanes) {
        y = Op::combine(y, other);
      }
    }
    if (t == 0) {
      atomic_combine<Op>(out, y);
    }
  }
}

}  // namespace gauntlet::device
