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

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void dependent_launch(const In* in, Acc* out, u64 n) {
  __shared__ Acc w[32];
  constexpr unsigned loads = fix::bounds_check | fix::vector_tail | fix::alignment;
  constexpr bool before_loads = has_fix(fixes, fix::read_wait);
  constexpr bool in_both = has_fix(fixes, fix::write_wait);
  asm volatile("griddepcontrol.launch_dependents;");
  if constexpr (before_loads) {
    if (in_both || gridDim.x == 1) {
      wait_for_launch_before<fixes>();
    }
  }
  const Acc v = block_value<true, Op>(w, batched_value<loads, 4, Op, Acc>(in, n));
  if constexpr (!before_loads && in_both) {
    wait_for_launch_before<fixes>();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = v;
  }
}

}  // namespace gauntlet::device
