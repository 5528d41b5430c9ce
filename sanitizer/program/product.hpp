// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What cuBLAS and cuBLASLt compute, as one product: d = alpha op(a) op(b) + beta c. By the host's
// BLAS (blas.hpp), in f32 where operands are narrower, and in f64 of whole numbers, which is exact;
// a result is rounded once, when it is stored.
#pragma once

#include <library_types.h>

#include <complex>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sanitizer/program/driver.hpp"
#include "sanitizer/program/math_libraries.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

// Matrices, vectors and scalars that a mathematical library computes with: read and written as a
// kernel would, inside of arrays (MistakeKind::out_of_bounds and others), defined
// (undefined_operand), and in the order of streams (race_...).

/// Bytes of an element; 0: a type that is not computed with here (f16, bf16, f32, f64, s8, s32 and
/// the complex ones of f32 and f64 are).
[[nodiscard]] std::uint64_t element_bytes(cudaDataType type);

/// A number, or its real part, as another type.
template <class T>
T scalar_as(std::complex<double> value) {
  using R = decltype(std::real(T()));
  if constexpr (std::is_same_v<T, R>) {
    return static_cast<R>(value.real());
  } else {
    return T(static_cast<R>(value.real()), static_cast<R>(value.imag()));
  }
}

/// In memory of the device, one of each batch. Distances count elements.
struct Matrix {
  std::string_view role;  ///< as findings name it: "A"
  cudaDataType type = CUDA_R_32F;
  std::int64_t rows = 0, columns = 1;
  std::int64_t step = 1;      ///< from a row to the next one
  std::int64_t distance = 0;  ///< from a column to the next one
  Address at = 0;
  std::int64_t stride = 0;  ///< from one of the batch to the next one
  bool listed = false;      ///< instead: `at` is an array of addresses, also on the device
  bool reversed = false;    ///< of a vector: its last element lies first
  bool apart = false;       ///< it is read, and may share no byte with what the call writes
  [[nodiscard]] bool empty() const { return rows == 0 || columns == 0; }
};
/// n elements as BLAS counts them: with a negative step the first one lies last.
[[nodiscard]] Matrix vector(std::string_view role, cudaDataType type, std::int64_t n,
                            const void* at, std::int64_t step);

/// Alpha, beta: of the host, read when the call is made, or of the device, read when it runs.
struct Scalar {
  std::complex<double> value = 0;
  std::optional<Matrix> on_device;
};

/// The operands of one call while it runs. Each function is false, or nothing, where a mistake was
/// told that a GPU would not survive.
class Operands {
 public:
  Operands(State& state, OperationPtr operation, std::string_view call)
      : state_(state), operation_(std::move(operation)), call_(call) {}

  /// Column behind column, without gaps. T: float, double, or std::complex of one.
  template <class T>
  bool read(const Matrix& matrix, std::int64_t of_batch, std::vector<T>& values);
  template <class T>
  bool write(const Matrix& matrix, std::int64_t of_batch, const std::vector<T>& values);
  std::optional<std::complex<double>> scalar(const Scalar& scalar);
  /// All was read and written: whether something orders that is looked at now, and whether the
  /// call writes bytes twice (two results of a batch) or what was to be kept apart.
  void note();

 private:
  std::optional<Address> address(const Matrix& matrix, std::int64_t of_batch);
  const Array* reach(const Matrix& matrix, Address at, bool reads);

  State& state_;
  OperationPtr operation_;
  std::string_view call_;
  using Ranges = std::map<Address, std::vector<simt::AccessRange>>;  // by array
  Ranges reads_, writes_, apart_;
};

/// The value of a scalar of the host's; nothing, and a mistake is told, where it is none.
[[nodiscard]] std::optional<std::complex<double>> host_scalar(State& state, std::string_view call,
                                                              std::string_view role,
                                                              cudaDataType type, const void* at);
/// The other way round.
[[nodiscard]] bool put_host_scalar(State& state, std::string_view call, cudaDataType type, void* at,
                                   std::complex<double> value);

// The host's BLAS, by which cuBLAS's products are computed: a library with the C interface of the
// BLAS Technical Forum (Debian: libblas3, or libopenblas0 and others in its place), loaded when it
// is first needed.

/// As the C interface numbers them.
enum class BlasOp : int { none = 111, transposed = 112, conjugate = 113 };

/// "" once it is loaded. Else why it cannot be: one sentence that says what to install.
[[nodiscard]] const std::string& blas_missing();

/// c = alpha op(a) op(b) + beta c of matrices by columns, without gaps: c is m x n, op(a) m x k.
/// T: float, double, std::complex of them. The BLAS is loaded.
template <class T>
void gemm(BlasOp op_a, BlasOp op_b, int m, int n, int k, T alpha, const T* a, const T* b, T beta,
          T* c);
/// The Euclidean norm of n numbers.
template <class T>
double nrm2(int n, const T* x);

inline constexpr int blas_execution_failed = 13;

enum class Activation : std::uint8_t { none, relu, gelu };

struct Product {
  std::string_view call;  ///< of static duration
  BlasOp op_a = BlasOp::none, op_b = BlasOp::none;
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  cudaDataType scale = CUDA_R_32F;  ///< of alpha and beta; it decides what is computed in
  Scalar alpha, beta;               ///< where beta is 0, c is not read
  Matrix a;
  std::optional<Matrix> b;  ///< nothing: the number 1
  Matrix c, d;
  std::optional<Matrix> bias;  ///< added to each column of the product
  Activation activation = Activation::none;
  void* host_result = nullptr;  ///< where the one number goes instead of `d`; the call waits for it
};

/// Type of alpha and beta of a cublasComputeType_t; nothing: such a product is not computed here.
[[nodiscard]] std::optional<cudaDataType> scale_type(int compute, cudaDataType a, cudaDataType b,
                                                     cudaDataType c);
/// CUBLAS_OP_N, _T, _C; nothing: another number.
[[nodiscard]] std::optional<BlasOp> blas_op(int number);

/// Ends a call of the library with this status.
struct BlasRefusal {
  int status;
};

/// A call of the library; nothing after a fatal error. `work` gets the state and returns a status.
template <class F>
int library_call(std::string_view call, F&& work) {
  int status = 0;
  const DriverCall named(call);
  const cudaError_t error = entry([&](State& s) {
    if (!blas_missing().empty()) {
      s.report.refuse("cuBLAS is computed by a BLAS of the host, and " + blas_missing());
      status = cublas_status.not_supported;
      return cudaSuccess;
    }
    try {
      status = work(s);
    } catch (const BlasRefusal& refusal) {
      status = refusal.status;
    }
    return cudaSuccess;
  });
  return error != cudaSuccess ? blas_execution_failed : status;
}

/// How a handle of cuBLAS is configured.
struct BlasSettings {
  bool on_device = false;  ///< scalars and results
  cudaStream_t stream = nullptr;
};
[[nodiscard]] BlasSettings blas_settings(void* handle);
/// The same of a call of cuBLAS: `work` gets the state and the handle's settings.
template <class F>
int blas_call(std::string_view call, void* handle, F&& work) {
  return library_call(call, [&](State& s) -> int {
    if (!math_handles().knows(number_of(handle))) return cublas_status.no_handle;
    return work(s, blas_settings(handle));
  });
}
/// Says that the call has such types, and ends it.
[[noreturn]] void refuse_types(State& state, std::string_view call);

/// A matrix or a vector as the caller names it; the distance of a vector is its step.
struct Given {
  const void* at;
  cudaDataType type;
  std::int64_t distance;
  std::int64_t stride = 0;
  bool listed = false;
};
[[nodiscard]] Matrix vector(std::string_view role, const Given& of, std::int64_t n);

/// A scalar where the handle's pointer mode says that it is.
[[nodiscard]] Scalar scalar_of(State& state, std::string_view call, bool on_device,
                               std::string_view role, cudaDataType type, const void* at);
/// Alpha and beta of a product of matrices. What it reads shares no byte with its result, but for C
/// that lies exactly where the result does (cuBLAS, cublasLtMatmul: in-place and out-of-place).
void scale(State& state, Product& product, bool on_device, const void* alpha, const void* beta);
/// Puts it into the stream. A status of cuBLAS.
int put_product(State& state, cudaStream_t stream, Product product);
/// The same of any computation; false: a mistake was told. `waits`: the host does, for the result.
int put_computation(State& state, cudaStream_t stream, std::string_view call, bool waits,
                    std::function<bool(State&, const OperationPtr&)> compute);

/// `work(T())` of the type T that products of this type are computed in.
template <class F>
bool computed_in(cudaDataType type, F&& work) {
  switch (type) {
    case CUDA_C_32F:
      return work(std::complex<float>());
    case CUDA_C_64F:
      return work(std::complex<double>());
    case CUDA_R_64F:
    case CUDA_R_32I:
      return work(double());
    default:
      return work(float());
  }
}

}  // namespace gauntlet::runtime
