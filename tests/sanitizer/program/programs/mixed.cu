// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The runtime and the driver's interface in one program: one context, one memory, one kind of
// stream.
#include <cuda.h>

#include <cstdio>

__device__ int counter = 1;
__global__ void add(int* out, int value) { *out += value + counter; }

int main() {
  int *at = nullptr, host = 40;
  cudaMalloc(&at, sizeof *at);
  CUcontext current = nullptr, primary = nullptr;
  cuCtxGetCurrent(&current);
  cuDevicePrimaryCtxRetain(&primary, 0);
  std::printf("%s\n", current != nullptr && current == primary ? "one context" : "two contexts");

  // Memory of the runtime, copied and launched on by the driver's interface, and the other way
  // round.
  cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(at), &host, sizeof host);
  add<<<1, 1>>>(at, 1);
  CUfunction function;
  cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(add));
  int value = 2;
  void* arguments[] = {&at, &value};
  CUstream stream;
  cuStreamCreate(&stream, CU_STREAM_DEFAULT);
  cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&host, at, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host);

  CUresult (*set)(CUdeviceptr, unsigned, std::size_t) = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuMemsetD32", reinterpret_cast<void**>(&set), 12000,
                                   cudaEnableDefault, &found);
  set(reinterpret_cast<CUdeviceptr>(at), 9, 1);
  cudaMemcpy(&host, at, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host);

  // A failure of one is not the other's last error.
  CUdevice device = 0;
  cuDeviceGet(&device, 1000);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaStreamDestroy(stream);
  cudaFree(at);
  cuDevicePrimaryCtxRelease(0);
}
