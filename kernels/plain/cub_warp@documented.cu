#include <cub/warp/warp_reduce.cuh>
#include <cuda/std/functional>

constexpr int block_size = 256;

constexpr int lanes = block_size < 32 ? block_size : 32;

extern "C" __global__ void __launch_bounds__(block_size)
    cub_warp(const int* in, int* out, unsigned long long n) {
  using Reduce = cub::WarpReduce<int, lanes>;
  __shared__ Reduce::TempStorage storage[block_size / lanes];
  const unsigned warp = threadIdx.x / lanes;
  const unsigned lane = threadIdx.x % lanes;
#pragma unroll 1
  for (unsigned k = 0; k < 2; ++k) {
    const unsigned long long tile =
        2ull * (blockIdx.x * (block_size / lanes) + warp) + k;
    const unsigned long long first = tile * lanes;
    if (first >= n) {
      return;
    }
    const int valid = static_cast<int>(
        min(static_cast<unsigned long long>(lanes), n - first));
    int value = 0;
    if (lane < valid) {
      value = in[first + lane];
    }
    const int total =
        Reduce(storage[warp]).Reduce(value, cuda::std::plus<>{}, valid);
    if (lane == 0) {
      out[tile] = total;
    }
  }
}
