// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types, operators and the list of instances that row 27 hands to CUB.
//
// Sums use cuda::std::plus<>, as cub::DeviceReduce::Sum does, wherever input and accumulator can be
// added without a conversion that is ambiguous. Integer minimum and maximum use cuda::minimum<> and
// cuda::maximum<>, as cub::DeviceReduce::Min and ::Max do. Float ones do not: `a < b ? a : b`
// returns NaN or a number depending on which side the NaN is, that is on the shape of the tree, and
// DeviceReduce::Min starts at the largest finite value, which hides an infinite minimum. They use
// CUDA's fmin and fmax, started at the infinities.
#pragma once

#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/limits>

#include "kernels/operators.cuh"

namespace gauntlet_cub {

using namespace gauntlet::device;  // the element types

template <class T>
struct FloatMinimum {
  __device__ T operator()(T a, T b) const { return gauntlet::device::minimum::combine(a, b); }
};
template <class T>
struct FloatMaximum {
  __device__ T operator()(T a, T b) const { return gauntlet::device::maximum::combine(a, b); }
};

template <class T>
inline constexpr bool is_float = cuda::std::is_floating_point_v<T> ||
                                 cuda::std::is_same_v<T, f16> || cuda::std::is_same_v<T, bf16>;

/// The operator `operation<In, Acc>::type` and its identity, per spelling in case lines.
template <class In, class Acc>
struct sum {
  using type =
      cuda::std::conditional_t<!cuda::std::is_same_v<In, Acc> && is_float<In> && (sizeof(In) == 2),
                               cuda::std::plus<Acc>, cuda::std::plus<>>;
  __host__ __device__ static Acc identity() { return Acc(0); }
};
template <class In, class Acc>
struct product {
  using type = cuda::std::multiplies<>;
  __host__ __device__ static Acc identity() { return Acc(1); }
};
template <class In, class Acc>
struct minimum {
  using type = cuda::std::conditional_t<is_float<Acc>, FloatMinimum<Acc>, cuda::minimum<>>;
  __host__ __device__ static Acc identity() {
    if constexpr (is_float<Acc>) {
      return Acc(cuda::std::numeric_limits<float>::infinity());
    } else {
      return cuda::std::numeric_limits<Acc>::max();
    }
  }
};
template <class In, class Acc>
struct maximum {
  using type = cuda::std::conditional_t<is_float<Acc>, FloatMaximum<Acc>, cuda::maximum<>>;
  __host__ __device__ static Acc identity() {
    if constexpr (is_float<Acc>) {
      return Acc(-cuda::std::numeric_limits<float>::infinity());
    } else {
      return cuda::std::numeric_limits<Acc>::lowest();
    }
  }
};

}  // namespace gauntlet_cub

// GAUNTLET_CUB_*_INSTANCES(X): X(input, accumulator, operator) for every instance, one list for
// each kind of input, so that each becomes a PTX module of moderate size.
#define GAUNTLET_CUB_FLOAT_INSTANCES(X) \
  X(f32, f32, sum)                      \
  X(f64, f64, sum)                      \
  X(f32, f64, sum)                      \
  X(f32, f32, product)                  \
  X(f32, f32, minimum)                  \
  X(f32, f32, maximum)                  \
  X(f64, f64, product)                  \
  X(f64, f64, minimum)                  \
  X(f64, f64, maximum)

#define GAUNTLET_CUB_HALF_INSTANCES(X) \
  X(f16, f32, sum)                     \
  X(f16, f16, sum)                     \
  X(bf16, f32, sum)                    \
  X(f16, f16, product)                 \
  X(f16, f16, minimum)                 \
  X(f16, f16, maximum)

#define GAUNTLET_CUB_INTEGER_INSTANCES(X) \
  X(i32, i32, sum)                        \
  X(i32, i64, sum)                        \
  X(u32, u32, sum)                        \
  X(i64, i64, sum)                        \
  X(u64, u64, sum)                        \
  X(i8, i32, sum)                         \
  X(u8, u32, sum)                         \
  X(i16, i32, sum)                        \
  X(i32, i32, product)                    \
  X(i32, i32, minimum)                    \
  X(i32, i32, maximum)
