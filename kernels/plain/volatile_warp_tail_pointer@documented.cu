constexpr unsigned block_size = 256;

__device__ void warp_tail(volatile float* s, unsigned t, unsigned B) {
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

extern "C" __global__ void volatile_warp_tail_pointer(const float* in,
                                                      float* out,
                                                      unsigned long long n) {
  __shared__ float s[block_size];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned i = blockIdx.x * (2 * B) + threadIdx.x;
  const float a = in[i];
  const float b = in[i + B];
  s[t] = a + b;
  __syncthreads();
  unsigned k = B / 2;
  for (; k > 32; k /= 2) {
    if (t < k) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t < 32) {
    warp_tail(reinterpret_cast<volatile float*>(s), t, B);
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}
