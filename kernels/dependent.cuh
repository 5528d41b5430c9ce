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
// What can be left out by mistake: the wait before the loads (`read_wait`): they read input in the
// first launch, but partials of the launch before in the second one. The wait of the first launch
// (`write_wait`), which overwrites partials that the second launch of the reduction before may
// still read. And that every thread needs it, or a barrier behind it (`wait_by_all`).
//
// Before the wait each block asks for its input (prefetch), which hides most of what a small input
// costs. One block alone needs no second launch.
#pragma once

#include "kernels/batch.cuh"

namespace gauntlet::device {

template <unsigned fixes>
__device__ __forceinline__ void wait_for_launch_before() {
  if constexpr (has_fix(fixes, fix::wait_by_all)) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
  } else if (threadIdx.x == 0) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
  }
}

/// Asks for the block's first batch while the launch before still runs: a prefetch reads nothing,
/// so that it needs no wait, even where that launch writes what is asked for. Once the grid has
/// asked for enough it stops, since the launch before still loads its own (measured:
/// docs/timing.md).
template <unsigned batch_size, class In>
__device__ __forceinline__ void prefetch_batch(const In* in, u64 n) {
  constexpr unsigned V = vector_elements<In>;
  constexpr unsigned line_threads = 8;  // a line of 128 bytes is asked for by one thread
  // Vectors. Each instruction here delays the loads: in 64 bits this took 1.5 % of f64 2^20.
  constexpr unsigned enough = (3u << 20) / 16;
  const unsigned at_once = gridDim.x * blockDim.x;
  const u64 first = u64{batch_size} * blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (unsigned u = 0; u < batch_size; ++u) {
    const u64 i = V * (first + u * blockDim.x);
    if (u * at_once < enough && threadIdx.x % line_threads == 0 && i < n) {
      asm volatile("prefetch.L2 [%0];" ::"l"(in + i));
    }
  }
}

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void dependent_launch(const In* in, Acc* out, u64 n) {
  __shared__ Acc w[32];
  constexpr unsigned loads = fix::bounds_check | fix::vector_tail | fix::alignment;
  constexpr bool before_loads = has_fix(fixes, fix::read_wait);
  constexpr bool in_both = has_fix(fixes, fix::write_wait);
  constexpr unsigned batch_size = 4;
  asm volatile("griddepcontrol.launch_dependents;");
  prefetch_batch<batch_size>(in, n);
  if constexpr (before_loads) {
    if (in_both || gridDim.x == 1) {
      wait_for_launch_before<fixes>();
    }
  }
  Acc v = batched_value<loads, batch_size, Op, Acc>(in, n);
  v = block_value<true, Op>(w, v);
  if constexpr (!before_loads && in_both) {
    wait_for_launch_before<fixes>();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = v;
  }
}

}  // namespace gauntlet::device
