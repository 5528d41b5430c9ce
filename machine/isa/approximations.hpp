// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What PTX lets a GPU approximate (PTX ISA 9.0, 9.7.3 and 9.7.4), rounded correctly here: computed
// in double, and once more in long double where the double lies too near the middle between two
// floats, so that no host's mathematical library decides the last bit. docs/limits.md has the rule
// and how far an H100 is from it. For all lanes at once there is a guess before that: a series
// without branches, which decides but one result in half a million (all_lanes).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "machine/isa/operations.hpp"
#include "machine/state/lanes.hpp"
#include "machine/state/warp.hpp"

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
  /// The same, or what a modifier has made of it (Self), of all lanes. A guess is no farther than
  /// 512 units of its last place from the value; where it is farther from the middle between two
  /// floats, its float is the value's, and a normal one. `d` may be `a`.
  template <class Self>
  static void all_lanes(std::uint32_t* d, const std::uint32_t* a,
                        std::uint32_t mask) requires requires {
    F::guess(0.0F);
  }
  {
    alignas(64) float x[warp_size];
    alignas(64) double guess[warp_size];
    alignas(64) std::uint32_t unsure[warp_size];
    for (int l = 0; l < warp_size; ++l) x[l] = std::bit_cast<float>(a[l]);
    for (int l = 0; l < warp_size; ++l) guess[l] = F::guess(x[l]);
    std::uint32_t any = 0;
    for (int l = 0; l < warp_size; ++l) {
      constexpr std::uint32_t middle = 0x1000'0000, error = 512;
      const auto low = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(guess[l]));
      const std::uint32_t near = (low & 0x1FFF'FFFF) - (middle - error) <= 2 * error ? 1 : 0;
      const float size = F::of_positive ? x[l] : std::fabs(x[l]);
      const std::uint32_t within = (size >= F::least ? 1U : 0U) & (size <= F::most ? 1U : 0U);
      unsure[l] = near | (within ^ 1);
      any |= unsure[l];
      d[l] = std::bit_cast<std::uint32_t>(float(guess[l]));
    }
    for (const unsigned l : lanes_of(any != 0 ? mask : 0)) {
      if (unsure[l] != 0) d[l] = std::bit_cast<std::uint32_t>(Self{}(x[l]));
    }
  }
};

/// c[0] + c[1] x + c[2] x^2 ...
template <std::size_t count>
double series(const std::array<double, count>& c, double x) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    double y = 0;
    ((y = y * x + c[count - 1 - k]), ...);
    return y;
  }
  (std::make_index_sequence<count>{});
}
/// step^k / k! for k = first, first + each, ...
template <std::size_t count>
constexpr std::array<double, count> taylor(double step, int first, int each) {
  std::array<double, count> c{};
  double term = 1;
  for (int k = 0, next = first; next < first + int(count) * each; ++k) {
    if (k == next) {
      c[std::size_t((k - first) / each)] = term;
      next += each;
    }
    term *= step / (k + 1);
  }
  return c;
}
/// Added to a number below 2^51 it leaves a whole number in the lowest bits.
inline constexpr double whole = 0x1.8p52;

/// Of |x| <= 2^15: the remainder of x by pi/2, whose double is split into parts of 33 bits so that
/// their products by the quotient are exact, and the sine or cosine of that.
inline double sine_guess(float of, std::uint64_t quarters) {
  static constexpr auto sine = [] {
    auto c = taylor<8>(1, 1, 2);
    for (std::size_t k = 1; k < c.size(); k += 2) c[k] = -c[k];
    return c;
  }();
  static constexpr auto cosine = [] {
    auto c = taylor<9>(1, 0, 2);
    for (std::size_t k = 1; k < c.size(); k += 2) c[k] = -c[k];
    return c;
  }();
  const double x = of, t = x * 0x1.45f306dc9c883p-1 + whole, n = t - whole;
  const double r = ((x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
  const double square = r * r;
  const std::uint64_t quadrant = std::bit_cast<std::uint64_t>(t) + quarters;
  const double s = r * series(sine, square), c = series(cosine, square);
  // No branches, so that the loop over the lanes needs none.
  const std::uint64_t odd = 0 - (quadrant & 1), of_c = std::bit_cast<std::uint64_t>(c);
  const std::uint64_t y = (of_c & odd) | (std::bit_cast<std::uint64_t>(s) & ~odd);
  return std::bit_cast<double>(y ^ (quadrant & 2) << 62);
}

struct Exp2Of {
  /// Where the guess is one: of positive numbers alone, or of both signs, between the two.
  static constexpr bool of_positive = false;
  static constexpr float least = 0, most = 125;
  static double guess(float of) {
    static constexpr auto c = taylor<14>(0x1.62e42fefa39efp-1, 0, 1);
    const double x = of, t = x + whole;
    const auto y = std::bit_cast<std::uint64_t>(series(c, x - (t - whole)));
    return std::bit_cast<double>(y + (std::bit_cast<std::uint64_t>(t) << 52));
  }
  template <class T>
  T operator()(T x) const {
    return std::exp2(x);
  }
};
struct Log2Of {
  static constexpr bool of_positive = true;
  static constexpr float least = 0x1p-126F, most = 0x1.fffffep127F;
  /// By the logarithm of m = x / 2^e between sqrt(1/2) and sqrt(2): 2 artanh((m - 1) / (m + 1)).
  static double guess(float x) {
    static constexpr auto c = [] {
      std::array<double, 11> all{};
      for (std::size_t k = 0; k < all.size(); ++k)
        all[k] = 0x1.71547652b82fep+1 / double(2 * k + 1);
      return all;
    }();
    const auto bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t e = (bits - 0x3F35'04F3) >> 23;
    const double m = std::bit_cast<float>(bits - (e << 23)), s = (m - 1) / (m + 1);
    return double(e) + s * series(c, s * s);
  }
  template <class T>
  T operator()(T x) const {
    return std::log2(x);
  }
};
struct SinOf {
  static constexpr bool of_positive = false;
  static constexpr float least = 0x1p-120F, most = 0x1p15F;
  static double guess(float x) { return sine_guess(x, 0); }
  template <class T>
  T operator()(T x) const {
    return std::sin(x);
  }
};
struct CosOf {
  static constexpr bool of_positive = false;
  static constexpr float least = 0, most = 0x1p15F;
  static double guess(float x) { return sine_guess(x, 1); }
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
