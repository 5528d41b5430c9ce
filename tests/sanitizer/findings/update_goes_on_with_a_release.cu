// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// launch: --grid 3 --block 1 --arg data:i32[1]=0 --arg flag:i32[1]=0 --arg out:i32[1]
#include <cuda/atomic>

__global__ void update_goes_on_with_a_release(int* data, int* flag, int* out) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    *data = 5;
    f.store(1, cuda::std::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (f.load(cuda::std::memory_order_relaxed) == 0) {
    }
    f.fetch_add(1, cuda::std::memory_order_relaxed);
  } else {
    while (f.load(cuda::std::memory_order_acquire) != 2) {
    }
    *out = *data;
  }
}
