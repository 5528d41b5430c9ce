// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The members of a struct, listed once, beside the struct:
//
//   struct Cost { std::string what; double us = 0; };
//   constexpr auto fields(const Cost*) {
//     return std::tuple{field("what", &Cost::what), field("us", &Cost::us)};
//   }
//
// JSON in both directions follows from the list (base/text/json_fields.hpp), and so do bytes for
// another process (base/packed.hpp).
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace gauntlet {

enum class Empty : bool { written, left_out };

/// What may be left out, and what is one of these after the other.
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

/// A member that is written and read under a name. `empty`: whether an optional without a value or
/// an empty list is written (as null or []), or left out.
template <class T, class M>
struct Field {
  std::string_view name;
  M T::*member;
  Empty empty;
};
template <class T, class M>
constexpr Field<T, M> field(std::string_view name, M T::*member, Empty empty = Empty::written) {
  return {name, member, empty};
}

/// What follows from the other members: written, never read. `of` is called with the struct.
template <class F>
struct Derived {
  std::string_view name;
  F of;
};
template <class F>
constexpr Derived<F> derived(std::string_view name, F of) {
  return {name, of};
}

template <class T>
concept Described = requires {
  fields(static_cast<const T*>(nullptr));
};

/// Calls `what` with every Field of T, and with every Derived, in order.
template <Described T, class F>
constexpr void for_each_field(F&& what) {
  std::apply([&](const auto&... one) { (what(one), ...); }, fields(static_cast<const T*>(nullptr)));
}

}  // namespace gauntlet
