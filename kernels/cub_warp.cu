// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Row 28, warps (document E names it): cub::WarpReduce, one tile per warp at a time, two tiles in
// succession through the same temporary storage.
//
// Fix `storage_reuse`: a warp barrier before the storage is used again, as CUB's contract asks.
// This release keeps nothing in the storage for a warp of a power of two lanes (asserted below), so
// that no schedule can show its absence.
#include <cub/warp/warp_reduce.cuh>

#include "kernels/cub_types.cuh"

namespace gauntlet_cub {

/// Lanes that reduce together: a whole warp, or a block smaller than one.
template <int B>
inline constexpr int lanes_of = B < 32 ? B : 32;

template <class In, class Acc, class Operation, int B, bool storage_reuse>
__device__ void reduce_tiles_by_warp(const In* in, Acc* out, unsigned long long n) {
  constexpr int lanes = lanes_of<B>;
  static_assert(B % lanes == 0, "a partial warp has no full mask");
  constexpr unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
  using Reduce = cub::WarpReduce<Acc, lanes>;
  static_assert(cuda::std::is_empty_v<typename Reduce::InternalWarpReduce::TempStorage>);
  __shared__ typename Reduce::TempStorage storage[B / lanes];
  const unsigned warp = threadIdx.x / lanes;
  const unsigned lane = threadIdx.x % lanes;
#pragma unroll 1
  for (unsigned k = 0; k < 2; ++k) {
    const unsigned long long tile = 2ull * (blockIdx.x * (B / lanes) + warp) + k;
    const unsigned long long first = tile * lanes;
    if (first >= n) return;
    const int valid = static_cast<int>(min(static_cast<unsigned long long>(lanes), n - first));
    Acc value = Operation::identity();
    if (lane < valid) value = convert<Acc>(in[first + lane]);
    const Acc total = Reduce(storage[warp]).Reduce(value, typename Operation::type{}, valid);
    if (lane == 0) out[tile] = total;
    if constexpr (storage_reuse) __syncwarp(mask);
  }
}

}  // namespace gauntlet_cub

#define GAUNTLET_CUB_WARP(FORM, REUSE, IN, ACC, OP, B)                                             \
  extern "C" __global__ void __launch_bounds__(B) cub_warp__##FORM##__##IN##_##ACC##_##OP##__b##B( \
      const gauntlet_cub::IN* in, gauntlet_cub::ACC* out, unsigned long long n) {                  \
    gauntlet_cub::reduce_tiles_by_warp<gauntlet_cub::IN, gauntlet_cub::ACC,                        \
                                       gauntlet_cub::OP<gauntlet_cub::IN, gauntlet_cub::ACC>, B,   \
                                       REUSE>(in, out, n);                                         \
  }

#define GAUNTLET_CUB_WARP_DOCUMENTED(B) GAUNTLET_CUB_WARP(documented, false, i32, i32, sum, B)
#define GAUNTLET_CUB_WARP_WITHOUT(B) GAUNTLET_CUB_WARP(fixed_storage_reuse, false, i32, i32, sum, B)
#define GAUNTLET_CUB_WARP_FIXED(B) GAUNTLET_CUB_WARP(fixed, true, i32, i32, sum, B)
#define GAUNTLET_CUB_WARP_FIXED_256(IN, ACC, OP) GAUNTLET_CUB_WARP(fixed, true, IN, ACC, OP, 256)

GAUNTLET_CUB_WARP_BLOCKS(GAUNTLET_CUB_WARP_DOCUMENTED)
GAUNTLET_CUB_WARP_BLOCKS(GAUNTLET_CUB_WARP_WITHOUT)
GAUNTLET_CUB_WARP_BLOCKS(GAUNTLET_CUB_WARP_FIXED)
GAUNTLET_CUB_OTHER_INSTANCES(GAUNTLET_CUB_WARP_FIXED_256)
