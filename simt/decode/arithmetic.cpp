// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A table row for each opcode and modifier (PTX ISA 9.0, 9.7.1 to 9.7.8).
#include "simt/decode/arithmetic.hpp"

#include <cmath>

#include "simt/decode/bit_operations.hpp"
#include "simt/decode/decode.hpp"
#include "simt/decode/handlers.hpp"
#include "simt/decode/operations.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;
using u8 = std::uint8_t;
using s8 = std::int8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

/// Two f16 or bf16 in a 32-bit register, each half on its own.
template <class T, class F>
struct Packed {
  u32 operator()(u32 a, u32 b) const {
    const auto half = [&](int s) { return u32{F{}(T{u16(a >> s)}, T{u16(b >> s)}).bits} << s; };
    return half(0) | half(16);
  }
  u32 operator()(u32 a) const {
    const auto half = [&](int s) { return u32{F{}(T{u16(a >> s)}).bits} << s; };
    return half(0) | half(16);
  }
  u32 operator()(u32 a, u32 b, u32 c) const {
    const auto half = [&](int s) {
      return u32{F{}(T{u16(a >> s)}, T{u16(b >> s)}, T{u16(c >> s)}).bits} << s;
    };
    return half(0) | half(16);
  }
};

template <class F, class T>
constexpr Handler two() {
  return &binary<T, T, T, F>;
}
template <class F, class T>
constexpr Handler one() {
  return &unary<T, T, F>;
}
template <class F, class T>
constexpr Handler three() {
  return &ternary<T, T, T, T, F>;
}

template <class F>
Handler integer2(S t) {
  switch (t) {
    case S::u16:
    case S::b16:
      return two<F, u16>();
    case S::s16:
      return two<F, s16>();
    case S::u32:
    case S::b32:
      return two<F, u32>();
    case S::s32:
      return two<F, s32>();
    case S::u64:
    case S::b64:
      return two<F, u64>();
    case S::s64:
      return two<F, s64>();
    default:
      return nullptr;
  }
}
template <class F>
Handler integer3(S t) {
  switch (t) {
    case S::u16:
      return three<F, u16>();
    case S::s16:
      return three<F, s16>();
    case S::u32:
      return three<F, u32>();
    case S::s32:
      return three<F, s32>();
    case S::u64:
      return three<F, u64>();
    case S::s64:
      return three<F, s64>();
    default:
      return nullptr;
  }
}
template <class F>
Handler integer1(S t) {
  switch (t) {
    case S::u16:
    case S::b16:
      return one<F, u16>();
    case S::s16:
      return one<F, s16>();
    case S::u32:
    case S::b32:
      return one<F, u32>();
    case S::s32:
      return one<F, s32>();
    case S::u64:
    case S::b64:
      return one<F, u64>();
    case S::s64:
      return one<F, s64>();
    default:
      return nullptr;
  }
}
template <class F>
Handler narrow2(S t) {
  switch (t) {
    case S::f16:
      return two<F, Half>();
    case S::bf16:
      return two<F, Bfloat>();
    case S::f16x2:
      return two<Packed<Half, F>, u32>();
    case S::bf16x2:
      return two<Packed<Bfloat, F>, u32>();
    default:
      return nullptr;
  }
}
template <class F>
Handler float2(S t) {
  if (t == S::f32) return two<F, float>();
  if (t == S::f64) return two<F, double>();
  return narrow2<F>(t);
}
template <class F>
Handler any2(S t) {
  const auto h = integer2<F>(t);
  return h != nullptr ? h : float2<F>(t);
}
Handler fma_handler(S t) {
  switch (t) {
    case S::f32:
      return three<ops::Fma, float>();
    case S::f64:
      return three<ops::Fma, double>();
    case S::f16:
      return three<ops::Fma, Half>();
    case S::bf16:
      return three<ops::Fma, Bfloat>();
    case S::f16x2:
      return three<Packed<Half, ops::Fma>, u32>();
    case S::bf16x2:
      return three<Packed<Bfloat, ops::Fma>, u32>();
    default:
      return nullptr;
  }
}
template <class F>
Handler sign1(S t) {  // neg, abs
  switch (t) {
    case S::f32:
      return one<F, float>();
    case S::f64:
      return one<F, double>();
    case S::f16:
      return one<F, Half>();
    case S::bf16:
      return one<F, Bfloat>();
    case S::f16x2:
      return one<Packed<Half, F>, u32>();
    case S::bf16x2:
      return one<Packed<Bfloat, F>, u32>();
    case S::s16:
      return one<F, s16>();
    case S::s32:
      return one<F, s32>();
    case S::s64:
      return one<F, s64>();
    default:
      return nullptr;
  }
}
template <class F>
Handler shift(S t) {
  switch (t) {
    case S::b16:
    case S::u16:
      return &binary<u16, u16, u32, F>;
    case S::s16:
      return &binary<s16, s16, u32, F>;
    case S::b32:
    case S::u32:
      return &binary<u32, u32, u32, F>;
    case S::s32:
      return &binary<s32, s32, u32, F>;
    case S::b64:
    case S::u64:
      return &binary<u64, u64, u32, F>;
    case S::s64:
      return &binary<s64, s64, u32, F>;
    default:
      return nullptr;
  }
}
template <class F>
Handler wide2(S t) {
  switch (t) {
    case S::u16:
      return &binary<u32, u16, u16, F>;
    case S::s16:
      return &binary<s32, s16, s16, F>;
    case S::u32:
      return &binary<u64, u32, u32, F>;
    case S::s32:
      return &binary<s64, s32, s32, F>;
    default:
      return nullptr;
  }
}
Handler mad_wide(S t) {
  switch (t) {
    case S::u16:
      return &ternary<u32, u16, u16, u32, ops::MadWide>;
    case S::s16:
      return &ternary<s32, s16, s16, s32, ops::MadWide>;
    case S::u32:
      return &ternary<u64, u32, u32, u64, ops::MadWide>;
    case S::s32:
      return &ternary<s64, s32, s32, s64, ops::MadWide>;
    default:
      return nullptr;
  }
}
template <class F>
Handler count1(S t) {  // popc, clz, bfind: a 32-bit result
  switch (t) {
    case S::b32:
    case S::u32:
      return &unary<u32, u32, F>;
    case S::s32:
      return &unary<u32, s32, F>;
    case S::b64:
    case S::u64:
      return &unary<u32, u64, F>;
    case S::s64:
      return &unary<u32, s64, F>;
    default:
      return nullptr;
  }
}
template <class F>
Handler field3(S t) {
  switch (t) {
    case S::u32:
    case S::b32:
      return &ternary<u32, u32, u32, u32, F>;
    case S::s32:
      return &ternary<s32, s32, u32, u32, F>;
    case S::u64:
    case S::b64:
      return &ternary<u64, u64, u32, u32, F>;
    case S::s64:
      return &ternary<s64, s64, u32, u32, F>;
    default:
      return nullptr;
  }
}
template <class F>
Handler real1(S t) {
  return t == S::f32 ? one<F, float>() : t == S::f64 ? one<F, double>() : nullptr;
}
template <class F>
Handler real2(S t) {
  return t == S::f32 ? two<F, float>() : t == S::f64 ? two<F, double>() : nullptr;
}
template <class F>
Handler divide(S t) {
  const auto h = integer2<F>(t);
  return h != nullptr ? h : real2<F>(t);
}
template <class F>
Handler funnel(S t) {
  return t == S::b32 ? three<F, u32>() : nullptr;
}
template <class F>
Handler bits1(S t) {
  return t == S::b32 ? one<F, u32>() : t == S::b64 ? one<F, u64>() : nullptr;
}

struct CopySign {  // copysign.f32 d, a, b: sign of a, magnitude of b
  template <class T>
  T operator()(T a, T b) const {
    return std::copysign(b, a);
  }
};
struct Rsqrt {
  float operator()(float a) const { return ops::canonical(float(1.0 / std::sqrt(double(a)))); }
  double operator()(double a) const { return ops::canonical(1.0 / std::sqrt(a)); }
};

/// Where operands differ from the instruction's type.
enum class Shape : u8 {
  same,
  shift,  ///< the second one has 32 bits
  field,  ///< so have the second and third
  wide,   ///< the result and the third are twice as wide
  count   ///< the result has 32 bits
};

struct Row {
  std::string_view opcode, modifiers;
  unsigned inputs;
  Handler (*select)(S);
  Shape shape = Shape::same;
};

constexpr Row rows[] = {
    {"add", "", 2, any2<ops::Add>},
    {"add", "rn", 2, float2<ops::Add>},
    {"sub", "", 2, any2<ops::Sub>},
    {"sub", "rn", 2, float2<ops::Sub>},
    {"mul", "lo", 2, integer2<ops::Mul>},
    {"mul", "hi", 2, integer2<ops::MulHi>},
    {"mul", "wide", 2, wide2<ops::MulWide>, Shape::wide},
    {"mul", "", 2, float2<ops::Mul>},
    {"mul", "rn", 2, float2<ops::Mul>},
    {"mad", "lo", 3, integer3<ops::Mad>},
    {"mad", "hi", 3, integer3<ops::MadHi>},
    {"mad", "wide", 3, mad_wide, Shape::wide},
    {"mad", "rn", 3, fma_handler},
    {"fma", "rn", 3, fma_handler},
    {"sad", "", 3, integer3<ops::Sad>},
    {"div", "", 2, integer2<ops::Div>},
    {"div", "rn", 2, divide<ops::Div>},
    {"div", "full", 2, real2<ops::Div>},
    {"div", "approx", 2, real2<ops::Div>},
    {"rem", "", 2, integer2<ops::Rem>},
    {"min", "", 2, any2<ops::Min>},
    {"max", "", 2, any2<ops::Max>},
    {"min", "NaN", 2, float2<ops::MinNan>},
    {"max", "NaN", 2, float2<ops::MaxNan>},
    {"and", "", 2, integer2<ops::And>},
    {"or", "", 2, integer2<ops::Or>},
    {"xor", "", 2, integer2<ops::Xor>},
    {"not", "", 1, integer1<ops::Not>},
    {"cnot", "", 1, integer1<ops::Cnot>},
    {"neg", "", 1, sign1<ops::Neg>},
    {"abs", "", 1, sign1<ops::Abs>},
    {"shl", "", 2, shift<ops::Shl>, Shape::shift},
    {"shr", "", 2, shift<ops::Shr>, Shape::shift},
    {"shf", "l.wrap", 3, funnel<ops::FunnelLeftWrap>},
    {"shf", "l.clamp", 3, funnel<ops::FunnelLeftClamp>},
    {"shf", "r.wrap", 3, funnel<ops::FunnelRightWrap>},
    {"shf", "r.clamp", 3, funnel<ops::FunnelRightClamp>},
    {"sqrt", "rn", 1, real1<ops::Sqrt>},
    {"sqrt", "approx", 1, real1<ops::Sqrt>},
    {"rcp", "rn", 1, real1<ops::Rcp>},
    {"rcp", "approx", 1, real1<ops::Rcp>},
    {"rsqrt", "approx", 1, real1<Rsqrt>},
    {"copysign", "", 2, real2<CopySign>},
    {"popc", "", 1, count1<ops::Popc>, Shape::count},
    {"clz", "", 1, count1<ops::Clz>, Shape::count},
    {"bfind", "", 1, count1<ops::Bfind<false>>, Shape::count},
    {"bfind", "shiftamt", 1, count1<ops::Bfind<true>>, Shape::count},
    {"brev", "", 1, bits1<ops::Brev>},
    {"bfe", "", 3, field3<ops::Bfe>, Shape::field},
};

}  // namespace

Arithmetic find_arithmetic(std::string_view opcode, std::string_view modifiers, S type) {
  for (const auto& row : rows) {
    if (row.opcode != opcode || row.modifiers != modifiers) continue;
    const unsigned bytes = size_of(type);
    Arithmetic found{row.select(type), row.inputs, {bytes, bytes, bytes}, bytes};
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
