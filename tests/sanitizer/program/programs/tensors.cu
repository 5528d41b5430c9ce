// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Boxes of tensors in bulk copies (TMA). `all`: what they do, each line "NAME: right"; else one
// mistake by its name, or with `right` behind it what is just none.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <string>
#include <vector>

#include "told.hpp"

namespace ptx = cuda::ptx;

namespace {

constexpr int width = 40, height = 12, threads = 64;
constexpr int box_width = 32, box_height = 8, box = box_width * box_height;

struct Tile {
  alignas(1024) float s[box];
  uint64_t barrier;
};
__device__ void make(Tile& tile) {
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&tile.barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
}
template <int dimensions>
__device__ void load(Tile& tile, const CUtensorMap* map, const int32_t (&at)[dimensions],
                     unsigned bytes) {
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile.s, map, at,
                              &tile.barrier);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                   &tile.barrier, bytes);
  }
}
__device__ void wait(Tile& tile) {
  while (!ptx::mbarrier_try_wait_parity(&tile.barrier, 0)) {
  }
}
__device__ void store(const CUtensorMap* map, int x, int y, const float* from) {
  const int32_t at[] = {x, y};
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

/// The tile as shared memory has it.
template <int dimensions>
__global__ void dump(const __grid_constant__ CUtensorMap map, float* out, int4 first, int last,
                     unsigned bytes) {
  __shared__ Tile tile;
  make(tile);
  const int all[] = {first.x, first.y, first.z, first.w, last};
  int32_t at[dimensions];
  for (int k = 0; k < dimensions; ++k) at[k] = all[k];
  load(tile, &map, at, bytes);
  wait(tile);
  for (unsigned k = threadIdx.x; k < bytes / 4; k += threads) out[k] = tile.s[k];
}
/// Each element one more; of a tile that juts out, those inside.
__global__ void increment(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ Tile tile;
  make(tile);
  load(tile, &map, {x, y}, sizeof tile.s);
  wait(tile);
  for (int k = threadIdx.x; k < box; k += threads) tile.s[k] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) store(&map, x, y, tile.s);
}
__global__ void add(const __grid_constant__ CUtensorMap map) {
  __shared__ Tile tile;
  for (int k = threadIdx.x; k < box; k += threads) tile.s[k] = 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x != 0) return;
  const int32_t at[] = {36, 6};
  ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, at,
                                   tile.s);
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

template <bool right>
__global__ void read_too_early(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ Tile tile;
  make(tile);
  load(tile, &map, {0, 0}, sizeof tile.s);
  if (right) wait(tile);
  out[threadIdx.x] = tile.s[threadIdx.x];
  if (!right) wait(tile);
}
/// What lies outside counts as what lies inside.
template <bool right>
__global__ void bytes_inside_only(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ Tile tile;
  make(tile);
  load(tile, &map, {width - 8, 0}, right ? sizeof tile.s : sizeof(float) * 8 * box_height);
  wait(tile);
  out[threadIdx.x] = tile.s[threadIdx.x];
}
template <bool right>
__global__ void no_proxy_fence(const __grid_constant__ CUtensorMap map, float*) {
  __shared__ Tile tile;
  for (int k = threadIdx.x; k < box; k += threads) tile.s[k] = 1;
  if (right) ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) store(&map, 0, 0, tile.s);
}
template <bool right>
__global__ void not_aligned(const __grid_constant__ CUtensorMap map, float*) {
  __shared__ alignas(1024) float s[2 * box];
  for (int k = threadIdx.x; k < 2 * box; k += threads) s[k] = 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) store(&map, 0, 0, s + (right ? 32 : 4));
}
/// Tiles of two blocks that have four columns in common.
template <bool right>
__global__ void tiles_overlap(const __grid_constant__ CUtensorMap map, float*) {
  __shared__ Tile tile;
  for (int k = threadIdx.x; k < box; k += threads) tile.s[k] = float(blockIdx.x);
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) store(&map, int(blockIdx.x) * (box_width - (right ? 0 : 4)), 0, tile.s);
}
/// A row of a box begins at a multiple of 16 bytes, also where it begins outside.
template <bool right>
__global__ void begins_between(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ Tile tile;
  make(tile);
  load(tile, &map, {right ? -4 : -3, 0}, sizeof tile.s);
  wait(tile);
  out[threadIdx.x] = tile.s[threadIdx.x];
}
/// What is read may begin before the tensor, what is written may not.
template <bool right>
__global__ void stored_before(const __grid_constant__ CUtensorMap map, float*) {
  __shared__ Tile tile;
  for (int k = threadIdx.x; k < box; k += threads) tile.s[k] = 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) store(&map, 0, right ? 11 : -1, tile.s);
}

float* data;
float* out;
CUtensorMap mapped(std::vector<cuuint64_t> sizes, std::vector<cuuint32_t> of,
                   CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE,
                   std::vector<cuuint32_t> steps = {1, 1, 1, 1, 1}) {
  std::vector<cuuint64_t> strides;
  cuuint64_t all = sizeof(float);
  for (const cuuint64_t size : sizes) strides.push_back(all *= size);
  CUtensorMap map;
  const CUresult result = cuTensorMapEncodeTiled(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, cuuint32_t(sizes.size()), data, sizes.data(),
      strides.data(), of.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) std::printf("cuTensorMapEncodeTiled: %d\n", int(result));
  return map;
}
void fresh() {
  std::vector<float> host(width * height);
  for (int k = 0; k < width * height; ++k) host[k] = float(k + 1);
  cudaMemcpy(data, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
}

/// What the tile should have at each place: of the box, the number of an element, or nothing.
template <int dimensions, class F>
void dumped(const char* name, const CUtensorMap& map, int4 first, int last, int n, F value) {
  dump<dimensions><<<1, threads>>>(map, out, first, last, unsigned(n * sizeof(float)));
  tell(name, out, n, value);
}
int element(int x, int y) {
  return x >= 0 && x < width && y >= 0 && y < height ? y * width + x + 1 : 0;
}
void values() {
  dumped<1>("1d", mapped({480}, {64}), {452, 0, 0, 0}, 0, 64,
            [](int k) { return k < 28 ? 453 + k : 0; });
  const auto flat = mapped({width, height}, {box_width, box_height});
  dumped<2>("2d", flat, {4, 2, 0, 0}, 0, box,
            [](int k) { return element(4 + k % 32, 2 + k / 32); });
  dumped<2>("outside", flat, {-4, 9, 0, 0}, 0, box,
            [](int k) { return element(k % 32 - 4, 9 + k / 32); });
  dumped<2>("far outside", flat, {100, -50, 0, 0}, 0, box, [](int) { return 0; });
  dumped<3>("3d", mapped({8, 10, 6}, {8, 3, 2}), {4, 8, 1, 0}, 0, 48, [](int k) {
    const int x = 4 + k % 8, y = 8 + k / 8 % 3, z = 1 + k / 24;
    return x < 8 && y < 10 ? (z * 10 + y) * 8 + x + 1 : 0;
  });
  dumped<4>("4d", mapped({8, 5, 4, 3}, {4, 2, 2, 2}), {0, 3, 2, 1}, 0, 32, [](int k) {
    const int x = k % 4, y = 3 + k / 4 % 2, z = 2 + k / 8 % 2, w = 1 + k / 16;
    return ((w * 4 + z) * 5 + y) * 8 + x + 1;
  });
  dumped<5>("5d", mapped({4, 5, 4, 3, 2}, {4, 1, 2, 1, 2}), {0, 3, 2, 1}, 0, 16, [](int k) {
    const int x = k % 4, z = 2 + k / 4 % 2, v = k / 8;
    return (((v * 3 + 1) * 4 + z) * 5 + 3) * 4 + x + 1;
  });
  dumped<2>("every other row", mapped({width, height}, {32, 8}, CU_TENSOR_MAP_SWIZZLE_NONE, {1, 2}),
            {0, 1, 0, 0}, 0, 128, [](int k) { return element(k % 32, 1 + 2 * (k / 32)); });
  const auto swizzled = [](int bytes) {
    return [bytes](int k) {
      const int chunks = bytes / 16, at = 4 * k;  // which chunk of a row lies here
      const int logical = at ^ (at / 128 % chunks * 16);
      return element(logical % bytes / 4, logical / bytes);
    };
  };
  dumped<2>("swizzle of 32 bytes", mapped({width, height}, {8, 8}, CU_TENSOR_MAP_SWIZZLE_32B), {},
            0, 64, swizzled(32));
  dumped<2>("swizzle of 64 bytes", mapped({width, height}, {16, 8}, CU_TENSOR_MAP_SWIZZLE_64B), {},
            0, 128, swizzled(64));
  dumped<2>("swizzle of 128 bytes", mapped({width, height}, {32, 8}, CU_TENSOR_MAP_SWIZZLE_128B),
            {}, 0, box, swizzled(128));
  const auto and_back = [&](const char* name, const CUtensorMap& map) {
    increment<<<1, threads>>>(map, 16, 9);
    tell(name, data, width * height,
         [](int k) { return k + 1 + (k % width >= 16 && k / width >= 9 ? 1 : 0); });
    fresh();
  };
  and_back("and back", flat);
  and_back("and back with a swizzle", mapped({width, height}, {32, 8}, CU_TENSOR_MAP_SWIZZLE_128B));
  add<<<3, threads>>>(flat);
  tell("added", data, width * height,
       [](int k) { return k + 1 + (k % width >= 36 && k / width >= 6 ? 3 : 0); });
  CUtensorMap none;
  const cuuint64_t sizes[] = {width, height}, strides[] = {width * 4 + 4};
  const cuuint32_t of[] = {32, 8}, narrow[] = {3, 8}, steps[] = {1, 1};
  const auto refused = [&](const void* at, const cuuint64_t* by, const cuuint32_t* boxes,
                           CUtensorMapSwizzle swizzle) {
    return cuTensorMapEncodeTiled(&none, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<void*>(at),
                                  sizes, by, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE;
  };
  const cuuint64_t good[] = {width * 4};
  tell("refused", refused(data, strides, of, CU_TENSOR_MAP_SWIZZLE_NONE) &&
                      refused(data + 1, good, of, CU_TENSOR_MAP_SWIZZLE_NONE) &&
                      refused(data, good, narrow, CU_TENSOR_MAP_SWIZZLE_NONE) &&
                      refused(data, good, of, CU_TENSOR_MAP_SWIZZLE_64B));
}

#define PLANTED(name, blocks)                           \
  if (wanted == #name) {                                \
    right ? name<true><<<blocks, threads>>>(map, out)   \
          : name<false><<<blocks, threads>>>(map, out); \
  }
void planted(const std::string& wanted, bool right) {
  const auto map = mapped({width, height}, {box_width, box_height});
  PLANTED(read_too_early, 1)
  PLANTED(bytes_inside_only, 1)
  PLANTED(no_proxy_fence, 1)
  PLANTED(not_aligned, 1)
  PLANTED(tiles_overlap, 2)
  PLANTED(begins_between, 1)
  PLANTED(stored_before, 1)
}

}  // namespace

int main(int, char** arguments) {
  const std::string name = arguments[1];
  cudaMalloc(&data, width * height * sizeof(float));
  cudaMalloc(&out, box * sizeof(float));
  fresh();
  if (name == "all" || name == "print") values();
  planted(name, arguments[2] != nullptr);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(data);
  cudaFree(out);
}
