// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The toolkit's mathematical libraries, cuBLAS and others, which have machine code alone. Here they
// can be set up: handles are created, configured, asked and destroyed. Only products of cuBLAS are
// computed (product.hpp).
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

namespace gauntlet::runtime {

/// What the entries of a library return, apart from 0.
struct MathStatus {
  int no_handle, invalid, not_supported;
};
inline constexpr MathStatus cublas_status{1, 7, 15}, cufft_status{1, 4, 16},
    cusolver_status{1, 3, 9}, cusparse_status{1, 3, 10};
/// cuRAND has no such status: CURAND_STATUS_ARCH_MISMATCH, "GPU does not support requested
/// feature".
inline constexpr MathStatus curand_status{101, 104, 204};

/// Of the library that an entry of this name belongs to; std::nullopt: it is none of these.
[[nodiscard]] std::optional<MathStatus> math_status(std::string_view entry);

/// What the program created of these libraries and did not destroy, by the handle, and how it is
/// configured: values by the name of the entry that sets them.
class MathHandles {
 public:
  void add(std::uintptr_t handle);
  [[nodiscard]] std::uintptr_t add_number();
  /// False, in these too: there is no such handle.
  bool drop(std::uintptr_t handle);
  [[nodiscard]] bool knows(std::uintptr_t handle);
  bool set(std::uintptr_t handle, std::string_view setter, std::uint64_t value);
  /// `otherwise`: where it was not set.
  bool get(std::uintptr_t handle, std::string_view setter, std::uint64_t otherwise,
           std::uint64_t& value);

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, std::map<std::string_view, std::uint64_t>> settings_;
  std::uintptr_t last_number_ = 0;
};
[[nodiscard]] MathHandles& math_handles();

template <class H>
std::uintptr_t number_of(H handle) {
  if constexpr (sizeof(H) == sizeof(std::uintptr_t)) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uintptr_t>(handle);
  }
}

template <class T>
int set_math(MathStatus status, void* handle, std::string_view setter, T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return math_handles().set(number_of(handle), setter, bits) ? 0 : status.no_handle;
}
template <class T>
int get_math(MathStatus status, void* handle, std::string_view setter, T otherwise, T* value) {
  if (value == nullptr) return status.invalid;
  std::uint64_t bits = 0, usual = 0;
  std::memcpy(&usual, &otherwise, sizeof otherwise);
  if (!math_handles().get(number_of(handle), setter, usual, bits)) return status.no_handle;
  std::memcpy(value, &bits, sizeof *value);
  return 0;
}

}  // namespace gauntlet::runtime
