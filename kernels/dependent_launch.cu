// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: two launches, each a programmatic dependent one.

// Any block up to 1024 threads must fit the registers.
#define GAUNTLET_ENTRY(VARIANT, FORM, FIXES, IN, ACC, OP)                                      \
  extern "C" __global__ void __launch_bounds__(1024) VARIANT##__##FORM##__##IN##_##ACC##_##OP( \
      const gauntlet::device::IN* in, gauntlet::device::ACC* out, unsigned long long n) {      \
    using namespace gauntlet::device;                                                          \
    gauntlet::device::VARIANT<IN, ACC, OP, (FIXES)>(in, out, n);                               \
  }
#include "kernels/dependent.cuh"
#include "kernels/instantiate.cuh"

GAUNTLET_SUMS_F32(dependent_launch, documented, fix::none)
GAUNTLET_SUMS_F32(dependent_launch, fixed_read_wait, fix::write_wait | fix::wait_by_all)
GAUNTLET_SUMS_F32(dependent_launch, fixed_write_wait, fix::read_wait | fix::wait_by_all)
GAUNTLET_SUMS_F32(dependent_launch, fixed_wait_by_all, fix::read_wait | fix::write_wait)
GAUNTLET_ALL(dependent_launch, fixed, fix::read_wait | fix::write_wait | fix::wait_by_all)
