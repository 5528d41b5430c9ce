// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types under the names that case lines and entry names use, and the conversion of an
// input element to the accumulator type (always exact for the catalogue's 14 pairs).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

namespace gauntlet::device {

using i8 = signed char;
using u8 = unsigned char;
using i16 = short;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using u64 = unsigned long long;
using f16 = __half;
using bf16 = __nv_bfloat16;
using f32 = float;
using f64 = double;

template <class To, class From>
__device__ __forceinline__ To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, f16>) {
    return static_cast<To>(__half2float(value));
  } else if constexpr (std::is_same_v<From, bf16>) {
    return static_cast<To>(__bfloat162float(value));
  } else {
    return static_cast<To>(value);
  }
}

/// The unsigned integer of T's width.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 2, unsigned short,
                                std::conditional_t<sizeof(T) == 4, unsigned int, u64>>;

}  // namespace gauntlet::device
