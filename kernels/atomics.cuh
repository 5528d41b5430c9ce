// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// atomic_combine<Op>: *out = *out (+) value, atomically, for every accumulator type and operator.
// Native where CUDA has the instruction, else a compare-and-swap loop of the type's own width
// (16 bits for f16).
#pragma once

#include <cstring>

#include "kernels/operators.cuh"

namespace gauntlet::device {

/// The first guess is the identity, not a plain read: a plain read would race with the atomics of
/// other blocks, and a wrong guess costs one more round.
template <class Op, class T>
__device__ __forceinline__ void combine_by_cas(T* out, T value) {
  auto* cell = reinterpret_cast<Bits<T>*>(out);
  const T guess = Op::template identity<T>();
  Bits<T> seen;
  memcpy(&seen, &guess, sizeof(T));
  Bits<T> expected;
  do {
    expected = seen;
    T current;
    memcpy(&current, &expected, sizeof(T));
    const T combined = Op::combine(current, value);
    Bits<T> desired;
    memcpy(&desired, &combined, sizeof(T));
    seen = atomicCAS(cell, expected, desired);
  } while (seen != expected);
}

template <class Op, class T>
__device__ __forceinline__ void atomic_combine(T* out, T value) {
  constexpr bool integer = std::is_integral_v<T>;
  if constexpr (std::is_same_v<Op, sum> && std::is_same_v<T, i64>) {
    atomicAdd(reinterpret_cast<u64*>(out), static_cast<u64>(value));
  } else if constexpr (std::is_same_v<Op, sum>) {
    atomicAdd(out, value);
  } else if constexpr (std::is_same_v<Op, minimum> && integer) {
    atomicMin(out, value);
  } else if constexpr (std::is_same_v<Op, maximum> && integer) {
    atomicMax(out, value);
  } else {
    combine_by_cas<Op>(out, value);
  }
}

}  // namespace gauntlet::device
