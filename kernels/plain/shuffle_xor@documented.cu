extern "C" __global__ void shuffle_xor(const float* in, float* out,
                                       unsigned long long n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  s[t] = i < static_cast<int>(n) ? in[i] : 0.0f;
  __syncthreads();
  unsigned k = blockDim.x / 2;
  for (; k > 31; k /= 2) {
    if (t < k) {
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
