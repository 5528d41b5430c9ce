// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Document E's cache of temporary storage for cub::DeviceReduce: register each size that will be
// reduced, which asks CUB how many bytes it needs and keeps the most; allocate once; then reduce
// without allocating. The order of registration does not matter. The document calls
// cub::DeviceReduce::Max of ints, and no stream: two of them are ours.
//
// Sums use cuda::std::plus<>, as cub::DeviceReduce::Sum does, wherever an element can be added
// without a conversion that is ambiguous. Integer minima and maxima use cuda::minimum<> and
// cuda::maximum<>, as Min and Max do. Float ones do not: with `a < b ? a : b` the shape of the tree
// decides whether a NaN is lost, and Min starts at the largest finite value, which hides an
// infinite minimum.
#include <cub/device/device_reduce.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/type_traits>

using Limits = cuda::std::numeric_limits<ACC>;

#if OP_IS(sum)
constexpr bool ambiguous = sizeof(T) == 2 && !cuda::std::is_integral_v<T> && sizeof(ACC) != 2;
using Operator = cuda::std::conditional_t<ambiguous, cuda::std::plus<ACC>, cuda::std::plus<>>;
static const ACC identity = ACC(0);
#elif OP_IS(product)
using Operator = cuda::std::multiplies<>;
static const ACC identity = ACC(1);
#else
struct FloatOperator {
  __device__ ACC operator()(ACC a, ACC b) const { return OP(a, b); }
};
#if OP_IS(min)
using Operator = cuda::std::conditional_t<Limits::is_integer, cuda::minimum<>, FloatOperator>;
static const ACC identity = Limits::is_integer ? Limits::max() : Limits::infinity();
#else
using Operator = cuda::std::conditional_t<Limits::is_integer, cuda::maximum<>, FloatOperator>;
static const ACC identity = Limits::is_integer ? Limits::lowest() : ACC(-Limits::infinity());
#endif
#endif

struct Cache {
  size_t bytes = 0;  // the most that CUB asked for
  void* storage = nullptr;

  cudaError_t reduce(const T* in, ACC* out, unsigned n, cudaStream_t stream = nullptr) {
    return cub::DeviceReduce::Reduce(storage, bytes, in, out, n, Operator{}, identity, stream);
  }
  void register_size(unsigned n) {
    Cache asked;  // without storage CUB says how many bytes it needs
    asked.reduce(nullptr, nullptr, n);
    if (asked.bytes > bytes) bytes = asked.bytes;
  }
  void allocate() {
#if FIX(cache_bytes)
    cudaMalloc(&storage, bytes);
#else
    cudaMalloc(&storage, bytes * sizeof(int));
#endif
  }
};

// A program that has the cache, and reduces n elements.
void cub_device(const T* in, ACC* out, unsigned n) {
  Cache cache;
#if FIX(registered_size)
  cache.register_size(n);
#else
  cache.register_size(4096);  // one tile of ints; nobody reads what CUB answers
#endif
  cache.allocate();
  cache.reduce(in, out, n);
#if !FIX(stream_buffer)
  // Meanwhile all but the last element, in another stream.
  cudaStream_t second = nullptr;
  cudaStreamCreate(&second);
  ACC* out_second = nullptr;
  cudaMalloc(&out_second, sizeof(ACC));
  cache.reduce(in, out_second, n == 0 ? 0 : n - 1, second);
#endif
}
