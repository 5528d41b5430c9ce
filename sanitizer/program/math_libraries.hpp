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
#include <utility>

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

/// What the program created of these libraries and did not destroy, by the handle, and what it said
/// of each.
template <class Said>
class MathHandles {
 public:
  void add(std::uintptr_t handle, Said said = {}) {
    const std::lock_guard lock(mutex_);
    all_.insert_or_assign(handle, std::move(said));
  }
  /// A handle that is the next number.
  [[nodiscard]] std::uintptr_t add_number() {
    const std::lock_guard lock(mutex_);
    all_[++last_number_];
    return last_number_;
  }
  /// False, in these too: there is no such handle.
  bool drop(std::uintptr_t handle) {
    const std::lock_guard lock(mutex_);
    return all_.erase(handle) == 1;
  }
  /// `use(said)`
  template <class F>
  bool with(std::uintptr_t handle, F&& use) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(handle);
    if (found != all_.end()) use(found->second);
    return found != all_.end();
  }
  [[nodiscard]] bool knows(std::uintptr_t handle) {
    return with(handle, [](const Said&) {});
  }

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, Said> all_;
  std::uintptr_t last_number_ = 0;
};

/// How a handle is configured: values by the name of the entry that sets them.
using MathSettings = std::map<std::string_view, std::uint64_t>;
[[nodiscard]] MathHandles<MathSettings>& math_handles();

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
  const auto set = [&](MathSettings& of) { of[setter] = bits; };
  return math_handles().with(number_of(handle), set) ? 0 : status.no_handle;
}
template <class T>
int get_math(MathStatus status, void* handle, std::string_view setter, T otherwise, T* value) {
  if (value == nullptr) return status.invalid;
  const bool known = math_handles().with(number_of(handle), [&](const MathSettings& of) {
    const auto set = of.find(setter);
    *value = otherwise;
    if (set != of.end()) std::memcpy(value, &set->second, sizeof *value);
  });
  return known ? 0 : status.no_handle;
}

}  // namespace gauntlet::runtime
