// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What linked_unit.cu defines and linked.cu uses.
#pragma once

using Function = int (*)(int);

extern __device__ int shared_by_units;
__device__ int twice(int x);
__device__ Function pick(unsigned which);
template <class T>
__device__ __noinline__ T thrice(T x) {  // both units have it
  return x + x + x;
}

/// Launches the unit's own kernel; `fault`: with a race in its device function.
void there(int* out, bool fault);
