// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers of cuBLAS's types, so small that any order of a sum gives the same, on the host and
// on the device, and products of them by the host.
#pragma once

#include <vector>

#include "cublas.hpp"

namespace {

int wrong = 0;
void expect(bool right) { wrong += right ? 0 : 1; }

template <class T>
C64 wide(T x) {
  return C64(x);
}
C64 wide(__half x) { return __half2float(x); }
C64 wide(__nv_bfloat16 x) { return __bfloat162float(x); }
template <class T>
void narrow(C64 x, T& to) {
  to = static_cast<T>(static_cast<float>(x.real()));
}
void narrow(C64 x, double& to) { to = x.real(); }
template <class T>
void narrow(C64 x, std::complex<T>& to) {
  to = std::complex<T>(x);
}

/// On the host and on the device, small whole numbers.
template <class T>
struct Values {
  std::vector<T> host;
  T* device = nullptr;
  explicit Values(std::size_t count) : host(count) {
    static unsigned seed = 1;
    for (T& one : host) {
      seed = seed * 1664525U + 1013904223U;
      narrow({double(seed >> 28) - 8, double(seed >> 24 & 7) - 4}, one);
    }
    cudaMalloc(&device, count * sizeof(T));
    cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Values() { cudaFree(device); }
  Values(const Values&) = delete;
  /// Counts what differs from `host`.
  void compare() const {
    std::vector<T> got(host.size());
    cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost);
    for (std::size_t k = 0; k < got.size(); ++k) expect(wide(got[k]) == wide(host[k]));
  }
};

template <class T>
C64 at(const T* of, int distance, int op, int row, int column) {
  const C64 value = wide(op == 0 ? of[row + column * distance] : of[column + row * distance]);
  return op == 2 ? std::conj(value) : value;
}

template <class A, class C>
void multiply(int op_a, int op_b, int m, int n, int k, C64 alpha, const A* a, int lda, const A* b,
              int ldb, C64 beta, C* c, int ldc) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      C64 sum = 0;
      for (int l = 0; l < k; ++l) sum += at(a, lda, op_a, i, l) * at(b, ldb, op_b, l, j);
      const C64 old = beta == 0.0 ? C64(0) : beta * wide(c[i + j * ldc]);
      narrow(alpha * sum + old, c[i + j * ldc]);
    }
  }
}

/// As BLAS counts elements: a negative step begins at the end.
template <class T>
T& element(std::vector<T>& of, int n, int step, int k) {
  return of[static_cast<std::size_t>(step > 0 ? k * step : (k - n + 1) * step)];
}

}  // namespace
