#include <cooperative_groups.h>

// Where the first launch leaves its partials: room for 10240 of 8 bytes,
// D's grid. The host finds it as cudaGetSymbolAddress does. One array for
// the whole program: two reductions at once would write over each other's
// partials.
__device__ __align__(16) unsigned char partials[10240 * 8];

// First step of the halving tree: half the smallest power of two that is
// not below `threads`.
__device__ unsigned first_step(unsigned threads) {
  return threads < 2 ? 0u : 1u << (31 - __clz(static_cast<int>(threads - 1)));
}

// Lanes that exist in the warp of thread t, in a one-dimensional block of
// `threads`.
__device__ unsigned lanes_of_warp(unsigned t, unsigned threads) {
  const unsigned first = t & ~31u;
  const unsigned left = threads - first;
  return left < 32 ? left : 32;
}

__device__ unsigned mask_of_lanes(unsigned lanes) {
  return lanes == 32 ? 0xffffffffu : (1u << lanes) - 1u;
}

// Steps of `__shfl_down_sync` over the warp of thread t from a first
// shift on. As printed the mask is full, whatever lanes the warp has.
__device__ float shuffle_steps(float y, unsigned t, unsigned first) {
  const unsigned lanes = lanes_of_warp(t, blockDim.x);
  const unsigned mask = mask_of_lanes(lanes);
  for (unsigned o = first; o > 0; o /= 2) {
    const float other = __shfl_down_sync(mask, y, o);
    if (t % 32 + o < lanes) {
      y = y + other;
    }
  }
  return y;
}

// The same with a tile of 32 threads, which always names all of its
// lanes.
__device__ float tile_steps(float y, unsigned t, unsigned first) {
  if (lanes_of_warp(t, blockDim.x) < 32) {
    return shuffle_steps(y, t, 16);
  }
  const auto tile = cooperative_groups::tiled_partition<32>(
      cooperative_groups::this_thread_block());
  for (unsigned o = first; o > 0; o /= 2) {
    y = y + tile.shfl_down(y, o);
  }
  return y;
}

extern "C" __global__ void static_partials(const float* in, float* out,
                                           unsigned long long n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned long long stride =
      static_cast<unsigned long long>(gridDim.x) * B;
  float y = 0.0f;
  for (unsigned long long i =
           static_cast<unsigned long long>(blockIdx.x) * blockDim.x +
           threadIdx.x;
       i < n; i += stride) {
    y = y + in[i];
  }
  s[t] = y;
  __syncthreads();
  unsigned k = first_step(B);
  for (; k > 31; k /= 2) {
    if (t < k && t + k < B) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  y = tile_steps(s[t], t, 16);
  if (t == 0) {
    out[blockIdx.x] = y;
  }
}
