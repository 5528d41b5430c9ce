// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What nvcc's generated code calls: at start-up for each translation unit with device code, and for
// each <<<>>> (crt/host_runtime.h of the toolkit).
#include <vector>

#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  void* stream;
};
std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> pushed;
  return pushed;
}

LoadedModule& module_of(void** handle) { return *reinterpret_cast<LoadedModule*>(handle); }

void add_variable(void** handle, const void* shadow, const char* name, std::size_t bytes,
                  void** managed) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  module_of(handle).variables[shadow] = {name, bytes, managed != nullptr, managed};
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return reinterpret_cast<void**>(s.add_module(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}

// The program is ending: exit handlers that come later may still free and ask.
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.add_kernel(module_of(handle), host, name);
}

void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, std::size_t bytes,
                       int, int) {
  add_variable(handle, shadow, name, bytes, nullptr);
}

void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int,
                              std::size_t bytes, int, int) {
  add_variable(handle, pointer, name, bytes, pointer);
}

// Only looked up by name within __device__ code of the same program.
void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

char __cudaInitModule(void** handle) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  try {
    s.load(module_of(handle));
  } catch (const BadImage&) {  // told when something of it is used
  }
  return 1;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     void* stream) {
  configurations().push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream) {
  if (configurations().empty()) return cudaErrorMissingConfiguration;
  const Configuration c = configurations().back();
  configurations().pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared_bytes = c.shared_bytes;
  *static_cast<void**>(stream) = c.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* host) {
  return cudaGetKernel(handle, host);
}

cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* host) {
  return entry([&](State& s) {
    Kernel* const kernel = s.kernel(host);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    *handle = reinterpret_cast<cudaKernel_t>(kernel);
    return cudaSuccess;
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
