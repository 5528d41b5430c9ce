// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A, table row "loops fully unrolled": one kernel per block size that the list of steps covers.
#include "kernels/instantiate.cuh"
#include "kernels/unrolled.cuh"

#define GAUNTLET_UNROLLED(FORM, FIXES, IN, ACC, OP, BLOCK)                                       \
  extern "C" __global__ void full_unroll__##FORM##__##IN##_##ACC##_##OP##__b##BLOCK(             \
      const gauntlet::device::IN* in, gauntlet::device::ACC* out, unsigned long long n) {        \
    using namespace gauntlet::device;                                                            \
    gauntlet::device::full_unroll<BLOCK, (FIXES) == fix::volatile_shared, IN, ACC, OP, (FIXES)>( \
        in, out, n);                                                                             \
  }

#undef GAUNTLET_ENTRY
#define GAUNTLET_ENTRY(VARIANT, FORM, FIXES, IN, ACC, OP) \
  GAUNTLET_UNROLLED(FORM, FIXES, IN, ACC, OP, 8)          \
  GAUNTLET_UNROLLED(FORM, FIXES, IN, ACC, OP, 16)         \
  GAUNTLET_UNROLLED(FORM, FIXES, IN, ACC, OP, 32)         \
  GAUNTLET_UNROLLED(FORM, FIXES, IN, ACC, OP, 64)         \
  GAUNTLET_UNROLLED(FORM, FIXES, IN, ACC, OP, 128)        \
  GAUNTLET_UNROLLED(FORM, FIXES, IN, ACC, OP, 256)        \
  GAUNTLET_UNROLLED(FORM, FIXES, IN, ACC, OP, 512)        \
  GAUNTLET_UNROLLED(FORM, FIXES, IN, ACC, OP, 1024)

GAUNTLET_SUMS_F32(full_unroll, documented, fix::volatile_shared)
GAUNTLET_SUMS_F32(full_unroll, fixed_bounds_check,
                  fix::volatile_shared | fix::syncwarp | fix::small_block)
GAUNTLET_SUMS_F32(full_unroll, fixed_volatile_shared,
                  fix::bounds_check | fix::syncwarp | fix::small_block)
GAUNTLET_SUMS_F32(full_unroll, fixed_syncwarp,
                  fix::bounds_check | fix::volatile_shared | fix::small_block)
GAUNTLET_SUMS_F32(full_unroll, fixed_small_block,
                  fix::bounds_check | fix::volatile_shared | fix::syncwarp)
GAUNTLET_ALL(full_unroll, fixed,
             fix::bounds_check | fix::volatile_shared | fix::syncwarp | fix::small_block)
