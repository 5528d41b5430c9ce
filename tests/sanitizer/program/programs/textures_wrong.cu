// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that does with textures and surfaces what it must not; with `right` behind the name,
// what it may just do.
#include <cuda_runtime.h>

#include <cstdio>

#include "named.hpp"

namespace {

cudaArray_t array(unsigned flags = 0, int defined_rows = 4) {
  const float zeros[32] = {};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t made = nullptr;
  cudaMallocArray(&made, &format, 8, 4, flags);
  cudaMemcpy2DToArray(made, 0, 0, zeros, 32, 32, defined_rows, cudaMemcpyHostToDevice);
  return made;
}
cudaResourceDesc resource(cudaArray_t of) {
  cudaResourceDesc made{};
  made.resType = cudaResourceTypeArray;
  made.res.array.array = of;
  return made;
}
cudaTextureObject_t texture(const cudaResourceDesc& of,
                            cudaTextureFilterMode filter = cudaFilterModePoint) {
  cudaTextureDesc description{};
  for (auto& mode : description.addressMode) mode = cudaAddressModeClamp;
  description.filterMode = filter;
  cudaTextureObject_t made = 0;
  cudaCreateTextureObject(&made, &of, &description, nullptr);
  return made;
}
cudaSurfaceObject_t surface() {
  const cudaResourceDesc of = resource(array(cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t made = 0;
  cudaCreateSurfaceObject(&made, &of);
  return made;
}

__global__ void fetch(cudaTextureObject_t t, float y, float* out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5F, y);
}
void show(cudaTextureObject_t t, float y) {
  float *out = nullptr, host[8];
  cudaMalloc(&out, sizeof host);
  fetch<<<1, 8>>>(t, y, out);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
}

// The last row is not there.
NAMED(undefined_row) { show(texture(resource(array(0, 3))), right ? 2.5F : 3.5F); }
// On the centres of row 2 nothing of row 3 is used.
NAMED(undefined_neighbour) {
  show(texture(resource(array(0, 3)), cudaFilterModeLinear), right ? 2.5F : 2.75F);
}
void undefined_coordinate();
NAMED(destroyed) {
  const cudaTextureObject_t t = texture(resource(array()));
  if (!right) cudaDestroyTextureObject(t);
  show(t, 1);
}
NAMED(freed) {
  cudaArray_t const of = array();
  const cudaTextureObject_t t = texture(resource(of));
  if (!right) cudaFreeArray(of);
  show(t, 1);
}

__global__ void shift(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x + 1);
}
NAMED(memory_below) {
  float *below = nullptr, *other = nullptr;
  cudaMalloc(&below, 33 * sizeof(float));
  cudaMalloc(&other, 33 * sizeof(float));
  cudaMemset(below, 0, 33 * sizeof(float));
  cudaResourceDesc of{};
  of.resType = cudaResourceTypeLinear;
  of.res.linear = {below, cudaCreateChannelDesc<float>(), 33 * sizeof(float)};
  shift<<<1, 32>>>(texture(of), right ? other : below);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

__global__ void write_column(cudaSurfaceObject_t s, int step) {
  surf2Dwrite(float(threadIdx.x), s, 4 * step * threadIdx.x, 0);
}
NAMED(one_element) {
  write_column<<<1, 8>>>(surface(), right ? 1 : 0);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
__global__ void exchange(cudaSurfaceObject_t s, bool wait, float* out) {
  const int x = threadIdx.x % 8, y = threadIdx.x / 32;
  if (threadIdx.x % 32 < 8) surf2Dwrite(float(x), s, 4 * x, y);
  if (wait) __syncthreads();
  out[threadIdx.x] = surf2Dread<float>(s, 4 * x, 1 - y);
}
NAMED(no_barrier) {
  float* out = nullptr;
  cudaMalloc(&out, 64 * sizeof(float));
  exchange<<<1, 64>>>(surface(), right, out);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
__global__ void beyond_edge(cudaSurfaceObject_t s, bool zero) {
  if (zero) surf2Dwrite(1.0F, s, 4 * threadIdx.x, 0, cudaBoundaryModeZero);
  if (!zero) surf2Dwrite(1.0F, s, 4 * threadIdx.x, 0);
}
NAMED(outside) {
  beyond_edge<<<1, 9>>>(surface(), right);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
__global__ void fetch_at(cudaTextureObject_t t, const float* x, float* out) {
  out[threadIdx.x] = tex2D<float>(t, x[threadIdx.x], 0);
}
NAMED(undefined_coordinate) {
  float *x = nullptr, *out = nullptr;
  cudaMalloc(&x, 32);
  cudaMalloc(&out, 32);
  cudaMemset(x, 0, right ? 32 : 28);
  fetch_at<<<1, 8>>>(texture(resource(array())), x, out);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
NAMED(copied_elsewhere) {
  cudaArray_t const of = array();
  const cudaTextureObject_t t = texture(resource(of));
  float *source = nullptr, *out = nullptr;
  cudaMallocHost(&source, 128);
  cudaMalloc(&out, 32);
  for (int k = 0; k < 32; ++k) source[k] = 1;
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t event = nullptr;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEventCreate(&event);
  cudaMemcpy2DToArrayAsync(of, 0, 0, source, 32, 32, 4, cudaMemcpyHostToDevice, first);
  cudaEventRecord(event, first);
  if (right) cudaStreamWaitEvent(second, event, 0);
  fetch<<<1, 8, 0, second>>>(t, 1, out);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaDeviceSynchronize();
}
__global__ void by_direction(cudaTextureObject_t t, float* out) {
  *out = texCubemap<float>(t, 1, 0, 0);
}
NAMED(cube_map) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const auto flags = right ? cudaArrayCubemap : cudaArrayLayered;
  cudaArray_t made = nullptr;
  cudaMalloc3DArray(&made, &format, {8, 8, 6}, flags);
  static float content[8 * 8 * 6];
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(content, 8 * sizeof(float), 8, 8);
  copy.dstArray = made;
  copy.extent = {8, 8, 6};
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  float* out = nullptr;
  cudaMalloc(&out, sizeof(float));
  by_direction<<<1, 1>>>(texture(resource(made)), out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

}  // namespace

int main(int count, char** arguments) {
  run_named(count, arguments);
  cudaDeviceSynchronize();
}
