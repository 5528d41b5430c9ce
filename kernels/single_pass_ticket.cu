// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: one launch, the last block finishes.

// Any block up to 1024 threads must fit the registers.
#define GAUNTLET_ENTRY(VARIANT, FORM, FIXES, IN, ACC, OP)                                          \
  extern "C" __global__ void __launch_bounds__(1024) VARIANT##__##FORM##__##IN##_##ACC##_##OP(     \
      const gauntlet::device::IN* in, gauntlet::device::ACC* out, gauntlet::device::ACC* partials, \
      unsigned* ticket, unsigned long long n) {                                                    \
    using namespace gauntlet::device;                                                              \
    gauntlet::device::VARIANT<IN, ACC, OP, (FIXES)>(in, out, partials, ticket, n);                 \
  }
#include "kernels/instantiate.cuh"
#include "kernels/ticket.cuh"

namespace {
constexpr unsigned order = gauntlet::device::fix::release_order |
                           gauntlet::device::fix::acquire_order |
                           gauntlet::device::fix::block_barrier;
constexpr unsigned loads = gauntlet::device::fix::vector_tail | gauntlet::device::fix::alignment;
constexpr unsigned reset = gauntlet::device::fix::ticket_reset;
}  // namespace

GAUNTLET_SUMS_F32(single_pass_ticket, documented, fix::none)
GAUNTLET_SUMS_F32(single_pass_ticket, fixed_release_order,
                  (order & ~fix::release_order) | loads | reset)
GAUNTLET_SUMS_F32(single_pass_ticket, fixed_acquire_order,
                  (order & ~fix::acquire_order) | loads | reset)
GAUNTLET_SUMS_F32(single_pass_ticket, fixed_block_barrier,
                  (order & ~fix::block_barrier) | loads | reset)
GAUNTLET_SUMS_F32(single_pass_ticket, fixed_ticket_reset, order | loads)
GAUNTLET_SUMS_F32(single_pass_ticket, fixed_vector_tail, order | reset | fix::alignment)
GAUNTLET_SUMS_F32(single_pass_ticket, fixed_alignment, order | reset | fix::vector_tail)
GAUNTLET_ALL(single_pass_ticket, fixed, order | loads | reset)
