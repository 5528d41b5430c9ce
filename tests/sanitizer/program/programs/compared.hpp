// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Values in groups, compared with what the program computes itself: "NAME: right", or how many are
// wrong; with `print` the bits of all values, to compare with those of a GPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

bool print = false;
int wrong = 0;

void check(cudaError_t error) {
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorName(error)), std::exit(1);
}
void tell(const char* group) {
  if (wrong == 0) std::printf("%s: right\n", group);
  if (wrong != 0) std::printf("%s: %d wrong\n", group, wrong);
  wrong = 0;
}
void compare(float got, double expected) {
  unsigned bits;
  std::memcpy(&bits, &got, sizeof bits);
  if (print) std::printf("%08x\n", bits);
  wrong += got == static_cast<float>(expected) ? 0 : 1;
}

/// `planes` of `rows` of elements of the host, one behind the other, to all of an array.
template <class T>
void fill(cudaArray_t array, std::vector<T>& host, std::size_t columns, std::size_t rows,
          std::size_t planes) {
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), columns * sizeof(T), columns, rows);
  copy.dstArray = array;
  copy.extent = {columns, rows, planes};
  copy.kind = cudaMemcpyHostToDevice;
  check(cudaMemcpy3D(&copy));
}
cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}
/// What `fetch`, a launch of a thread for each place, makes of these.
template <class T, class Fetch>
std::vector<T> fetched_at(const std::vector<float4>& at, const Fetch& fetch) {
  const std::size_t n = at.size();
  float4* places;
  T* out;
  check(cudaMalloc(&places, n * sizeof(float4)));
  check(cudaMalloc(&out, n * sizeof(T)));
  check(cudaMemcpy(places, at.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
  fetch(unsigned(n + 63) / 64, places, out, int(n));
  check(cudaGetLastError());
  std::vector<T> got(n);
  check(cudaMemcpy(got.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost));
  cudaFree(places);
  cudaFree(out);
  return got;
}

}  // namespace
