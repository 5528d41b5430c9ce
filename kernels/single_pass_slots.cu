// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: one launch, the last block takes the others' values as they come.

// Any block up to 1024 threads must fit the registers.
#define GAUNTLET_ENTRY(VARIANT, FORM, FIXES, IN, ACC, OP)                                      \
  extern "C" __global__ void __launch_bounds__(1024) VARIANT##__##FORM##__##IN##_##ACC##_##OP( \
      const gauntlet::device::IN* in, gauntlet::device::ACC* out, unsigned long long* slots,   \
      unsigned long long n) {                                                                  \
    using namespace gauntlet::device;                                                          \
    gauntlet::device::VARIANT<IN, ACC, OP, (FIXES)>(in, out, slots, n);                        \
  }
#include "kernels/instantiate.cuh"
#include "kernels/slots.cuh"

GAUNTLET_SUMS_F32(single_pass_slots, documented, fix::none)
GAUNTLET_SUMS_F32(single_pass_slots, fixed_one_word, fix::slot_reset | fix::wait)
GAUNTLET_SUMS_F32(single_pass_slots, fixed_slot_reset, fix::one_word | fix::wait)
GAUNTLET_SUMS_F32(single_pass_slots, fixed_wait, fix::one_word | fix::slot_reset)
GAUNTLET_ALL(single_pass_slots, fixed, fix::one_word | fix::slot_reset | fix::wait)
