// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C v2: every cell with odd index is read once, so half the shared memory should be enough. The
// kernel announces s[B/2], adds in[i] and in[i+B] with i = b*blockDim + t, stores s[t] for every
// t and starts the tree at k = B/2. The document leaves open whether blockDim is B or B/2:
//
// blockDim = B: threads t >= B/2 store past s and the first step reads past it; neighbouring
//   blocks overlap by B elements, which are counted twice, while the end of the input is not read.
// blockDim = B/2: the stores fit, but the first step reads s[t + B/2], past s, for every thread;
//   block b adds two halves of a tile that lie B apart instead of B/2, so that blocks two apart
//   overlap.
//
// Fixed: block b covers elements from 2*b*blockDim, two per thread a blockDim apart, and the tree
// stays inside s. With blockDim = B this needs s[B]; with blockDim = B/2 the announced s[B/2]
// is enough, which is what C meant.
#pragma once

#include "kernels/atomics.cuh"
#include "kernels/tree.cuh"

namespace gauntlet::device {

template <bool kHalfBlock, class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void half_shared_kernel(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  const unsigned threads = blockDim.x;
  const unsigned B = kHalfBlock ? 2 * threads : threads;
  constexpr bool kStride = has_fix(kFixes, fix::block_stride);
  const unsigned apart = kStride ? threads : B;
  const u64 i = tile_begin(kStride ? 2 * threads : threads) + t;
  const Acc a = i < n ? convert<Acc>(in[i]) : Op::template identity<Acc>();
  const Acc b = i + apart < n ? convert<Acc>(in[i + apart]) : Op::template identity<Acc>();
  s[t] = Op::combine(a, b);
  __syncthreads();
  if constexpr (has_fix(kFixes, fix::shared_size)) {
    halving_tree<0, true, Acc, Op>(s, t, threads);
  } else {
    halving_tree<0, false, Acc, Op>(s, t, B);
  }
  if (t == 0) {
    atomic_combine<Op>(out, s[0]);
  }
}

template <class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void half_shared(const In* in, Acc* out, u64 n) {
  half_shared_kernel<false, In, Acc, Op, kFixes>(in, out, n);
}

template <class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void half_shared_half_block(const In* in, Acc* out, u64 n) {
  half_shared_kernel<true, In, Acc, Op, kFixes>(in, out, n);
}

}  // namespace gauntlet::device
