// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A device that is reset: what is gone, and what is as at the start. With an argument: one mistake.
#include <cstdio>
#include <string>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // cudaDeviceGetSharedMemConfig

namespace {

__device__ int counter = 5;
__managed__ int shared_counter = 7;

__global__ void count(int* out) {
  if (out != nullptr) *out = counter + 1;
  ++counter;
  ++shared_counter;
}

int value_of_counter() {
  int value = 0;
  cudaMemcpyFromSymbol(&value, counter, sizeof value);
  return value;
}

void say(const char* what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
}

int say_limits() {
  std::size_t set = 0, again = 0;
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
  cudaDeviceGetLimit(&set, cudaLimitMallocHeapSize);
  cudaDeviceReset();
  cudaDeviceGetLimit(&again, cudaLimitMallocHeapSize);
  std::printf("%zu %zu\n", set, again);
  return 0;
}

}  // namespace

int main(int arguments, char** argument) {
  const std::string mistake = arguments > 1 ? argument[1] : "";
  if (mistake == "limits") return say_limits();
  int *out = nullptr, *managed = nullptr, *pinned = nullptr;
  cudaMalloc(&out, sizeof *out);
  cudaMallocManaged(&managed, sizeof *managed);
  cudaMallocHost(&pinned, sizeof *pinned);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  count<<<1, 1, 0, stream>>>(out);
  cudaDeviceSynchronize();
  std::printf("counters %d %d\n", value_of_counter(), shared_counter);

  say("reset", cudaDeviceReset());
  if (mistake == "frees") cudaFree(out);
  if (mistake == "uses") count<<<1, 1>>>(out);
  // On a GPU the handle points to what was freed: some error or other, or the program ends.
  if (mistake == "waits") {
    std::printf("stream gone: %d\n", cudaStreamSynchronize(stream) != cudaSuccess);
    cudaGetLastError();
  }
  count<<<1, 1>>>(nullptr);
  say("launch", cudaDeviceSynchronize());
  std::printf("counters %d %d\n", value_of_counter(), shared_counter);
  say("again", cudaDeviceReset());
  cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
  say("banks", cudaDeviceGetSharedMemConfig(&banks));
  std::printf("of four bytes: %d\n", banks == cudaSharedMemBankSizeFourByte);
  return 0;
}
