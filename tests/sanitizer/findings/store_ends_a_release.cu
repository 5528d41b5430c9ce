// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Block 1 hands on by a plain store of the flag what block 0 has released: a read-modify-write
// would.
// launch: --grid 3 --block 1 --arg data:i32[1]=0 --arg flag:i32[1]=0 --arg out:i32[1]
#include <cuda/atomic>

__global__ void store_ends_a_release(int* data, int* flag, int* out) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    *data = 5;
    f.store(1, cuda::std::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (f.load(cuda::std::memory_order_relaxed) == 0) {
    }
    f.store(2, cuda::std::memory_order_relaxed);
  } else {
    while (f.load(cuda::std::memory_order_acquire) != 2) {
    }
    *out = *data;  // gauntlet: race_write_read data
  }
}
