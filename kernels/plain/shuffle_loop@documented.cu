extern "C" __global__ void shuffle_loop(const float* in, float* out,
                                        unsigned long long n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned long long first =
      static_cast<unsigned long long>(blockIdx.x) * (2 * B);
  const float* tile = in + first;
  const float a = tile[t];
  const float b = tile[t + B];
  s[t] = a + b;
  __syncthreads();
  unsigned k = B / 2;
  for (; k > 16; k /= 2) {
    if (t < k) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t < 32) {
    float v = s[t];
    for (unsigned o = 16; o > 0; o /= 2) {
      v = v + __shfl_down_sync(0xffffffffu, v, o);
    }
    if (t == 0) {
      out[blockIdx.x] = v;
    }
  }
}
