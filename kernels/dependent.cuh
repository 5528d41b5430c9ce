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
// One block alone needs no second launch. Its time is that of instructions that wait for each
// other, so that an input which it loads at once is asked as little as possible.
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

/// The value of an input of so many whole vectors, at most one batch of the block: nothing but
/// loads and additions, since a small input takes no longer than these do one after another.
template <unsigned batch_size, class Op, class Acc, class In>
__device__ __forceinline__ Acc one_batch_value(const In* in, unsigned vectors) {
  constexpr unsigned V = vector_elements<In>;
  constexpr unsigned sum_count = V < 4 ? V : 4;
  uint4 loaded[batch_size];
#pragma unroll
  for (unsigned u = 0; u < batch_size; ++u) {
    const unsigned i = u * blockDim.x + threadIdx.x;
    loaded[u] = i < vectors ? load_bits(in + V * i) : identity_bits<Op, In>();
  }
  Acc sums[sum_count];
#pragma unroll
  for (unsigned u = 0; u < batch_size; ++u) {
    const Vector<In> x = *reinterpret_cast<const Vector<In>*>(&loaded[u]);
#pragma unroll
    for (unsigned e = 0; e < V; ++e) {
      const Acc y = convert<Acc>(x.x[e]);
      sums[e % sum_count] = u == 0 && e < sum_count ? y : Op::combine(sums[e % sum_count], y);
    }
  }
#pragma unroll
  for (unsigned e = 1; e < sum_count; ++e) {
    sums[0] = Op::combine(sums[0], sums[e]);
  }
  return sums[0];
}

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void dependent_launch(const In* in, Acc* out, u64 n) {
  __shared__ Acc w[32];
  constexpr unsigned loads = fix::bounds_check | fix::vector_tail | fix::alignment;
  constexpr bool before_loads = has_fix(fixes, fix::read_wait);
  constexpr bool in_both = has_fix(fixes, fix::write_wait);
  constexpr unsigned batch_size = 4;
  asm volatile("griddepcontrol.launch_dependents;");
  const u64 bytes = n * sizeof(In);
  const bool whole_vectors = (reinterpret_cast<u64>(in) | bytes) % 16 == 0;
  const bool one_batch = gridDim.x == 1 && whole_vectors && bytes <= 16 * batch_size * blockDim.x;
  if constexpr (before_loads) {
    if (in_both || gridDim.x == 1) {
      wait_for_launch_before<fixes>();
    }
  }
  Acc v;
  if (one_batch) {
    v = one_batch_value<batch_size, Op, Acc>(in, static_cast<unsigned>(bytes / 16));
  } else {
    v = batched_value<loads, batch_size, Op, Acc>(in, n);
  }
  v = block_value<true, Op>(w, v);
  if constexpr (!before_loads && in_both) {
    wait_for_launch_before<fixes>();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = v;
  }
}

}  // namespace gauntlet::device
