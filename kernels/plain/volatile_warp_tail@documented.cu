constexpr unsigned block_size = 256;

extern "C" __global__ void volatile_warp_tail(const float* in, float* out,
                                              unsigned long long n) {
  __shared__ volatile float s[block_size];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned first = blockIdx.x * (2 * B);
  const float* tile = in + first;
  const float a = tile[t];
  const float b = tile[t + B];
  s[t] = a + b;
  __syncthreads();
  int k = static_cast<int>(B / 2);
  for (; k > 32; k /= 2) {
    if (t < k) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t < 32) {
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
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}
