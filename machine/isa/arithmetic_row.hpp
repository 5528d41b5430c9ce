// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A row of the table of arithmetic: how a function of lane values becomes a handler for each type
// and set of modifiers that the row allows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/types.hpp"
#include "machine/code/operation.hpp"
#include "machine/isa/arithmetic.hpp"
#include "machine/isa/bit_operations.hpp"
#include "machine/isa/modifiers.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt::arithmetic_row {

using S = ptx::ScalarType;
using u32 = std::uint32_t;

/// Where operands differ from the instruction's type.
enum class Shape : std::uint8_t {
  same,
  shift,  ///< the second one has 32 bits
  field,  ///< so have the second and third
  wide,   ///< the result and the third are twice as wide
  count   ///< the result has 32 bits
};

/// What an instruction says beside its opcode and type.
struct How {
  Round round = Round::none;
  bool ftz = false, sat = false, relu = false;
};

template <class T, bool = std::is_integral_v<T> && (sizeof(T) < 8)>
struct Doubled {
  using type = T;
};
template <class T>
struct Doubled<T, true> {
  using type = typename ops::Wider<T>::type;
};

/// The handler of operation F on lanes of type T; a null pointer constant where F has no such
/// operation (a type of its own: UBSan makes `handler == nullptr` no constant expression).
template <class F, unsigned inputs, Shape shape, class T>
constexpr auto handler_of() {
  using Wide = std::conditional_t<shape == Shape::wide, typename Doubled<T>::type, T>;
  using D = std::conditional_t<shape == Shape::count, u32, Wide>;
  using B = std::conditional_t<shape == Shape::shift || shape == Shape::field, u32, T>;
  using C = std::conditional_t<shape == Shape::field, u32, Wide>;
  if constexpr (shape == Shape::wide && sizeof(Wide) == sizeof(T)) {
    return nullptr;
  } else if constexpr (inputs == 1) {
    if constexpr (requires(T a) { F{}(a); })
      return &unary<D, T, F>;
    else
      return nullptr;
  } else if constexpr (inputs == 2) {
    if constexpr (requires(T a, B b) { F{}(a, b); })
      return &binary<D, T, B, F>;
    else
      return nullptr;
  } else {
    if constexpr (requires(T a, B b, C c) { F{}(a, b, c); })
      return &ternary<D, T, B, C, F>;
    else
      return nullptr;
  }
}
constexpr u32 none = 0, i16 = types_in({S::u16, S::s16}), i32 = types_in({S::u32, S::s32}),
              i64 = types_in({S::u64, S::s64}), integers = i16 | i32 | i64,
              signed_integers = types_in({S::s16, S::s32, S::s64}), b32 = types_in({S::b32}),
              bits = types_in({S::b16, S::b32, S::b64}), f32 = types_in({S::f32}),
              f64 = types_in({S::f64}), f16 = types_in({S::f16, S::f16x2}),
              bf16 = types_in({S::bf16, S::bf16x2}), narrow = f16 | bf16,
              f32x2 = types_in({S::f32x2}), pairs = types_in({S::f16x2, S::bf16x2, S::f32x2}),
              floats = f32 | f64;

/// Types that a row is for, and those that may have a modifier.
struct Allowed {
  u32 types;
  u32 ftz = none, sat = none, relu = none;
  u32 round = none;  ///< .rn .rz .rm .rp
};

/// with_type, and the pair of floats.
template <class F>
constexpr auto with_number(S type, F f) {
  return type == S::f32x2 ? f(Lane<Packed<float>>{}) : with_type(type, f);
}

/// The types whose lanes are a T.
template <class T>
constexpr u32 types_of = [] {
  u32 of_t = 0;
  for (const auto type : all<S>()) {
    const bool same = with_number(
        type, [](auto lane) { return std::is_same_v<typename decltype(lane)::type, T>; });
    if (same) of_t |= types_in({type});
  }
  return of_t;
}();

/// The handlers of F for lanes of type T: one for each set of modifiers that is allowed.
template <class F, unsigned inputs, class T, Allowed allowed>
Handler rounded(const How& how) {
  using Each = std::conditional_t<(types_of<T> & pairs) != 0, Halves<F>, F>;
  constexpr auto handler = handler_of<Each, inputs, Shape::same, T>();
  if constexpr ((types_of<T> & allowed.round) != 0)
    return in_mode<handler>(how.round);
  else
    return handler;
}
template <class F, unsigned inputs, class T, Allowed allowed>
Handler limited(const How& how) {
  if constexpr ((types_of<T> & allowed.sat) != 0) {
    if (how.sat) return rounded<Sat<F>, inputs, T, allowed>(how);
  }
  if constexpr ((types_of<T> & allowed.relu) != 0) {
    if (how.relu) return rounded<Relu<F>, inputs, T, allowed>(how);
  }
  return rounded<F, inputs, T, allowed>(how);
}
template <class F, unsigned inputs, class T, Allowed allowed>
Handler modified(const How& how) {
  if constexpr ((types_of<T> & allowed.ftz) != 0) {
    if (how.ftz) return limited<Ftz<F, PartOf<T>>, inputs, T, allowed>(how);
  }
  return limited<F, inputs, T, allowed>(how);
}
template <class F, unsigned inputs, Allowed allowed, Shape shape>
Handler select(S type, const How& how) {
  return with_number(type, [&](auto lane) -> Handler {
    using T = typename decltype(lane)::type;
    if constexpr ((types_of<T> & allowed.types) == 0)
      return nullptr;
    else if constexpr (std::is_integral_v<T>)
      return handler_of<F, inputs, shape, T>();
    else
      return modified<F, inputs, T, allowed>(how);
  });
}

constexpr u32 any = ~0U, words = types_in({S::b32, S::u32, S::s32, S::b64, S::u64, S::s64}),
              unsigned_integers = types_in({S::u16, S::u32, S::u64});

/// What F does to bits that are undefined (machine/isa/definedness.hpp), in words.
template <class F>
constexpr std::string_view undefined_words() {
  if constexpr (requires { F::moves; }) return "moved";
  if constexpr (requires { F::table; }) return "each for itself";
  if constexpr (requires { F::counts; }) return "where they count";
  return "all";
}

struct Row {
  Opcode opcode;
  std::string_view modifiers;  ///< those that every use has
  Modifiers own;               ///< the same
  unsigned inputs;
  Handler (*select)(S, const How&);
  Shape shape;
  Allowed allowed;
  std::string_view undefined;  ///< what becomes of undefined bits
  u32 must_round = none;       ///< types that must name a rounding
  u32 nearest = none;          ///< types that may name .rn alone
  // What a proof may take it for where it rounds to nearest and limits nothing.
  TermRule term = TermRule::unknown;
  Op op = Op::sum;
  u32 of_term = any;  ///< types that have the term rule
  StrideRule stride = StrideRule::unknown;

  [[nodiscard]] constexpr Row terms(TermRule rule, u32 types = any) const {
    Row r = *this;
    r.term = rule;
    r.of_term = types;
    return r;
  }
  /// All operands: three of a minimum or maximum, whose order makes no difference.
  [[nodiscard]] consteval Row combines(Op of) const {
    if (inputs != 2 && (inputs != 3 || of == Op::sum || of == Op::product)) throw "no such rule";
    Row r = terms(inputs == 2 ? TermRule::combine : TermRule::combine_three);
    r.op = of;
    return r;
  }
  [[nodiscard]] constexpr Row strides(StrideRule rule) const {
    Row r = *this;
    r.stride = rule;
    return r;
  }
};
/// Of "approx.ftz".
consteval Modifiers modifiers_of(std::string_view text) {
  Modifiers all;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find('.'));
    const auto known = parse<Modifier>(word);
    if (!known) throw "a word that Modifier (machine/code/operation.hpp) lacks";
    all.add(*known);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return all;
}
consteval Opcode known_opcode(std::string_view name) {
  const Opcode opcode = opcode_named(name);
  if (opcode == Opcode::none) throw "a name that Opcode (machine/code/operation.hpp) lacks";
  return opcode;
}
template <class F, unsigned inputs, Allowed allowed, Shape shape = Shape::same>
consteval Row row(std::string_view opcode, std::string_view modifiers) {
  return {known_opcode(opcode),
          modifiers,
          modifiers_of(modifiers),
          inputs,
          &select<F, inputs, allowed, shape>,
          shape,
          allowed,
          undefined_words<F>()};
}
template <class F, unsigned inputs, u32 types, u32 ftz = none>
consteval Row row(std::string_view opcode, std::string_view modifiers) {
  return row<F, inputs, Allowed{types, ftz}>(opcode, modifiers);
}
template <class F, unsigned inputs, Shape shape, u32 types>
consteval Row row(std::string_view opcode, std::string_view modifiers) {
  return row<F, inputs, Allowed{types}, shape>(opcode, modifiers);
}
/// add, sub, mul, fma of floats.
template <class F, unsigned inputs>
consteval Row sum(std::string_view opcode) {
  constexpr bool fused = inputs == 3;
  constexpr Allowed allowed{.types = floats | narrow,
                            .ftz = f32 | f16,
                            .sat = f32 | f16,
                            .relu = fused ? narrow : none,
                            .round = floats};
  Row r = row<F, inputs, allowed>(opcode, "");
  r.nearest = narrow;
  if (fused) r.must_round = floats | narrow;
  return r;
}
/// The same of pairs of f32.
template <class F, unsigned inputs>
consteval Row sums(std::string_view opcode) {
  Row r = row<F, inputs, Allowed{.types = f32x2, .ftz = f32x2, .round = f32x2}>(opcode, "");
  if (inputs == 3) r.must_round = f32x2;
  return r;
}
template <class F, unsigned inputs>
consteval Row quotient(std::string_view opcode) {
  Row r = row<F, inputs, Allowed{.types = floats, .ftz = f32, .round = floats}>(opcode, "");
  r.must_round = floats;
  return r;
}

}  // namespace gauntlet::simt::arithmetic_row
