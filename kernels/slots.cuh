// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: one launch without a fence and without a shared counter. Each block has a
// slot, in which its value and the mark that it is there are one 64-bit word, written atomically:
// who sees the mark has the value. The last block of the grid takes the words out as they come, and
// adds them in the order of the blocks, so that the bits are always the same.
//
// This saves the two trips to memory that a ticket costs (value, then counter), one after the
// other. What can be left out by mistake: the value travels beside the word that marks it
// (`one_word`), a word stays in its slot, so that the next launch takes it for its own
// (`slot_reset`), a slot is looked at once instead of until its word is there (`wait`).
//
// A block waits for others, so these must run at the same time or have run before: blocks start
// in the order of their indices on every GPU so far, and the waiting one is the last.
#pragma once

#include <cstring>

#include "kernels/batch.cuh"

namespace gauntlet::device {

/// 64-bit words of a slot: the lower half is the mark, the upper half 32 bits of the value. A form
/// without `one_word` keeps the value in words of their own behind the marks.
template <class Acc>
inline constexpr unsigned slot_words = (sizeof(Acc) + 3) / 4;
inline constexpr u64 mark_bit = 1;

template <class Acc>
struct Payload {
  unsigned part[slot_words<Acc>] = {};
};

template <unsigned fixes, class Acc>
__device__ __forceinline__ void leave(u64* slot, Acc value) {
  Payload<Acc> payload;
  memcpy(&payload, &value, sizeof(Acc));
  if constexpr (has_fix(fixes, fix::one_word)) {
#pragma unroll
    for (unsigned k = 0; k < slot_words<Acc>; ++k) {
      atomicExch(slot + k, static_cast<u64>(payload.part[k]) << 32 | mark_bit);
    }
  } else {
    slot[0] = payload.part[0];
    atomicExch(slot + 1, mark_bit);
  }
}

/// Looks until all words are there, and empties the slot.
template <unsigned fixes, unsigned word_count>
__device__ __forceinline__ void take_words(u64* slot, u64 (&words)[word_count]) {
  bool all;
  do {
    all = true;
#pragma unroll
    for (unsigned k = 0; k < word_count; ++k) {
      words[k] = __nv_atomic_load_n(slot + k, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
      all = all && words[k] != 0;
    }
  } while (has_fix(fixes, fix::wait) && !all);
  if constexpr (has_fix(fixes, fix::slot_reset)) {
#pragma unroll
    for (unsigned k = 0; k < word_count; ++k) {
      __nv_atomic_store_n(slot + k, u64{0}, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    }
  }
}

template <unsigned fixes, class Acc>
__device__ __forceinline__ Acc take(u64* slot) {
  Payload<Acc> payload;
  if constexpr (has_fix(fixes, fix::one_word)) {
    u64 words[slot_words<Acc>];
    take_words<fixes>(slot, words);
#pragma unroll
    for (unsigned k = 0; k < slot_words<Acc>; ++k) {
      payload.part[k] = static_cast<unsigned>(words[k] >> 32);
    }
  } else {
    u64 mark[1];
    take_words<fixes>(slot + 1, mark);
    payload.part[0] = static_cast<unsigned>(slot[0]);
  }
  Acc value;
  memcpy(&value, &payload, sizeof(Acc));
  return value;
}

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void single_pass_slots(const In* in, Acc* out, u64* slots, u64 n) {
  __shared__ Acc w[32];
  constexpr unsigned loads = fix::bounds_check | fix::vector_tail | fix::alignment;
  constexpr unsigned step = has_fix(fixes, fix::one_word) ? slot_words<Acc> : 2;
  static_assert(has_fix(fixes, fix::one_word) || sizeof(Acc) <= 4);
  const unsigned t = threadIdx.x;
  const unsigned last = gridDim.x - 1;
  const Acc own = block_value<true, Op>(w, batched_value<loads, 4, Op, Acc>(in, n));
  if (blockIdx.x != last) {
    if (t == 0) {
      leave<fixes>(slots + u64{step} * blockIdx.x, own);
    }
    return;
  }
  if (last == 0) {
    if (t == 0) {
      out[0] = own;
    }
    return;
  }
  Acc v = Op::template identity<Acc>();
  for (unsigned i = t; i < last; i += blockDim.x) {
    v = Op::combine(v, take<fixes, Acc>(slots + u64{step} * i));
  }
  __syncthreads();
  v = block_value<true, Op>(w, v);
  if (t == 0) {
    out[0] = Op::combine(v, own);
  }
}

}  // namespace gauntlet::device
