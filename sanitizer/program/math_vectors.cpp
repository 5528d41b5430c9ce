// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cuBLAS's functions of vectors: dot, axpy and scal, which are products of matrices with one row or
// column, and nrm2.
#include <algorithm>
#include <optional>

#include "sanitizer/program/driver.hpp"
#include "sanitizer/program/math_libraries.hpp"
#include "sanitizer/program/product.hpp"

namespace gauntlet::runtime {
namespace {

/// What narrow numbers are computed in; nothing: not here.
std::optional<cudaDataType> wide(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_R_32F:
      return CUDA_R_32F;
    case CUDA_R_64F:
    case CUDA_C_32F:
    case CUDA_C_64F:
      return type;
    default:
      return std::nullopt;
  }
}

/// The sum of x y, of the conjugate of x with BlasOp::conjugate.
int dot_entry(std::string_view call, void* handle, BlasOp of_x, std::int64_t n, const Given& x,
              const Given& y, void* result, cudaDataType type) {
  return blas_call(call, handle, [&](State& s, const BlasSettings& set) -> int {
    if (result == nullptr) return cublas_status.invalid;
    const auto scale = wide(x.type);
    if (!scale || x.type != y.type || x.type != type) refuse_types(s, call);
    Product p;
    p.call = call;
    p.op_a = of_x;
    p.m = p.n = 1;
    p.k = std::max<std::int64_t>(n, 0);
    p.scale = *scale;
    p.alpha.value = 1;
    p.a = vector("x", x, p.k);
    p.b = vector("y", y, p.k);
    p.d = vector("result", type, 1, result, 1);
    if (!set.on_device) p.host_result = result;
    return put_product(s, set.stream, std::move(p));
  });
}

/// y += alpha x, and x *= alpha.
int scaled_entry(std::string_view call, void* handle, std::int64_t n, const void* alpha,
                 cudaDataType of_alpha, const Given* x, const Given& y) {
  return blas_call(call, handle, [&](State& s, const BlasSettings& set) -> int {
    if (alpha == nullptr) return cublas_status.invalid;
    const auto scale = wide(y.type);
    const bool known = element_bytes(of_alpha) != 0 && (x == nullptr || x->type == y.type);
    if (!scale || !known) refuse_types(s, call);
    if (n <= 0 || (x == nullptr && y.distance <= 0)) return 0;
    const Scalar factor = scalar_of(s, call, set.on_device, "alpha", of_alpha, alpha);
    Product p;
    p.call = call;
    p.m = n;
    p.n = 1;
    p.scale = *scale;
    if (x != nullptr) {
      p.k = 1;
      p.alpha = factor;
      p.beta.value = 1;
      p.a = vector("x", *x, n);
    } else {
      p.beta = factor;
    }
    p.c = p.d = vector(x != nullptr ? "y" : "x", y, n);
    return put_product(s, set.stream, std::move(p));
  });
}

template <class T>
bool norm(State& s, Operands& operands, const Matrix& x, const std::optional<Matrix>& to,
          std::string_view call, cudaDataType type, void* host) {
  std::vector<T> values;
  if (!operands.read(x, 0, values)) return false;
  const double length = values.empty() ? 0 : nrm2(static_cast<int>(values.size()), values.data());
  if (!to) return put_host_scalar(s, call, type, host, length);
  return operands.write(*to, 0, std::vector<double>{length});
}

int norm_entry(std::string_view call, void* handle, std::int64_t n, const Given& of, void* result,
               cudaDataType type) {
  return blas_call(call, handle, [&](State& s, const BlasSettings& set) -> int {
    if (result == nullptr) return cublas_status.invalid;
    const auto scale = wide(of.type);
    if (!scale || element_bytes(type) == 0) refuse_types(s, call);
    const Matrix x = vector("x", of, of.distance > 0 ? std::max<std::int64_t>(n, 0) : 0);
    std::optional<Matrix> to;
    if (set.on_device) to = vector("result", type, 1, result, 1);
    return put_computation(s, set.stream, call, !set.on_device,
                           [=](State& state, const OperationPtr& operation) {
                             Operands operands(state, operation, call);
                             const bool done = computed_in(*scale, [&]<class T>(T) {
                               return norm<T>(state, operands, x, to, call, type, result);
                             });
                             operands.note();
                             return done;
                           });
  });
}

}  // namespace

extern "C" {

#define GAUNTLET_DOT(name, version, suffix, number, T, op)                                     \
  int name##version##suffix(void* handle, number n, const void* x, number to_x, const void* y, \
                            number to_y, void* result) {                                       \
    return dot_entry(#name #suffix, handle, op, n, {x, T, to_x}, {y, T, to_y}, result, T);     \
  }
#define GAUNTLET_AXPY(name, version, suffix, number, T)                                            \
  int name##version##suffix(void* handle, number n, const void* alpha, const void* x, number to_x, \
                            void* y, number to_y) {                                                \
    const Given from{x, T, to_x};                                                                  \
    return scaled_entry(#name #suffix, handle, n, alpha, T, &from, {y, T, to_y});                  \
  }
#define GAUNTLET_SCAL(name, version, suffix, number, T, of_alpha)                              \
  int name##version##suffix(void* handle, number n, const void* alpha, void* x, number to_x) { \
    return scaled_entry(#name #suffix, handle, n, alpha, of_alpha, nullptr, {x, T, to_x});     \
  }
#define GAUNTLET_NRM2(name, version, suffix, number, T, of_result)                              \
  int name##version##suffix(void* handle, number n, const void* x, number to_x, void* result) { \
    return norm_entry(#name #suffix, handle, n, {x, T, to_x}, result, of_result);               \
  }
#define GAUNTLET_OF_NUMBER(suffix, number)                                                        \
  GAUNTLET_DOT(cublasSdot, _v2, suffix, number, CUDA_R_32F, BlasOp::transposed)                   \
  GAUNTLET_DOT(cublasDdot, _v2, suffix, number, CUDA_R_64F, BlasOp::transposed)                   \
  GAUNTLET_DOT(cublasCdotu, _v2, suffix, number, CUDA_C_32F, BlasOp::transposed)                  \
  GAUNTLET_DOT(cublasCdotc, _v2, suffix, number, CUDA_C_32F, BlasOp::conjugate)                   \
  GAUNTLET_DOT(cublasZdotu, _v2, suffix, number, CUDA_C_64F, BlasOp::transposed)                  \
  GAUNTLET_DOT(cublasZdotc, _v2, suffix, number, CUDA_C_64F, BlasOp::conjugate)                   \
  GAUNTLET_AXPY(cublasSaxpy, _v2, suffix, number, CUDA_R_32F)                                     \
  GAUNTLET_AXPY(cublasDaxpy, _v2, suffix, number, CUDA_R_64F)                                     \
  GAUNTLET_AXPY(cublasCaxpy, _v2, suffix, number, CUDA_C_32F)                                     \
  GAUNTLET_AXPY(cublasZaxpy, _v2, suffix, number, CUDA_C_64F)                                     \
  GAUNTLET_SCAL(cublasSscal, _v2, suffix, number, CUDA_R_32F, CUDA_R_32F)                         \
  GAUNTLET_SCAL(cublasDscal, _v2, suffix, number, CUDA_R_64F, CUDA_R_64F)                         \
  GAUNTLET_SCAL(cublasCscal, _v2, suffix, number, CUDA_C_32F, CUDA_C_32F)                         \
  GAUNTLET_SCAL(cublasZscal, _v2, suffix, number, CUDA_C_64F, CUDA_C_64F)                         \
  GAUNTLET_SCAL(cublasCsscal, _v2, suffix, number, CUDA_C_32F, CUDA_R_32F)                        \
  GAUNTLET_SCAL(cublasZdscal, _v2, suffix, number, CUDA_C_64F, CUDA_R_64F)                        \
  GAUNTLET_NRM2(cublasSnrm2, _v2, suffix, number, CUDA_R_32F, CUDA_R_32F)                         \
  GAUNTLET_NRM2(cublasDnrm2, _v2, suffix, number, CUDA_R_64F, CUDA_R_64F)                         \
  GAUNTLET_NRM2(cublasScnrm2, _v2, suffix, number, CUDA_C_32F, CUDA_R_32F)                        \
  GAUNTLET_NRM2(cublasDznrm2, _v2, suffix, number, CUDA_C_64F, CUDA_R_64F)                        \
  int cublasDotEx##suffix(void* handle, number n, const void* x, cudaDataType of_x, number to_x,  \
                          const void* y, cudaDataType of_y, number to_y, void* result,            \
                          cudaDataType of_result, cudaDataType) {                                 \
    return dot_entry("cublasDotEx" #suffix, handle, BlasOp::transposed, n, {x, of_x, to_x},       \
                     {y, of_y, to_y}, result, of_result);                                         \
  }                                                                                               \
  int cublasDotcEx##suffix(void* handle, number n, const void* x, cudaDataType of_x, number to_x, \
                           const void* y, cudaDataType of_y, number to_y, void* result,           \
                           cudaDataType of_result, cudaDataType) {                                \
    return dot_entry("cublasDotcEx" #suffix, handle, BlasOp::conjugate, n, {x, of_x, to_x},       \
                     {y, of_y, to_y}, result, of_result);                                         \
  }                                                                                               \
  int cublasAxpyEx##suffix(void* handle, number n, const void* alpha, cudaDataType of_alpha,      \
                           const void* x, cudaDataType of_x, number to_x, void* y,                \
                           cudaDataType of_y, number to_y, cudaDataType) {                        \
    const Given from{x, of_x, to_x};                                                              \
    return scaled_entry("cublasAxpyEx" #suffix, handle, n, alpha, of_alpha, &from,                \
                        {y, of_y, to_y});                                                         \
  }                                                                                               \
  int cublasScalEx##suffix(void* handle, number n, const void* alpha, cudaDataType of_alpha,      \
                           void* x, cudaDataType of_x, number to_x, cudaDataType) {               \
    return scaled_entry("cublasScalEx" #suffix, handle, n, alpha, of_alpha, nullptr,              \
                        {x, of_x, to_x});                                                         \
  }                                                                                               \
  int cublasNrm2Ex##suffix(void* handle, number n, const void* x, cudaDataType of_x, number to_x, \
                           void* result, cudaDataType of_result, cudaDataType) {                  \
    return norm_entry("cublasNrm2Ex" #suffix, handle, n, {x, of_x, to_x}, result, of_result);     \
  }
GAUNTLET_OF_NUMBER(, int)
GAUNTLET_OF_NUMBER(_64, std::int64_t)
#undef GAUNTLET_OF_NUMBER
#undef GAUNTLET_NRM2
#undef GAUNTLET_SCAL
#undef GAUNTLET_AXPY
#undef GAUNTLET_DOT

}  // extern "C"

// cuBLAS's copies of vectors and matrices (columns of a distance) between host and device: those of
// the runtime under other names.

namespace {

struct Columns {
  void* at;
  std::int64_t distance;  ///< of the columns, in elements
};

int copy_columns(std::string_view call, Columns to, Columns from, std::int64_t rows,
                 std::int64_t columns, std::int64_t element, cudaMemcpyKind direction,
                 std::optional<cudaStream_t> stream) {
  constexpr int mapping_error = 11;
  if (rows < 0 || columns < 0 || element <= 0 || to.distance <= 0 || from.distance <= 0) {
    return cublas_status.invalid;
  }
  if (rows == 0 || columns == 0) return 0;
  if (to.distance == rows && from.distance == rows) {
    rows *= columns;
    columns = 1;
    to.distance = from.distance = rows;
  }
  const auto bytes = [&](std::int64_t elements) {
    return static_cast<std::size_t>(elements * element);
  };
  const DriverCall named(call);
  const auto height = static_cast<std::size_t>(columns);
  const cudaError_t error =
      stream ? cudaMemcpy2DAsync(to.at, bytes(to.distance), from.at, bytes(from.distance),
                                 bytes(rows), height, direction, *stream)
             : cudaMemcpy2D(to.at, bytes(to.distance), from.at, bytes(from.distance), bytes(rows),
                            height, direction);
  return error == cudaSuccess ? 0 : mapping_error;
}

void* unconst(const void* at) { return const_cast<void*>(at); }

}  // namespace

extern "C" {

#define GAUNTLET_COPIES(name, suffix, number, direction)                                          \
  int cublas##name##Vector##suffix(number n, number element, const void* from, number from_step,  \
                                   void* to, number to_step) {                                    \
    return copy_columns("cublas" #name "Vector", {to, to_step}, {unconst(from), from_step}, 1, n, \
                        element, direction, std::nullopt);                                        \
  }                                                                                               \
  int cublas##name##VectorAsync##suffix(number n, number element, const void* from,               \
                                        number from_step, void* to, number to_step,               \
                                        cudaStream_t stream) {                                    \
    return copy_columns("cublas" #name "VectorAsync", {to, to_step}, {unconst(from), from_step},  \
                        1, n, element, direction, stream);                                        \
  }                                                                                               \
  int cublas##name##Matrix##suffix(number rows, number columns, number element, const void* from, \
                                   number from_distance, void* to, number to_distance) {          \
    return copy_columns("cublas" #name "Matrix", {to, to_distance},                               \
                        {unconst(from), from_distance}, rows, columns, element, direction,        \
                        std::nullopt);                                                            \
  }                                                                                               \
  int cublas##name##MatrixAsync##suffix(number rows, number columns, number element,              \
                                        const void* from, number from_distance, void* to,         \
                                        number to_distance, cudaStream_t stream) {                \
    return copy_columns("cublas" #name "MatrixAsync", {to, to_distance},                          \
                        {unconst(from), from_distance}, rows, columns, element, direction,        \
                        stream);                                                                  \
  }
GAUNTLET_COPIES(Set, , int, cudaMemcpyHostToDevice)
GAUNTLET_COPIES(Set, _64, std::int64_t, cudaMemcpyHostToDevice)
GAUNTLET_COPIES(Get, , int, cudaMemcpyDeviceToHost)
GAUNTLET_COPIES(Get, _64, std::int64_t, cudaMemcpyDeviceToHost)
#undef GAUNTLET_COPIES

}  // extern "C"

}  // namespace gauntlet::runtime
