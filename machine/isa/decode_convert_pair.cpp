// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cvt of two values in one register, and to fp8 and tf32 (PTX ISA 9.0, 9.7.9.21).
#include <algorithm>
#include <cmath>

#include "machine/isa/decode.hpp"
#include "machine/isa/modifiers.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;

/// The formats of fp8: e4m3 has no infinity, so that what is beyond 448 is NaN; e5m2 has one.
struct E4m3 {
  static constexpr int exponent = 4, mantissa = 3;
  static constexpr u32 top = 0x7E, nan = 0x7F;
};
struct E5m2 {
  static constexpr int exponent = 5, mantissa = 2;
  static constexpr u32 top = 0x7B, nan = 0x7F;
};
/// To nearest even, saturated: .satfinite, which every conversion to fp8 has.
template <class E>
u32 to_fp8(double x) {
  if (x != x) return E::nan;
  return encode<E::exponent, E::mantissa>(x, Round::nearest, E::top, E::top, true);
}
template <class E>
Half from_fp8(u32 code) {
  const u32 magnitude = code & 0x7F, sign = (code & 0x80) << 8;
  if (magnitude > E::top) {
    const bool infinite = std::is_same_v<E, E5m2> && magnitude == 0x7C;
    return {u16(infinite ? sign | 0x7C00 : 0x7FFF)};
  }
  const int exponent = int(magnitude >> E::mantissa);
  const u32 fraction = magnitude & ((1U << E::mantissa) - 1);
  constexpr int bias = (1 << (E::exponent - 1)) - 1;
  const double x = std::ldexp(double(exponent != 0 ? fraction + (1U << E::mantissa) : fraction),
                              std::max(exponent, 1) - bias - E::mantissa);
  return {u16(sign | Half::from_double(x).bits)};
}
double relu(double x, bool on) { return on && x < 0 ? 0.0 : x; }

/// cvt.rn.PAIR.f32 d, a, b: a is the upper half.
template <class T, Round R, bool relu_on, bool saturate>
struct PackFloats {
  u32 operator()(float a, float b) const {
    const auto one = [](float x) {
      return u32{narrowed<T>(relu_on && x <= 0 ? 0.0 : double(x), R, saturate).bits};
    };
    return one(a) << 16 | one(b);
  }
};
template <class E, bool relu_on>
struct PackFp8 {
  u16 operator()(float a, float b) const {
    return u16(to_fp8<E>(relu(a, relu_on)) << 8 | to_fp8<E>(relu(b, relu_on)));
  }
  u16 operator()(Packed<Half> a) const {
    return u16(to_fp8<E>(relu(a.high().widened(), relu_on)) << 8 |
               to_fp8<E>(relu(a.low().widened(), relu_on)));
  }
};
template <class E, bool relu_on>
struct UnpackFp8 {
  Packed<Half> operator()(u16 a) const {
    const auto one = [](u32 code) {
      const Half x = from_fp8<E>(code);
      return relu_on && (x.bits & 0x8000) != 0 ? Half{0} : x;
    };
    return Packed<Half>::of(one(a & 0xFF), one(a >> 8));
  }
};
template <class T>
Handler pack_floats(Round round, bool relu_on, bool saturate) {
  const auto with = [&]<Round R>() -> Handler {
    return relu_on ? (saturate ? &binary<u32, float, float, PackFloats<T, R, true, true>>
                               : &binary<u32, float, float, PackFloats<T, R, true, false>>)
                   : (saturate ? &binary<u32, float, float, PackFloats<T, R, false, true>>
                               : &binary<u32, float, float, PackFloats<T, R, false, false>>);
  };
  return round == Round::nearest ? with.template operator()<Round::nearest>()
         : round == Round::zero  ? with.template operator()<Round::zero>()
                                 : nullptr;
}

struct PairConversion {
  Handler handler = nullptr;
  unsigned inputs = 1, input_bytes = 4, result_bytes = 4;
};
template <class E>
PairConversion fp8_pair(std::string_view name, std::vector<std::string_view> words) {
  const bool relu_on = take(words, "relu"), saturate = take(words, "satfinite");
  if (!take(words, "rn") || words.size() != 2) return {};
  if (words[0] == "f16x2" && words[1] == name && !saturate) {
    return {relu_on ? &unary<Packed<Half>, u16, UnpackFp8<E, true>>
                    : &unary<Packed<Half>, u16, UnpackFp8<E, false>>,
            1, 2, 4};
  }
  if (words[0] != name || !saturate) return {};
  if (words[1] == "f16x2") {
    return {relu_on ? &unary<u16, Packed<Half>, PackFp8<E, true>>
                    : &unary<u16, Packed<Half>, PackFp8<E, false>>,
            1, 4, 2};
  }
  if (words[1] == "f32") {
    return {relu_on ? &binary<u16, float, float, PackFp8<E, true>>
                    : &binary<u16, float, float, PackFp8<E, false>>,
            2, 4, 2};
  }
  return {};
}
/// Conversions from or to two values in one register.
PairConversion pair_conversion(const ptx::Instruction& i) {
  auto words = i.suffixes;
  if (auto p = fp8_pair<E4m3>("e4m3x2", words); p.handler != nullptr) return p;
  if (auto p = fp8_pair<E5m2>("e5m2x2", words); p.handler != nullptr) return p;
  const bool relu_on = take(words, "relu"), saturate = take(words, "satfinite");
  const auto round = take_round(words);
  if (words.size() != 2 || words[1] != "f32") return {};
  if (words[0] == "f16x2") return {pack_floats<Half>(round, relu_on, saturate), 2, 4, 4};
  if (words[0] == "bf16x2") return {pack_floats<Bfloat>(round, relu_on, saturate), 2, 4, 4};
  return {};
}

/// cvt.rna.tf32.f32: to 10 bits of mantissa, ties away from zero; .rn and .rz likewise.
template <Round R, bool away>
struct ToTf32 {
  u32 operator()(float a) const {
    auto x = std::bit_cast<u32>(a);
    // Measured on an H100: .rna cuts the bits of a NaN as those of a number.
    if (a != a) return away ? x & ~0x1FFFU : 0x7FFF'FFFF;
    if (std::isinf(a)) return x;
    if (away) x += 0x1000;
    if (!away && R == Round::nearest) x += 0xFFF + (x >> 13 & 1);
    return x & ~0x1FFFU;
  }
};
Handler tf32_handler(const ptx::Instruction& i) {
  if (spelt(i, "rna tf32 f32")) return &unary<u32, float, ToTf32<Round::nearest, true>>;
  if (spelt(i, "rn tf32 f32")) return &unary<u32, float, ToTf32<Round::nearest, false>>;
  if (spelt(i, "rz tf32 f32")) return &unary<u32, float, ToTf32<Round::zero, false>>;
  return nullptr;
}

}  // namespace

bool Decoder::convert_pair(const ptx::Instruction& i) {
  const auto& o = i.operands;
  auto pair = pair_conversion(i);
  if (pair.handler == nullptr) pair = {tf32_handler(i), 1, 4, 4};
  if (pair.handler == nullptr || o.size() != pair.inputs + 1) return false;
  std::vector<Written> in;
  for (std::size_t k = 1; k <= pair.inputs; ++k) in.push_back({o[k], pair.input_bytes});
  compute(i, pair.handler, in, {o[0], pair.result_bytes});
  return true;
}

}  // namespace gauntlet::simt
