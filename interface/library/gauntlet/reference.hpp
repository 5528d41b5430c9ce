// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// From a callable with typed parameters to one over plain memory, for Kernel::reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gauntlet/element.hpp"

namespace gauntlet::detail {

enum class Passed : std::uint8_t { input, output, scalar, sizes };

/// A parameter of the callable.
struct Taken {
  Passed passed = Passed::input;
  std::string_view type;  ///< "f32"; empty for sizes
};

/// What is passed for one: the begin of an array, a scalar, or the Sizes.
struct Memory {
  void* data = nullptr;
  std::size_t count = 0;
};

/// How a parameter is passed. Not defined: it is none of those that Kernel::reference names.
template <class T>
struct Access;

template <class T>
requires Element<std::remove_const_t<T>>
struct Access<std::span<T>> {
  static constexpr Taken taken{std::is_const_v<T> ? Passed::input : Passed::output,
                               type_name<std::remove_const_t<T>>()};
  static std::span<T> get(const Memory& memory) {
    return {static_cast<T*>(memory.data), memory.count};
  }
};

template <Element T>
struct Access<T> {
  static constexpr Taken taken{Passed::scalar, type_name<T>()};
  static T get(const Memory& memory) { return *static_cast<const T*>(memory.data); }
};

template <>
struct Access<Sizes> {
  static constexpr Taken taken{Passed::sizes, {}};
  static const Sizes& get(const Memory& memory) { return *static_cast<const Sizes*>(memory.data); }
};

struct Reference {
  std::vector<Taken> parameters;
  std::function<void(std::span<const Memory>)> call;
};

template <class... A>
Reference make_reference(std::function<void(A...)> callable) {
  return {{Access<std::remove_cvref_t<A>>::taken...},
          [callable = std::move(callable)](std::span<const Memory> memory) {
            [&]<std::size_t... i>(std::index_sequence<i...>) {
              callable(Access<std::remove_cvref_t<A>>::get(memory[i])...);
            }
            (std::index_sequence_for<A...>{});
          }};
}

}  // namespace gauntlet::detail
