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

extern "C" __global__ void volatile_warp_tail(const float* in, float* out,
                                              unsigned long long n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned long long first =
      static_cast<unsigned long long>(blockIdx.x) * (2 * B);
  const float* tile = in + first;
  const unsigned long long end = n;
  const float a = first + t < end ? tile[t] : 0.0f;
  const float b = first + t + B < end ? tile[t + B] : 0.0f;
  s[t] = a + b;
  __syncthreads();
  unsigned k = first_step(B);
  for (; k > 32; k /= 2) {
    if (t < k && t + k < B) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t < 32) {
    const unsigned mask = mask_of_lanes(lanes_of_warp(t, B));
#pragma unroll
    for (unsigned o = 32; o > 0; o /= 2) {
      float other = 0.0f;
      if (t + o < B) {
        other = s[t + o];
      }
      __syncwarp(mask);
      s[t] = s[t] + other;
      __syncwarp(mask);
    }
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}
