// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Row 28, blocks (document E names it): cub::BlockReduce, one tile of B elements at a time, two
// tiles in succession through the same temporary storage.
//
// Fix `storage_reuse`: a block barrier before the storage is used again. Without it a warp that is
// ahead overwrites partial results that thread 0 has yet to read.
#include <cub/block/block_reduce.cuh>

#include "kernels/cub_types.cuh"

namespace gauntlet_cub {

/// CUB's default algorithm shuffles under a full mask in every warp, the last one included; where B
/// is above 32 and no multiple of it, that mask names lanes that do not exist. Raking does not.
template <int B>
inline constexpr cub::BlockReduceAlgorithm block_algorithm =
    B > 32 && B % 32 != 0 ? cub::BLOCK_REDUCE_RAKING : cub::BLOCK_REDUCE_WARP_REDUCTIONS;

template <class In, class Acc, class Operation, int B, bool storage_reuse>
__device__ void reduce_tiles_by_block(const In* in, Acc* out, unsigned long long n) {
  using Reduce = cub::BlockReduce<Acc, B, block_algorithm<B>>;
  __shared__ typename Reduce::TempStorage storage;
#pragma unroll 1
  for (unsigned k = 0; k < 2; ++k) {
    const unsigned long long tile = 2ull * blockIdx.x + k;
    const unsigned long long first = tile * B;
    if (first >= n) return;
    const int valid = static_cast<int>(min(static_cast<unsigned long long>(B), n - first));
    Acc value = Operation::identity();
    if (threadIdx.x < valid) value = convert<Acc>(in[first + threadIdx.x]);
    const Acc total = Reduce(storage).Reduce(value, typename Operation::type{}, valid);
    if (threadIdx.x == 0) out[tile] = total;
    if constexpr (storage_reuse) __syncthreads();
  }
}

}  // namespace gauntlet_cub

#define GAUNTLET_CUB_BLOCK(FORM, REUSE, IN, ACC, OP, B)                                           \
  extern "C" __global__ void __launch_bounds__(B)                                                 \
      cub_block__##FORM##__##IN##_##ACC##_##OP##__b##B(                                           \
          const gauntlet_cub::IN* in, gauntlet_cub::ACC* out, unsigned long long n) {             \
    gauntlet_cub::reduce_tiles_by_block<gauntlet_cub::IN, gauntlet_cub::ACC,                      \
                                        gauntlet_cub::OP<gauntlet_cub::IN, gauntlet_cub::ACC>, B, \
                                        REUSE>(in, out, n);                                       \
  }

#define GAUNTLET_CUB_BLOCK_DOCUMENTED(B) GAUNTLET_CUB_BLOCK(documented, false, i32, i32, sum, B)
#define GAUNTLET_CUB_BLOCK_WITHOUT(B) \
  GAUNTLET_CUB_BLOCK(fixed_storage_reuse, false, i32, i32, sum, B)
#define GAUNTLET_CUB_BLOCK_FIXED(B) GAUNTLET_CUB_BLOCK(fixed, true, i32, i32, sum, B)
#define GAUNTLET_CUB_BLOCK_FIXED_256(IN, ACC, OP) GAUNTLET_CUB_BLOCK(fixed, true, IN, ACC, OP, 256)

GAUNTLET_CUB_BLOCKS(GAUNTLET_CUB_BLOCK_DOCUMENTED)
GAUNTLET_CUB_BLOCKS(GAUNTLET_CUB_BLOCK_WITHOUT)
GAUNTLET_CUB_BLOCKS(GAUNTLET_CUB_BLOCK_FIXED)
GAUNTLET_CUB_OTHER_INSTANCES(GAUNTLET_CUB_BLOCK_FIXED_256)
