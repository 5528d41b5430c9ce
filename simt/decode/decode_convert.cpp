// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cvt (PTX ISA 9.0, 9.7.9.21).
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "simt/decode/decode.hpp"
#include "simt/decode/modifiers.hpp"
#include "simt/decode/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Integer to integer. The result is wrapped to D, then sign- or zero-extended to the destination
/// register, whose width is the mask Inst::keep (32-bit slots).
template <class A, class D, class Out>
void integer_convert(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<Slot<A>>(i.a);
  const Out keep = sizeof(Out) == 8 ? ~Out{0} : Out(i.keep);
  if (i.variant != 0) {  // .sat
    using Limits = std::numeric_limits<D>;
    for_lanes(w.destination<Out>(i.d), mask, [=](int l) {
      const auto x = static_cast<__int128>(static_cast<A>(a[l]));
      const auto y = std::clamp<__int128>(x, Limits::min(), Limits::max());
      return Out(static_cast<std::int64_t>(static_cast<D>(y))) & keep;
    });
  } else {
    for_lanes(w.destination<Out>(i.d), mask, [=](int l) {
      return Out(static_cast<std::int64_t>(static_cast<D>(static_cast<A>(a[l])))) & keep;
    });
  }
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

Handler integer_convert_handler(S a, S d, bool wide) {
  return with_types(a, d, [&]<class A, class D>(A, D) -> Handler {
    if constexpr (std::is_integral_v<TypeOf<A>> && std::is_integral_v<TypeOf<D>>) {
      return wide ? &integer_convert<TypeOf<A>, TypeOf<D>, u64>
                  : &integer_convert<TypeOf<A>, TypeOf<D>, u32>;
    } else {
      return nullptr;
    }
  });
}

template <Round R>
double integral(double x) {
  switch (R) {
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
/// A number as a double; 64-bit integers keep in the last bit that there was more, so that what
/// rounds again to a narrow format rounds once.
template <class A>
double to_double(A a) {
  if constexpr (ops::Narrow<A>) {
    return a.widened();
  } else if constexpr (std::is_integral_v<A> && sizeof(A) == 8) {
    const bool negative = a < A(0);
    const u64 x = negative ? 0 - u64(a) : u64(a);
    const double y = x >> 53 == 0 ? double(x) : double(x >> 11 | ((x & 0x7FF) != 0 ? 1 : 0)) * 2048;
    return negative ? -y : y;
  } else {
    return double(a);
  }
}
/// Float to integer: rounds to integral, saturates; NaN gives 0, or the top bit alone where either
/// side has 64 bits.
template <class A, class D, Round R>
struct FloatToInteger {
  D operator()(A a) const {
    const double x = to_double(a);
    if (x != x) {
      return sizeof(A) == 8 || sizeof(D) == 8 ? D(ops::Unsigned<D>(1) << (8 * sizeof(D) - 1))
                                              : D(0);
    }
    const double y = integral<R>(x);
    using Limits = std::numeric_limits<D>;
    // 2^63 and 2^64 are doubles; the limits below them are not.
    if (y >= std::ldexp(1.0, Limits::digits)) return Limits::max();
    if (y < double(Limits::min())) return Limits::min();
    return D(y);
  }
};
/// Any number to a float. R is used where D is narrow; f32 and f64 are rounded as the host is told.
template <class A, class D, Round R>
struct ToFloat {
  D operator()(A a) const {
    if constexpr (std::is_integral_v<A> && std::is_floating_point_v<D>)
      return D(a);
    else if constexpr (ops::Narrow<D>)
      return R == Round::nearest ? D::from_double(to_double(a)) : narrowed<D>(to_double(a), R);
    else
      return ops::result_of(D(to_double(a)), D(to_double(a)));  // a widened NaN keeps its payload
  }
};
template <class T, Round R>
struct ToIntegral {
  T operator()(T a) const {
    if constexpr (ops::Narrow<T>)
      return T::from_double(integral<R>(a.widened()));
    else
      return ops::canonical(T(integral<R>(double(a))));
  }
};
/// The same float; an f32 NaN becomes the canonical one.
struct Same {
  template <class T>
  T operator()(T a) const {
    return ops::is_nan(a) ? ops::quiet_nan<T>() : a;
  }
};

/// `make` is called with the rounding as a constant.
template <class Make>
Handler with_round(Round round, Make make) {
  switch (round) {
    case Round::nearest:
      return make.template operator()<Round::nearest>();
    case Round::zero:
      return make.template operator()<Round::zero>();
    case Round::down:
      return make.template operator()<Round::down>();
    case Round::up:
      return make.template operator()<Round::up>();
    case Round::none:
      break;
  }
  return nullptr;
}

struct How {
  Round round = Round::none;     ///< of a float result: .rn .rz .rm .rp
  Round integral = Round::none;  ///< to a whole number: .rni .rzi .rmi .rpi
  bool ftz = false, sat = false, relu = false;
};

template <class D, class A, class F>
Handler wrapped(const How& how) {
  using Flush = Ftz<F, float>;
  if constexpr (std::is_integral_v<D>) {
    return how.ftz ? &unary<D, A, Flush> : &unary<D, A, F>;
  } else if constexpr (ops::Narrow<D>) {
    if (how.relu) return how.ftz ? &unary<D, A, Relu<Flush>> : &unary<D, A, Relu<F>>;
    return how.sat ? (how.ftz ? &unary<D, A, Sat<Flush>> : &unary<D, A, Sat<F>>)
                   : (how.ftz ? &unary<D, A, Flush> : &unary<D, A, F>);
  } else {
    if (how.sat) {
      return how.ftz ? in_mode<&unary<D, A, Sat<Flush>>>(how.round)
                     : in_mode<&unary<D, A, Sat<F>>>(how.round);
    }
    return how.ftz ? in_mode<&unary<D, A, Flush>>(how.round) : in_mode<&unary<D, A, F>>(how.round);
  }
}

constexpr bool is_narrow(S t) { return t == S::f16 || t == S::bf16; }
constexpr bool is_float(S t) { return is_narrow(t) || t == S::f32 || t == S::f64; }

/// Between a float and another type, or the same float: null for what PTX does not have.
Handler float_convert_handler(S a, S d, const How& how) {
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
      if (rounds) return nullptr;
      return with_round(how.integral, [&]<Round R>() -> Handler {
        return wrapped<D, A, FloatToInteger<A, D, R>>(how);
      });
    } else {
      constexpr bool same = std::is_same_v<A, D>;
      constexpr bool wider = !std::is_integral_v<A> && sizeof(D) > sizeof(A);
      if constexpr (same) {
        if (whole) {
          return with_round(how.integral, [&]<Round R>() -> Handler {
            return wrapped<D, A, ToIntegral<D, R>>(how);
          });
        }
        return rounds ? nullptr : wrapped<D, A, Same>(how);
      } else if constexpr (wider) {
        return whole || rounds ? nullptr : wrapped<D, A, ToFloat<A, D, Round::nearest>>(how);
      } else {
        if (whole) return nullptr;
        if constexpr (ops::Narrow<D>) {
          return with_round(how.round, [&]<Round R>() -> Handler {
            return wrapped<D, A, ToFloat<A, D, R>>(how);
          });
        } else {
          return rounds ? wrapped<D, A, ToFloat<A, D, Round::nearest>>(how) : nullptr;
        }
      }
    }
  });
}

struct LowWord {
  u32 operator()(u64 a) const { return u32(a); }
};

}  // namespace

std::optional<Operand> Decoder::low_word(const ptx::Instruction& i, const ptx::Operand& o,
                                         unsigned bytes) {
  if (bytes > 4 || o.kind != ptx::Operand::Kind::name || register_size(o.name) != 8) return {};
  emit(i, Kind::data);
  means(Meaning::Part::low_word);
  const auto a = value(i, o, 8);
  const auto low = temporary();
  define(low);
  auto& inst = kernel_.code.back();
  inst.fn = &unary<u32, u64, LowWord>;
  inst.a = a;
  inst.d = low;
  return low;
}

bool Decoder::convert(const ptx::Instruction& i) {
  if (convert_pair(i)) return true;
  const auto& o = i.operands;
  std::vector<S> types;
  std::vector<std::string_view> rest;
  split(i, types, rest);
  if (types.size() != 2 || o.size() != 2) return false;
  How how;
  how.round = take_round(rest);
  how.integral = take(rest, "rni")   ? Round::nearest
                 : take(rest, "rzi") ? Round::zero
                 : take(rest, "rmi") ? Round::down
                 : take(rest, "rpi") ? Round::up
                                     : Round::none;
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
      integers ? integer_convert_handler(a, d, wide) : float_convert_handler(a, d, how);
  if (h == nullptr) return false;
  const auto low = low_word(i, o[1], size_of(a));
  emit(i, Kind::data);
  const auto in = low ? use(*low) : value(i, o[1], size_of(a));
  kernel_.code.back().fn = h;
  kernel_.code.back().a = in;
  kernel_.code.back().variant = how.sat ? 1 : 0;
  kernel_.code.back().keep = keep;
  if (extend) {
    const auto own_width = temporary();
    kernel_.code.back().d = own_width;
    emit(i, Kind::data);
    means(Meaning::Part::other);
    kernel_.code.back().fn = integer_convert_handler(d, d, wide);
    kernel_.code.back().a = own_width;
    kernel_.code.back().keep = keep;
  }
  kernel_.code.back().d = result(i, o[0], is_float(d) ? size_of(d) : std::max(width, size_of(d)));
  return true;
}

}  // namespace gauntlet::simt
