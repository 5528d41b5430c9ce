// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Row 27: the kernels of cub::DeviceReduce (document E), instantiated as its dispatch would.
//
// CUB tunes its kernels by a policy type, and that type is part of each kernel's mangled name.
// Every instance here derives a policy of its own from CUB's, which changes nothing but the name:
// the build (ci/cmake/CubEntries.cmake) reads the policy's name back out of the mangled one and
// calls the PTX entry by it, as in `cub_device__fixed__f32_f32_sum__upsweep`. All forms of the
// variant launch these entries; the forms differ on the host (kernels/cub_cache.hpp).
#pragma once

#include <cub/device/dispatch/dispatch_reduce.cuh>

#include "kernels/cub_types.cuh"

namespace gauntlet_cub {

/// cub::DeviceReduce counts in 32 bits when the caller's count has at most four bytes.
using DeviceOffset = unsigned;

template <class In, class Acc, class Operation>
using DevicePolicy = typename cub::detail::reduce::policy_hub<Acc, DeviceOffset,
                                                              typename Operation::type>::MaxPolicy;

}  // namespace gauntlet_cub

/// Instantiates the three kernels of one instance: one tile in one launch; the first of two passes;
/// the second, which reduces the first one's partial results.
#define GAUNTLET_CUB_DEVICE_KERNELS(IN, ACC, OP)                                               \
  struct cub_device__fixed__##IN##_##ACC##_##OP##__single                                      \
      : gauntlet_cub::DevicePolicy<gauntlet_cub::IN, gauntlet_cub::ACC,                        \
                                   gauntlet_cub::OP<gauntlet_cub::IN, gauntlet_cub::ACC>> {};  \
  struct cub_device__fixed__##IN##_##ACC##_##OP##__upsweep                                     \
      : cub_device__fixed__##IN##_##ACC##_##OP##__single {};                                   \
  struct cub_device__fixed__##IN##_##ACC##_##OP##__final                                       \
      : cub_device__fixed__##IN##_##ACC##_##OP##__single {};                                   \
  template __global__ void cub::detail::reduce::DeviceReduceSingleTileKernel<                  \
      cub_device__fixed__##IN##_##ACC##_##OP##__single, const gauntlet_cub::IN*,               \
      gauntlet_cub::ACC*, gauntlet_cub::DeviceOffset,                                          \
      gauntlet_cub::OP<gauntlet_cub::IN, gauntlet_cub::ACC>::type, gauntlet_cub::ACC,          \
      gauntlet_cub::ACC, cuda::std::__identity>(                                               \
      const gauntlet_cub::IN*, gauntlet_cub::ACC*, gauntlet_cub::DeviceOffset,                 \
      gauntlet_cub::OP<gauntlet_cub::IN, gauntlet_cub::ACC>::type, gauntlet_cub::ACC,          \
      cuda::std::__identity);                                                                  \
  template __global__ void cub::detail::reduce::DeviceReduceKernel<                            \
      cub_device__fixed__##IN##_##ACC##_##OP##__upsweep, const gauntlet_cub::IN*,              \
      gauntlet_cub::DeviceOffset, gauntlet_cub::OP<gauntlet_cub::IN, gauntlet_cub::ACC>::type, \
      gauntlet_cub::ACC, cuda::std::__identity>(                                               \
      const gauntlet_cub::IN*, gauntlet_cub::ACC*, gauntlet_cub::DeviceOffset,                 \
      cub::GridEvenShare<gauntlet_cub::DeviceOffset>,                                          \
      gauntlet_cub::OP<gauntlet_cub::IN, gauntlet_cub::ACC>::type, cuda::std::__identity);     \
  template __global__ void cub::detail::reduce::DeviceReduceSingleTileKernel<                  \
      cub_device__fixed__##IN##_##ACC##_##OP##__final, gauntlet_cub::ACC*, gauntlet_cub::ACC*, \
      int, gauntlet_cub::OP<gauntlet_cub::IN, gauntlet_cub::ACC>::type, gauntlet_cub::ACC,     \
      gauntlet_cub::ACC, cuda::std::__identity>(                                               \
      gauntlet_cub::ACC*, gauntlet_cub::ACC*, int,                                             \
      gauntlet_cub::OP<gauntlet_cub::IN, gauntlet_cub::ACC>::type, gauntlet_cub::ACC,          \
      cuda::std::__identity);
