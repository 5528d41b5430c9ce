// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of warpgroups (wgmma). `all`: what they give, each line "NAME: right"; else one mistake
// by its name, or with `right` behind it what is just none.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <string>
#include <vector>

namespace ptx = cuda::ptx;

namespace {

constexpr int rows = 64, columns = 64, depth = 256, step = 16;
using Number = __nv_bfloat16;

__device__ uint64_t descriptor(const void* tile, unsigned leading, unsigned stride,
                               unsigned swizzle) {
  const uint64_t at = unsigned(__cvta_generic_to_shared(tile)) & 0x3FFFF;
  return at >> 4 | uint64_t(leading / 16) << 16 | uint64_t(stride / 16) << 32 |
         uint64_t(swizzle) << 62;
}
__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int groups>
__device__ void wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}
/// 64 x 8.
__device__ void multiply(float (&d)[4], uint64_t a, uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, "
      "0;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(a), "l"(b));
}
__device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, "
      "p, 1, 1, 1;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
/// 64 x 64.
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, "
      "%9, "
      "%10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
      "%28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b));
}
/// Register i of a thread, in 8 columns.
__device__ int row_of(int i) {
  return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
}
__device__ int column_of(int i) { return i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2; }

/// A warp brings tiles of 64 x 64 by TMA, a warpgroup multiplies them.
struct Stage {
  alignas(1024) Number a[rows * 64];
  alignas(1024) Number b[columns * 64];
};
template <bool frees_too_early>
__device__ void pipeline_of(const CUtensorMap& a, const CUtensorMap& b, float* y) {
  extern __shared__ __align__(1024) unsigned char memory[];
  auto* const stages = reinterpret_cast<Stage*>(memory);
  __shared__ uint64_t full[2], free[2];
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2; ++k) {
      ptx::mbarrier_init(full + k, 1);
      ptx::mbarrier_init(free + k, 1);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  const auto wait_for = [](uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
  };
  if (threadIdx.x >= 128) {
    for (int k = 0; threadIdx.x == 128 && k < depth / 64; ++k) {
      if (k >= 2) wait_for(free + k % 2, (k / 2 - 1) % 2);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                     full + k % 2, sizeof(Stage));
      const int32_t at[] = {k * 64, 0};
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stages[k % 2].a, &a, at,
                                full + k % 2);
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stages[k % 2].b, &b, at,
                                full + k % 2);
    }
    return;
  }
  float d[32] = {};
  for (int k = 0; k < depth / 64; ++k) {
    const Stage& stage = stages[k % 2];
    wait_for(full + k % 2, k / 2 % 2);
    fence();
    for (int s = 0; s < 4; ++s) {
      multiply(d, descriptor(stage.a + s * step, 16, 1024, 1),
               descriptor(stage.b + s * step, 16, 1024, 1));
    }
    commit();
    if (!frees_too_early) wait<0>();
    if (threadIdx.x == 0) ptx::mbarrier_arrive(free + k % 2);
    if (frees_too_early) wait<0>();
  }
  for (int i = 0; i < 32; ++i) y[row_of(i) * columns + column_of(i)] = d[i];
}
__global__ void pipeline(const __grid_constant__ CUtensorMap a,
                         const __grid_constant__ CUtensorMap b, float* y) {
  pipeline_of<false>(a, b, y);
}

/// 64 x 16 and 16 x 8 in core matrices, as threads wrote them.
struct Tiles {
  alignas(128) Number a[rows * step], b[8 * step];
};
__device__ int place(int row, int k) { return row % 8 * 8 + row / 8 * 128 + k % 8 + k / 8 * 64; }
__device__ void fill(Tiles& tiles, const Number* a, const Number* b, int from = 0,
                     int lines = rows) {
  for (int k = threadIdx.x; k < lines * step; k += 128) {
    tiles.a[place(k / step, k % step)] = a[k / step * depth + from + k % step];
  }
  tiles.b[place(threadIdx.x / step, threadIdx.x % step)] =
      b[threadIdx.x / step * depth + from + threadIdx.x % step];
}
__device__ uint64_t of_a(const Tiles& tiles) { return descriptor(tiles.a, 128, 256, 0); }
__device__ uint64_t of_b(const Tiles& tiles) { return descriptor(tiles.b, 128, 256, 0); }
__device__ void ready() {
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
}
__device__ void put(float* y, const float (&d)[4]) {
  for (int i = 0; i < 4; ++i) y[row_of(i) * 8 + column_of(i)] = d[i];
}

/// A comes from registers, the columns of B lie beside each other.
__global__ void registers(const Number* a, const Number* b, float* y) {
  __shared__ alignas(128) Number tile[8 * step];
  tile[threadIdx.x] = b[threadIdx.x % 8 * depth + threadIdx.x / 8];
  ready();
  float d[4] = {};
  uint32_t held[4];
  for (int r = 0; r < 4; ++r) {
    const int row = row_of(2 * (r % 2)), k = threadIdx.x % 4 * 2 + r / 2 * 8;
    held[r] = *reinterpret_cast<const uint32_t*>(a + row * depth + k);
  }
  fence();
  multiply(d, held, descriptor(tile, 128, 128, 0));
  commit();
  wait<0>();
  put(y, d);
}
/// Steps along k, each in one group, of which one may be under way.
__global__ void groups(const Number* a, const Number* b, float* y) {
  __shared__ Tiles tiles[2];
  float d[4] = {};
  for (int k = 0; k < depth / step; ++k) {
    fill(tiles[k % 2], a, b, k * step);
    ready();
    fence();
    multiply(d, of_a(tiles[k % 2]), of_b(tiles[k % 2]));
    commit();
    wait<1>();
    __syncthreads();
  }
  wait<0>();
  put(y, d);
}

enum Mistake {
  none,
  read_too_early,
  never_waited_for,
  no_fence,
  scaled_without_a_fence,
  no_proxy_fence,
  no_barrier,
  overwritten,
  beyond,
  not_filled  // the row of zeros that A is to end with
};
/// A product that lacks what the mistake says, or, `right`, just does not.
template <Mistake mistake, bool right>
__global__ void one_product(const Number* a, const Number* b, float* y) {
  constexpr Mistake lacks = right ? none : mistake;
  __shared__ Tiles tiles;
  fill(tiles, a, b, 0, lacks == not_filled ? rows - 1 : rows);
  if (lacks != no_proxy_fence) ptx::fence_proxy_async(ptx::space_shared);
  if (lacks != no_barrier) __syncthreads();
  float d[4] = {};
  if (lacks != no_fence) fence();
  multiply(d, of_a(tiles), descriptor(tiles.b, lacks == beyond ? 256 : 128, 256, 0));
  commit();
  if (lacks != read_too_early && lacks != never_waited_for && lacks != overwritten) wait<0>();
  if (mistake == never_waited_for) return;
  if (mistake == overwritten) {
    __syncthreads();
    tiles.b[threadIdx.x] = 0;
    if (!right) wait<0>();
  }
  if (mistake == scaled_without_a_fence) {
    for (float& x : d) x *= y[threadIdx.x];
    y += 128;
    if (right) fence();
    multiply(d, of_a(tiles), of_b(tiles));
    commit();
    wait<0>();
  }
  put(y, d);
  if (lacks == read_too_early) wait<0>();
}
template <bool right>
__global__ void too_many_under_way(const Number* a, const Number* b, float* y) {
  __shared__ Tiles tiles;
  fill(tiles, a, b);
  ready();
  float d[4] = {}, e[4] = {};
  fence();
  multiply(d, of_a(tiles), of_b(tiles));
  commit();
  multiply(e, of_a(tiles), of_b(tiles));
  commit();
  wait<1>();
  put(y, right ? d : e);
  wait<0>();
  put(y + rows * 8, right ? e : d);
}
template <bool right>
__global__ void freed_too_early(const __grid_constant__ CUtensorMap a,
                                const __grid_constant__ CUtensorMap b, float* y) {
  pipeline_of<!right>(a, b, y);
}

/// What stands in row x of a factor.
int number(int seed, int x, int k) { return (seed + 7 * x + 13 * k + x * k) % 9 - 4; }
CUtensorMap map_of(const Number* x, int lines) {
  CUtensorMap map;
  const cuuint64_t sizes[] = {depth, cuuint64_t(lines)}, strides[] = {depth * sizeof(Number)};
  const cuuint32_t box[] = {64, 64}, steps[] = {1, 1};
  const CUresult result = cuTensorMapEncodeTiled(
      &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<Number*>(x), sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) std::printf("cuTensorMapEncodeTiled: %d\n", int(result));
  return map;
}
void tell(const char* name, const float* y, int n, int k) {
  std::vector<float> all(rows * n);
  cudaMemcpy(all.data(), y, all.size() * sizeof(float), cudaMemcpyDeviceToHost);
  bool right = true;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int at = 0; at < k; ++at) sum += number(1, i, at) * number(2, j, at);
      right &= all[i * n + j] == float(sum);
    }
  }
  std::printf("%s: %s\n", name, right ? "right" : "wrong");
}

#define PLANTED(name)                                      \
  if (wanted == #name) {                                   \
    right ? one_product<name, true><<<1, 128>>>(a, b, y)   \
          : one_product<name, false><<<1, 128>>>(a, b, y); \
  }

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "all";
  const bool right = argc > 2;
  Number *a = nullptr, *b = nullptr;
  float* y = nullptr;
  cudaMalloc(&a, rows * depth * sizeof(Number));
  cudaMalloc(&b, columns * depth * sizeof(Number));
  cudaMalloc(&y, rows * columns * sizeof(float));
  cudaMemset(y, 0, rows * columns * sizeof(float));
  std::vector<Number> of_a, of_b;
  for (int x = 0; x < rows; ++x) {
    for (int k = 0; k < depth; ++k) {
      of_a.push_back(float(number(1, x, k)));
      of_b.push_back(float(number(2, x, k)));
    }
  }
  cudaMemcpy(a, of_a.data(), of_a.size() * sizeof(Number), cudaMemcpyHostToDevice);
  cudaMemcpy(b, of_b.data(), of_b.size() * sizeof(Number), cudaMemcpyHostToDevice);
  const CUtensorMap map_a = map_of(a, rows), map_b = map_of(b, columns);
  constexpr int two = 2 * sizeof(Stage);
  cudaFuncSetAttribute(pipeline, cudaFuncAttributeMaxDynamicSharedMemorySize, two);
  if (wanted == "all" || wanted == "print") {
    pipeline<<<1, 160, two>>>(map_a, map_b, y);
    tell("pipeline", y, columns, depth);
    registers<<<1, 128>>>(a, b, y);
    tell("registers", y, 8, step);
    groups<<<1, 128>>>(a, b, y);
    tell("groups", y, 8, depth);
  }
  if (wanted == "freed_too_early") {
    const auto kernel = right ? freed_too_early<true> : freed_too_early<false>;
    kernel<<<1, 160, two>>>(map_a, map_b, y);
  }
  if (wanted == "too_many_under_way") {
    const auto kernel = right ? too_many_under_way<true> : too_many_under_way<false>;
    kernel<<<1, 128>>>(a, b, y);
  }
  PLANTED(read_too_early)
  PLANTED(never_waited_for)
  PLANTED(no_fence)
  PLANTED(scaled_without_a_fence)
  PLANTED(no_proxy_fence)
  PLANTED(no_barrier)
  PLANTED(overwritten)
  PLANTED(beyond)
  PLANTED(not_filled)
  cudaDeviceSynchronize();
  std::vector<float> result(rows * columns);
  cudaMemcpy(result.data(), y, result.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaFree(a);
  cudaFree(b);
  cudaFree(y);
  return 0;
}
