// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One planted defect per kind that a vendor tool claims to find, and beside each a twin that
// differs in nothing but the defect. sanitizer/vendor/calibration.hpp says which tool must report
// which, and how each is launched. A kernel is named calibration__DEFECT__planted or
// calibration__DEFECT__clean.

// Two kernels from one body; `planted` is a constant in it.
#define GAUNTLET_TWINS(DEFECT, ...)                                                             \
  extern "C" __global__ void calibration__##DEFECT##__planted(const int* in, int* out, int n) { \
    constexpr bool planted = true;                                                              \
    __VA_ARGS__                                                                                 \
  }                                                                                             \
  extern "C" __global__ void calibration__##DEFECT##__clean(const int* in, int* out, int n) {   \
    constexpr bool planted = false;                                                             \
    __VA_ARGS__                                                                                 \
  }

extern __shared__ int s[];

// Warp 0 reads what warp 1 has stored, with no barrier between.
GAUNTLET_TWINS(shared_race_between_warps, {
  const int t = threadIdx.x;
  s[t] = in[t];
  if (!planted) __syncthreads();
  out[t] = s[n - 1 - t];
})

// A lane reads what another lane of its warp has stored, with no barrier between.
GAUNTLET_TWINS(shared_race_inside_warp, {
  const int t = threadIdx.x;
  const int mirror = (t & ~31) + 31 - (t & 31);
  s[t] = in[t];
  if (!planted) __syncwarp();
  out[t] = s[mirror];
})

// The last thread reads in[n].
GAUNTLET_TWINS(global_read_out_of_bounds, {
  const int t = threadIdx.x;
  const int next = planted || t + 1 < n ? t + 1 : t;
  out[t] = in[next];
})

// The last thread writes out[n].
GAUNTLET_TWINS(global_write_out_of_bounds, {
  const int t = threadIdx.x;
  if (planted || t + 1 < n) out[t + 1] = in[t];
  if (t == 0) out[0] = in[0];
})

// The last thread reads s[n], one past the dynamic shared memory that the launch asked for.
GAUNTLET_TWINS(shared_read_out_of_bounds, {
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  out[t] = s[planted || t + 1 < n ? t + 1 : t];
})

// The last thread writes s[n].
GAUNTLET_TWINS(shared_write_out_of_bounds, {
  const int t = threadIdx.x;
  if (t == 0) s[0] = in[0];
  if (planted || t + 1 < n) s[t + 1] = in[t];
  __syncthreads();
  out[t] = s[t];
})

// A read of four ints at an address that is a multiple of 4 only.
GAUNTLET_TWINS(global_misaligned, {
  const int t = threadIdx.x;
  const int4 four = *reinterpret_cast<const int4*>(in + (planted ? 1 : 0));
  out[t] = four.x + four.y + four.z + four.w;
})

// Reads the half of `out` that nobody has written.
GAUNTLET_TWINS(global_uninitialised, {
  const int t = threadIdx.x;
  if (!planted || t < n / 2) out[t] = in[t];
  __syncthreads();
  const int mirror = out[n - 1 - t];
  __syncthreads();
  out[t] = mirror;
})

// Leaves the upper half of `out` unwritten; the host copies all of it.
GAUNTLET_TWINS(copy_uninitialised, {
  const int t = threadIdx.x;
  if (!planted || t < n / 2) out[t] = in[t];
})

// Reads the half of `s` that nobody has written.
GAUNTLET_TWINS(shared_uninitialised, {
  const int t = threadIdx.x;
  if (!planted || t < n / 2) s[t] = in[t];
  __syncthreads();
  out[t] = s[n - 1 - t];
})

// Half of warp 0 never comes to the barrier.
GAUNTLET_TWINS(divergent_barrier, {
  const int t = threadIdx.x;
  if (!planted || t < 16) __syncthreads();
  out[t] = in[t];
})

// Lanes 16 to 31 execute a warp barrier whose mask does not name them.
GAUNTLET_TWINS(invalid_mask, {
  const int t = threadIdx.x;
  __syncwarp(planted ? 0x0000ffffU : 0xffffffffU);
  out[t] = in[t];
})

// In a block of 48 lane 15 of the second warp takes the value of lane 16, which does not exist.
GAUNTLET_TWINS(shuffle_from_absent_lane, {
  const int t = threadIdx.x;
  out[t] = __shfl_down_sync(0xffffffffU, in[t], 1, planted ? 32 : 16);
})
