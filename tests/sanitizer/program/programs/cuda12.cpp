// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a program that CUDA 12 built calls: libcudart.so.12, launches as its nvcc writes them, and
// entries that take other arguments than CUDA 13's of the same name. It has no header of CUDA 12.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {

struct Extent {
  unsigned x, y, z;
};
struct Wrapper {
  int magic, version;
  const void* data;
  void* more;
};
struct Properties {  // cudaDeviceProp of CUDA 12 has 1032 bytes
  char name[256], rest[1032 - 256];
};
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);
void __cudaUnregisterFatBinary(void**);
int cudaLaunchKernel(const void*, Extent, Extent, void**, std::size_t, void*);
int cudaMallocManaged(void**, std::size_t, unsigned);
int cudaMemPrefetchAsync(const void*, std::size_t, int, void*);
int cudaMemAdvise(const void*, std::size_t, int, int);
int cudaStreamGetCaptureInfo(void*, int*, unsigned long long*);
int cudaGetDeviceProperties_v2(Properties*, int);
int cudaRuntimeGetVersion(int*);
int cudaThreadSynchronize();
int cudaFree(void*);

}  // extern "C"

namespace {

void check(int error, const char* call) {
  if (error == 0) return;
  std::printf("%s: %d\n", call, error);
  std::exit(1);
}
#define CHECK(call) check(call, #call)

const char stub = 0;  // its address stands for the kernel

template <class T>
T at(const Properties& p, std::size_t offset) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&p) + offset);
}

}  // namespace

int main(int argc, char** argv) {
  std::string file = argv[0];
  file = file.substr(0, file.rfind('/') + 1) + "driver_kernels.fatbin";
  std::vector<char> binary(1 << 20);
  std::FILE* const in = std::fopen(file.c_str(), "rb");
  if (in == nullptr || std::fread(binary.data(), 1, binary.size(), in) == 0) return 3;
  std::fclose(in);
  Wrapper wrapper{0x466243B1, 1, binary.data(), nullptr};
  void** const module = __cudaRegisterFatBinary(&wrapper);
  const char* const kernel = argc > 1 ? "add_up_without_barrier" : "scale";
  __cudaRegisterFunction(module, &stub, nullptr, kernel, -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterFatBinaryEnd(module);

  int version = 0, status = 7;
  unsigned long long id = 0;
  Properties properties{};
  CHECK(cudaRuntimeGetVersion(&version));
  CHECK(cudaGetDeviceProperties_v2(&properties, 0));
  // warpSize, maxThreadsPerBlock, major, multiProcessorCount, maxThreadsPerMultiProcessor
  std::printf("CUDA %d, warps of %d, blocks of %d, sm_%d%d, %d processors of %d\n", version / 1000,
              at<int>(properties, 308), at<int>(properties, 320), at<int>(properties, 360),
              at<int>(properties, 364), at<int>(properties, 388), at<int>(properties, 624));
  CHECK(cudaStreamGetCaptureInfo(nullptr, &status, &id));
  float* values = nullptr;
  CHECK(cudaMallocManaged(reinterpret_cast<void**>(&values), 256 * sizeof(float), 1));
  for (int k = 0; k < 256; ++k) values[k] = static_cast<float>(k);
  CHECK(cudaMemAdvise(values, 256 * sizeof(float), 3, 0));
  CHECK(cudaMemPrefetchAsync(values, 256 * sizeof(float), 0, nullptr));
  int n = 256;
  void* arguments[] = {&values, &n};
  CHECK(cudaLaunchKernel(&stub, {1, 1, 1}, {256, 1, 1}, arguments, 1024, nullptr));
  CHECK(cudaThreadSynchronize());
  std::printf("%g %g, capture %d\n", values[2], values[255], status);
  CHECK(cudaFree(values));
  __cudaUnregisterFatBinary(module);
}
