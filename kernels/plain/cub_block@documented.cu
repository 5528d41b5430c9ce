#include <cub/block/block_reduce.cuh>
#include <cuda/std/functional>

constexpr int block_size = 256;

// CUB's default shuffles under a full mask in every warp, so that a last warp
// of fewer lanes needs another algorithm.
constexpr cub::BlockReduceAlgorithm algorithm =
    block_size > 32 && block_size % 32 != 0 ? cub::BLOCK_REDUCE_RAKING
                                            : cub::BLOCK_REDUCE_WARP_REDUCTIONS;

extern "C" __global__ void __launch_bounds__(block_size)
    cub_block(const int* in, int* out, unsigned long long n) {
  using Reduce = cub::BlockReduce<int, block_size, algorithm>;
  __shared__ Reduce::TempStorage storage;
#pragma unroll 1
  for (unsigned k = 0; k < 2; ++k) {
    const unsigned long long tile = 2ull * blockIdx.x + k;
    const unsigned long long first = tile * block_size;
    if (first >= n) {
      return;
    }
    const int valid = static_cast<int>(
        min(static_cast<unsigned long long>(block_size), n - first));
    int value = 0;
    if (threadIdx.x < valid) {
      value = in[first + threadIdx.x];
    }
    const int total = Reduce(storage).Reduce(value, cuda::std::plus<>{}, valid);
    if (threadIdx.x == 0) {
      out[tile] = total;
    }
  }
}
