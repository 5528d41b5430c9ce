// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The runtime and the driver's interface in one program: one context, one memory, one kind of
// stream.
#include <cuda.h>

#include <cstdio>

__device__ int counter = 1;
__constant__ int table[5] = {1, 2, 3, 4, 5};
__global__ void name_places(const void** to) {
  to[0] = "a text of the kernel";
  to[1] = table + 2;
}
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

  // What lies in the module has a range, too: texts, and variables that the host does not name.
  const void** places = nullptr;
  const void* inside[2];
  cudaMalloc(&places, sizeof inside);
  name_places<<<1, 1>>>(places);
  cudaMemcpy(inside, places, sizeof inside, cudaMemcpyDeviceToHost);
  cudaFree(places);
  for (const void* const place : inside) {
    const auto address = reinterpret_cast<CUdeviceptr>(place);
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    char text[32] = "";
    if (cuMemGetAddressRange(&base, &bytes, address) != CUDA_SUCCESS || bytes > sizeof text) break;
    cuMemcpyDtoH(text, base, bytes);
    std::printf("%d of %d: %s\n", static_cast<int>(address - base), static_cast<int>(bytes),
                place == inside[0] ? text
                : text[4] == 2     ? "the table"
                                   : "?");
  }
  CUdeviceptr base = 0;
  const CUresult behind =
      cuMemGetAddressRange(&base, nullptr, reinterpret_cast<CUdeviceptr>(inside[0]) + 21);
  std::printf("%s\n", behind == CUDA_ERROR_NOT_FOUND ? "behind it nothing" : "something behind it");

  // A failure of one is not the other's last error.
  CUdevice device = 0;
  cuDeviceGet(&device, 1000);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaStreamDestroy(stream);
  cudaFree(at);
  cuDevicePrimaryCtxRelease(0);
}
