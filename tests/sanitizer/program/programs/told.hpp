// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels leave in memory, compared with what the program expects of them: "NAME: right".
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

inline void tell(const char* what, bool right) {
  std::printf("%s: %s\n", what, right ? "right" : "wrong");
}
template <class T>
std::vector<T> content(const T* at, std::size_t count) {
  std::vector<T> all(count);
  cudaMemcpy(all.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
  return all;
}
/// `value`: of an element, by its number.
template <class T, class F>
void tell(const char* what, const T* at, int count, F value) {
  const std::vector<T> all = content(at, count);
  bool right = true;
  for (int k = 0; k < count; ++k) right &= all[k] == T(value(k));
  tell(what, right);
}
