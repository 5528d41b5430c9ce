// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A table row for each opcode and modifier (PTX ISA 9.0, 9.7.1 to 9.7.8).
#include "simt/decode/arithmetic.hpp"

#include <algorithm>

#include "simt/decode/approximations.hpp"
#include "simt/decode/bit_operations.hpp"
#include "simt/decode/decode.hpp"
#include "simt/decode/modifiers.hpp"
#include "simt/decode/suffixes.hpp"

namespace gauntlet::simt {
namespace {

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
template <class F, unsigned inputs, class T>
Handler rounded(Round round) {
  constexpr auto handler = handler_of<F, inputs, Shape::same, T>();
  if constexpr (std::is_null_pointer_v<decltype(handler)>)
    return nullptr;
  else
    return in_mode<handler>(round);
}
/// The same with .sat, .ftz and a rounding.
template <class F, unsigned inputs, class T>
Handler modified(const How& how) {
  if constexpr (std::is_same_v<T, double>) {
    return rounded<F, inputs, T>(how.round);
  } else if constexpr (std::is_same_v<T, float>) {
    using Flush = Ftz<F, T>;
    return how.sat ? (how.ftz ? rounded<Sat<Flush>, inputs, T>(how.round)
                              : rounded<Sat<F>, inputs, T>(how.round))
                   : (how.ftz ? rounded<Flush, inputs, T>(how.round)
                              : rounded<F, inputs, T>(how.round));
  } else if constexpr (ops::Narrow<T>) {
    using Flush = Ftz<F, T>;
    constexpr auto same = Shape::same;
    if (how.relu) {
      return how.ftz ? handler_of<Relu<Flush>, inputs, same, T>()
                     : handler_of<Relu<F>, inputs, same, T>();
    }
    return how.sat ? (how.ftz ? handler_of<Sat<Flush>, inputs, same, T>()
                              : handler_of<Sat<F>, inputs, same, T>())
                   : (how.ftz ? handler_of<Flush, inputs, same, T>()
                              : handler_of<F, inputs, same, T>());
  } else {
    using N = typename T::Part;
    using Flush = Ftz<F, N>;
    constexpr auto same = Shape::same;
    if (how.relu) {
      return how.ftz ? handler_of<Halves<Relu<Flush>>, inputs, same, T>()
                     : handler_of<Halves<Relu<F>>, inputs, same, T>();
    }
    return how.sat ? (how.ftz ? handler_of<Halves<Sat<Flush>>, inputs, same, T>()
                              : handler_of<Halves<Sat<F>>, inputs, same, T>())
                   : (how.ftz ? handler_of<Halves<Flush>, inputs, same, T>()
                              : handler_of<Halves<F>, inputs, same, T>());
  }
}
template <class F, unsigned inputs, Shape shape>
Handler select(S type, const How& how) {
  return with_type(type, [&](auto lane) -> Handler {
    using T = typename decltype(lane)::type;
    if constexpr (sizeof(T) == 1) {
      return nullptr;
    } else if constexpr (std::is_integral_v<T>) {
      return how.sat ? nullptr : handler_of<F, inputs, shape, T>();
    } else {
      return modified<F, inputs, T>(how);
    }
  });
}

/// Sets of types.
constexpr u32 set(std::initializer_list<S> types) {
  u32 bits = 0;
  for (const auto t : types) bits |= 1U << static_cast<unsigned>(t);
  return bits;
}
constexpr u32 none = 0, i16 = set({S::u16, S::s16}), i32 = set({S::u32, S::s32}),
              i64 = set({S::u64, S::s64}), integers = i16 | i32 | i64,
              signed_integers = set({S::s16, S::s32, S::s64}), b32 = set({S::b32}),
              bits = set({S::b16, S::b32, S::b64}), f32 = set({S::f32}), f64 = set({S::f64}),
              f16 = set({S::f16, S::f16x2}), bf16 = set({S::bf16, S::bf16x2}), narrow = f16 | bf16,
              floats = f32 | f64;

struct Row {
  std::string_view opcode, modifiers;  ///< modifiers: those that every use has
  unsigned inputs;
  Handler (*select)(S, const How&);
  Shape shape;
  u32 types;
  u32 ftz = none, sat = none, relu = none;  ///< types that may have it
  u32 round = none;                         ///< types that may name .rn .rz .rm .rp
  u32 must_round = none;                    ///< types that must
  u32 nearest = none;                       ///< types that may name .rn alone
};
template <class F, unsigned inputs, Shape shape = Shape::same>
constexpr Row row(std::string_view opcode, std::string_view modifiers, u32 types, u32 ftz = none) {
  return {opcode, modifiers, inputs, &select<F, inputs, shape>, shape, types, ftz};
}
/// add, sub, mul, fma of floats.
template <class F, unsigned inputs>
constexpr Row sum(std::string_view opcode) {
  Row r = row<F, inputs>(opcode, "", floats | narrow, f32 | f16);
  r.sat = f32 | f16;
  r.round = floats;
  r.nearest = narrow;
  if (inputs == 3) {
    r.relu = narrow;
    r.must_round = floats | narrow;
  }
  return r;
}
template <class F, unsigned inputs>
constexpr Row quotient(std::string_view opcode) {
  Row r = row<F, inputs>(opcode, "", floats, f32);
  r.round = r.must_round = floats;
  return r;
}

constexpr Row rows[] = {
    sum<ops::Add, 2>("add"),
    sum<ops::Sub, 2>("sub"),
    sum<ops::Mul, 2>("mul"),
    sum<ops::Fma, 3>("fma"),
    sum<ops::Fma, 3>("mad"),
    quotient<ops::Div, 2>("div"),
    quotient<ops::Sqrt, 1>("sqrt"),
    quotient<ops::Rcp, 1>("rcp"),
    row<ops::Div, 2>("div", "full", f32, f32),
    row<ops::DivApprox, 2>("div", "approx", f32, f32),
    row<ops::Sqrt, 1>("sqrt", "approx", f32, f32),
    row<ops::Rcp, 1>("rcp", "approx", f32, f32),
    row<ops::UpperWord<ops::Rcp>, 1>("rcp", "approx.ftz", f64),
    row<ops::Rsqrt, 1>("rsqrt", "approx", floats, f32),
    row<ops::UpperWord<ops::Rsqrt>, 1>("rsqrt", "approx.ftz", f64),
    row<ops::Ex2, 1>("ex2", "approx", f32 | f16, f32),
    row<Ftz<ops::Ex2, Bfloat>, 1>("ex2", "approx.ftz", bf16),
    row<ops::Lg2, 1>("lg2", "approx", f32, f32),
    row<ops::Sin, 1>("sin", "approx", f32, f32),
    row<ops::Cos, 1>("cos", "approx", f32, f32),
    row<ops::Tanh, 1>("tanh", "approx", f32 | narrow),
    row<ops::Min, 2>("min", "", integers | floats | narrow, f32 | f16),
    row<ops::Max, 2>("max", "", integers | floats | narrow, f32 | f16),
    row<ops::MinNan, 2>("min", "NaN", f32 | narrow, f32 | f16),
    row<ops::MaxNan, 2>("max", "NaN", f32 | narrow, f32 | f16),
    row<ops::Neg, 1>("neg", "", signed_integers | floats | narrow, f32 | f16),
    row<ops::Abs, 1>("abs", "", signed_integers | floats | narrow, f32 | f16),
    row<ops::CopySign, 2>("copysign", "", floats),

    row<ops::Add, 2>("add", "", integers),
    row<ops::Sub, 2>("sub", "", integers),
    row<ops::AddSat, 2>("add", "sat", set({S::s32})),
    row<ops::SubSat, 2>("sub", "sat", set({S::s32})),
    row<ops::Mul, 2>("mul", "lo", integers),
    row<ops::MulHi, 2>("mul", "hi", integers),
    row<ops::MulWide, 2, Shape::wide>("mul", "wide", i16 | i32),
    row<ops::Mul24, 2>("mul24", "lo", i32),
    row<ops::Mul24Hi, 2>("mul24", "hi", i32),
    row<ops::Mad, 3>("mad", "lo", integers),
    row<ops::MadHi, 3>("mad", "hi", integers),
    row<ops::MadHiSat, 3>("mad", "hi.sat", set({S::s32})),
    row<ops::MadWide, 3, Shape::wide>("mad", "wide", i16 | i32),
    row<ops::Mad24, 3>("mad24", "lo", i32),
    row<ops::Mad24Hi, 3>("mad24", "hi", i32),
    row<ops::Sad, 3>("sad", "", integers),
    row<ops::Div, 2>("div", "", integers),
    row<ops::Rem, 2>("rem", "", integers),

    row<ops::And, 2>("and", "", bits),
    row<ops::Or, 2>("or", "", bits),
    row<ops::Xor, 2>("xor", "", bits),
    row<ops::Not, 1>("not", "", bits),
    row<ops::Cnot, 1>("cnot", "", bits),
    row<ops::Shl, 2, Shape::shift>("shl", "", bits),
    row<ops::Shr, 2, Shape::shift>("shr", "", bits | integers),
    row<ops::FunnelLeftWrap, 3>("shf", "l.wrap", b32),
    row<ops::FunnelLeftClamp, 3>("shf", "l.clamp", b32),
    row<ops::FunnelRightWrap, 3>("shf", "r.wrap", b32),
    row<ops::FunnelRightClamp, 3>("shf", "r.clamp", b32),
    row<ops::Popc, 1, Shape::count>("popc", "", set({S::b32, S::b64})),
    row<ops::Clz, 1, Shape::count>("clz", "", set({S::b32, S::b64})),
    row<ops::Bfind<false>, 1, Shape::count>("bfind", "", i32 | i64),
    row<ops::Bfind<true>, 1, Shape::count>("bfind", "shiftamt", i32 | i64),
    row<ops::Brev, 1>("brev", "", set({S::b32, S::b64})),
    row<ops::Bmsk<true>, 2>("bmsk", "clamp", b32),
    row<ops::Bmsk<false>, 2>("bmsk", "wrap", b32),
    row<ops::Szext<true>, 2>("szext", "clamp", i32),
    row<ops::Szext<false>, 2>("szext", "wrap", i32),
    row<ops::Bfe, 3, Shape::field>("bfe", "", i32 | i64),
};

constexpr bool in(u32 types, S type) { return (types >> static_cast<unsigned>(type) & 1) != 0; }

/// The row's own modifiers are there, and no other that it does not allow for the type.
bool fits(const Row& row, std::vector<std::string_view> modifiers, S type, How& how) {
  how = {};
  for (auto own = row.modifiers; !own.empty();) {
    const auto word = own.substr(0, own.find('.'));
    if (!take(modifiers, word)) return false;
    own.remove_prefix(std::min(own.size(), word.size() + 1));
  }
  how.ftz = in(row.ftz, type) && take(modifiers, "ftz");
  how.sat = in(row.sat, type) && take(modifiers, "sat");
  how.relu = in(row.relu, type) && !how.sat && take(modifiers, "relu");
  if (in(row.round | row.nearest, type)) how.round = take_round(modifiers);
  const bool too_much = in(row.nearest, type) && how.round > Round::nearest;
  const bool too_little = in(row.must_round, type) && how.round == Round::none;
  return modifiers.empty() && !too_much && !too_little;
}

}  // namespace

Arithmetic find_arithmetic(std::string_view opcode, std::vector<std::string_view> modifiers,
                           S type) {
  How how;
  for (const auto& row : rows) {
    if (row.opcode != opcode || !in(row.types, type) || !fits(row, modifiers, type, how)) continue;
    const unsigned bytes = size_of(type);
    Arithmetic found{row.select(type, how), row.inputs, {bytes, bytes, bytes}, bytes};
    if (row.shape == Shape::shift || row.shape == Shape::field) found.bytes[1] = 4;
    if (row.shape == Shape::field || row.shape == Shape::count) {
      (row.shape == Shape::field ? found.bytes[2] : found.result_bytes) = 4;
    }
    if (row.shape == Shape::wide) found.bytes[2] = found.result_bytes = 2 * bytes;
    return found;
  }
  return {};
}

}  // namespace gauntlet::simt
