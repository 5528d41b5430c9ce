// First step of the halving tree: half the smallest power of two that is
// not below `threads`.
__device__ unsigned first_step(unsigned threads) {
  return threads < 2 ? 0u : 1u << (31 - __clz(static_cast<int>(threads - 1)));
}

extern "C" __global__ void two_pass(const float* in, float* out,
                                    unsigned long long n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned long long stride =
      static_cast<unsigned long long>(gridDim.x) * B;
  float y = 0.0f;
  for (unsigned long long i =
           static_cast<unsigned long long>(blockIdx.x) * B + t;
       i < n; i += stride) {
    y = y + in[i];
  }
  s[t] = y;
  __syncthreads();
  unsigned k = first_step(B);
  for (; k > 0; k /= 2) {
    if (t < k && t + k < B) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}
