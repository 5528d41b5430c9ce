constexpr unsigned block_size = 256;

extern "C" __global__ void sequential(const float* in, float* out,
                                      unsigned long long n) {
  __shared__ float s[block_size];
  const unsigned t = threadIdx.x;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  s[t] = in[i];
  __syncthreads();
  int k = static_cast<int>(blockDim.x / 2);
  for (; k > 0; k /= 2) {
    if (t < k) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}
