// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cvt (PTX ISA 9.0, 9.7.9.21).
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "machine/isa/conversions.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/modifiers.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// integer_convert with .sat, to the integer type Inst::type.
template <class A, class Out>
void integer_saturate(Warp& w, const Inst& i, u32 mask) {
  struct Range {
    __int128 low, high;
  };
  const auto range = with_type(i.type, [](auto lane) -> Range {
    using Limits = std::numeric_limits<typename decltype(lane)::type>;
    if constexpr (Limits::is_integer)
      return {Limits::min(), Limits::max()};
    else
      return {};
  });
  const auto* a = w.source<Slot<A>>(i.a);
  const Out keep = sizeof(Out) == 8 ? ~Out{0} : Out(i.keep);
  for_lanes(w.destination<Out>(i.d), mask, [=](int l) {
    return Out(std::clamp<__int128>(static_cast<A>(a[l]), range.low, range.high)) & keep;
  });
  spread_poison(w, i.d, mask, i.a);
}

/// Calls `f` with the Lanes of two types.
template <class F>
Handler with_types(S a, S d, F f) {
  return with_type(a, [&](auto from) -> Handler {
    return with_type(d, [&](auto to) -> Handler { return f(from, to); });
  });
}
template <class L>
using TypeOf = typename L::type;

template <class A, class D, class Out>
Handler integer_handler(bool sat) {
  // Bits that are cut off, or extended no further, need no sign: fewer handlers.
  using From = std::conditional_t<(sizeof(D) > sizeof(A)), A, Slot<A>>;
  using To = std::conditional_t<(sizeof(D) < sizeof(Out)), D, Out>;
  return sat ? &integer_saturate<A, Out> : &integer_convert<From, To, Out>;
}
Handler integer_convert_handler(S a, S d, bool wide, bool sat) {
  return with_types(a, d, [&]<class A, class D>(A, D) -> Handler {
    if constexpr (std::is_integral_v<TypeOf<A>> && std::is_integral_v<TypeOf<D>>) {
      return wide ? integer_handler<TypeOf<A>, TypeOf<D>, u64>(sat)
                  : integer_handler<TypeOf<A>, TypeOf<D>, u32>(sat);
    } else {
      return nullptr;
    }
  });
}

/// What a conversion with a float says beside its types. In Inst::variant it is one number.
struct Conversion {
  Round round = Round::none;     ///< of a float result: .rn .rz .rm .rp
  Round integral = Round::none;  ///< to a whole number: .rni .rzi .rmi .rpi
  bool ftz = false, sat = false, relu = false;

  [[nodiscard]] u8 packed() const {  // one of the roundings at most is there
    return u8(u8(round) | u8(integral) | (ftz ? 8 : 0) | (sat ? 16 : 0) | (relu ? 32 : 0));
  }
};
constexpr Round rounding_of(u8 variant) { return Round(variant & 7); }

double integral(double x, Round round) {
  switch (round) {
    case Round::nearest:
      return std::nearbyint(x);
    case Round::zero:
      return std::trunc(x);
    case Round::down:
      return std::floor(x);
    case Round::up:
      return std::ceil(x);
    default:
      return x;
  }
}
/// Float to integer: rounds to integral, saturates; NaN gives 0, or the top bit alone where either
/// side has 64 bits.
template <class A, class D>
D to_integer(A a, Round round) {
  const double x = to_double(a);
  if (x != x) {
    return sizeof(A) == 8 || sizeof(D) == 8 ? D(ops::Unsigned<D>(1) << (8 * sizeof(D) - 1)) : D(0);
  }
  const double y = integral(x, round);
  using Limits = std::numeric_limits<D>;
  // 2^63 and 2^64 are doubles; the limits below them are not.
  if (y >= std::ldexp(1.0, Limits::digits)) return Limits::max();
  if (y < double(Limits::min())) return Limits::min();
  return D(y);
}
template <class A, class D>
void integer_of_float(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<Slot<A>>(i.a);
  const auto round = rounding_of(i.variant);
  const bool ftz = (i.variant & 8) != 0;
  for_lanes(w.destination<Slot<D>>(i.d), mask, [=](int l) {
    const A x = from_slot<A>(a[l]);
    return to_slot<D>(to_integer<A, D>(ftz ? flushed(x) : x, round));
  });
  spread_poison(w, i.d, mask, i.a);
}

/// .sat or .relu of a result.
template <class T>
T limited(T x, u8 variant) {
  if ((variant & 16) != 0) return saturated(x);
  if constexpr (ops::Narrow<T>) {
    if ((variant & 32) != 0) return rectified(x);
  }
  return x;
}
/// Any number to a narrow float with any rounding and modifiers.
template <class A, class D>
void narrow_of_any(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<Slot<A>>(i.a);
  const u8 variant = i.variant;
  const auto round = rounding_of(variant);
  for_lanes(w.destination<Slot<D>>(i.d), mask, [=](int l) {
    A x = from_slot<A>(a[l]);
    if constexpr (std::is_same_v<A, float>) x = (variant & 8) != 0 ? flushed(x) : x;
    const double y = to_double(x);
    return to_slot<D>(
        limited(round == Round::nearest ? D::from_double(y) : narrowed<D>(y, round), variant));
  });
  spread_poison(w, i.d, mask, i.a);
}
/// To the same type: a whole number where a rounding to one is named; an f32 NaN becomes the
/// canonical one.
template <class T>
void same_float(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<Slot<T>>(i.a);
  const u8 variant = i.variant;
  const auto round = rounding_of(variant);
  const bool ftz = std::is_same_v<T, float> && (variant & 8) != 0;
  for_lanes(w.destination<Slot<T>>(i.d), mask, [=](int l) {
    T x = from_slot<T>(a[l]);
    if (ftz) x = flushed(x);
    if (round == Round::none)
      x = ops::is_nan(x) ? ops::quiet_nan<T>() : x;
    else if constexpr (ops::Narrow<T>)
      x = T::from_double(integral(x.widened(), round));
    else
      x = ops::canonical(T(integral(double(x), round)));
    return to_slot<T>(limited(x, variant));
  });
  spread_poison(w, i.d, mask, i.a);
}

/// The conversion F to f32 or f64; `rounds` says whether it may name a rounding.
template <class D, class A, class F, bool rounds>
Handler finished(const Conversion& how) {
  if constexpr (rounds)
    return how.sat ? in_mode<&unary<D, A, Sat<F>>>(how.round) : in_mode<&unary<D, A, F>>(how.round);
  else
    return how.sat ? &unary<D, A, Sat<F>> : &unary<D, A, F>;
}
template <class D, class A, bool rounds>
Handler wide_float(const Conversion& how) {
  using F = ToFloat<A, D>;
  if constexpr (std::is_same_v<A, float> || std::is_same_v<D, float>) {
    if (how.ftz) return finished<D, A, Ftz<F, float>, rounds>(how);
  }
  return finished<D, A, F, rounds>(how);
}

constexpr bool is_narrow(S t) { return t == S::f16 || t == S::bf16; }
constexpr bool is_float(S t) { return is_narrow(t) || t == S::f32 || t == S::f64; }

/// Between a float and another type, or the same float: null for what PTX does not have.
Handler float_convert_handler(S a, S d, const Conversion& how) {
  const bool whole = how.integral != Round::none, rounds = how.round != Round::none;
  if (how.ftz && a != S::f32 && d != S::f32) return nullptr;
  if (how.relu && (how.sat || !is_narrow(d) || !is_float(a))) return nullptr;
  return with_types(a, d, [&]<class From, class To>(From, To) -> Handler {
    using A = TypeOf<From>;
    using D = TypeOf<To>;
    constexpr bool packed = requires(A x) { x.low(); }
    || requires(D x) { x.low(); };
    constexpr bool integers = std::is_integral_v<A> && std::is_integral_v<D>;
    if constexpr (packed || integers) {
      return nullptr;
    } else if constexpr (std::is_integral_v<D>) {
      return whole && !rounds ? &integer_of_float<A, D> : nullptr;
    } else if constexpr (std::is_same_v<A, D>) {
      return rounds ? nullptr : &same_float<D>;
    } else if constexpr (!std::is_integral_v<A> && sizeof(D) > sizeof(A)) {
      return whole || rounds ? nullptr : wide_float<D, A, false>(how);
    } else if (whole || !rounds) {
      return nullptr;
    } else if constexpr (ops::Narrow<D>) {
      return how.packed() == u8(Round::nearest) ? &unary<D, A, ToFloat<A, D>>
                                                : &narrow_of_any<A, D>;
    } else {
      return wide_float<D, A, true>(how);
    }
  });
}

struct LowWord {
  static constexpr int moves = 1;
  u32 operator()(u64 a) const { return u32(a); }
};

}  // namespace

std::optional<Operand> Decoder::low_word(const ptx::Instruction& i, const ptx::Operand& o,
                                         unsigned bytes) {
  if (bytes > 4 || o.kind != ptx::Operand::Kind::name || register_size(o.name) != 8) return {};
  Inst& inst = compute(i, &unary<u32, u64, LowWord>, {{o, 8}});
  means(Meaning::Part::low_word);
  return inst.d = define(temporary());
}

bool Decoder::convert(const ptx::Instruction& i) {
  if (convert_pair(i)) return true;
  const auto& o = i.operands;
  std::vector<S> types;
  std::vector<std::string_view> rest;
  split(i, types, rest);
  if (types.size() != 2 || o.size() != 2) return false;
  Conversion how;
  how.round = take_round(rest);
  how.integral = take_round(rest, true);
  how.ftz = take(rest, "ftz");
  how.sat = take(rest, "sat");
  how.relu = take(rest, "relu");
  if (!rest.empty() || (how.round != Round::none && how.integral != Round::none)) return false;
  const S d = types[0], a = types[1];
  // An integer result is extended to the whole destination register.
  const auto width = register_size(o[0].name);
  const bool wide = width == 8;
  const u32 keep = width == 2 ? 0xFFFF : ~0U;
  const bool extend = is_float(a) && !is_float(d) && width > size_of(d);
  const bool integers = !is_float(d) && !is_float(a);
  if (integers &&
      (how.round != Round::none || how.integral != Round::none || how.ftz || how.relu)) {
    return false;
  }
  const Handler h =
      integers ? integer_convert_handler(a, d, wide, how.sat) : float_convert_handler(a, d, how);
  if (h == nullptr) return false;
  const auto low = low_word(i, o[1], size_of(a));
  emit(i, Kind::data);
  const auto in = low ? use(*low) : value(i, o[1], size_of(a));
  kernel_.code.back().fn = h;
  kernel_.code.back().a = in;
  kernel_.code.back().variant = how.packed();
  kernel_.code.back().type = d;
  kernel_.code.back().keep = keep;
  if (extend) {
    const auto own_width = temporary();
    kernel_.code.back().d = own_width;
    emit(i, Kind::data);
    means(Meaning::Part::other);
    kernel_.code.back().fn = integer_convert_handler(d, d, wide, false);
    kernel_.code.back().a = own_width;
    kernel_.code.back().keep = keep;
  }
  kernel_.code.back().d = result(i, o[0], is_float(d) ? size_of(d) : std::max(width, size_of(d)));
  return true;
}

}  // namespace gauntlet::simt
