// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a warp votes on, and a maximum by atomics of the elements that a condition takes; right
// where `wrong` is 0.
template <int wrong>
__global__ void any_of_warp(const int* x, int* y, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  bool mine = i < n && (wrong == 1 ? x[i] >= 7 : x[i] > 7);
  if (wrong == 2) mine = mine && i < n - 1;
  const bool result = wrong == 3 ? __all_sync(~0u, mine) : __any_sync(~0u, mine);
  if (threadIdx.x == 0) y[blockIdx.x] = result;
}

template <int wrong>
__global__ void all_of_warp(const int* x, int* y, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const bool mine = i >= (wrong == 1 ? n - 1 : n) || x[i] > 7;
  const bool result = wrong == 2 ? __uni_sync(~0u, mine) : __all_sync(~0u, mine);
  if (threadIdx.x == 0) y[blockIdx.x] = result;
}

template <int wrong>
__global__ void any_by_ballot(const int* x, int* y, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const unsigned votes = __ballot_sync(~0u, i < n && x[i] > 7);
  bool result = votes != (wrong == 1 ? 1u : 0u);
  if (wrong == 2) result = (votes & ~1u) != 0;
  if (wrong == 3) result = static_cast<int>(votes) > 0;
  if (threadIdx.x == 0) y[blockIdx.x] = result;
}

template <int wrong>
__global__ void greatest_above(const int* x, int* y, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n || (wrong == 1 ? x[i] < 7 : x[i] <= 7)) return;
  if (wrong == 2)
    atomicMin(y, x[i]);
  else if (wrong == 3)
    atomicExch(y, x[i]);
  else
    atomicMax(y, wrong == 4 ? x[i] + 1 : x[i]);
}

#define FORMS(kernel)                                        \
  template __global__ void kernel<0>(const int*, int*, int); \
  template __global__ void kernel<1>(const int*, int*, int); \
  template __global__ void kernel<2>(const int*, int*, int); \
  template __global__ void kernel<3>(const int*, int*, int); \
  template __global__ void kernel<4>(const int*, int*, int);
FORMS(any_of_warp)
FORMS(all_of_warp)
FORMS(any_by_ballot)
FORMS(greatest_above)
