// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Programmatic dependent launches of one stream: NAME lacks what orders them, and `NAME right` has
// it, or something that needs no order.
#include <cstdio>

#include "checked.hpp"
#include "named.hpp"

namespace {

constexpr int n = 256;

// As CUB does: below sm_90 there is neither.
__device__ void trigger() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ void wait() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

__global__ void writes(int* cells) {
  trigger();
  cells[threadIdx.x] = threadIdx.x;
}
__global__ void reads(const int* cells, int* to, bool waits) {
  if (waits) wait();
  to[threadIdx.x] = cells[threadIdx.x];
}
__global__ void one_waits(const int* cells, int* to, bool barrier) {
  if (threadIdx.x == 0) wait();
  if (barrier) __syncthreads();
  to[threadIdx.x] = cells[threadIdx.x];
}
/// The next reduction's first launch: it overwrites what the one before still reads.
__global__ void overwrites(int* cells, bool waits) {
  if (waits) wait();
  cells[threadIdx.x] = -1;
}

/// Where its part begins is read before the wait, or behind it: both have one.
__global__ void merges(const int* begins, const int* cells, int* to, bool late) {
  int begin = late ? begins[threadIdx.x] : 0;
  wait();
  if (!late) begin = begins[threadIdx.x];
  to[threadIdx.x] = cells[begin];
}

cudaStream_t stream;
int *cells, *other, *to;

template <class... Parameters, class... Arguments>
void dependent(void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = n;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

NAMED(missing_wait) {
  writes<<<1, n, 0, stream>>>(cells);
  dependent(reads, static_cast<const int*>(cells), to, right);
}
NAMED(wait_of_one_thread) {
  writes<<<1, n, 0, stream>>>(cells);
  dependent(one_waits, static_cast<const int*>(cells), to, right);
}
NAMED(overwritten) {
  reads<<<1, n, 0, stream>>>(cells, to, false);
  dependent(overwrites, cells, right);
}
NAMED(late_wait) {
  writes<<<1, n, 0, stream>>>(other);
  dependent(merges, static_cast<const int*>(other), static_cast<const int*>(cells), to, !right);
}
/// A prologue may read what the launch before does not write.
NAMED(prologue) {
  writes<<<1, n, 0, stream>>>(right ? other : cells);
  dependent(reads, static_cast<const int*>(cells), to, false);
}
/// What is no kernel ends before the launch begins, and so does a kernel before it.
NAMED(behind_a_copy) {
  writes<<<1, n, 0, stream>>>(cells);
  if (right) CHECK(cudaMemsetAsync(other, 0, sizeof(int), stream));
  dependent(reads, static_cast<const int*>(cells), to, false);
}
/// So does what a stream waits for.
NAMED(behind_an_event) {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  writes<<<1, n, 0, stream>>>(cells);
  if (right) {
    CHECK(cudaEventRecord(event, cudaStreamLegacy));
    CHECK(cudaStreamWaitEvent(stream, event, 0));
  }
  dependent(reads, static_cast<const int*>(cells), to, false);
}
/// The launch before the one before has ended as well, since that is no programmatic one.
NAMED(chain) {
  writes<<<1, n, 0, stream>>>(cells);
  if (right) overwrites<<<1, n, 0, stream>>>(other, false);
  dependent(reads, static_cast<const int*>(cells), to, false);
}
/// The third waits for the second alone, and for the first only where that has waited.
NAMED(third_waits) {
  writes<<<1, n, 0, stream>>>(cells);
  dependent(overwrites, other, right);
  dependent(reads, static_cast<const int*>(cells), to, true);
}
/// The same with a fourth: all behind the second have waited.
NAMED(fourth_waits) {
  writes<<<1, n, 0, stream>>>(cells);
  dependent(overwrites, other, right);
  dependent(reads, static_cast<const int*>(other), to, true);
  dependent(overwrites, cells, true);
}
/// It begins when the second has ended, and needs no wait of its own where that has waited.
NAMED(third_begins_late) {
  writes<<<1, n, 0, stream>>>(cells);
  dependent(overwrites, other, right);
  dependent(reads, static_cast<const int*>(cells), to, false);
}
/// What the host has waited for has ended.
NAMED(third_behind_the_host) {
  writes<<<1, n, 0, stream>>>(cells);
  if (right) CHECK(cudaStreamSynchronize(stream));
  dependent(overwrites, other, false);
  dependent(reads, static_cast<const int*>(cells), to, true);
}

}  // namespace

int main(int count, char** arguments) {
  for (int** array : {&cells, &other, &to}) {
    CHECK(cudaMalloc(array, n * sizeof(int)));
    CHECK(cudaMemset(*array, 0, n * sizeof(int)));
  }
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  if (!run_named(count, arguments)) return std::printf("no such pair\n");
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::printf("done\n");
}
