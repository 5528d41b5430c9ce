// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor maps of pixels (im2col), and maps that a kernel changes. `all`: what copies by them bring,
// each line "NAME: right"; else one mistake by its name, or with `right` behind it what is just
// none.
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

constexpr int threads = 64, most = 1024;
constexpr int width = 40, height = 12;                          // as a matrix
constexpr int channels = 8, columns = 5, rows = 4, images = 3;  // as pictures
constexpr int brought = 4, pixels = 16;                         // channels, pixels of a copy

struct Tile {
  alignas(1024) float s[most];
  uint64_t barrier;
};
__device__ void make(Tile& tile) {
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&tile.barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
}
__device__ void wait(Tile& tile, unsigned bytes) {
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                   &tile.barrier, bytes);
  }
  while (!ptx::mbarrier_try_wait_parity(&tile.barrier, 0)) {
  }
}
__device__ unsigned at(const void* shared) { return unsigned(__cvta_generic_to_shared(shared)); }

__device__ void load_box(Tile& tile, const CUtensorMap* map, int x, int y) {
  const int32_t from[] = {x, y};
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile.s, map, from,
                            &tile.barrier);
}
__device__ void load_pixels(Tile& tile, const CUtensorMap* map, int c, int x, int n, uint16_t dx) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(at(tile.s)),
      "l"(map), "r"(c), "r"(x), "r"(n), "r"(at(&tile.barrier)), "h"(dx)
      : "memory");
}
__device__ void load_pixels(Tile& tile, const CUtensorMap* map, int c, int x, int y, int n,
                            uint16_t dx, uint16_t dy) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(at(tile.s)),
      "l"(map), "r"(c), "r"(x), "r"(y), "r"(n), "r"(at(&tile.barrier)), "h"(dx), "h"(dy)
      : "memory");
}
__device__ void store_pixels(const CUtensorMap* map, int c, int x, int y, int n,
                             const float* from) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group "
      "[%0, {%1, %2, %3, %4}], [%5];" ::"l"(map),
      "r"(c), "r"(x), "r"(y), "r"(n), "r"(at(from))
      : "memory");
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

constexpr unsigned bytes_of_pixels = pixels * brought * sizeof(float);
/// `dy` below 0: of a map of three dimensions.
__global__ void dump(const __grid_constant__ CUtensorMap map, float* out, int4 first, int dx,
                     int dy) {
  __shared__ Tile tile;
  make(tile);
  if (threadIdx.x == 0 && dy < 0) load_pixels(tile, &map, first.x, first.y, first.z, uint16_t(dx));
  if (threadIdx.x == 0 && dy >= 0) {
    load_pixels(tile, &map, first.x, first.y, first.z, first.w, uint16_t(dx), uint16_t(dy));
  }
  wait(tile, bytes_of_pixels);
  out[threadIdx.x] = tile.s[threadIdx.x];
}
__global__ void increment(const __grid_constant__ CUtensorMap map, int4 first) {
  __shared__ Tile tile;
  make(tile);
  if (threadIdx.x == 0) load_pixels(tile, &map, first.x, first.y, first.z, first.w, 0, 0);
  wait(tile, bytes_of_pixels);
  tile.s[threadIdx.x] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) store_pixels(&map, first.x, first.y, first.z, first.w, tile.s);
}

/// A field of the map at `map` in shared memory.
#define REPLACE(map, field, type, form, value)                                                     \
  asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], %1;" ::"r"(map), \
               form(value)                                                                         \
               : "memory")
#define REPLACE_AT(map, field, place, type, form, value)                                   \
  asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], " #place \
               ", %1;" ::"r"(map),                                                         \
               form(value)                                                                 \
               : "memory")
__device__ void copy_word(void* to, const CUtensorMap* from) {
  static_cast<int*>(to)[threadIdx.x] =
      from == nullptr ? 0 : reinterpret_cast<const int*>(from)[threadIdx.x];
}
/// By a warp: to global memory, for those that copy by it.
__device__ void publish(CUtensorMap* to, const void* from) {
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
      "[%0], [%1], 128;" ::"l"(to),
      "r"(at(from))
      : "memory");
}
__device__ void acquire(const CUtensorMap* map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

/// Of the tensor that the map has the part from `base` on, `size` wide.
__device__ void narrow(CUtensorMap* made, const CUtensorMap* map, const float* base,
                       unsigned size) {
  __shared__ alignas(128) int own[32];
  copy_word(own, map);
  __syncwarp();
  if (threadIdx.x == 0) {
    REPLACE(at(own), "global_address", "b64", "l", base);
    REPLACE_AT(at(own), "global_dim", 0, "b32", "r", size);
  }
  __syncwarp();
  publish(made, own);
}
__global__ void replaced(const __grid_constant__ CUtensorMap map, CUtensorMap* made,
                         const float* base, unsigned size, float* out) {
  __shared__ Tile tile;
  make(tile);
  if (threadIdx.x < 32) narrow(made, &map, base, size);
  if (threadIdx.x == 0) {
    acquire(made);
    load_box(tile, made, 4, 2);
  }
  wait(tile, sizeof tile.s / 4);
  for (int k = threadIdx.x; k < most / 4; k += threads) out[k] = tile.s[k];
}
/// All of a map: boxes of 32 by 8 of the matrix, with a swizzle of 128 bytes.
__global__ void built(CUtensorMap* made, const float* base, float* out) {
  __shared__ Tile tile;
  __shared__ alignas(128) int own[32];
  make(tile);
  if (threadIdx.x < 32) {
    copy_word(own, nullptr);
    __syncwarp();
    if (threadIdx.x == 0) {
      REPLACE(at(own), "global_address", "b64", "l", base);
      REPLACE(at(own), "rank", "b32", "r", 1);
      REPLACE_AT(at(own), "box_dim", 0, "b32", "r", 32);
      REPLACE_AT(at(own), "box_dim", 1, "b32", "r", 8);
      REPLACE_AT(at(own), "global_dim", 0, "b32", "r", width);
      REPLACE_AT(at(own), "global_dim", 1, "b32", "r", height);
      REPLACE_AT(at(own), "global_stride", 0, "b64", "l", width * sizeof(float));
      REPLACE_AT(at(own), "element_stride", 0, "b32", "r", 1);
      REPLACE_AT(at(own), "element_stride", 1, "b32", "r", 1);
      REPLACE(at(own), "elemtype", "b32", "n", 7);
      REPLACE(at(own), "interleave_layout", "b32", "n", 0);
      REPLACE(at(own), "swizzle_mode", "b32", "n", 3);
      REPLACE(at(own), "fill_mode", "b32", "n", 0);
    }
    __syncwarp();
    publish(made, own);
    acquire(made);
  }
  if (threadIdx.x == 0) load_box(tile, made, 4, 2);
  wait(tile, sizeof tile.s / 4);
  for (int k = threadIdx.x; k < most / 4; k += threads) out[k] = tile.s[k];
}

#define PLANT(name)                                             \
  template <bool right>                                         \
  __global__ void name(const __grid_constant__ CUtensorMap box, \
                       const __grid_constant__ CUtensorMap columns, CUtensorMap* made, float* out)
PLANT(another_mode) {
  __shared__ Tile tile;
  make(tile);
  if (threadIdx.x == 0) load_pixels(tile, right ? &columns : &box, 0, 0, 0, 0);
  if (right) {
    wait(tile, bytes_of_pixels);
    out[threadIdx.x] = tile.s[threadIdx.x];
  }
}
PLANT(no_fence_of_maps) {
  __shared__ Tile tile;
  make(tile);
  if (threadIdx.x < 32) narrow(made, &box, out, width);
  if (right) acquire(made);
  if (threadIdx.x == 0) load_box(tile, made, 0, 0);
  wait(tile, sizeof tile.s / 4);
}
/// The map is another warp's, and no barrier is between the two.
PLANT(no_barrier) {
  __shared__ Tile tile;
  make(tile);
  if (threadIdx.x < 32) narrow(made, &box, out, width);
  if (right) __syncthreads();
  if (threadIdx.x == 32) {
    acquire(made);
    load_box(tile, made, 0, 0);
  }
  wait(tile, sizeof tile.s / 4);
}
/// Fields are replaced of what nobody has begun.
PLANT(begun_by_nobody) {
  __shared__ Tile tile;
  __shared__ alignas(128) int own[32];
  make(tile);
  if (threadIdx.x < 32) {
    if (right) copy_word(own, &box);
    __syncwarp();
    if (threadIdx.x == 0) REPLACE(at(own), "global_address", "b64", "l", out);
    __syncwarp();
    publish(made, own);
    acquire(made);
  }
  if (threadIdx.x == 0) load_box(tile, made, 0, 0);
  if (right) wait(tile, sizeof tile.s / 4);
}
/// A column of pixels begins between the corners.
PLANT(outside_the_corners) {
  __shared__ Tile tile;
  make(tile);
  if (threadIdx.x == 0) load_pixels(tile, &columns, 0, right ? -1 : -2, 0, 0);
  wait(tile, bytes_of_pixels);
  out[threadIdx.x] = tile.s[threadIdx.x];
}

float *data, *out;
CUtensorMap* made;

CUtensorMap boxes() {
  const cuuint64_t sizes[] = {width, height}, strides[] = {width * sizeof(float)};
  const cuuint32_t of[] = {32, 8}, steps[] = {1, 1};
  CUtensorMap map;
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, sizes, strides, of, steps,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}
/// Of a convolution of 3 by 3 with a border of one: where its filter's corner comes to.
CUresult map_pixels(CUtensorMap& map, int dimensions, cuuint32_t step, int lower = -1,
                    cuuint32_t of = pixels) {
  std::vector<cuuint64_t> sizes = {channels, columns, rows, images}, strides;
  if (dimensions == 3) sizes = {channels, columns, rows * images};
  cuuint64_t all = sizeof(float);
  for (const cuuint64_t size : sizes) strides.push_back(all *= size);
  const int lowers[] = {lower, lower}, uppers[] = {-1, -1};
  const cuuint32_t steps[] = {1, step, step, 1};
  return cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, cuuint32_t(dimensions),
                                 data, sizes.data(), strides.data(), lowers, uppers, brought, of,
                                 steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                 CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
CUtensorMap of_pixels(int dimensions, cuuint32_t step = 1) {
  CUtensorMap map{};
  map_pixels(map, dimensions, step);
  return map;
}
/// Pixels are stored where no corner lies outside.
CUtensorMap stored_to() {
  CUtensorMap map{};
  map_pixels(map, 4, 1, 0);
  return map;
}
int picture(int c, int x, int y, int n) {
  const bool inside = x >= 0 && x < columns && y >= 0 && y < rows && n >= 0 && n < images;
  return inside ? ((n * rows + y) * columns + x) * channels + c + 1 : 0;
}
int element(int x, int y, int from, int size) {
  return x < size && y < height ? y * width + x + from + 1 : 0;
}

/// Places of the filter row by row: `across` of them in a row, `down` rows.
void convolved(const char* name, cuuint32_t step, int across, int down, int start, int dx, int dy) {
  const int s = int(step);
  dump<<<1, threads>>>(
      of_pixels(4, step), out,
      {4, start % across * s - 1, start / across % down * s - 1, start / across / down}, dx, dy);
  tell(name, out, pixels * brought, [&](int k) {
    const int place = start + k / brought;
    return picture(4 + k % brought, place % across * s - 1 + dx, place / across % down * s - 1 + dy,
                   place / across / down);
  });
}
void values() {
  convolved("pixels", 1, columns, rows, 0, 1, 1);
  convolved("pixels above and left", 1, columns, rows, 7, 0, 0);
  convolved("pixels below and right", 1, columns, rows, 15, 2, 2);
  convolved("beyond the last image", 1, columns, rows, 50, 1, 0);
  convolved("every other pixel", 2, 3, 2, 2, 1, 2);
  dump<<<1, threads>>>(of_pixels(3), out, {0, 2, 1, 0}, 2, -1);
  tell("pixels of rows", out, pixels * brought, [](int k) {
    const int place = columns + 3 + k / brought, x = place % columns + 1;
    return x < columns ? (place / columns * columns + x) * channels + k % brought + 1 : 0;
  });
  increment<<<1, threads>>>(stored_to(), {0, 0, 0, 1});
  const auto got = content(data, channels * columns * rows * images);
  bool right = true;
  int changed = 0;
  for (int k = 0; k < int(got.size()); ++k) {
    const int x = k / channels % columns, y = k / channels / columns % rows,
              n = k / channels / columns / rows, place = (n - 1) * 12 + y * 4 + x;
    // The upper corner leaves out the last column and the last row.
    const bool one = n >= 1 && k % channels < brought && x < 4 && y < 3 && place < pixels;
    changed += one;
    right &= got[k] == float(k + 1 + (one ? 1 : 0));
  }
  tell("and back", right && changed == pixels * brought);
  CUtensorMap none;
  tell("refused", map_pixels(none, 4, 9) == CUDA_ERROR_INVALID_VALUE &&
                      map_pixels(none, 4, 1, -129) == CUDA_ERROR_INVALID_VALUE &&
                      map_pixels(none, 4, 1, -1, 1025) == CUDA_ERROR_INVALID_VALUE &&
                      map_pixels(none, 2, 1) == CUDA_ERROR_INVALID_VALUE);
}
void fresh() {
  std::vector<float> host(width * height);
  for (int k = 0; k < width * height; ++k) host[k] = float(k + 1);
  cudaMemcpy(data, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
}
void changed() {
  replaced<<<1, threads>>>(boxes(), made, data + 8, 20, out);
  tell("address and size", out, most / 4,
       [](int k) { return element(4 + k % 32, 2 + k / 32, 8, 20); });
  built<<<1, threads>>>(made, data, out);
  tell("all fields", out, most / 4, [](int k) {
    const int logical = (4 * k) ^ (4 * k / 128 % 8 * 16);
    return element(4 + logical % 128 / 4, 2 + logical / 128, 0, width);
  });
}

#define PLANTED(name)                                                      \
  if (wanted == #name) {                                                   \
    right ? name<true><<<1, threads>>>(boxes(), of_pixels(3), made, out)   \
          : name<false><<<1, threads>>>(boxes(), of_pixels(3), made, out); \
  }
void planted(const std::string& wanted, bool right) {
  PLANTED(another_mode)
  PLANTED(no_fence_of_maps)
  PLANTED(no_barrier)
  PLANTED(begun_by_nobody)
  PLANTED(outside_the_corners)
  if (wanted == "stored_by_outer_corners") {
    increment<<<1, threads>>>(right ? stored_to() : of_pixels(4), {0, 0, 0, 1});
  }
}

}  // namespace

int main(int, char** arguments) {
  const std::string name = arguments[1];
  cudaMalloc(&data, width * height * sizeof(float));
  cudaMalloc(&out, width * height * sizeof(float));
  cudaMalloc(&made, sizeof(CUtensorMap));
  cudaMemset(out, 0, width * height * sizeof(float));
  fresh();
  const CUtensorMap usual = boxes();
  cudaMemcpy(made, &usual, sizeof usual, cudaMemcpyHostToDevice);
  if (name == "all" || name == "print") {
    values();
    fresh();
    changed();
  }
  planted(name, arguments[2] != nullptr);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(data);
  cudaFree(out);
  cudaFree(made);
}
