// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrices, vectors and scalars that a mathematical library computes with: read and written as a
// kernel would, inside of arrays (MistakeKind::out_of_bounds and others), defined
// (undefined_operand), and in the order of streams (race_...).
#pragma once

#include <library_types.h>

#include <complex>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

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

}  // namespace gauntlet::runtime
