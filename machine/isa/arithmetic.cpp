// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A table row for each opcode and modifier (PTX ISA 9.0, 9.7.1 to 9.7.8).
#include "machine/isa/arithmetic.hpp"

#include <algorithm>
#include <bit>

#include "machine/isa/approximations.hpp"
#include "machine/isa/bit_operations.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/modifiers.hpp"
#include "machine/isa/suffixes.hpp"

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
              pairs = set({S::f16x2, S::bf16x2}), floats = f32 | f64;

/// Types that a row is for, and those that may have a modifier.
struct Allowed {
  u32 types;
  u32 ftz = none, sat = none, relu = none;
  u32 round = none;  ///< .rn .rz .rm .rp
};

/// The types whose lanes are a T.
template <class T>
constexpr u32 types_of = [] {
  u32 of_t = 0;
  for (unsigned i = 0; i <= static_cast<unsigned>(S::f64); ++i) {
    const bool same = with_type(static_cast<S>(i), [](auto lane) {
      return std::is_same_v<typename decltype(lane)::type, T>;
    });
    if (same) of_t |= 1U << i;
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
  return with_type(type, [&](auto lane) -> Handler {
    using T = typename decltype(lane)::type;
    if constexpr ((types_of<T> & allowed.types) == 0)
      return nullptr;
    else if constexpr (std::is_integral_v<T>)
      return handler_of<F, inputs, shape, T>();
    else
      return modified<F, inputs, T, allowed>(how);
  });
}

struct Row {
  std::string_view opcode, modifiers;  ///< modifiers: those that every use has
  unsigned inputs;
  Handler (*select)(S, const How&);
  Shape shape;
  Allowed allowed;
  u32 must_round = none;  ///< types that must name a rounding
  u32 nearest = none;     ///< types that may name .rn alone
};
template <class F, unsigned inputs, Allowed allowed, Shape shape = Shape::same>
constexpr Row row(std::string_view opcode, std::string_view modifiers) {
  return {opcode, modifiers, inputs, &select<F, inputs, allowed, shape>, shape, allowed};
}
template <class F, unsigned inputs, u32 types, u32 ftz = none>
constexpr Row row(std::string_view opcode, std::string_view modifiers) {
  return row<F, inputs, Allowed{types, ftz}>(opcode, modifiers);
}
template <class F, unsigned inputs, Shape shape, u32 types>
constexpr Row row(std::string_view opcode, std::string_view modifiers) {
  return row<F, inputs, Allowed{types}, shape>(opcode, modifiers);
}
/// add, sub, mul, fma of floats.
template <class F, unsigned inputs>
constexpr Row sum(std::string_view opcode) {
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
template <class F, unsigned inputs>
constexpr Row quotient(std::string_view opcode) {
  Row r = row<F, inputs, Allowed{.types = floats, .ftz = f32, .round = floats}>(opcode, "");
  r.must_round = floats;
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
    row<ops::Div, 2, f32, f32>("div", "full"),
    row<ops::DivApprox, 2, f32, f32>("div", "approx"),
    row<ops::Sqrt, 1, f32, f32>("sqrt", "approx"),
    row<ops::Rcp, 1, f32, f32>("rcp", "approx"),
    row<ops::UpperWord<ops::Rcp>, 1, f64>("rcp", "approx.ftz"),
    row<ops::Rsqrt, 1, floats, f32>("rsqrt", "approx"),
    row<ops::UpperWord<ops::Rsqrt>, 1, f64>("rsqrt", "approx.ftz"),
    row<ops::Ex2, 1, f32 | f16, f32>("ex2", "approx"),
    row<Ftz<ops::Ex2, Bfloat>, 1, bf16>("ex2", "approx.ftz"),
    row<ops::Lg2, 1, f32, f32>("lg2", "approx"),
    row<ops::Sin, 1, f32, f32>("sin", "approx"),
    row<ops::Cos, 1, f32, f32>("cos", "approx"),
    row<ops::Tanh, 1, f32 | narrow>("tanh", "approx"),
    row<ops::Min, 2, integers | floats | narrow, f32 | f16>("min", ""),
    row<ops::Max, 2, integers | floats | narrow, f32 | f16>("max", ""),
    row<ops::MinNan, 2, f32 | narrow, f32 | f16>("min", "NaN"),
    row<ops::MaxNan, 2, f32 | narrow, f32 | f16>("max", "NaN"),
    row<ops::Neg, 1, signed_integers | floats | narrow, f32 | f16>("neg", ""),
    row<ops::Abs, 1, signed_integers | floats | narrow, f32 | f16>("abs", ""),
    row<ops::CopySign, 2, floats>("copysign", ""),

    row<ops::Add, 2, integers>("add", ""),
    row<ops::Sub, 2, integers>("sub", ""),
    row<ops::AddSat, 2, set({S::s32})>("add", "sat"),
    row<ops::SubSat, 2, set({S::s32})>("sub", "sat"),
    row<ops::Mul, 2, integers>("mul", "lo"),
    row<ops::MulHi, 2, integers>("mul", "hi"),
    row<ops::MulWide, 2, Shape::wide, i16 | i32>("mul", "wide"),
    row<ops::Mul24, 2, i32>("mul24", "lo"),
    row<ops::Mul24Hi, 2, i32>("mul24", "hi"),
    row<ops::Mad, 3, integers>("mad", "lo"),
    row<ops::MadHi, 3, integers>("mad", "hi"),
    row<ops::MadHiSat, 3, set({S::s32})>("mad", "hi.sat"),
    row<ops::MadWide, 3, Shape::wide, i16 | i32>("mad", "wide"),
    row<ops::Mad24, 3, i32>("mad24", "lo"),
    row<ops::Mad24Hi, 3, i32>("mad24", "hi"),
    row<ops::Sad, 3, integers>("sad", ""),
    row<ops::Div, 2, integers>("div", ""),
    row<ops::Rem, 2, integers>("rem", ""),

    row<ops::And, 2, bits>("and", ""),
    row<ops::Or, 2, bits>("or", ""),
    row<ops::Xor, 2, bits>("xor", ""),
    row<ops::Not, 1, bits>("not", ""),
    row<ops::Cnot, 1, bits>("cnot", ""),
    row<ops::Shl, 2, Shape::shift, bits>("shl", ""),
    row<ops::Shr, 2, Shape::shift, bits | integers>("shr", ""),
    row<ops::FunnelLeftWrap, 3, b32>("shf", "l.wrap"),
    row<ops::FunnelLeftClamp, 3, b32>("shf", "l.clamp"),
    row<ops::FunnelRightWrap, 3, b32>("shf", "r.wrap"),
    row<ops::FunnelRightClamp, 3, b32>("shf", "r.clamp"),
    row<ops::Popc, 1, Shape::count, set({S::b32, S::b64})>("popc", ""),
    row<ops::Clz, 1, Shape::count, set({S::b32, S::b64})>("clz", ""),
    row<ops::Bfind<false>, 1, Shape::count, i32 | i64>("bfind", ""),
    row<ops::Bfind<true>, 1, Shape::count, i32 | i64>("bfind", "shiftamt"),
    row<ops::Brev, 1, set({S::b32, S::b64})>("brev", ""),
    row<ops::Bmsk<true>, 2, b32>("bmsk", "clamp"),
    row<ops::Bmsk<false>, 2, b32>("bmsk", "wrap"),
    row<ops::Szext<true>, 2, i32>("szext", "clamp"),
    row<ops::Szext<false>, 2, i32>("szext", "wrap"),
    row<ops::Bfe, 3, Shape::field, i32 | i64>("bfe", ""),
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
  how.ftz = in(row.allowed.ftz, type) && take(modifiers, "ftz");
  how.sat = in(row.allowed.sat, type) && take(modifiers, "sat");
  how.relu = in(row.allowed.relu, type) && !how.sat && take(modifiers, "relu");
  if (in(row.allowed.round | row.nearest, type)) how.round = take_round(modifiers);
  const bool too_much = in(row.nearest, type) && how.round > Round::nearest;
  const bool too_little = in(row.must_round, type) && how.round == Round::none;
  return modifiers.empty() && !too_much && !too_little;
}

/// Two floats in a 64-bit register.
struct FloatPair {
  std::uint64_t bits;
  [[nodiscard]] float low() const { return std::bit_cast<float>(u32(bits)); }
  [[nodiscard]] float high() const { return std::bit_cast<float>(u32(bits >> 32)); }
};
template <class F>
struct OnFloats {
  template <class... More>
  FloatPair operator()(FloatPair a, More... more) const {
    return {std::bit_cast<u32>(F{}(a.low(), more.low()...)) |
            std::uint64_t{std::bit_cast<u32>(F{}(a.high(), more.high()...))} << 32};
  }
};
template <class F, unsigned inputs>
Arithmetic float_pair(const How& how) {
  constexpr auto plain = handler_of<OnFloats<F>, inputs, Shape::same, FloatPair>();
  constexpr auto flushed = handler_of<OnFloats<Ftz<F, float>>, inputs, Shape::same, FloatPair>();
  return {how.ftz ? in_mode<flushed>(how.round) : in_mode<plain>(how.round), inputs, {8, 8, 8}, 8};
}

}  // namespace

Arithmetic find_float_pair(std::string_view opcode, std::vector<std::string_view> modifiers) {
  How how;
  how.ftz = take(modifiers, "ftz");
  how.round = take_round(modifiers);
  if (!modifiers.empty()) return {};
  if (opcode == "add") return float_pair<ops::Add, 2>(how);
  if (opcode == "sub") return float_pair<ops::Sub, 2>(how);
  if (opcode == "mul") return float_pair<ops::Mul, 2>(how);
  if (opcode == "fma" && how.round != Round::none) return float_pair<ops::Fma, 3>(how);
  return {};
}

Arithmetic find_arithmetic(std::string_view opcode, std::vector<std::string_view> modifiers,
                           S type) {
  How how;
  for (const auto& row : rows) {
    if (row.opcode != opcode || !in(row.allowed.types, type) || !fits(row, modifiers, type, how))
      continue;
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
