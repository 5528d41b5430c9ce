// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/product.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <tuple>
#include <type_traits>

namespace gauntlet::runtime {
namespace {

/// cuBLASLt's GELU is the approximation by tanh.
template <class R>
R activated(Activation activation, R x) {
  if (activation == Activation::relu) return x > 0 ? x : R(0);
  const R inner = std::sqrt(R(2) / std::numbers::pi_v<R>) * (x + R(0.044715) * x * x * x);
  return x / 2 * (1 + std::tanh(inner));
}

template <class T>
bool finish(const Product& p, Operands& operands, std::int64_t of_batch, std::vector<T>& values) {
  if (p.bias) {
    std::vector<T> bias;
    if (!operands.read(*p.bias, of_batch, bias)) return false;
    for (std::size_t at = 0; at < values.size(); ++at) values[at] += bias[at % bias.size()];
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (p.activation != Activation::none) {
      for (T& value : values) value = activated(p.activation, value);
    }
  }
  return true;
}

template <class T>
bool compute(State& s, const OperationPtr& operation, const Product& p) {
  Operands operands(s, operation, p.call);
  const auto alpha = operands.scalar(p.alpha), beta = operands.scalar(p.beta);
  if (!alpha || !beta) return false;
  std::vector<T> a, b, c;
  for (std::int64_t of_batch = 0; of_batch < p.batch; ++of_batch) {
    if (*alpha != 0.0 && p.k != 0) {
      if (!operands.read(p.a, of_batch, a)) return false;
      if (!p.b) b.assign(1, T(1));
      if (p.b && !operands.read(*p.b, of_batch, b)) return false;
    }
    c.assign(static_cast<std::size_t>(p.m * p.n), T(0));
    if (*beta != 0.0 && !operands.read(p.c, of_batch, c)) return false;
    gemm(p.op_a, p.op_b, static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k),
         scalar_as<T>(*alpha), a.data(), b.data(), scalar_as<T>(*beta), c.data());
    if (!finish(p, operands, of_batch, c)) return false;
    const bool written =
        p.host_result != nullptr
            ? put_host_scalar(s, p.call, p.d.type, p.host_result, std::complex<double>(c.front()))
            : operands.write(p.d, of_batch, c);
    if (!written) return false;
  }
  operands.note();
  return true;
}

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
  std::tuple<Functions<float>, Functions<double>, Functions<std::complex<float>>,
             Functions<std::complex<double>>>
      functions;

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
    find<float>("cblas_sgemm", "cblas_snrm2");
    find<double>("cblas_dgemm", "cblas_dnrm2");
    find<std::complex<float>>("cblas_cgemm", "cblas_scnrm2");
    find<std::complex<double>>("cblas_zgemm", "cblas_dznrm2");
  }

 private:
  template <class T>
  void find(const char* gemm, const char* nrm2) {
    auto& to = std::get<Functions<T>>(functions);
    find(gemm, to.gemm);
    find(nrm2, to.nrm2);
  }
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
  return std::get<Functions<T>>(host_blas().functions);
}

}  // namespace

std::optional<cudaDataType> scale_type(int compute, cudaDataType a, cudaDataType b,
                                       cudaDataType c) {
  if (a != b) return std::nullopt;
  const bool narrow = a == CUDA_R_16F || a == CUDA_R_16BF;
  switch (compute) {
    case 64:  // CUBLAS_COMPUTE_16F, and pedantic
    case 65:
      if (a == CUDA_R_16F && c == a) return CUDA_R_16F;
      break;
    case 68:  // CUBLAS_COMPUTE_32F, pedantic, and with operands that a GPU may make narrower
    case 69:
    case 74:
    case 75:
    case 77:
    case 78:
      if (a == CUDA_C_32F && c == a) return CUDA_C_32F;
      if ((narrow && c == a) ||
          ((narrow || a == CUDA_R_32F || a == CUDA_R_8I) && c == CUDA_R_32F)) {
        return CUDA_R_32F;
      }
      break;
    case 70:  // CUBLAS_COMPUTE_64F, pedantic, emulated
    case 71:
    case 79:
      if ((a == CUDA_R_64F || a == CUDA_C_64F) && c == a) return a;
      break;
    case 72:  // CUBLAS_COMPUTE_32I, and pedantic
    case 73:
      if (a == CUDA_R_8I && c == CUDA_R_32I) return CUDA_R_32I;
      break;
    default:
      break;
  }
  return std::nullopt;
}

std::optional<BlasOp> blas_op(int number) {
  if (number < 0 || number > 2) return std::nullopt;
  return static_cast<BlasOp>(static_cast<int>(BlasOp::none) + number);
}

BlasSettings blas_settings(void* handle) {
  int mode = 0;
  void* stream = nullptr;
  static_cast<void>(get_math(cublas_status, handle, "cublasSetPointerMode_v2", 0, &mode));
  static_cast<void>(get_math<void*>(cublas_status, handle, "cublasSetStream_v2", nullptr, &stream));
  return {mode == 1, static_cast<cudaStream_t>(stream)};
}

void refuse_types(State& s, std::string_view call) {
  static_cast<void>(s.refuse(fmt::format("calls {} with types that are not computed here", call)));
  throw BlasRefusal{cublas_status.not_supported};
}

Matrix vector(std::string_view role, const Given& of, std::int64_t n) {
  Matrix v = vector(role, of.type, n, of.at, of.distance);
  v.stride = of.stride;
  v.listed = of.listed;
  return v;
}

Scalar scalar_of(State& s, std::string_view call, bool on_device, std::string_view role,
                 cudaDataType type, const void* at) {
  Scalar of;
  if (on_device) {
    of.on_device = vector(role, type, 1, at, 1);
    return of;
  }
  const auto value = host_scalar(s, call, role, type, at);
  if (!value) throw BlasRefusal{blas_execution_failed};
  of.value = *value;
  return of;
}

void scale(State& s, Product& p, bool on_device, const void* alpha, const void* beta) {
  if (alpha == nullptr || beta == nullptr) throw BlasRefusal{cublas_status.invalid};
  p.alpha = scalar_of(s, p.call, on_device, "alpha", p.scale, alpha);
  p.beta = scalar_of(s, p.call, on_device, "beta", p.scale, beta);
  const Matrix &c = p.c, &d = p.d;
  p.a.apart = true;
  if (p.b) p.b->apart = true;
  p.c.apart = c.at != d.at || c.step != d.step || c.distance != d.distance || c.stride != d.stride;
}

int put_product(State& s, cudaStream_t stream, Product product) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const std::string_view call = product.call;
  if (std::max({product.m, product.n, product.k}) > most) {
    static_cast<void>(
        s.refuse(fmt::format("calls {} with more than {} rows or columns", call, most)));
    return cublas_status.not_supported;
  }
  const bool waits = product.host_result != nullptr;
  const int status = put_computation(
      s, stream, call, waits,
      [p = std::move(product)](State& state, const OperationPtr& operation) {
        return computed_in(p.scale, [&]<class T>(T) { return compute<T>(state, operation, p); });
      });
  if (status == 0) ++s.report.process.library_calls;
  return status;
}

int put_computation(State& s, cudaStream_t stream, std::string_view call, bool waits,
                    std::function<bool(State&, const OperationPtr&)> compute) {
  s.put(stream, {std::string(call), cudaGraphNodeTypeKernel,
                 [compute = std::move(compute)](State& state, const OperationPtr& operation) {
                   refuse_if(!compute(state, operation));
                 }});
  if (waits) s.synchronise(stream);
  return 0;
}

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
