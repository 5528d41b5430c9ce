// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/blas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <type_traits>

namespace gauntlet::runtime {
namespace {

constexpr const char* usual_library = "libblas.so.3";
constexpr const char* library_variable = "GAUNTLET_BLAS";  // in the environment: another one

/// Scalars are passed by value, complex ones by address.
template <class T>
struct Passed {
  using Type = T;
  static Type of(const T& value) { return value; }
};
template <class R>
struct Passed<std::complex<R>> {
  using Type = const void*;
  static Type of(const std::complex<R>& value) { return &value; }
};
template <class T>
using Real = decltype(std::real(T()));
template <class T>
using Gemm = void (*)(int layout, int, int, int m, int n, int k, typename Passed<T>::Type alpha,
                      const T*, int, const T*, int, typename Passed<T>::Type beta, T*, int);
template <class T>
using Nrm2 = Real<T> (*)(int n, const T*, int step);

template <class T>
struct Functions {
  Gemm<T> gemm = nullptr;
  Nrm2<T> nrm2 = nullptr;
};

class HostBlas {
 public:
  std::string missing;
  Functions<float> s;
  Functions<double> d;
  Functions<std::complex<float>> c;
  Functions<std::complex<double>> z;

  HostBlas() {
    const char* const wanted = std::getenv(library_variable);
    name_ = wanted != nullptr && *wanted != 0 ? wanted : usual_library;
    library_ = dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      missing = fmt::format(
          "{} cannot be loaded: {}; install libblas3, or set {} to a library with "
          "the C interface of BLAS",
          name_, dlerror(), library_variable);
      return;
    }
    find("cblas_sgemm", s.gemm);
    find("cblas_dgemm", d.gemm);
    find("cblas_cgemm", c.gemm);
    find("cblas_zgemm", z.gemm);
    find("cblas_snrm2", s.nrm2);
    find("cblas_dnrm2", d.nrm2);
    find("cblas_scnrm2", c.nrm2);
    find("cblas_dznrm2", z.nrm2);
  }

 private:
  template <class F>
  void find(const char* function, F& to) {
    to = reinterpret_cast<F>(dlsym(library_, function));
    if (to == nullptr && missing.empty()) {
      missing = fmt::format("{} has no {}; set {} to a library with the C interface of BLAS", name_,
                            function, library_variable);
    }
  }
  std::string name_;
  void* library_ = nullptr;
};

const HostBlas& host_blas() {
  static const auto* const loaded = new HostBlas;  // exit handlers of the program may compute
  return *loaded;
}

template <class T>
const Functions<T>& functions() {
  const HostBlas& all = host_blas();
  if constexpr (std::is_same_v<T, float>) {
    return all.s;
  } else if constexpr (std::is_same_v<T, double>) {
    return all.d;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return all.c;
  } else {
    return all.z;
  }
}

}  // namespace

const std::string& blas_missing() { return host_blas().missing; }

template <class T>
void gemm(BlasOp op_a, BlasOp op_b, int m, int n, int k, T alpha, const T* a, const T* b, T beta,
          T* c) {
  constexpr int by_columns = 102;
  functions<T>().gemm(by_columns, static_cast<int>(op_a), static_cast<int>(op_b), m, n, k,
                      Passed<T>::of(alpha), a, std::max(1, op_a == BlasOp::none ? m : k), b,
                      std::max(1, op_b == BlasOp::none ? k : n), Passed<T>::of(beta), c,
                      std::max(1, m));
}
template <class T>
double nrm2(int n, const T* x) {
  return functions<T>().nrm2(n, x, 1);
}

#define GAUNTLET_BLAS_OF(T)                                                        \
  template void gemm(BlasOp, BlasOp, int, int, int, T, const T*, const T*, T, T*); \
  template double nrm2(int, const T*);
GAUNTLET_BLAS_OF(float)
GAUNTLET_BLAS_OF(double)
GAUNTLET_BLAS_OF(std::complex<float>)
GAUNTLET_BLAS_OF(std::complex<double>)
#undef GAUNTLET_BLAS_OF

}  // namespace gauntlet::runtime
