// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One defect each, and beside it the same kernel without the defect: what `gauntlet sanitize` must
// find and what it must not. Every kernel is written for blocks of 64 threads unless it says so.

constexpr unsigned full_mask = 0xffffffff;

// A bounds check, forgotten by one element.
template <bool fixed>
__global__ void read_past_end(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fixed && i + 1 >= n ? in[i] : in[i] + in[i + 1];
}

// The left neighbour of the first element.
template <bool fixed>
__global__ void read_before_begin(const float* in, float* out) {
  const int t = threadIdx.x;
  out[t] = fixed && t == 0 ? in[t] : in[t] + in[t - 1];
}

template <bool fixed>
__global__ void write_past_end(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (fixed ? i < n : i <= n) out[i] = i;
}

// Half of the shared array is never written before all of it is read.
template <bool fixed>
__global__ void uninitialised_shared(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (fixed || t < 32) s[t] = t;
  __syncthreads();
  out[t] = s[63 - t];
}

template <bool fixed>
__global__ void race_between_warps(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  if (fixed) __syncthreads();
  out[t] = s[63 - t];
}

template <bool fixed>
__global__ void race_inside_warp(int* out) {  // block of 32
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = t;
  if (fixed) __syncwarp();
  out[t] = s[31 - t];
}

// A vector load that starts one element late.
template <bool fixed>
__global__ void misaligned_vector(const float* in, float* out) {
  const int t = threadIdx.x;
  const float* from = fixed ? in : in + 1;
  const float4 v = *reinterpret_cast<const float4*>(from + 4 * t);
  out[t] = v.x + v.y + v.z + v.w;
}

template <bool fixed>
__global__ void partial_barrier(int* out) {
  const int t = threadIdx.x;
  if (fixed || t < 32) __syncthreads();
  out[t] = t;
}

// Two warps wait at different barriers for each other.
template <bool fixed>
__global__ void crossed_barriers(int* out) {
  const int t = threadIdx.x;
  if (fixed || t < 32) {
    asm volatile("barrier.sync 1, 64;" ::: "memory");
  } else {
    asm volatile("barrier.sync 2, 64;" ::: "memory");
  }
  out[t] = t;
}

// Waits for a flag that nobody raises.
template <bool fixed>
__global__ void endless_wait(volatile int* flag, int* out) {
  if (!fixed) {
    while (*flag == 0) {
    }
  }
  out[threadIdx.x] = 1;
}

template <bool fixed>
__global__ void trapped(int* out, int n) {
  const int t = threadIdx.x;
  if (!fixed && t == n) __trap();
  out[t] = t;
}

// The upper lanes shuffle under a mask that names only the lower ones.
template <bool fixed>
__global__ void foreign_mask(int* out) {  // block of 32
  const int t = threadIdx.x;
  out[t] = __shfl_xor_sync(fixed ? full_mask : 0x0000ffff, t, 1);
}

template <bool fixed>
__global__ void write_input(const int* in, int* out) {
  const int t = threadIdx.x;
  out[t] = in[t];
  if (!fixed) const_cast<int*>(in)[t] = 0;
}

// Adds to a total that only a fresh launch starts at zero.
__device__ int total;
template <bool fixed>
__global__ void leaves_state(int* out) {
  __shared__ int sum;
  const int t = threadIdx.x;
  if (t == 0) sum = 0;
  __syncthreads();
  atomicAdd(fixed ? &sum : &total, t);
  __syncthreads();
  if (t == 0) *out = fixed ? sum : total;
}

// The order of the blocks decides, although nothing races.
__global__ void order_of_blocks(int* next, int* out) {
  if (threadIdx.x == 0) out[atomicAdd(next, 1)] = blockIdx.x;
}

// Lanes, warps and blocks write one cell.
__global__ void all_write_one(int* out) { *out = blockIdx.x * blockDim.x + threadIdx.x; }

// Block 0 takes a lock without an acquiring fence: when it comes first, the lock orders it all the
// same.
template <bool fixed>
__global__ void lock_without_acquire(int* lock, int* out) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  if (fixed || blockIdx.x != 0) __threadfence();
  *out += 1;
  __threadfence();
  atomicExch(lock, 0);
}

#define BOTH(name, ...)                              \
  template __global__ void name<false>(__VA_ARGS__); \
  template __global__ void name<true>(__VA_ARGS__);
BOTH(read_past_end, const float*, float*, int)
BOTH(read_before_begin, const float*, float*)
BOTH(write_past_end, int*, int)
BOTH(uninitialised_shared, int*)
BOTH(race_between_warps, int*)
BOTH(race_inside_warp, int*)
BOTH(misaligned_vector, const float*, float*)
BOTH(partial_barrier, int*)
BOTH(crossed_barriers, int*)
BOTH(endless_wait, volatile int*, int*)
BOTH(trapped, int*, int)
BOTH(foreign_mask, int*)
BOTH(write_input, const int*, int*)
BOTH(leaves_state, int*)
BOTH(lock_without_acquire, int*, int*)
