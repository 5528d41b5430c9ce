// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The last block adds up what the others left, as the CUDA guide's example does: with both fences,
// without the one before the ticket, without the one behind it, and without a look at the ticket.
// Blocks of 32 threads.

template <bool release, bool acquire, bool look = true>
__global__ void ticket_sum(const int* in, int* partials, unsigned* tickets, int* out) {
  if (threadIdx.x != 0) return;
  partials[blockIdx.x] = in[blockIdx.x];
  if (release) __threadfence();
  unsigned ticket = blockIdx.x;
  if (look || blockIdx.x != gridDim.x - 1) ticket = atomicAdd(tickets, 1U);
  if (ticket != gridDim.x - 1) return;
  if (acquire) __threadfence();
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += partials[b];
  *out = sum;
}

template __global__ void ticket_sum<true, true>(const int*, int*, unsigned*, int*);
template __global__ void ticket_sum<false, true>(const int*, int*, unsigned*, int*);
template __global__ void ticket_sum<true, false>(const int*, int*, unsigned*, int*);
template __global__ void ticket_sum<true, true, false>(const int*, int*, unsigned*, int*);
