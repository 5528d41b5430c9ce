// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

#include "gpu/timing/limit.hpp"

namespace gauntlet::timing {
namespace {

template <class T>
cudaError_t sum(void* temporary, std::size_t& bytes, const void* in, void* out, std::uint64_t n,
                cudaStream_t stream) {
  return cub::DeviceReduce::Sum(temporary, bytes, static_cast<const T*>(in), static_cast<T*>(out),
                                static_cast<int>(n), stream);
}

/// Sum would add halves in half precision.
cudaError_t sum_halves(void* temporary, std::size_t& bytes, const void* in, void* out,
                       std::uint64_t n, cudaStream_t stream) {
  return cub::DeviceReduce::Reduce(temporary, bytes, static_cast<const __half*>(in),
                                   static_cast<float*>(out), static_cast<int>(n),
                                   cuda::std::plus<float>{}, 0.0F, stream);
}

using Function = cudaError_t (*)(void*, std::size_t&, const void*, void*, std::uint64_t,
                                 cudaStream_t);

Function function_of(TypePair types) {
  if (types == TypePair{Type::f32, Type::f32}) return &sum<float>;
  if (types == TypePair{Type::f64, Type::f64}) return &sum<double>;
  if (types == TypePair{Type::i32, Type::i32}) return &sum<int>;
  if (types == TypePair{Type::f16, Type::f32}) return &sum_halves;
  return nullptr;
}

}  // namespace

bool has_direct_cub(TypePair types) { return function_of(types) != nullptr; }

cudaError_t direct_cub(TypePair types, void* temporary, std::size_t& bytes, const void* in,
                       void* out, std::uint64_t n, cudaStream_t stream) {
  const Function function = function_of(types);
  if (function == nullptr || n > 0x7fffffff) return cudaErrorNotSupported;
  return function(temporary, bytes, in, out, n, stream);
}

}  // namespace gauntlet::timing
