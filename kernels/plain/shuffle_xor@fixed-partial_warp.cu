// First step of the halving tree: half the smallest power of two that is
// not below `threads`.
__device__ unsigned first_step(unsigned threads) {
  return threads < 2 ? 0u : 1u << (31 - __clz(static_cast<int>(threads - 1)));
}

extern "C" __global__ void shuffle_xor(const float* in, float* out,
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
  float y = s[t];
  for (unsigned o = 16; o > 0; o /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, y, o);
    y = y + other;
  }
  if (t == 0) {
    atomicAdd(out, y);
  }
}
