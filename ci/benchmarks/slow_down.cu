// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Five programs in one, for ci/gpu-slow-down: slow_down NAME REPEATS does the work once, and then
// REPEATS times between two events. It prints one line of JSON: the name, the number of elements,
// milliseconds of one repetition, and whether the result is right.
#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <cstdio>
#include <cstdlib>
#include <cub/device/device_scan.cuh>
#include <string>
#include <vector>

#define CHECK(call)                                                             \
  do {                                                                          \
    const cudaError_t error = (call);                                           \
    if (error != cudaSuccess) {                                                 \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorName(error)); \
      std::exit(1);                                                             \
    }                                                                           \
  } while (0)

namespace {

constexpr int threads = 256, tile = 32;

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void sum(const int* in, int* out, int n) {
  __shared__ int s[threads];
  int mine = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) mine += in[i];
  s[threadIdx.x] = mine;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, s[0]);
}

__global__ void transpose(const float* in, float* out, int width) {
  __shared__ float s[tile][tile + 1];
  const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  for (int k = 0; k < tile; k += 8) s[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
  __syncthreads();
  const int to_x = blockIdx.y * tile + threadIdx.x, to_y = blockIdx.x * tile + threadIdx.y;
  for (int k = 0; k < tile; k += 8) {
    out[(to_y + k) * width + to_x] = s[threadIdx.x][threadIdx.y + k];
  }
}

template <class T>
T* raw(thrust::device_vector<T>& vector) {
  return thrust::raw_pointer_cast(vector.data());
}

/// Milliseconds of one repetition. `change` gives the work other elements: a launch that is equal
/// to one before it is not executed again by gauntlet run.
template <class Change, class Work>
float timed(int repeats, Change&& change, Work&& work) {
  cudaEvent_t begin = nullptr, end = nullptr;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  work();
  change();
  CHECK(cudaEventRecord(begin));
  for (int k = 0; k < repeats; ++k) work();
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float all = 0;
  CHECK(cudaEventElapsedTime(&all, begin, end));
  return all / static_cast<float>(repeats);
}

void tell(const char* name, int n, float milliseconds, bool right) {
  std::printf("{\"name\": \"%s\", \"elements\": %d, \"ms\": %.6f, \"right\": %s}\n", name, n,
              milliseconds, right ? "true" : "false");
}

void vector_add(int repeats) {
  constexpr int n = 1 << 20;
  thrust::device_vector<float> a(n, 1.0F), b(n, 2.0F), c(n);
  const float ms = timed(
      repeats, [&] { a[1] = 5.0F; },
      [&] { add<<<n / threads, threads>>>(raw(a), raw(b), raw(c), n); });
  tell("vector add", n, ms, c[0] == 3.0F && c[n - 1] == 3.0F);
}

void reduction(int repeats) {
  constexpr int n = 1 << 20;
  thrust::device_vector<int> in(n, 1), out(1, 0);
  const float ms = timed(
      repeats, [&] { in[0] = 2, in[1] = 0; }, [&] { sum<<<64, threads>>>(raw(in), raw(out), n); });
  tell("reduction", n, ms, out[0] == (repeats + 1) * n);
}

void tiled_transpose(int repeats) {
  constexpr int width = 1024;
  thrust::device_vector<float> in(width * width), out(width * width);
  thrust::sequence(in.begin(), in.end());
  const float ms = timed(
      repeats, [&] { in[5] = 7.5F; },
      [&] {
        transpose<<<dim3(width / tile, width / tile), dim3(tile, 8)>>>(raw(in), raw(out), width);
      });
  tell("tiled transpose", width * width, ms, out[1] == 1024.0F && out[width] == 1.0F);
}

void cub_scan(int repeats) {
  constexpr int n = 1 << 20;
  thrust::device_vector<int> in(n, 1), out(n);
  std::size_t bytes = 0;
  CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, raw(in), raw(out), n));
  thrust::device_vector<char> scratch(bytes);
  const float ms = timed(
      repeats, [&] { in[0] = 2, in[1] = 0; },
      [&] { CHECK(cub::DeviceScan::InclusiveSum(raw(scratch), bytes, raw(in), raw(out), n)); });
  tell("CUB scan", n, ms, out[n - 1] == n);
}

void thrust_sort(int repeats) {
  constexpr int n = 1 << 18;
  std::vector<int> mixed(n);
  for (int k = 0; k < n; ++k) mixed[k] = static_cast<int>((k * 7919LL) % n);
  thrust::device_vector<int> in(mixed.begin(), mixed.end()), sorted(n);
  const float ms = timed(
      repeats, [&] { in[0] = mixed[1], in[1] = mixed[0]; },
      [&] {
        sorted = in;
        thrust::sort(sorted.begin(), sorted.end());
      });
  tell("Thrust sort", n, ms, sorted[0] == 0 && sorted[n - 1] == n - 1);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string wanted = count > 1 ? arguments[1] : "";
  const int repeats = count > 2 ? std::atoi(arguments[2]) : 1;
  const struct {
    const char* name;
    void (*run)(int);
  } all[] = {{"vector_add", vector_add},
             {"reduction", reduction},
             {"tiled_transpose", tiled_transpose},
             {"cub_scan", cub_scan},
             {"thrust_sort", thrust_sort}};
  for (const auto& one : all) {
    if (wanted != one.name) continue;
    one.run(repeats);
    return 0;
  }
  std::fprintf(stderr, "slow_down NAME REPEATS; there are:");
  for (const auto& one : all) std::fprintf(stderr, " %s", one.name);
  std::fprintf(stderr, "\n");
  return 2;
}
