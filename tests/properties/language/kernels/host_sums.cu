// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A sum as a library ships it: a function of the host that makes two launches. `how` plants one
// defect each.
#include <cstddef>
#include <cstdlib>

namespace sums {

enum How : int {
  right,
  wrong_grid,
  missing_barrier,
  leaks,
  copies_too_much,
  other_stream,
  reads_too_much,
  crashes,
  wrong_launch,
  writes_input,
  keeps_workspace,
  fails
};

constexpr unsigned block = 64;

__global__ void tiles(const float* in, float* out, size_t n, size_t read, bool barrier) {
  __shared__ float s[block];
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  s[threadIdx.x] = i < read ? in[i] : 0;
  if (barrier) __syncthreads();
  for (unsigned o = block / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void total(const float* tiles, float* out, unsigned count) {
  float sum = 0;
  for (unsigned k = 0; k < count; ++k) sum += tiles[k];
  *out = sum;
}

cudaError_t sum(const float* in, float* out, size_t n, int how, cudaStream_t stream) {
  static float* workspace = nullptr;
  if (how == crashes) std::abort();
  if (how == fails && n > 0) return cudaErrorInvalidValue;
  const unsigned grid = how == wrong_grid ? n / block + (n < block) : (n + block - 1) / block;
  if (grid == 0) return cudaMemsetAsync(out, 0, sizeof *out, stream);
  float* partial = nullptr;
  if (how == keeps_workspace) {
    if (workspace == nullptr) cudaMalloc(&workspace, 1 << 16);
    partial = workspace;
  } else if (cudaError_t error = cudaMallocAsync(&partial, grid * sizeof(float), stream)) {
    return error;
  }
  if (how == copies_too_much) {
    cudaMemcpyAsync(partial, in, (n + 1) * sizeof(float), cudaMemcpyDeviceToDevice, stream);
  }
  const unsigned threads = how == wrong_launch ? 2048 : block;
  tiles<<<grid, threads, 0, stream>>>(in, partial, n, how == reads_too_much ? n + 1 : n,
                                      how != missing_barrier);
  total<<<1, 1, 0, how == other_stream ? 0 : stream>>>(partial, out, grid);
  if (how == writes_input) cudaMemsetAsync(const_cast<float*>(in), 0xff, sizeof(float), stream);
  if (how != leaks && how != keeps_workspace) cudaFreeAsync(partial, stream);
  return how == wrong_launch ? cudaSuccess : cudaGetLastError();
}

__global__ void add_all(const int* in, int* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

cudaError_t added(const int* in, int* out, unsigned n, bool clears, cudaStream_t stream) {
  if (clears) cudaMemsetAsync(out, 0, sizeof *out, stream);
  add_all<<<n / block + 1, block, 0, stream>>>(in, out, n);
  return cudaGetLastError();
}

__global__ void largest(const float* in, float* out, unsigned n) {
  *out = in[0];
  for (unsigned k = 1; k < n; ++k) {
    if (in[k] > *out) *out = in[k];
  }
}

void maximum(const float* in, float* out, unsigned n) { largest<<<1, 1>>>(in, out, n); }

// No stream, no result, a half as a number; what it does is right.
void scaled(float* x, unsigned n, short factor) {
  if (n != 0) total<<<1, 1>>>(x, x, n);
  cudaDeviceSynchronize();
  (void)factor;
}

}  // namespace sums
