// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cvt (PTX ISA 9.0, 9.7.9.21).
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "simt/decode/decode.hpp"
#include "simt/decode/handlers.hpp"
#include "simt/decode/operations.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Integer to integer. The result is wrapped to D, then sign- or zero-extended to the destination
/// register, whose width is the mask in Inst::target (32-bit slots).
template <class A, class D, class Out>
void integer_convert(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<Slot<A>>(i.a);
  const Out keep = sizeof(Out) == 8 ? ~Out{0} : Out(i.target);
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
template <class A, class D>
Handler integer_to(bool wide) {
  return wide ? &integer_convert<A, D, u64> : &integer_convert<A, D, u32>;
}
template <class A>
Handler integer_from(S d, bool wide) {
  switch (d) {
    case S::u8:
    case S::b8:
      return integer_to<A, u8>(wide);
    case S::s8:
      return integer_to<A, std::int8_t>(wide);
    case S::u16:
    case S::b16:
      return integer_to<A, u16>(wide);
    case S::s16:
      return integer_to<A, std::int16_t>(wide);
    case S::u32:
    case S::b32:
      return integer_to<A, u32>(wide);
    case S::s32:
      return integer_to<A, std::int32_t>(wide);
    case S::u64:
    case S::b64:
      return integer_to<A, u64>(wide);
    case S::s64:
      return integer_to<A, std::int64_t>(wide);
    default:
      return nullptr;
  }
}

Handler integer_convert_handler(S a, S d, bool wide) {
  switch (a) {
    case S::u8:
    case S::b8:
      return integer_from<u8>(d, wide);
    case S::s8:
      return integer_from<std::int8_t>(d, wide);
    case S::u16:
    case S::b16:
      return integer_from<u16>(d, wide);
    case S::s16:
      return integer_from<std::int16_t>(d, wide);
    case S::u32:
    case S::b32:
      return integer_from<u32>(d, wide);
    case S::s32:
      return integer_from<std::int32_t>(d, wide);
    case S::u64:
    case S::b64:
      return integer_from<u64>(d, wide);
    case S::s64:
      return integer_from<std::int64_t>(d, wide);
    default:
      return nullptr;
  }
}

enum class Round : u8 { none, nearest, zero, down, up };

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
template <class A>
double to_double(A a) {
  if constexpr (ops::Narrow<A>)
    return a.widened();
  else
    return double(a);
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
template <class A, class D>
struct IntegerToFloat {
  D operator()(A a) const {
    if constexpr (std::is_same_v<D, Half>)
      return Half::from_double(double(a));
    else
      return D(a);
  }
};
template <class A, class D>
struct FloatToFloat {
  D operator()(A a) const {
    if constexpr (std::is_same_v<D, Half>)
      return Half::from_double(to_double(a));
    else if constexpr (std::is_same_v<D, Bfloat>)
      return Bfloat::from_double(to_double(a));
    else
      return ops::result_of(D(to_double(a)), D(to_double(a)));  // a widened NaN keeps its payload
  }
};
template <class T, Round R>
struct ToIntegral {
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, Half>)
      return Half::from_double(integral<R>(a.widened()));
    else
      return ops::canonical(T(integral<R>(double(a))));
  }
};
struct PackHalf {  // cvt.rn.f16x2.f32 d, a, b: a is the upper half
  u32 operator()(float a, float b) const {
    return u32{Half::from_double(a).bits} << 16 | Half::from_double(b).bits;
  }
};
struct PackBfloat {
  u32 operator()(float a, float b) const {
    return u32{Bfloat::from_float(a).bits} << 16 | Bfloat::from_float(b).bits;
  }
};
template <class A, class D>
Handler float_to_integer(Round r) {
  switch (r) {
    case Round::nearest:
      return &unary<D, A, FloatToInteger<A, D, Round::nearest>>;
    case Round::zero:
      return &unary<D, A, FloatToInteger<A, D, Round::zero>>;
    case Round::down:
      return &unary<D, A, FloatToInteger<A, D, Round::down>>;
    case Round::up:
      return &unary<D, A, FloatToInteger<A, D, Round::up>>;
    default:
      return nullptr;
  }
}
template <class A>
Handler float_from(S d, Round r) {
  switch (d) {
    case S::u8:
      return float_to_integer<A, u8>(r);
    case S::s8:
      return float_to_integer<A, std::int8_t>(r);
    case S::u16:
      return float_to_integer<A, u16>(r);
    case S::s16:
      return float_to_integer<A, std::int16_t>(r);
    case S::u32:
      return float_to_integer<A, u32>(r);
    case S::s32:
      return float_to_integer<A, std::int32_t>(r);
    case S::u64:
      return float_to_integer<A, u64>(r);
    case S::s64:
      return float_to_integer<A, std::int64_t>(r);
    default:
      return nullptr;
  }
}
template <class A>
Handler integer_to_float(S d) {
  switch (d) {
    case S::f16:
      return &unary<Half, A, IntegerToFloat<A, Half>>;
    case S::f32:
      return &unary<float, A, IntegerToFloat<A, float>>;
    case S::f64:
      return &unary<double, A, IntegerToFloat<A, double>>;
    default:
      return nullptr;
  }
}
Handler integer_to_float(S a, S d) {
  switch (a) {
    case S::u8:
      return integer_to_float<u8>(d);
    case S::s8:
      return integer_to_float<std::int8_t>(d);
    case S::u16:
      return integer_to_float<u16>(d);
    case S::s16:
      return integer_to_float<std::int16_t>(d);
    case S::u32:
      return integer_to_float<u32>(d);
    case S::s32:
      return integer_to_float<std::int32_t>(d);
    case S::u64:
      return integer_to_float<u64>(d);
    case S::s64:
      return integer_to_float<std::int64_t>(d);
    default:
      return nullptr;
  }
}
template <class T>
Handler to_integral(Round r) {
  switch (r) {
    case Round::nearest:
      return &unary<T, T, ToIntegral<T, Round::nearest>>;
    case Round::zero:
      return &unary<T, T, ToIntegral<T, Round::zero>>;
    case Round::down:
      return &unary<T, T, ToIntegral<T, Round::down>>;
    case Round::up:
      return &unary<T, T, ToIntegral<T, Round::up>>;
    default:
      return nullptr;
  }
}
template <class A>
Handler float_to_float(S d) {
  switch (d) {
    case S::f16:
      return &unary<Half, A, FloatToFloat<A, Half>>;
    case S::bf16:
      return &unary<Bfloat, A, FloatToFloat<A, Bfloat>>;
    case S::f32:
      return &unary<float, A, FloatToFloat<A, float>>;
    case S::f64:
      return &unary<double, A, FloatToFloat<A, double>>;
    default:
      return nullptr;
  }
}
bool is_float(S t) { return t == S::f16 || t == S::bf16 || t == S::f32 || t == S::f64; }

struct LowWord {
  u32 operator()(u64 a) const { return u32(a); }
};

}  // namespace

std::optional<Operand> Decoder::low_word(const ptx::Instruction& i, const ptx::Operand& o,
                                         unsigned bytes) {
  if (bytes > 4 || o.kind != ptx::Operand::Kind::name || register_size(o.name) != 8) return {};
  emit(i, Kind::data);
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
  const auto& o = i.operands;
  std::vector<S> types;
  std::vector<std::string_view> rest;
  for (const auto x : i.suffixes) {
    S t;
    if (parse_scalar_type(x, t))
      types.push_back(t);
    else
      rest.push_back(x);
  }
  auto round = Round::none;
  bool sat = false, nearest_even = false;
  for (const auto x : rest) {
    if (std::count(rest.begin(), rest.end(), x) > 1) return false;
    if (round != Round::none && x != "sat") return false;  // one rounding
    if (x == "rni")
      round = Round::nearest;
    else if (x == "rzi")
      round = Round::zero;
    else if (x == "rmi")
      round = Round::down;
    else if (x == "rpi")
      round = Round::up;
    else if (x == "rn")
      nearest_even = true;
    else if (x == "sat")
      sat = true;
    else
      return false;
  }
  (void)nearest_even;
  if (types.size() != 2) return false;
  const S d = types[0], a = types[1];
  Handler h = nullptr;
  if ((d == S::f16x2 || d == S::bf16x2) && a == S::f32 && o.size() == 3 && !sat &&
      round == Round::none) {
    emit(i, Kind::data);
    const auto x = value(i, o[1], 4), y = value(i, o[2], 4);
    auto& inst = kernel_.code.back();
    inst.fn = d == S::f16x2 ? &binary<u32, float, float, PackHalf>
                            : &binary<u32, float, float, PackBfloat>;
    inst.a = x;
    inst.b = y;
    inst.d = result(i, o[0], 4);
    return true;
  }
  if (o.size() != 2) return false;
  // An integer result is extended to the whole destination register.
  const auto width = register_size(o[0].name);
  const bool wide = width == 8;
  const u32 keep = width == 2 ? 0xFFFF : ~0U;
  const bool extend = is_float(a) && !is_float(d) && width > size_of(d);
  if (!is_float(d) && !is_float(a)) {
    h = integer_convert_handler(a, d, wide);
  } else if (sat) {
    return false;
  } else if (is_float(a) && !is_float(d)) {
    h = a == S::f16   ? float_from<Half>(d, round)
        : a == S::f32 ? float_from<float>(d, round)
        : a == S::f64 ? float_from<double>(d, round)
                      : nullptr;
  } else if (!is_float(a)) {
    h = integer_to_float(a, d);
  } else if (a == d && round != Round::none) {
    h = a == S::f16   ? to_integral<Half>(round)
        : a == S::f32 ? to_integral<float>(round)
        : a == S::f64 ? to_integral<double>(round)
                      : nullptr;
  } else if (round == Round::none) {
    h = a == S::f16    ? float_to_float<Half>(d)
        : a == S::bf16 ? float_to_float<Bfloat>(d)
        : a == S::f32  ? float_to_float<float>(d)
                       : float_to_float<double>(d);
  }
  if (h == nullptr) return false;
  const auto low = low_word(i, o[1], size_of(a));
  emit(i, Kind::data);
  const auto in = low ? use(*low) : value(i, o[1], size_of(a));
  kernel_.code.back().fn = h;
  kernel_.code.back().a = in;
  kernel_.code.back().variant = sat ? 1 : 0;
  kernel_.code.back().target = keep;
  if (extend) {
    const auto own_width = temporary();
    kernel_.code.back().d = own_width;
    emit(i, Kind::data);
    kernel_.code.back().fn = integer_convert_handler(d, d, wide);
    kernel_.code.back().a = own_width;
    kernel_.code.back().target = keep;
  }
  kernel_.code.back().d = result(i, o[0], is_float(d) ? size_of(d) : std::max(width, size_of(d)));
  return true;
}

}  // namespace gauntlet::simt
