// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: eight 16-byte loads in flight per thread, two launches.

// Any block up to 1024 threads must fit the registers.
#define GAUNTLET_ENTRY(VARIANT, FORM, FIXES, IN, ACC, OP)                                      \
  extern "C" __global__ void __launch_bounds__(1024) VARIANT##__##FORM##__##IN##_##ACC##_##OP( \
      const gauntlet::device::IN* in, gauntlet::device::ACC* out, unsigned long long n) {      \
    using namespace gauntlet::device;                                                          \
    gauntlet::device::VARIANT<IN, ACC, OP, (FIXES)>(in, out, n);                               \
  }
#include "kernels/batch.cuh"
#include "kernels/instantiate.cuh"

GAUNTLET_SUMS_F32(vector_batch, documented, fix::none)
GAUNTLET_SUMS_F32(vector_batch, fixed_bounds_check,
                  fix::vector_tail | fix::alignment | fix::partial_warp)
GAUNTLET_SUMS_F32(vector_batch, fixed_vector_tail,
                  fix::bounds_check | fix::alignment | fix::partial_warp)
GAUNTLET_SUMS_F32(vector_batch, fixed_alignment,
                  fix::bounds_check | fix::vector_tail | fix::partial_warp)
GAUNTLET_SUMS_F32(vector_batch, fixed_partial_warp,
                  fix::bounds_check | fix::vector_tail | fix::alignment)
GAUNTLET_ALL(vector_batch, fixed,
             fix::bounds_check | fix::vector_tail | fix::alignment | fix::partial_warp)
