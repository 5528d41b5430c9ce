// First step of the halving tree: half the smallest power of two that is
// not below `threads`.
__device__ unsigned first_step(unsigned threads) {
  return threads < 2 ? 0u : 1u << (31 - __clz(static_cast<int>(threads - 1)));
}

extern "C" __global__ void volatile_warp_tail(const float* in, float* out,
                                              unsigned long long n) {
  extern __shared__ volatile float s[];
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
    if (B < 64) {
      if (t + 32 < B) {
        s[t] = s[t] + s[t + 32];
      }
      if (t + 16 < B) {
        s[t] = s[t] + s[t + 16];
      }
      if (t + 8 < B) {
        s[t] = s[t] + s[t + 8];
      }
      if (t + 4 < B) {
        s[t] = s[t] + s[t + 4];
      }
      if (t + 2 < B) {
        s[t] = s[t] + s[t + 2];
      }
      if (t + 1 < B) {
        s[t] = s[t] + s[t + 1];
      }
    } else {
      float own = s[t];
      s[t] = own + s[t + 32];
      own = s[t];
      s[t] = own + s[t + 16];
      own = s[t];
      s[t] = own + s[t + 8];
      own = s[t];
      s[t] = own + s[t + 4];
      own = s[t];
      s[t] = own + s[t + 2];
      own = s[t];
      s[t] = own + s[t + 1];
    }
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}
