// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The names of an enum's values, said once, beside the enum:
//
//   enum class Op : std::uint8_t { sum, product };
//   constexpr auto names(const Op*) { return names_of("sum", "product"); }
//
// From them follow name(value), parse<Op>(text) and all<Op>().
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace gauntlet {

/// In the order of the enum, whose values count from 0.
template <class... Text>
constexpr std::array<std::string_view, sizeof...(Text)> names_of(const Text&... text) {
  return {std::string_view(text)...};
}

template <class E>
concept Named = std::is_enum_v<E> && requires {
  names(static_cast<const E*>(nullptr));
};

template <Named E>
inline constexpr auto enum_names = names(static_cast<const E*>(nullptr));

template <Named E>
[[nodiscard]] constexpr std::string_view name(E value) {
  return enum_names<E>.at(static_cast<std::size_t>(value));
}

template <Named E>
[[nodiscard]] constexpr std::optional<E> parse(std::string_view text) {
  const auto found = std::ranges::find(enum_names<E>, text);
  if (found == enum_names<E>.end()) return std::nullopt;
  return static_cast<E>(found - enum_names<E>.begin());
}

/// Every value, in order.
template <Named E>
[[nodiscard]] constexpr auto all() {
  std::array<E, enum_names<E>.size()> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<E>(i);
  return values;
}

}  // namespace gauntlet
