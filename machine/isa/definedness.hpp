// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bits of a result are undefined, where some bits of a source are. An operation F says what
// it does to bits:
//   F::moves   its first so many operands are only moved, and extended by their sign; the others
//   say
//              how. Then it moves their undefined bits in the same way.
//   F::table   it is a function of single bits (undefined_of_table).
//   F::counts  it is a number that grows, or falls, with the operand.
// Every other result is undefined altogether where any bit of a source is, of which only what a
// byte's conversion to a float reads is less than the register.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "machine/code/lane_types.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

template <class D, class F, class... T>
std::uint64_t moved_bits(const Warp& w, const Inst& i, int lane, const std::uint64_t* undefined) {
  const Operand from[] = {i.a, i.b, i.c};
  const auto bits = [&]<class Type>(Lane<Type>, std::size_t k) {
    const auto* value = w.source<Slot<Type>>(from[k]);
    return from_slot<Type>(k < F::moves ? static_cast<Slot<Type>>(undefined[k]) : value[lane]);
  };
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    const bool how_is_undefined = ((k >= F::moves && undefined[k] != 0) || ...);
    return how_is_undefined ? all_bits : std::uint64_t{to_slot<D>(D(F{}(bits(Lane<T>{}, k)...)))};
  }
  (std::index_sequence_for<T...>{});
}

template <class D, class F, class... T>
std::uint64_t table_bits(const Warp& w, const Inst& i, int lane, const std::uint64_t* undefined) {
  const Bits a{w.source<Slot<D>>(i.a)[lane], undefined[0]};
  Bits b;
  if constexpr (sizeof...(T) > 1) b = {w.source<Slot<D>>(i.b)[lane], undefined[1]};
  return to_slot<D>(static_cast<D>(undefined_of_table(F::table, a, b)));
}

template <class D, class F, class T>
std::uint64_t counted_bits(const Warp& w, const Inst& i, int lane, const std::uint64_t* undefined) {
  const Slot<T> x = w.source<Slot<T>>(i.a)[lane], bits = static_cast<Slot<T>>(undefined[0]);
  const bool known = F{}(from_slot<T>(x & ~bits)) == F{}(from_slot<T>(x | bits));
  return known ? 0 : all_bits;
}

template <class T>
std::uint64_t bits_of_any(const Warp&, const Inst&, int, const std::uint64_t* undefined) {
  return (undefined[0] & bits_of(sizeof(T))) != 0 ? all_bits : 0;
}

/// What an operation does to undefined bits, as a type: UBSan lets no address of a function be
/// compared with a null pointer in a constant expression.
template <UndefinedOf undefined_of, bool all_of_all = false>
struct BitRule {
  static constexpr UndefinedOf of = undefined_of;
  /// Of a source that is undefined altogether so is the result, whatever the other one.
  static constexpr bool whole = all_of_all;
};
struct NoBitRule {};

/// A function of one or two bits that each of them changes.
constexpr bool each_decides(unsigned table, std::size_t bits) {
  const auto changes = [&](unsigned by) {
    for (unsigned k = 0; k < 8; ++k) {
      if ((table >> k & 1) == (table >> (k ^ by) & 1)) return false;
    }
    return true;
  };
  return changes(4) && (bits < 2 || changes(2));
}

/// The rule of F with operands of types T; NoBitRule where F says nothing.
template <class D, class F, class... T>
constexpr auto bit_rule() {
  if constexpr (requires { F::moves; }) {
    return BitRule < &moved_bits<D, F, T...>,
           sizeof...(T) == 1 && sizeof(D) == (sizeof(T) + ...) > {};
  } else if constexpr (requires { F::table; }) {
    return BitRule<&table_bits<D, F, T...>, each_decides(F::table, sizeof...(T))>{};
  } else if constexpr (requires { requires F::counts &&(std::is_unsigned_v<T> && ...); }) {
    return BitRule<&counted_bits<D, F, T...>>{};
  } else if constexpr (sizeof...(T) == 1 && (sizeof(T) + ...) == 1) {
    return BitRule<&bits_of_any<T...>>{};
  } else {
    return NoBitRule{};
  }
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
