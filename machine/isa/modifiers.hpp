// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the modifiers of floating-point instructions make of an operation on lane values: .ftz .sat
// .relu wrap the operation, .rz .rm .rp the handler of a whole warp (PTX ISA 9.0, 9.7.3 to 9.7.5).
#pragma once

#include <cfenv>

#include "machine/isa/handlers.hpp"
#include "machine/isa/operations.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

template <class T>
T flushed(T x) {
  if constexpr (std::is_same_v<T, float>) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return (bits & 0x7F80'0000) == 0 ? std::bit_cast<float>(bits & 0x8000'0000) : x;
  } else if constexpr (ops::Narrow<T>) {
    return (x.bits & T::infinity) == 0 ? T{std::uint16_t(x.bits & 0x8000)} : x;
  } else {
    return x;
  }
}

/// T, or the type of a pair's halves.
template <class T>
struct Part {
  using type = T;
};
template <class T>
struct Part<Packed<T>> {
  using type = T;
};
template <class T>
using PartOf = typename Part<T>::type;

/// .ftz: subnormal operands and results of type T become zeros of their sign.
template <class F, class T>
struct Ftz {
  template <class... A>
  requires std::is_invocable_v<F, A...>
  auto operator()(A... a) const {
    const auto result = only(F{}(only(a)...));
    // neg.ftz and abs.ftz are arithmetic on a GPU (measured on an H100): their NaN is the canonical
    // one, while neg and abs without .ftz change the sign bit alone.
    if constexpr (std::is_same_v<decltype(result), const float>) {
      return result != result ? ops::canonical(result) : result;
    } else {
      return result;
    }
  }
  /// Of all lanes at once, where F has that.
  template <class Self>
  static void all_lanes(std::uint32_t* d, const std::uint32_t* a,
                        std::uint32_t mask) requires requires {
    F::template all_lanes<Self>(d, a, mask);
  }
  { F::template all_lanes<Self>(d, a, mask); }

 private:
  template <class X>
  static X only(X x) {
    if constexpr (std::is_same_v<X, T>)
      return flushed(x);
    else
      return x;
  }
};

/// .sat of a float result: into [0, 1], a NaN and -0 become +0.
template <class T>
T saturated(T x) {
  if constexpr (ops::Narrow<T>) {
    const auto y = x.widened();
    return !(y > 0) ? T{0} : y > 1 ? T::rounded(1.0F) : x;
  } else {
    return !(x > 0) ? T(0) : x > 1 ? T(1) : x;
  }
}
template <class F>
struct Sat {
  template <class... A>
  requires std::is_invocable_v<F, A...>
  auto operator()(A... a) const { return saturated(F{}(a...)); }
};

/// .relu: what is below zero becomes +0, a NaN the canonical one.
template <class T>
T rectified(T x) {
  if (ops::is_nan(x)) return ops::quiet_nan<T>();
  return ops::sign_bit(x) ? T{} : x;
}
template <class F>
struct Relu {
  template <class... A>
  requires std::is_invocable_v<F, A...>
  auto operator()(A... a) const { return rectified(F{}(a...)); }
};

/// The operation on both halves of a register.
template <class F>
struct Halves {
  template <class T, class... More>
  auto operator()(Packed<T> a, More... more) const
      -> Packed<decltype(F{}(a.low(), more.low()...))> {
    return Packed<T>::of(F{}(a.low(), more.low()...), F{}(a.high(), more.high()...));
  }
};

/// Runs a handler with the host's rounding turned. Lanes are read from and written to memory that
/// the call could change, so that the arithmetic stays between the two calls.
template <int mode, Handler handler>
void in_mode(Warp& w, const Inst& i, std::uint32_t mask) {
  std::fesetround(mode);
  handler(w, i, mask);
  std::fesetround(FE_TONEAREST);
}
template <Handler handler>
Handler in_mode(Round round) {
  switch (round) {
    case Round::zero:
      return &in_mode<FE_TOWARDZERO, handler>;
    case Round::down:
      return &in_mode<FE_DOWNWARD, handler>;
    case Round::up:
      return &in_mode<FE_UPWARD, handler>;
    default:
      return handler;
  }
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
