extern "C" __global__ void full_unroll(const float* in, float* out,
                                       unsigned long long n) {
  extern __shared__ volatile float s[];
  const unsigned t = threadIdx.x;
  const unsigned long long first =
      static_cast<unsigned long long>(blockIdx.x) * 512;
  const float* tile = in + first;
  const unsigned long long end = n;
  const float a = first + t < end ? tile[t] : 0.0f;
  const float b = first + t + 256 < end ? tile[t + 256] : 0.0f;
  s[t] = a + b;
  __syncthreads();
  if (t < 128) {
    s[t] = s[t] + s[t + 128];
  }
  __syncthreads();
  if (t < 64) {
    s[t] = s[t] + s[t + 64];
  }
  __syncthreads();
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
