#include <cooperative_groups.h>

// First step of the halving tree: half the smallest power of two that is
// not below `threads`.
__device__ unsigned first_step(unsigned threads) {
  return threads < 2 ? 0u : 1u << (31 - __clz(static_cast<int>(threads - 1)));
}

// The same with a tile of 32 threads, which always names all of its
// lanes.
__device__ float tile_steps(float y, unsigned t, unsigned first) {
  const auto tile = cooperative_groups::tiled_partition<32>(
      cooperative_groups::this_thread_block());
  for (unsigned o = first; o > 0; o /= 2) {
    y = y + tile.shfl_down(y, o);
  }
  return y;
}

extern "C" __global__ void cooperative_tile(const float* in, float* out,
                                            unsigned long long n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  const unsigned long long i =
      static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  unsigned k = first_step(blockDim.x);
  for (; k > 31; k /= 2) {
    if (t < k && t + k < blockDim.x) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  const float y = tile_steps(s[t], t, 16);
  if (t == 0) {
    atomicAdd(out, y);
  }
}
