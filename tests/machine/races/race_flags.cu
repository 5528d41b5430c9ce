// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Flags that threads wait for; a[0 ...] synchronises, a[32 ...] are data. Each twin lacks one token
// of the order that the PTX memory model asks for (PTX ISA 9.0, chapter 8).
#include <cuda/atomic>

#include "tests/machine/races/race_kernels.cuh"

using Device = cuda::atomic_ref<int, cuda::thread_scope_device>;
constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ volatile int& strong(int& x) { return x; }

/// A volatile warp tail behind an unrelated fence.
template <bool right>
__device__ void tail_behind_fence_body(int*, int* out) {
  volatile int* cells = s;
  const unsigned t = threadIdx.x;
  __threadfence_block();
  int v = static_cast<int>(t);
  cells[t] = v;
  cells[t + 32] = 0;
  if (right) __syncwarp();
  for (int k = 16; k > 0; k /= 2) {
    v += cells[t + k];
    if (right) __syncwarp();
    cells[t] = v;
    if (right) __syncwarp();
  }
  if (t == 0) out[0] = cells[0];
}
RACE_PAIR(tail_behind_fence)

/// Every thread of block 1 polls the flag of block 0 with a fence in its loop.
template <bool right>
__device__ void polled_by_all_body(int* a, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    strong(a[32]) = 7;
    if (right) __threadfence();
    strong(a[0]) = 1;
  } else {
    while (strong(a[0]) == 0) __threadfence();
    __threadfence();
    out[threadIdx.x] = strong(a[32]);
  }
}
RACE_PAIR(polled_by_all)

/// A decoupled look-back: each block waits for the word of the one before, which says by itself
/// whether it is there, adds its own, and hands on. The twin's word only says that the sum is
/// there.
template <bool right>
__device__ void look_back_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  int sum = 1;
  if (blockIdx.x != 0) {
    int word = 0;
    do {
      __threadfence_block();
      word = strong(a[blockIdx.x - 1]);
    } while (word == 0);
    sum += right ? word & 0xFFFF : strong(a[32 + blockIdx.x - 1]);
  }
  if (!right) strong(a[32 + blockIdx.x]) = sum;
  strong(a[blockIdx.x]) = sum | 0x10000;
  out[blockIdx.x] = sum;
}
RACE_PAIR(look_back)

/// The same, of who looks once and does not wait in the twin.
template <bool right>
__device__ void look_once_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    strong(a[0]) = 7;
    return;
  }
  int word = 0;
  do word = strong(a[0]);
  while (right && word == 0);
  out[0] = word;
}
RACE_PAIR(look_once)

/// A look-back with a status beside the sums: 1, that of the block is there; 2, that of all up to
/// it. The compiler asks for the first status before the loop, which begins with its value. Each
/// block says 2 in the end, the first one twice (its sum once, since that may be read from then
/// on). The twin does so without a fence.
template <bool right>
__device__ void look_back_by_status_body(int* a, int* out) {
  const auto publish = [&](int status, int sum, bool fenced) {
    if (strong(a[blockIdx.x]) != status) strong(a[32 + 8 * status + blockIdx.x]) = sum;
    if (fenced) __threadfence();
    strong(a[blockIdx.x]) = status;
  };
  const int own = static_cast<int>(blockIdx.x) + 1;
  int before = 0;
  if (threadIdx.x == 31) publish(blockIdx.x == 0 ? 2 : 1, own, true);
  __syncthreads();
  if (threadIdx.x == 0) {
    if (blockIdx.x != 0) {
      for (unsigned b = blockIdx.x - 1;;) {
        const int status = strong(a[b]);
        if (status == 2) {
          before += strong(a[48 + b]);
          break;
        }
        if (status == 1) before += strong(a[40 + b--]);
      }
    }
    s[0] = before;
  }
  __syncthreads();
  if (threadIdx.x == 31) publish(2, s[0] + own, right);
  out[32 * blockIdx.x + threadIdx.x] = s[0] + own;
}
RACE_PAIR(look_back_by_status)

/// Asked once and not waited for.
template <bool right>
__device__ void asked_once_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    a[32] = 7;
    if (right) __threadfence();
    strong(a[0]) = 1;
  } else if (strong(a[0]) != 0) {
    __threadfence();
    out[0] = a[32];
  }
}
RACE_PAIR(asked_once)

/// The fence stands before the data in the twin.
template <bool right>
__device__ void flag_fence_order_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    if (!right) __threadfence();
    a[32] = 7;
    if (right) __threadfence();
    strong(a[0]) = 1;
  } else {
    while (strong(a[0]) == 0) {
    }
    __threadfence();
    out[0] = a[32];
  }
}
RACE_PAIR(flag_fence_order)

/// A relaxed flag between fences; of the block alone in the twin.
template <bool right>
__device__ void relaxed_flag_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  const Device flag(a[0]);
  if (blockIdx.x == 0) {
    a[32] = 7;
    right ? __threadfence() : __threadfence_block();
    flag.store(1, relaxed);
  } else {
    while (flag.load(relaxed) == 0) {
    }
    __threadfence();
    out[0] = a[32];
  }
}
RACE_PAIR(relaxed_flag)

/// The reader's fence stands before its wait in the twin.
template <bool right>
__device__ void reader_fence_order_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  const Device flag(a[0]);
  if (blockIdx.x == 0) {
    a[32] = 7;
    __threadfence();
    flag.store(1, relaxed);
  } else {
    if (!right) __threadfence();
    while (flag.load(relaxed) == 0) {
    }
    if (right) __threadfence();
    out[0] = a[32];
  }
}
RACE_PAIR(reader_fence_order)

/// Two flags behind one fence, both polled; the second one is a plain store in the twin.
template <bool right>
__device__ void two_flags_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    a[32] = 7;
    __threadfence();
    strong(a[0]) = 1;
    if (right)
      strong(a[1]) = 1;
    else
      a[1] = 1;
  } else {
    while (strong(a[blockIdx.x - 1]) == 0) {
    }
    __threadfence();
    out[blockIdx.x] = a[32];
  }
}
RACE_PAIR(two_flags)

/// Between the warps of a block, through shared memory.
template <bool right>
__device__ void shared_flag_body(int*, int* out) {
  if (threadIdx.x < 2) s[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    s[1] = 7;
    if (right) __threadfence_block();
    strong(s[0]) = 1;
  } else if (threadIdx.x == 32) {
    while (strong(s[0]) == 0) {
    }
    __threadfence_block();
    out[0] = s[1];
  }
}
RACE_PAIR(shared_flag)

/// Between two lanes of a warp.
template <bool right>
__device__ void lane_flag_body(int* a, int* out) {
  if (threadIdx.x == 1) {
    strong(a[32]) = 7;
    if (right) __threadfence_block();
    strong(a[0]) = 1;
  } else if (threadIdx.x == 0) {
    while (strong(a[0]) == 0) {
    }
    __threadfence_block();
    out[0] = strong(a[32]);
  }
}
RACE_PAIR(lane_flag)

/// From block 0 over 1 to 2: what 1 has acquired it hands on (cumulativity). In the twin block 1
/// fences before it has waited.
template <bool right>
__device__ void chain_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    a[32] = 7;
    __threadfence();
    strong(a[0]) = 1;
  } else if (blockIdx.x == 1) {
    if (!right) __threadfence();
    while (strong(a[0]) == 0) {
    }
    if (right) __threadfence();
    strong(a[1]) = 1;
  } else {
    while (strong(a[1]) == 0) {
    }
    __threadfence();
    out[0] = a[32];
  }
}
RACE_PAIR(chain)

/// Set and polled by atomics that are relaxed; the twin's reader has no fence.
template <bool right>
__device__ void atomic_flag_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    a[32] = 7;
    __threadfence();
    atomicExch(a, 1);
  } else {
    while (atomicAdd(a, 0) == 0) {
    }
    if (right) __threadfence();
    out[0] = a[32];
  }
}
RACE_PAIR(atomic_flag)

/// A cell that two blocks hand to and fro. The twin's producer does not acquire before it writes
/// again what the consumer has read.
template <bool right>
__device__ void ping_pong_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  for (int k = 1; k <= 2; ++k) {
    if (blockIdx.x == 0) {
      while (strong(a[0]) != 0) {
      }
      if (right) __threadfence();
      a[32] = k;
      __threadfence();
      atomicExch(a, 1);
    } else {
      while (strong(a[0]) != 1) {
      }
      __threadfence();
      out[k] = a[32];
      __threadfence();
      atomicExch(a, 0);
    }
  }
}
RACE_PAIR(ping_pong)

/// A barrier of all blocks made of an atomic counter; its wait acquires nothing in the twin.
template <bool right>
__device__ void counter_barrier_body(int* a, int* out) {
  const unsigned t = threadIdx.x;
  a[32 + blockIdx.x * blockDim.x + t] = 3;
  __syncthreads();
  if (t == 0) {
    __threadfence();
    atomicAdd(a, 1);
    while (strong(a[0]) != static_cast<int>(gridDim.x)) {
    }
    if (right) __threadfence();
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = a[32 + (gridDim.x - 1 - blockIdx.x) * blockDim.x + t];
}
RACE_PAIR(counter_barrier)

/// A ring of four cells from block 0 to block 1; the twin does not wait for room, so that a cell is
/// written again while it is read: where the first block has ended before the second begins,
/// everything is ordered.
template <bool right>
__device__ void ring_room_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  const Device pushed(a[0]), taken(a[1]);
  for (int k = 0; k < 12; ++k) {
    int& cell = a[32 + k % 4];
    if (blockIdx.x == 0) {
      while (right && k - taken.load(cuda::memory_order_acquire) >= 4) {
      }
      cell = k;
      pushed.store(k + 1, cuda::memory_order_release);
    } else {
      while (pushed.load(cuda::memory_order_acquire) <= k) {
      }
      out[k] = cell;
      taken.store(k + 1, cuda::memory_order_release);
    }
  }
}
RACE_PAIR(ring_room)

/// A decoupled look-back over tiles that a counter deals out. The twin does not release its own
/// sum, which nobody reads where each block has ended before the next begins.
template <bool right>
__device__ void dealt_tiles_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  int* const state = a + 1;
  int* const own = a + 32;
  int* const inclusive = a + 64;
  const int tile = Device(a[0]).fetch_add(1, relaxed);
  int sum = tile + 1;
  own[tile] = sum;
  Device(state[tile]).store(1, right ? cuda::memory_order_release : relaxed);
  for (int k = tile - 1; k >= 0; --k) {
    int known = 0;
    do {
      known = Device(state[k]).load(cuda::memory_order_acquire);
    } while (known == 0);
    sum += known == 2 ? inclusive[k] : own[k];
    if (known == 2) break;
  }
  inclusive[tile] = sum;
  Device(state[tile]).store(2, cuda::memory_order_release);
  out[tile] = sum;
}
RACE_PAIR(dealt_tiles)
