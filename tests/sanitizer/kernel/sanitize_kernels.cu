// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Right kernels that are no reductions, and one that the machine refuses.

template <int bins>
__global__ void histogram(const int* in, int* out, int n) {
  __shared__ int counts[bins];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&counts[in[i] % bins], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&out[b], counts[b]);
}
template __global__ void histogram<16>(const int*, int*, int);
template __global__ void histogram<64>(const int*, int*, int);

// Tiles of 16 x 16 with a padded row against bank conflicts.
__global__ void transpose(const float* in, float* out, int width, int height) {
  __shared__ float tile[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  const int u = blockIdx.y * 16 + threadIdx.x, v = blockIdx.x * 16 + threadIdx.y;
  if (u < height && v < width) out[v * height + u] = tile[threadIdx.x][threadIdx.y];
}

// out[i] = in[i-1] + in[i] + in[i+1] through dynamic shared memory with a halo.
__global__ void stencil(const double* in, double* out, int n) {
  extern __shared__ double s[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
  s[t] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) s[0] = i > 0 && i - 1 < n ? in[i - 1] : 0;
  if (threadIdx.x == blockDim.x - 1) s[t + 1] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = s[t - 1] + s[t] + s[t + 1];
}

// Inclusive prefix sum of one block, warp by warp.
namespace prefix {
__global__ void scan(const int* in, int* out, int n) {
  __shared__ int warps[32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int x = t < n ? in[t] : 0;
  for (int d = 1; d < 32; d *= 2) {
    const int y = __shfl_up_sync(0xffffffff, x, d);
    if (lane >= d) x += y;
  }
  if (lane == 31) warps[warp] = x;
  __syncthreads();
  if (warp == 0) {
    int y = t < blockDim.x / 32 ? warps[t] : 0;
    for (int d = 1; d < 32; d *= 2) {
      const int z = __shfl_up_sync(0xffffffff, y, d);
      if (lane >= d) y += z;
    }
    warps[t] = y;
  }
  __syncthreads();
  if (warp > 0) x += warps[warp - 1];
  if (t < n) out[t] = x;
}
}  // namespace prefix

// Arguments by value of several sizes.
extern "C" __global__ void by_value(float4 v, bool add, double* out) {
  out[threadIdx.x] = v.x + v.y + v.z + v.w + (add ? 1.0 : 0.0);
}

__global__ void halves(const unsigned short* in, unsigned short* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

__global__ void video_sum(float* out) {
  unsigned sum;
  asm("vadd.u32.u32.u32 %0, %1, 3;" : "=r"(sum) : "r"(threadIdx.x));
  out[threadIdx.x] = static_cast<float>(sum);
}
