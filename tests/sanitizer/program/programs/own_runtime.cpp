// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls a library that has a runtime of its own, as NVIDIA's have.
#include <dlfcn.h>

#include <cstdio>

int main(int, char** arguments) {
  void* const library = dlopen(arguments[1], RTLD_NOW);
  if (library == nullptr) return 1;
  const auto create = reinterpret_cast<int (*)(void**)>(dlsym(library, "create"));
  if (create == nullptr) return 1;
  void* handle = nullptr;
  std::printf("created: %d\n", create(&handle));
}
