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

extern "C" __global__ void shuffle_down(const float* in, float* out,
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
  const float y = shuffle_steps(s[t], t, 16);
  if (t == 0) {
    atomicAdd(out, y);
  }
}
