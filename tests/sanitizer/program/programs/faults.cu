// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One mistake each, named by the argument: of a kernel, or of the host.
#include <sys/mman.h>

#include <cassert>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "named.hpp"

namespace {

constexpr int n = 256;

__global__ void missing_barrier(int* out) {
  __shared__ int s[n];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[(threadIdx.x + 37) % n];
}
__global__ void writes(int* out, int cells) {
  if (threadIdx.x < cells) out[threadIdx.x] = 1;
}
__global__ void reads(const int* in, int* out, int at) { *out = in[at]; }
__global__ void branches(const int* in, int* out) {
  if (in[threadIdx.x] > 0) out[threadIdx.x] = 1;
}
__global__ void partial_barrier(int* out) {
  if (threadIdx.x < 100) __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void asserts(int* out) {
  assert(threadIdx.x < 3);
  *out = 1;
}

int* cells(int count = n) {
  int* at = nullptr;
  cudaMalloc(&at, count * sizeof(int));
  cudaMemset(at, 0, count * sizeof(int));
  return at;
}

NAMED(race) {
  for (int k = 0; k < 3; ++k) missing_barrier<<<1, n>>>(cells());
}
NAMED(out_of_bounds_write) { writes<<<1, n>>>(cells(100), 101); }
NAMED(out_of_bounds_read) { reads<<<1, 1>>>(cells(100), cells(), 100); }
NAMED(undefined) {
  int* in = nullptr;
  cudaMalloc(&in, n * sizeof(int));
  branches<<<1, n>>>(in, cells());
}
NAMED(barrier) { partial_barrier<<<1, n>>>(cells()); }
NAMED(assertion) {
  asserts<<<1, 32>>>(cells());
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
NAMED(host_pointer) {
  std::vector<int> on_host(n);
  writes<<<1, n>>>(on_host.data(), n);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
NAMED(kernel_after_free) {
  int* at = cells();
  cudaFree(at);
  writes<<<1, n>>>(at, n);
}
NAMED(copy_after_free) {
  int *at = cells(), value = 0;
  cudaFree(at);
  std::printf("%s\n", cudaGetErrorName(cudaMemcpy(&value, at, 4, cudaMemcpyDeviceToHost)));
}
NAMED(double_free) {
  int* at = cells();
  cudaFree(at);
  std::printf("%s\n", cudaGetErrorName(cudaFree(at)));
}
NAMED(double_free_in_thread) { std::thread(double_free).join(); }
NAMED(invalid_free) { cudaFree(cells() + 1); }
NAMED(copy_beyond) {
  std::vector<int> host(n + 1);
  cudaMemcpy(cells(), host.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
}
NAMED(fill_beyond) { cudaMemset(cells(), 1, n * sizeof(int) + 1); }
NAMED(wrong_direction) {
  std::vector<int> host(n);
  cudaMemcpy(host.data(), cells(), 4, cudaMemcpyHostToDevice);
}
/// A cudaArray has copies of its own.
NAMED(copy_to_array) {
  const std::vector<int> host(16);
  const auto format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 16, 1);
  cudaMemcpy2DToArray(array, 0, 0, host.data(), 64, 64, 1, cudaMemcpyHostToDevice);
  cudaMemcpy(array, host.data(), 64, cudaMemcpyHostToDevice);
  cudaFreeArray(array);
}
NAMED(free_array) {
  const auto format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 16, 1);
  cudaFree(array);
}
void tell(cudaError_t error) { std::printf("%s\n", cudaGetErrorName(error)); }
NAMED(copy_from_null) { tell(cudaMemcpy(cells(), nullptr, 4, cudaMemcpyHostToDevice)); }
NAMED(copy_to_null) { tell(cudaMemcpy(nullptr, cells(), 4, cudaMemcpyDeviceToHost)); }
/// The last bytes of the memory before an address at which there is none.
char* last_bytes(int bytes) {
  auto* const pages = static_cast<char*>(
      mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(pages + 4096, 4096);
  return pages + 4096 - bytes;
}
NAMED(copy_from_unmapped) { tell(cudaMemcpyAsync(cells(), last_bytes(0), 4, cudaMemcpyDefault)); }
NAMED(copy_off_the_end) { tell(cudaMemcpy(cells(), last_bytes(24), 28, cudaMemcpyHostToDevice)); }
NAMED(copy_rows_off_the_end) {
  tell(cudaMemcpy2D(cells(), 8, last_bytes(24), 8, 8, 4, cudaMemcpyHostToDevice));
}
NAMED(copies_of_nothing_and_up_to_the_end) {
  int* const at = cells();
  tell(cudaMemcpy(at, nullptr, 0, cudaMemcpyHostToDevice));
  tell(cudaMemcpy(at, last_bytes(24), 24, cudaMemcpyHostToDevice));
  tell(cudaMemcpy(last_bytes(24), at, 24, cudaMemcpyDeviceToHost));
}
int* shared_cells() {
  int* at = nullptr;
  cudaMallocManaged(&at, n * sizeof(int));
  return at;
}
NAMED(copy_to_its_second_element) {
  int* const at = cells();
  tell(cudaMemcpy(at + 1, at, 255 * sizeof(int), cudaMemcpyDeviceToDevice));
}
NAMED(copy_over_its_own_end) {
  int* const at = cells();
  tell(cudaMemcpyAsync(at, at + 100, 101 * sizeof(int), cudaMemcpyDefault));
}
NAMED(copy_rows_over_each_other) {
  int* const at = cells();
  tell(cudaMemcpy2D(at + 3, 32, at, 32, 16, 8, cudaMemcpyDeviceToDevice));
}
NAMED(copy_rows_to_other_rows) {
  int* const at = cells();
  tell(cudaMemcpy2D(at, 16, at, 32, 16, 8, cudaMemcpyDeviceToDevice));
}
NAMED(copy_planes_over_each_other) {
  int* const at = cells();
  cudaMemcpy3DParms params{};
  params.srcPtr = params.dstPtr = make_cudaPitchedPtr(at, 32, 16, 4);
  params.dstPos = make_cudaPos(0, 0, 1);
  params.extent = make_cudaExtent(16, 4, 2);
  params.kind = cudaMemcpyDeviceToDevice;
  tell(cudaMemcpy3D(&params));
}
NAMED(copies_beside_each_other) {
  int *const at = cells(), *const managed = shared_cells();
  tell(cudaMemcpy(at + 128, at, 128 * sizeof(int), cudaMemcpyDeviceToDevice));
  tell(cudaMemcpy(at + 1, at, 0, cudaMemcpyDeviceToDevice));
  tell(cudaMemcpy(at, at, n * sizeof(int), cudaMemcpyDeviceToDevice));
  tell(cudaMemcpy(managed, managed + 128, 128 * sizeof(int), cudaMemcpyDefault));
  tell(cudaMemcpy2D(at + 4, 32, at, 32, 16, 8, cudaMemcpyDeviceToDevice));
  tell(cudaMemcpy2D(at, 32, at, 32, 16, 8, cudaMemcpyDeviceToDevice));
  cudaMemcpy3DParms params{};
  params.srcPtr = params.dstPtr = make_cudaPitchedPtr(at, 32, 16, 4);
  params.dstPos = make_cudaPos(16, 0, 1);
  params.extent = make_cudaExtent(16, 4, 2);
  params.kind = cudaMemcpyDeviceToDevice;
  tell(cudaMemcpy3D(&params));
}
NAMED(unread_error) { writes<<<1, 2000>>>(cells(), n); }
NAMED(undefined_copy) {
  int *at = nullptr, value = 0;
  cudaMalloc(&at, 64);
  cudaMemcpy(&value, at, 4, cudaMemcpyDeviceToHost);
}
struct Padded {
  char letter;
  int number;
};
__global__ void add_to(int* cells) { cells[threadIdx.x] += threadIdx.x; }
__global__ void unwritten_sum(int* cells) {
  __shared__ int s[n];
  if (threadIdx.x != 7) s[threadIdx.x] = 1;
  __syncthreads();
  cells[threadIdx.x] = s[threadIdx.x] + s[7];
}
__global__ void write_all(int* cells) { cells[threadIdx.x] = 1; }
__global__ void copy_structs(const Padded* from, Padded* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

NAMED(undefined_left) {
  int* at = nullptr;
  cudaMalloc(&at, n * sizeof(int));
  cudaMemset(at, 0, n);  // too short: it counts bytes
  add_to<<<1, n>>>(at);
  cudaFree(at);
}
NAMED(undefined_copied) {
  int *at = nullptr, value = 0;
  cudaMalloc(&at, n * sizeof(int));
  add_to<<<1, n>>>(at);
  cudaMemcpy(&value, at, sizeof value, cudaMemcpyDeviceToHost);
  cudaFree(at);
}
NAMED(undefined_passed_on) {
  int *at = nullptr, *next = nullptr, value = 0;
  cudaMalloc(&at, n * sizeof(int));
  cudaMalloc(&next, n * sizeof(int));
  unwritten_sum<<<1, n>>>(at);
  reads<<<1, 1>>>(at, next, 0);
  cudaMemcpy(&value, next, sizeof value, cudaMemcpyDeviceToHost);
}
NAMED(undefined_at_exit) {
  int* at = nullptr;
  cudaMalloc(&at, n * sizeof(int));
  add_to<<<1, n>>>(at);
}
NAMED(undefined_nowhere) {
  int *overwritten = nullptr, *filled = nullptr, *unwritten = nullptr;
  cudaMalloc(&overwritten, n * sizeof(int));
  cudaMalloc(&filled, n * sizeof(int));
  cudaMalloc(&unwritten, n * sizeof(int));
  add_to<<<1, n>>>(overwritten);
  write_all<<<1, n>>>(overwritten);
  add_to<<<1, n>>>(filled);
  cudaMemset(filled, 0, n * sizeof(int));
  Padded host[32] = {}, *from = nullptr, *to = nullptr;
  cudaMalloc(&from, sizeof host);
  cudaMalloc(&to, sizeof host);
  for (int k = 0; k < 32; ++k) {  // all but the padding
    cudaMemcpy(&from[k].letter, &host[k].letter, 1, cudaMemcpyHostToDevice);
    cudaMemcpy(&from[k].number, &host[k].number, sizeof(int), cudaMemcpyHostToDevice);
  }
  copy_structs<<<1, 32>>>(from, to);
  copy_structs<<<1, 32>>>(to, from);
  cudaMemcpy(host, from, sizeof host, cudaMemcpyDeviceToHost);
}
NAMED(followed_on_host) {
  int* at = cells();
  std::printf("before\n");
  std::fflush(stdout);
  std::printf("%d\n", at[3]);
}
NAMED(leak) {
  cells();
  cudaFree(cells());
}
NAMED(format_alone) {
  const cudaChannelFormatDesc f =
      cudaCreateChannelDesc(8, 16, 32, 64, cudaChannelFormatKindUnsigned);
  const cudaChannelFormatDesc g = cudaCreateChannelDesc<float2>();
  std::printf("%d %d %d %d of kind %d\n", f.x, f.y, f.z, f.w, f.f);
  std::printf("%d %d %d %d of kind %d\n", g.x, g.y, g.z, g.w, g.f);
}
NAMED(missing) {
  cudaMipmappedArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  for (int k = 0; k < 2; ++k) {
    std::printf("%s\n",
                cudaGetErrorName(cudaMallocMipmappedArray(&array, &format, {16, 16, 0}, 2)));
  }
  std::printf("then %s\n", cudaGetErrorName(cudaGetLastError()));
}

}  // namespace

int main(int count, char** arguments) {
  if (run_named(count, arguments)) return 0;
  std::printf("no such mistake\n");
  return 1;
}
