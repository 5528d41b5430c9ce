// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 3, 4 and 5: what orders the lanes of a warp.

namespace {

/// Every lane leaves its value in shared memory and takes the one of its mirror image, 31 - t.
template <class Barrier>
__device__ __forceinline__ void mirror(const int* in, int* out, Barrier barrier) {
  __shared__ int s[32];
  const unsigned t = threadIdx.x;
  s[t] = in[t];
  barrier();
  out[t] = s[31 - t];
}

}  // namespace

/// The default mask of __syncwarp, whatever it is.
extern "C" __global__ void mirror_default_mask(const int* in, int* out) {
  mirror(in, out, [] { __syncwarp(); });
}

/// Document D prints the default with seven f's: lanes 28 to 31 are not named.
extern "C" __global__ void mirror_seven_fs(const int* in, int* out) {
  mirror(in, out, [] { __syncwarp(0xfffffff); });
}

/// What that mask says: 28 lanes meet, the last four go on by themselves.
extern "C" __global__ void mirror_28_lanes(const int* in, int* out) {
  mirror(in, out, [] {
    if (threadIdx.x < 28) __syncwarp(0xfffffff);
  });
}

/// A shuffle between the store and the load. Its own values arrive; s is not ordered by it.
extern "C" __global__ void mirror_shuffle_only(const int* in, int* out, int* next) {
  const int mine = in[threadIdx.x];
  int received = 0;
  mirror(in, out, [&] { received = __shfl_down_sync(0xffffffff, mine, 1); });
  next[threadIdx.x] = received;
}

extern "C" __global__ void mirror_vote_only(const int* in, int* out, int* next) {
  int votes = 0;
  mirror(in, out,
         [&] { votes = static_cast<int>(__ballot_sync(0xffffffff, in[threadIdx.x] & 1)); });
  next[threadIdx.x] = votes;
}

/// The same with the barrier that orders s.
extern "C" __global__ void mirror_shuffle_and_barrier(const int* in, int* out, int* next) {
  const int mine = in[threadIdx.x];
  int received = 0;
  mirror(in, out, [&] {
    received = __shfl_down_sync(0xffffffff, mine, 1);
    __syncwarp();
  });
  next[threadIdx.x] = received;
}

/// Two lanes of one warp wait for each other in turn, in different branches: lane 0 for lane 31's
/// word, then lane 31 for lane 0's. A warp that ran one branch to its end before the other would
/// never finish, whichever came first.
extern "C" __global__ void handshake(int* words) {
  const unsigned t = threadIdx.x;
  if (t == 0) {
    while (atomicAdd(&words[1], 0) == 0) {
    }
    atomicExch(&words[0], 1);
  } else if (t == 31) {
    atomicExch(&words[1], 1);
    while (atomicAdd(&words[0], 0) == 0) {
    }
  }
}
