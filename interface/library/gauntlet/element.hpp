// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What arrays and scalars of a kernel are made of, and the sizes of a case.
#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gauntlet {

/// what() is one line that says what is wrong and what to write.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Values of the types that C++20 lacks, as `__half` and `__nv_bfloat16` hold them. From a float:
/// rounded to nearest, ties to even.
struct half {
  std::uint16_t bits = 0;
  half() = default;
  explicit half(float value);
  operator float() const;  // NOLINT: exact
};
struct bfloat16 {
  std::uint16_t bits = 0;
  bfloat16() = default;
  explicit bfloat16(float value);
  operator float() const;  // NOLINT: exact
};

/// The sizes of a case: those that are free ("n", "rows", those of Kernel::size), and "block" and
/// "grid", the threads of a block and the blocks of the first launch.
class Sizes {
 public:
  explicit Sizes(std::vector<std::pair<std::string, std::uint64_t>> all) : all_(std::move(all)) {}
  /// Throws Error for a name that there is not.
  [[nodiscard]] std::uint64_t operator[](std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::uint64_t>> all_;
};

/// How far an element may be from the reference: |got - expected| <= absolute + relative *
/// |expected|. Integers are compared exactly, NaN and infinities by class. The reductions of
/// Kernel::result need none: their bounds follow from the formula.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// What an array or a scalar may be made of.
template <class T>
concept Element = !std::is_const_v<T> &&
                  (std::same_as<T, half> || std::same_as<T, bfloat16> || std::same_as<T, float> ||
                   std::same_as<T, double> || (std::integral<T> && !std::same_as<T, bool>));

/// "f32", "u64", ...: the spec's name of a type.
template <Element T>
[[nodiscard]] constexpr std::string_view type_name() {
  if constexpr (std::same_as<T, half>) return "f16";
  if constexpr (std::same_as<T, bfloat16>) return "bf16";
  if constexpr (std::same_as<T, float>) return "f32";
  if constexpr (std::same_as<T, double>) return "f64";
  if constexpr (std::integral<T>) {
    constexpr std::string_view names[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
    constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return names[width + (std::is_signed_v<T> ? 0 : 4)];
  }
}

}  // namespace gauntlet
