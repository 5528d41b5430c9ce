// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Cross-compiled only (CubHost.cmake): what the code that nvcc adds to an object with kernels calls
// of the CUDA runtime, which the toolkit of this machine does not have for another processor. CUB's
// dispatch is asked for launches, which it does not make: nothing here is more than registered.
extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction() {}
void __cudaRegisterVar() {}

constexpr int no_device = 100;  // cudaErrorNoDevice
int __cudaGetKernel() { return no_device; }
int __cudaLaunchKernel() { return no_device; }
int __cudaPopCallConfiguration() { return no_device; }

}  // extern "C"
