// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What PTX lets a GPU approximate (PTX ISA 9.0, 9.7.3 and 9.7.4), rounded correctly here: computed
// in double, and once more in long double where the double lies too near the middle between two
// floats, so that no host's mathematical library decides the last bit. docs/limits.md has the rule
// and how far an H100 is from it.
#pragma once

#include "machine/isa/operations.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {
namespace ops {

/// f(x) as a float; `f` takes and gives double or long double.
template <class F>
float rounded_float(F f, float x) {
  const double y = f(double(x));
  const auto float_y = float(y);
  if (y != y) return canonical(float_y);
  // Normal floats leave 29 bits of a double; an error of 8 units decides only near the middle.
  const auto rest = std::bit_cast<std::uint64_t>(y) & 0x1FFF'FFFF;
  const bool near = rest - 0x0FFF'FFF8 <= 16 || std::fabs(y) < 0x1p-125;
  return near ? float(f(static_cast<long double>(x))) : float_y;
}

/// A function of f32; f16 and bf16 by way of double, which holds enough of it for all their values.
template <class F>
struct Approximation {
  float operator()(float a) const { return rounded_float(F{}, a); }
  template <Narrow T>
  T operator()(T a) const {
    return T::from_double(F{}(double(a.widened())));
  }
};

struct Exp2Of {
  template <class T>
  T operator()(T x) const {
    return std::exp2(x);
  }
};
struct Log2Of {
  template <class T>
  T operator()(T x) const {
    return std::log2(x);
  }
};
struct SinOf {
  template <class T>
  T operator()(T x) const {
    return std::sin(x);
  }
};
struct CosOf {
  template <class T>
  T operator()(T x) const {
    return std::cos(x);
  }
};
struct TanhOf {
  template <class T>
  T operator()(T x) const {
    return std::tanh(x);
  }
};
using Ex2 = Approximation<Exp2Of>;
using Lg2 = Approximation<Log2Of>;
using Sin = Approximation<SinOf>;
using Cos = Approximation<CosOf>;
using Tanh = Approximation<TanhOf>;

struct Rsqrt {
  float operator()(float a) const { return canonical(float(1.0 / std::sqrt(double(a)))); }
  double operator()(double a) const { return canonical(1.0 / std::sqrt(a)); }
};

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: the upper word of the operand decides the upper
/// word of the result; its lower word is zero.
template <class F>
struct UpperWord {
  double operator()(double a) const {
    constexpr std::uint64_t upper = 0xFFFF'FFFF'0000'0000, magnitude = 0x7FF0'0000'0000'0000;
    const auto flush = [](std::uint64_t x) { return (x & magnitude) == 0 ? x & ~(~0ULL >> 1) : x; };
    const auto bits = std::bit_cast<std::uint64_t>(a);
    if (a != a) return canonical(a);
    const double y = F{}(std::bit_cast<double>(flush(bits & upper)));
    if (y != y || std::isinf(y)) return canonical(y);
    return std::bit_cast<double>(flush((std::bit_cast<std::uint64_t>(y) + 0x8000'0000) & upper));
  }
};

/// div.approx: beyond 2^126 the divisor's reciprocal is zero (PTX ISA 9.7.3.8).
struct DivApprox {
  float operator()(float a, float b) const {
    if (std::fabs(b) > 0x1p126F && !std::isinf(b)) return Mul{}(a, std::copysign(0.0F, b));
    return Div{}(a, b);
  }
};

}  // namespace ops
}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
