// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The associative operators, with the identity of each over every accumulator type.
//
// Integers wrap modulo 2^width. Float minimum and maximum are CUDA's fminf/fmaxf, for f16 too
// (a NaN operand is ignored when the other one is a number). The identity of sum is +0.
#pragma once

#include "kernels/types.cuh"

namespace gauntlet::device {

/// -infinity, or the least integer.
template <class T>
__device__ __forceinline__ T lowest_value() {
  if constexpr (std::is_same_v<T, f16>) {
    return __ushort_as_half(0xFC00);
  } else if constexpr (std::is_same_v<T, f32>) {
    return __int_as_float(static_cast<int>(0xFF800000));
  } else if constexpr (std::is_same_v<T, f64>) {
    return __longlong_as_double(static_cast<i64>(0xFFF0000000000000));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(Bits<T>{1} << (8 * sizeof(T) - 1));
  } else {
    return T{0};
  }
}

/// +infinity, or the greatest integer.
template <class T>
__device__ __forceinline__ T highest_value() {
  if constexpr (std::is_same_v<T, f16>) {
    return __ushort_as_half(0x7C00);
  } else if constexpr (std::is_same_v<T, f32>) {
    return __int_as_float(0x7F800000);
  } else if constexpr (std::is_same_v<T, f64>) {
    return __longlong_as_double(0x7FF0000000000000);
  } else {
    return static_cast<T>(~lowest_value<T>());
  }
}

struct sum {
  template <class T>
  __device__ __forceinline__ static T identity() {
    if constexpr (std::is_same_v<T, f16>) {
      return __ushort_as_half(0);
    } else if constexpr (std::is_same_v<T, bf16>) {
      return __ushort_as_bfloat16(0);
    } else {
      return T{0};
    }
  }
  template <class T>
  __device__ __forceinline__ static T combine(T a, T b) {
    if constexpr (std::is_same_v<T, f16>) {
      return __hadd(a, b);
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
    } else {
      return a + b;
    }
  }
};

struct product {
  template <class T>
  __device__ __forceinline__ static T identity() {
    if constexpr (std::is_same_v<T, f16>) {
      return __ushort_as_half(0x3C00);
    } else {
      return T{1};
    }
  }
  template <class T>
  __device__ __forceinline__ static T combine(T a, T b) {
    if constexpr (std::is_same_v<T, f16>) {
      return __hmul(a, b);
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Bits<T>>(a) * static_cast<Bits<T>>(b));
    } else {
      return a * b;
    }
  }
};

struct minimum {
  template <class T>
  __device__ __forceinline__ static T identity() {
    return highest_value<T>();
  }
  template <class T>
  __device__ __forceinline__ static T combine(T a, T b) {
    if constexpr (std::is_same_v<T, f16>) {
      return __float2half(fminf(__half2float(a), __half2float(b)));
    } else if constexpr (std::is_same_v<T, f32>) {
      return fminf(a, b);
    } else if constexpr (std::is_same_v<T, f64>) {
      return fmin(a, b);
    } else {
      return min(a, b);
    }
  }
};

struct maximum {
  template <class T>
  __device__ __forceinline__ static T identity() {
    return lowest_value<T>();
  }
  template <class T>
  __device__ __forceinline__ static T combine(T a, T b) {
    if constexpr (std::is_same_v<T, f16>) {
      return __float2half(fmaxf(__half2float(a), __half2float(b)));
    } else if constexpr (std::is_same_v<T, f32>) {
      return fmaxf(a, b);
    } else if constexpr (std::is_same_v<T, f64>) {
      return fmax(a, b);
    } else {
      return max(a, b);
    }
  }
};

}  // namespace gauntlet::device
