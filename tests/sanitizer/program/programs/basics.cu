// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Right programs: each prints what any GPU prints. The argument names one; without, all run.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace cg = cooperative_groups;

#include "checked.hpp"
#include "named.hpp"

namespace {

struct Scale {
  float factor;
  int shift;
  short unused;
};

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

template <class T, int block>
__global__ void block_sums(const T* in, T* out, int n, Scale scale) {
  __shared__ T s[block];
  const int i = blockIdx.x * block + threadIdx.x;
  s[threadIdx.x] = i < n ? static_cast<T>(in[i] * scale.factor + scale.shift) : T{};
  __syncthreads();
  for (int step = block / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void dynamic_sum(const int* in, int* out, int n) {
  extern __shared__ int s[];
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  s[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned k = 1; k < blockDim.x; ++k) s[0] += s[k];
    *out = s[0];
  }
}

__device__ int counter;
__device__ int table[4] = {1, 2, 3, 4};
__constant__ float weights[4];
__managed__ int shared_with_host[8];

__global__ void use_variables(float* out) {
  atomicAdd(&counter, 1);
  if (blockIdx.x != 0) return;
  if (threadIdx.x < 4) out[threadIdx.x] = weights[threadIdx.x] * table[threadIdx.x];
  if (threadIdx.x < 8) shared_with_host[threadIdx.x] += 10 * threadIdx.x;
}

__global__ void fill_rows(int* rows, std::size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    reinterpret_cast<int*>(reinterpret_cast<char*>(rows) + y * pitch)[x] = 100 * y + x;
  }
}

__global__ void increment(int* cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ++cells[i];
}

__global__ void grid_sum(int* cells, int n) {
  const cg::grid_group grid = cg::this_grid();
  for (int stride = 1; stride < n; stride *= 2) {
    const int i = static_cast<int>(grid.thread_rank()) * 2 * stride;
    if (i + stride < n) cells[i] += cells[i + stride];
    grid.sync();
  }
}

template <class T>
T* on_device(const std::vector<T>& content) {
  T* at = nullptr;
  CHECK(cudaMalloc(&at, content.size() * sizeof(T)));
  CHECK(cudaMemcpy(at, content.data(), content.size() * sizeof(T), cudaMemcpyHostToDevice));
  return at;
}
template <class T>
std::vector<T> on_host(const T* at, std::size_t count) {
  std::vector<T> content(count);
  CHECK(cudaMemcpy(content.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
  return content;
}

NAMED(vectors) {
  constexpr int n = 1000;
  std::vector<float> a(n), b(n);
  for (int i = 0; i < n; ++i) a[i] = static_cast<float>(i), b[i] = static_cast<float>(2 * i);
  float *da = on_device(a), *db = on_device(b), *dc = nullptr;
  CHECK(cudaMalloc(&dc, n * sizeof(float)));
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  CHECK(cudaGetLastError());
  const std::vector<float> c = on_host(dc, n);
  std::printf("vectors: %g %g %g\n", c[0], c[500], c[n - 1]);
  for (float* p : {da, db, dc}) CHECK(cudaFree(p));
}

NAMED(sums) {
  std::vector<int> ones(1000, 1);
  int *in = on_device(ones), *out = nullptr;
  CHECK(cudaMalloc(&out, 8 * sizeof(int)));
  block_sums<int, 128><<<8, 128>>>(in, out, 1000, Scale{2.0F, 1, 0});
  CHECK(cudaDeviceSynchronize());
  for (const int sum : on_host(out, 8)) std::printf("sums: %d\n", sum);
  dynamic_sum<<<1, 96, 96 * sizeof(int)>>>(in, out, 1000);
  std::printf("sums: %d\n", on_host(out, 1)[0]);
  int fewer = 500;
  void* arguments[] = {&in, &out, &fewer};
  CHECK(cudaLaunchKernel(dynamic_sum, dim3(1), dim3(64), arguments, 64 * sizeof(int), nullptr));
  std::printf("sums: %d\n", on_host(out, 1)[0]);
  CHECK(cudaFuncSetAttribute(dynamic_sum, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
  dynamic_sum<<<1, 96, 60000>>>(in, out, 1000);
  CHECK(cudaGetLastError());
  std::printf("sums: %d\n", on_host(out, 1)[0]);
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

NAMED(variables) {
  const float w[4] = {0.5F, 1.5F, 2.5F, 3.5F};
  CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
  for (int k = 0; k < 8; ++k) shared_with_host[k] = k;
  float* out = nullptr;
  CHECK(cudaMallocManaged(&out, 4 * sizeof(float)));
  use_variables<<<3, 32>>>(out);
  CHECK(cudaDeviceSynchronize());
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  std::printf("variables: %d, %g %g %g %g, %d %d\n", count, out[0], out[1], out[2], out[3],
              shared_with_host[1], shared_with_host[7]);
  void* at = nullptr;
  std::size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&at, table));
  CHECK(cudaGetSymbolSize(&bytes, table));
  int third = 0;
  CHECK(cudaMemcpy(&third, static_cast<int*>(at) + 2, sizeof third, cudaMemcpyDefault));
  std::printf("variables: %zu bytes, third %d\n", bytes, third);
  CHECK(cudaFree(out));
}

NAMED(rows) {
  constexpr int width = 37, height = 5;
  int* rows = nullptr;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&rows, &pitch, width * sizeof(int), height));
  fill_rows<<<dim3(3, 2), dim3(16, 4)>>>(rows, pitch, width, height);
  std::vector<int> host(width * height);
  CHECK(cudaMemcpy2D(host.data(), width * sizeof(int), rows, pitch, width * sizeof(int), height,
                     cudaMemcpyDeviceToHost));
  std::printf("rows: %d %d %d\n", host[0], host[width + 3], host[width * height - 1]);
  CHECK(cudaMemset2D(rows, pitch, 0, 2 * sizeof(int), height));
  CHECK(cudaMemcpy2D(host.data(), width * sizeof(int), rows, pitch, width * sizeof(int), height,
                     cudaMemcpyDeviceToHost));
  std::printf("rows: %d %d\n", host[width + 1], host[width + 2]);
  CHECK(cudaFree(rows));
  cudaPitchedPtr box{};
  CHECK(cudaMalloc3D(&box, make_cudaExtent(16, 3, 2)));
  CHECK(cudaMemset3D(box, 7, make_cudaExtent(16, 3, 2)));
  char out[16 * 3 * 2] = {};
  cudaMemcpy3DParms copy{};
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(out, 16, 16, 3);
  copy.extent = make_cudaExtent(16, 3, 2);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  std::printf("rows: %d %d\n", out[0], out[95]);
  CHECK(cudaFree(box.ptr));
}

NAMED(streams) {
  cudaStream_t one = nullptr, two = nullptr;
  CHECK(cudaStreamCreate(&one));
  CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  cudaEvent_t begin = nullptr, end = nullptr;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  int *pinned = nullptr, *device = nullptr;
  CHECK(cudaMallocHost(&pinned, 256 * sizeof(int)));
  for (int k = 0; k < 256; ++k) pinned[k] = k;
  CHECK(cudaMallocAsync(&device, 256 * sizeof(int), one));
  CHECK(cudaEventRecord(begin, one));
  CHECK(cudaMemcpyAsync(device, pinned, 256 * sizeof(int), cudaMemcpyHostToDevice, one));
  increment<<<1, 256, 0, one>>>(device, 256);
  CHECK(cudaEventRecord(end, one));
  CHECK(cudaStreamWaitEvent(two, end, 0));
  increment<<<1, 256, 0, two>>>(device, 256);
  CHECK(cudaMemcpyAsync(pinned, device, 256 * sizeof(int), cudaMemcpyDeviceToHost, two));
  CHECK(cudaStreamSynchronize(two));
  CHECK(cudaEventSynchronize(end));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  std::printf("streams: %d %d, time %s\n", pinned[0], pinned[255],
              milliseconds >= 0 ? "yes" : "no");
  CHECK(cudaLaunchHostFunc(
      two, [](void* text) { std::printf("streams: %s\n", static_cast<char*>(text)); },
      const_cast<char*>("called")));
  CHECK(cudaStreamSynchronize(two));
  int* mapped = nullptr;
  CHECK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  increment<<<1, 256>>>(mapped, 256);
  CHECK(cudaDeviceSynchronize());
  std::printf("streams: %d\n", pinned[255]);
  std::vector<int> own(64, 5);
  CHECK(cudaHostRegister(own.data(), 64 * sizeof(int), cudaHostRegisterDefault));
  CHECK(cudaHostGetDevicePointer(&mapped, own.data(), 0));
  increment<<<1, 64>>>(mapped, 64);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(own.data()));
  std::printf("streams: %d\n", own[63]);
  CHECK(cudaFreeAsync(device, two));
  CHECK(cudaStreamSynchronize(two));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  int least = 1, greatest = 1, urgent = 1, idle = 1;
  cudaStream_t first = nullptr, last = nullptr;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(cudaStreamCreateWithPriority(&first, cudaStreamNonBlocking, greatest - 10));
  CHECK(cudaStreamCreateWithPriority(&last, cudaStreamDefault, least + 10));
  CHECK(cudaStreamGetPriority(first, &urgent));
  CHECK(cudaStreamGetPriority(last, &idle));
  std::printf("streams: priorities %d to %d, %d and %d\n", least, greatest, idle, urgent);
  cudaStreamAttrValue given{}, window{}, more{};
  given.accessPolicyWindow = {&urgent, 64, 1.F, cudaAccessPropertyPersisting,
                              cudaAccessPropertyNormal};
  CHECK(cudaStreamSetAttribute(first, cudaStreamAttributeAccessPolicyWindow, &given));
  CHECK(cudaStreamCopyAttributes(last, first));
  CHECK(cudaStreamGetAttribute(last, cudaStreamAttributeAccessPolicyWindow, &window));
  CHECK(cudaStreamGetAttribute(last, cudaStreamAttributePriority, &more));
  std::printf("streams: a window of %d bytes, priority %d\n",
              int(window.accessPolicyWindow.num_bytes), more.priority);
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(last));
  CHECK(cudaStreamDestroy(one));
  CHECK(cudaStreamDestroy(two));
}

NAMED(errors) {
  int *d = nullptr, value = 0;
  CHECK(cudaMalloc(&d, 4));
  increment<<<1, 2000>>>(d, 1);
  std::printf("errors: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
  std::printf("errors: %s\n", cudaGetErrorString(cudaGetLastError()));
  increment<<<0, 32>>>(d, 1);
  std::printf("errors: %s\n", cudaGetErrorString(cudaGetLastError()));
  increment<<<1, 32, 100000>>>(d, 1);
  std::printf("errors: %s\n", cudaGetErrorString(cudaGetLastError()));
  std::printf("errors: %s\n", cudaGetErrorString(cudaGetLastError()));
  std::printf("errors: %s\n", cudaGetErrorName(cudaSetDevice(77)));
  std::printf("errors: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("errors: %s\n", cudaGetErrorName(cudaMalloc(&d, std::size_t{1} << 60)));
  std::printf("errors: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("errors: %s\n", cudaGetErrorName(cudaMemcpyToSymbol(&value, &value, 4)));
  std::printf("errors: %s\n", cudaGetErrorName(cudaGetLastError()));
}

NAMED(device) {
  int count = 0, threads = 0, warp = 0, blocks = 0;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
  cudaDeviceProp p{};
  CHECK(cudaGetDeviceProperties(&p, 0));
  CHECK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
  std::printf("device: %s, %d threads, warps of %d, compute capability %d.%d\n",
              count > 0 ? "there" : "none", threads, warp, p.major, p.minor);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 256, 0));
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, block_sums<int, 128>));
  std::printf("device: %d blocks, %zu bytes of shared memory\n", blocks,
              attributes.sharedSizeBytes);
  int* at = nullptr;
  CHECK(cudaMalloc(&at, 64));
  cudaPointerAttributes pointer{};
  CHECK(cudaPointerGetAttributes(&pointer, at + 3));
  std::printf("device: type %d\n", static_cast<int>(pointer.type));
  CHECK(cudaFree(at));
}

NAMED(cooperative) {
  std::vector<int> ones(512, 1);
  int *cells = on_device(ones), n = 512;
  void* arguments[] = {&cells, &n};
  CHECK(cudaLaunchCooperativeKernel(grid_sum, dim3(4), dim3(64), arguments, 0, nullptr));
  std::printf("cooperative: %d\n", on_host(cells, 1)[0]);
  CHECK(cudaMemcpy(cells, ones.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  cudaLaunchConfig_t config{};
  config.gridDim = 4;
  config.blockDim = 64;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, grid_sum, cells, n));
  std::printf("cooperative: %d\n", on_host(cells, 1)[0]);
  CHECK(cudaFree(cells));
}

NAMED(many) {
  std::vector<int> zeros(512);
  int* cells = on_device(zeros);
  for (int k = 0; k < 1000; ++k) increment<<<2, 256>>>(cells, 512);
  std::printf("many: %d\n", on_host(cells, 512)[511]);
  CHECK(cudaFree(cells));
}

}  // namespace

int main(int count, char** arguments) {
  run_named(count, arguments);
  for (const Named& one : all_named()) {
    if (count == 1) one.run();
  }
}
