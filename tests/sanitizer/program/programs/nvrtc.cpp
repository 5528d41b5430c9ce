// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that compiles its kernel by NVRTC while it runs, and launches it by the driver's
// interface. Arguments: "ptx" or "cubin", what it asks NVRTC for, or "looked_up", cubin by
// functions that it looks up; "fault": without the barrier.
#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

void check(bool good, const char* what) {
  if (good) return;
  std::printf("%s failed\n", what);
  std::exit(1);
}
#define CHECK(call) check((call) == 0, #call)

constexpr char source[] = R"(
template <class T> __global__ void reversed(T* values) {
  __shared__ T s[64];
  s[threadIdx.x] = values[threadIdx.x];
  BARRIER;
  values[threadIdx.x] = s[63 - threadIdx.x];
})";

}  // namespace

int main(int argc, char** argv) {
  const bool looked_up = argc > 1 && std::strcmp(argv[1], "looked_up") == 0;
  const bool cubin = looked_up || (argc > 1 && std::strcmp(argv[1], "cubin") == 0);
  auto* get_size = &nvrtcGetCUBINSize;
  auto* get = &nvrtcGetCUBIN;
  if (looked_up) {
    void* const library = dlopen("libnvrtc.so.13", RTLD_NOW);
    get_size = reinterpret_cast<decltype(get_size)>(dlsym(library, "nvrtcGetCUBINSize"));
    get = reinterpret_cast<decltype(get)>(dlsym(library, "nvrtcGetCUBIN"));
  }
  const bool fault = argc > 2;
  CUdevice device;
  CUcontext context;
  int major = 0, minor = 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  nvrtcProgram program;
  CHECK(nvrtcCreateProgram(&program, source, "reversed.cu", 0, nullptr, nullptr));
  CHECK(nvrtcAddNameExpression(program, "reversed<int>"));
  const std::string arch = std::string("--gpu-architecture=") + (cubin ? "sm_" : "compute_") +
                           std::to_string(10 * major + minor);
  const char* const options[] = {arch.c_str(), "-lineinfo",
                                 fault ? "-DBARRIER=" : "-DBARRIER=__syncthreads()"};
  CHECK(nvrtcCompileProgram(program, 3, options));
  const char* name = nullptr;
  CHECK(nvrtcGetLoweredName(program, "reversed<int>", &name));
  std::size_t bytes = 0;
  CHECK(cubin ? get_size(program, &bytes) : nvrtcGetPTXSize(program, &bytes));
  std::vector<char> image(bytes);
  CHECK(cubin ? get(program, image.data()) : nvrtcGetPTX(program, image.data()));

  CUmodule module;
  CUfunction kernel;
  CUdeviceptr values;
  CHECK(cuModuleLoadDataEx(&module, image.data(), 0, nullptr, nullptr));
  CHECK(cuModuleGetFunction(&kernel, module, name));
  std::vector<int> host(64);
  for (int k = 0; k < 64; ++k) host[k] = k * k;
  CHECK(cuMemAlloc(&values, sizeof(int) * 64));
  CHECK(cuMemcpyHtoD(values, host.data(), sizeof(int) * 64));
  void* arguments[] = {&values};
  CHECK(cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(host.data(), values, sizeof(int) * 64));
  CHECK(cuMemFree(values));
  CHECK(cuModuleUnload(module));
  CHECK(nvrtcDestroyProgram(&program));
  CHECK(cuDevicePrimaryCtxRelease(device));
  std::printf("%d %d %d\n", host[0], host[1], host[63]);
}
