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
#include "kernels/load.cuh"
#include "kernels/tree.cuh"

namespace gauntlet::device {

/// In the documented form kBlock is B, and s[B/2] is static.
template <bool kHalfBlock, class In, class Acc, class Op, unsigned kFixes, unsigned kBlock>
__device__ __forceinline__ void half_shared_kernel(const In* in, Acc* out, u64 n) {
  using I = Index<kFixes, unsigned>;
  Acc* s = shared_array_of<Acc, kBlock / 2>();
  const unsigned t = threadIdx.x;
  const unsigned threads = blockDim.x;
  const unsigned B = kBlock != 0 ? kBlock : kHalfBlock ? 2 * threads : threads;
  constexpr bool kStride = has_fix(kFixes, fix::block_stride);
  constexpr bool kAnyBlock = has_fix(kFixes, fix::power_of_two_block);
  const unsigned apart = kStride ? threads : B;
  const I i = index_in_tile<I>(kStride ? 2 * threads : threads);
  const I end = static_cast<I>(n);
  Acc sum = i < end ? convert<Acc>(in[i]) : Op::template identity<Acc>();
  if (i + apart < end) {
    sum = Op::combine(sum, convert<Acc>(in[i + apart]));
  }
  s[t] = sum;
  __syncthreads();
  const unsigned cells = has_fix(kFixes, fix::shared_size) ? threads : B;
  halving_tree<0, kAnyBlock, Acc, Op, StepOfA<kBlock>>(s, t, cells);
  if (t == 0) {
    atomic_combine<Op>(out, s[0]);
  }
}

template <class In, class Acc, class Op, unsigned kFixes, unsigned kBlock = 0>
__device__ __forceinline__ void half_shared(const In* in, Acc* out, u64 n) {
  half_shared_kernel<false, In, Acc, Op, kFixes, kBlock>(in, out, n);
}

template <class In, class Acc, class Op, unsigned kFixes, unsigned kThreads = 0>
__device__ __forceinline__ void half_shared_half_block(const In* in, Acc* out, u64 n) {
  half_shared_kernel<true, In, Acc, Op, kFixes, 2 * kThreads>(in, out, n);
}

}  // namespace gauntlet::device
