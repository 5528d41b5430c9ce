// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Two processes with one array, by a handle that the first gives to the second; what the second
// does with it that it must not is named by the first argument, unless `right` follows.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int n = 256;
constexpr char variable[] = "SHARED_ARRAYS_HANDLE";

__global__ void count(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void begin(int* x) { x[threadIdx.x] = threadIdx.x; }

struct Handles {
  cudaIpcMemHandle_t array;
  cudaIpcEventHandle_t event;
};

int second(const std::string& what, bool right) {
  Handles handles;
  const char* text = std::getenv(variable);
  for (std::size_t k = 0; k < sizeof handles; ++k) {
    unsigned byte;
    std::sscanf(text + 2 * k, "%2x", &byte);
    reinterpret_cast<unsigned char*>(&handles)[k] = byte;
  }
  int *x = nullptr, *again = nullptr;
  cudaEvent_t event;
  cudaIpcOpenMemHandle(reinterpret_cast<void**>(&x), handles.array, cudaIpcMemLazyEnablePeerAccess);
  cudaIpcOpenMemHandle(reinterpret_cast<void**>(&again), handles.array,
                       cudaIpcMemLazyEnablePeerAccess);
  cudaIpcOpenEventHandle(&event, handles.event);
  cudaStreamWaitEvent(nullptr, event, 0);
  if (x != again) std::printf("two addresses\n");
  cudaIpcCloseMemHandle(again);
  if (what == "closed" && !right) cudaIpcCloseMemHandle(x);
  count<<<what == "beyond" && !right ? 2 : 1, n>>>(x);
  cudaEventRecord(event);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  if (what == "freed" && !right) cudaFree(x);
  cudaIpcCloseMemHandle(x);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = arguments[1];
  const bool right = count > 2;
  if (std::getenv(variable) != nullptr) return second(what, right);
  int* x = nullptr;
  cudaEvent_t event;
  cudaMalloc(&x, n * sizeof(int));
  if (what != "unwritten" || right) begin<<<1, n>>>(x);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess);
  cudaEventRecord(event);
  Handles handles;
  if (cudaIpcGetMemHandle(&handles.array, x + 1) != cudaSuccess) std::printf("no handle\n");
  if (cudaIpcGetEventHandle(&handles.event, event) != cudaSuccess) std::printf("no handle\n");
  int* own = nullptr;
  if (cudaIpcOpenMemHandle(reinterpret_cast<void**>(&own), handles.array, 0) == cudaSuccess) {
    std::printf("opened by the process that has it\n");
  }
  std::string text;
  for (const unsigned char byte : std::string(reinterpret_cast<char*>(&handles), sizeof handles)) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  setenv(variable, text.c_str(), 1);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) execv("/proc/self/exe", arguments);
  int status = 0;
  waitpid(child, &status, 0);
  int got[n];
  cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost);
  bool same = true;
  for (int k = 0; k < n; ++k) same = same && got[k] == k + 1;
  if (right && !same) std::printf("the other process has changed nothing\n");
  cudaEventDestroy(event);
  cudaFree(x);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
