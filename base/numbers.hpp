// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text, and division that rounds up.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace gauntlet {

/// Takes the number that `text` begins with off its front; nothing, and nothing taken, where there
/// is none or one that T cannot hold. A minus sign is part of a number of a signed T, a plus sign
/// or a blank never is.
template <class T>
[[nodiscard]] std::optional<T> take_number(std::string_view& text, int base = 10) {
  T value{};
  const char* const end = text.data() + text.size();
  std::from_chars_result read{};
  if constexpr (std::floating_point<T>) {
    read = std::from_chars(text.data(), end, value);
  } else {
    read = std::from_chars(text.data(), end, value, base);
  }
  if (read.ec != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return value;
}

/// The ends of T's range, infinities included.
template <class T>
inline constexpr T least_number = std::numeric_limits<T>::lowest();
template <std::floating_point T>
inline constexpr T least_number<T> = -std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T greatest_number = std::numeric_limits<T>::max();
template <std::floating_point T>
inline constexpr T greatest_number<T> = std::numeric_limits<T>::infinity();

/// The number that the whole text spells, from `from` to `to`; nothing where it is anything else.
template <class T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text, T from = least_number<T>,
                                            T to = greatest_number<T>, int base = 10) {
  const auto value = take_number<T>(text, base);
  if (!value || !text.empty() || *value < from || *value > to) return std::nullopt;
  return value;
}

/// a / b, rounded up.
[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// The least multiple of `unit` that is at least x.
[[nodiscard]] constexpr std::uint64_t round_up(std::uint64_t x, std::uint64_t unit) {
  return ceil_div(x, unit) * unit;
}

}  // namespace gauntlet
