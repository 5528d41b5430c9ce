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

/// In the documented form block_size is B, and s[B/2] is static.
template <bool half_block, class In, class Acc, class Op, unsigned fixes, unsigned block_size>
__device__ __forceinline__ void half_shared_kernel(const In* in, Acc* out, u64 n) {
  using I = Index<fixes, unsigned>;
  Acc* s = shared_array_of<Acc, block_size / 2>();
  const unsigned t = threadIdx.x;
  const unsigned threads = blockDim.x;
  const unsigned B = block_size != 0 ? block_size : half_block ? 2 * threads : threads;
  constexpr bool stride = has_fix(fixes, fix::block_stride);
  constexpr bool any_block = has_fix(fixes, fix::power_of_two_block);
  const unsigned apart = stride ? threads : B;
  const I i = index_in_tile<I>(stride ? 2 * threads : threads);
  const I end = static_cast<I>(n);
  Acc sum = i < end ? convert<Acc>(in[i]) : Op::template identity<Acc>();
  if (i + apart < end) {
    sum = Op::combine(sum, convert<Acc>(in[i + apart]));
  }
  s[t] = sum;
  __syncthreads();
  const unsigned cells = has_fix(fixes, fix::shared_size) ? threads : B;
  halving_tree<0, any_block, Acc, Op, StepOfA<block_size>>(s, t, cells);
  if (t == 0) {
    atomic_combine<Op>(out, s[0]);
  }
}

template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void half_shared(const In* in, Acc* out, u64 n) {
  half_shared_kernel<false, In, Acc, Op, fixes, block_size>(in, out, n);
}

template <class In, class Acc, class Op, unsigned fixes, unsigned thread_count = 0>
__device__ __forceinline__ void half_shared_half_block(const In* in, Acc* out, u64 n) {
  half_shared_kernel<true, In, Acc, Op, fixes, 2 * thread_count>(in, out, n);
}

}  // namespace gauntlet::device
