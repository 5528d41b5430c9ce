// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cuBLAS's copies of vectors and matrices (columns of a distance) between host and device: those of
// the runtime under other names.
#include "sanitizer/program/driver.hpp"
#include "sanitizer/program/math_libraries.hpp"

namespace gauntlet::runtime {
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
