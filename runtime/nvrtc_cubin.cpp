// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// libgauntlet_nvrtc.so, which comes before the toolkit's libnvrtc: a program that asks it for
// machine code gets the PTX of the same compilation, which cuModuleLoadData takes as well.
#include <dlfcn.h>

#include <cstddef>

namespace {

constexpr int internal_error = 11;  // NVRTC_ERROR_INTERNAL_ERROR

template <class T>
int forward(const char* name, void* program, T value) {
  const auto next = reinterpret_cast<int (*)(void*, T)>(dlsym(RTLD_NEXT, name));
  return next == nullptr ? internal_error : next(program, value);
}

}  // namespace

extern "C" {

int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  return forward("nvrtcGetPTXSize", program, bytes);
}
int nvrtcGetCUBIN(void* program, char* image) { return forward("nvrtcGetPTX", program, image); }

}  // extern "C"
