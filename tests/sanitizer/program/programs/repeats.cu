// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Twelve launches of one kernel with the same parameters, and what is done between them is named by
// the argument. Prints a sum of what each launch left.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <string>

namespace {

constexpr int n = 4096, launches = 12;
__constant__ int step = 1;

__global__ void add(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += x[(k + i) % n] * step;
  y[k] = sum;
}
__global__ void add_to(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 16; ++i) y[k] += x[(k + i) % n];
}
__global__ void or_to(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 16; ++i) y[k] |= x[(k + i) % n];
}
/// Atomic operations whose results nobody uses, of the device's and of the block's scope.
__global__ void count(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 16; ++i) atomicAdd(&y[k], x[(k + i) % n]);
}
__global__ void count_in_block(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 16; ++i) atomicAdd_block(&y[k], x[(k + i) % n]);
}
/// What a thread of another warp has stored, or has not yet.
__device__ int sum_of_another(const int* x, int k) {
  __shared__ int s[256];
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += x[(k + i) % n];
  s[threadIdx.x] = 0;
  __syncthreads();
  s[threadIdx.x] = sum;
  return s[(threadIdx.x + 32) % 256];
}
__global__ void racy(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  y[k] = sum_of_another(x, k);
}
__global__ void racy_to(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  y[k] += sum_of_another(x, k);
}
__global__ void beyond(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += x[(k + i) % n + (i == 63 && k == n - 64)];
  y[k] = sum;
}
__global__ void numbered(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long grid;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += x[(k + i) % n] * int(grid);
  y[k] = sum;
}
/// What a thread of another block has stored, which without a second barrier races with what that
/// block stores next.
__device__ void hand_on_by_grid(const int* x, int* y, bool meet_again) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += x[(k + i) % n];
  y[k] = sum;
  cooperative_groups::this_grid().sync();
  const int of_another = y[(k + 256) % n];
  if (meet_again) cooperative_groups::this_grid().sync();
  y[k] = of_another;
}
__global__ void met(const int* x, int* y) { hand_on_by_grid(x, y, true); }
__global__ void met_once(const int* x, int* y) { hand_on_by_grid(x, y, false); }
__global__ void sum_of(const int* y, long long* out) {
  *out = 0;
  for (int k = 0; k < n; ++k) *out += y[k];
}
/// So that to compare what a launch finds costs little beside it.
__device__ void take_a_while() {
#pragma unroll 1
  for (int i = 0; i < 64; ++i) asm volatile("" ::: "memory");
}
/// The data say where it writes, whether it does, and what.
__global__ void where(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  take_a_while();
  y[x[k]] = k;
}
__global__ void whether(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  take_a_while();
  if (x[k] == 700) y[0] = k;
}
__global__ void what(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  take_a_while();
  y[0] = x[k] == k;
}
__global__ void what_in_block(const int* x, int* y) {
  __shared__ int s;
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  take_a_while();
  s = x[k] == k;
  __syncthreads();
  y[k] = s;
}
__global__ void next(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  take_a_while();
  y[k] = x[(k + 1) % n];
}
__global__ void which_is_first(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  take_a_while();
  y[x < y ? k : 0] = k;
}
__global__ void every_third(int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  take_a_while();
  y[3 * k] = k;
}
/// A picture of which each third element is read, from 64 rows of 65 elements.
__global__ void thin(const int* x, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += x[(k / 64 + i) % 63 * 65 + k % 21 * 3];
  y[k] = sum;
}
__global__ void hand_on(const int* from, int* to) { *to = *from; }
__global__ void fetch(cudaTextureObject_t t, int* y) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += tex1Dfetch<int>(t, (k + i) % n);
  y[k] = sum;
}

int host[n], *x, *y;
long long* out;

void show() {
  long long sum = 0;
  sum_of<<<1, 1>>>(y, out);
  cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  std::printf("%lld ", sum);
}
void each(void (*kernel)(const int*, int*), const std::function<void(int)>& before) {
  for (int k = 0; k < launches; ++k) {
    before(k);
    kernel<<<n / 256, 256>>>(x, y);
    show();
  }
}
void each_by_grid(void (*kernel)(const int*, int*), const std::function<void(int)>& before,
                  int last = launches) {
  for (int k = 0; k < launches; ++k) {
    before(k);
    void* arguments[] = {&x, &y};
    if (k < last) {
      cudaLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), n / 256, 256, arguments, 0,
                                  nullptr);
    } else {
      kernel<<<n / 256, 256>>>(x, y);
    }
    show();
  }
}
void one_element(int k) {
  const int value = k;
  if (k % 4 == 3) cudaMemcpy(x + 17, &value, sizeof value, cudaMemcpyHostToDevice);
}
/// Each element is its own number, and from the seventh launch on one is another's.
void own_number(int k) {
  for (int i = 0; i < n; ++i) host[i] = i;
  if (k >= 6) host[40] = 700;
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  if (k == 0) cudaMemset(y, 0, sizeof host);
}
void constant(int k) {
  const int value = k / 4;
  cudaMemcpyToSymbol(step, &value, sizeof value);
}
/// Half of x is never written. From the seventh launch on one word of that is what a kernel has
/// computed of other such memory: the same bytes, which are as undefined, from elsewhere.
void from_elsewhere(int k) {
  if (k != 6) return;
  int *never, *computed;
  cudaMalloc(&never, sizeof *never);
  cudaMalloc(&computed, sizeof *computed);
  hand_on<<<1, 1>>>(never, computed);
  cudaMemcpy(x + n / 2 + 40, computed, sizeof *x, cudaMemcpyDeviceToDevice);
}
/// The seventh launch beside a copy of another stream, which comes before or behind it.
void beside(bool before) {
  cudaStream_t one, other;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  cudaMemset(y, 0, sizeof host);
  for (int k = 0; k < launches; ++k) {
    if (k == 6 && before) cudaMemsetAsync(x, 0, sizeof *x, other);
    add_to<<<n / 256, 256, 0, one>>>(x, y);
    if (k == 6 && !before) cudaMemsetAsync(x, 0, sizeof *x, other);
    show();
  }
}
/// Each accesses its array in many places.
void scattered() {
  constexpr int places = 1 << 16;
  cudaMalloc(&y, 3 * places * sizeof *y);
  for (int k = 0; k < launches; ++k) every_third<<<places / 256, 256>>>(y);
  cudaMemcpy(host, y + 3 * (places - 1), sizeof *y, cudaMemcpyDeviceToHost);
  std::printf("%d", host[0]);
}
/// Twelve launches, each with arrays of its own, and what is different about the last six.
enum class Last { like_others, half, one_array, smaller, further_on, other_way_round };
void arrays_anew(void (*kernel)(const int*, int*), Last last = Last::like_others) {
  for (int k = 0; k < launches; ++k) {
    const Last how = k < 6 ? Last::like_others : last;
    int *first, *second;
    cudaMalloc(&first, sizeof host);
    cudaMalloc(&second, how == Last::smaller ? sizeof host / 2 : sizeof host);
    x = how == Last::other_way_round ? second : first;
    y = how == Last::other_way_round || how == Last::one_array ? first : second;
    cudaMemset(y, 0, how == Last::smaller ? sizeof host / 2 : sizeof host);
    cudaMemcpy(x, host, last == Last::half ? sizeof host / 2 : sizeof host, cudaMemcpyHostToDevice);
    kernel<<<n / 256, 256>>>(x, y + (how == Last::further_on ? 1 : 0));
    last == Last::like_others ? show() : void();
    cudaFree(first);
    cudaFree(second);
  }
}
/// Twelve launches, each by an object of its own, and the last five of those from further on.
void textures_anew() {
  for (int k = 0; k < launches; ++k) {
    cudaResourceDesc of{};
    of.resType = cudaResourceTypeLinear;
    of.res.linear = {x + (k < 7 ? 0 : 512), cudaCreateChannelDesc<int>(), n / 2 * sizeof(int)};
    cudaTextureDesc description{};
    cudaTextureObject_t object = 0;
    cudaCreateTextureObject(&object, &of, &description, nullptr);
    fetch<<<n / 256, 256>>>(object, y);
    show();
    cudaDestroyTextureObject(object);
  }
}
void texture() {
  cudaResourceDesc of{};
  of.resType = cudaResourceTypeLinear;
  of.res.linear = {x, cudaCreateChannelDesc<int>(), n * sizeof(int)};
  cudaTextureDesc description{};
  cudaTextureObject_t object = 0;
  cudaCreateTextureObject(&object, &of, &description, nullptr);
  for (int k = 0; k < launches; ++k) {
    if (k == launches - 1) cudaDestroyTextureObject(object);
    fetch<<<n / 256, 256>>>(object, y);
    show();
  }
}

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  for (int k = 0; k < n; ++k) host[k] = k % 5;
  const bool in_half = what.rfind("half", 0) == 0;
  if (what == "managed") {
    cudaMallocManaged(&x, sizeof host);
    for (int k = 0; k < n; ++k) x[k] = host[k];
  } else {
    cudaMalloc(&x, sizeof host);
    cudaMemcpy(x, host, in_half ? sizeof host / 2 : sizeof host, cudaMemcpyHostToDevice);
  }
  what == "half_to_managed" ? cudaMallocManaged(&y, sizeof host) : cudaMalloc(&y, sizeof host);
  cudaMalloc(&out, sizeof *out);
  const auto nothing = [](int) {};
  if (what == "equal") each(add, nothing);
  if (what == "one_element") each(add, one_element);
  if (what == "met") each_by_grid(met, nothing);
  if (what == "met_other_data") each_by_grid(met, [](int k) { one_element(k == 6 ? 3 : 0); });
  if (what == "met_once") each_by_grid(met_once, nothing);
  if (what == "met_no_more") each_by_grid(met, nothing, launches / 2);
  if (what == "constant") each(add, constant);
  if (what == "managed") each(add, [](int k) { x[5] = k / 6; });
  if (what == "overwritten") each(add, [](int) { cudaMemset(y, 1, sizeof host); });
  if (what == "in_place") each(add_to, [](int) { cudaMemset(y, 0, sizeof host); });
  const auto zero_at_first = [](int k) {
    if (k == 0) cudaMemset(y, 0, sizeof host);
  };
  if (what == "growing") each(add_to, zero_at_first);
  if (what == "counted") each(count, zero_at_first);
  if (what == "counted_in_blocks") each(count_in_block, zero_at_first);
  if (what == "counted_anew") each(count, [](int) { cudaMemset(y, 0, sizeof host); });
  if (what == "scattered") scattered();
  if (what == "anew") arrays_anew(add);
  if (what == "added_anew") arrays_anew(add_to);
  if (what == "counts_anew") arrays_anew(count);
  if (what == "next_anew") arrays_anew(next, Last::other_way_round);
  if (what == "one_array") arrays_anew(next, Last::one_array);
  if (what == "smaller") arrays_anew(next, Last::smaller);
  if (what == "further_on") arrays_anew(next, Last::further_on);
  if (what == "which_is_first") arrays_anew(which_is_first, Last::other_way_round);
  if (what == "racy") each(racy, nothing);
  if (what == "half_or_to") each(or_to, zero_at_first);
  if (what == "racy_to") each(racy_to, zero_at_first);
  if (what == "beyond") each(beyond, nothing);
  if (what == "numbered") each(numbered, nothing);
  if (what == "undefined") each(add_to, nothing);
  if (what == "half" || what == "half_to_managed") each(add, nothing);
  if (what == "half_overwritten") each(add, [](int) { cudaMemset(y, 1, sizeof host); });
  if (what == "half_from_elsewhere") each(add, from_elsewhere);
  if (what == "half_anew") arrays_anew(add, Last::half);
  if (what == "thin") each(thin, one_element);
  if (what == "texture") texture();
  if (what == "textures_anew") textures_anew();
  if (what == "behind_another") beside(true);
  if (what == "before_another") beside(false);
  if (what == "where") each(where, own_number);
  if (what == "whether") each(whether, own_number);
  if (what == "what") each(::what, own_number);
  if (what == "what_in_block") each(what_in_block, own_number);
  std::printf("\n");
}
