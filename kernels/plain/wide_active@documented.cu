constexpr unsigned block_size = 256;

extern "C" __global__ void wide_active(const int* in, int* out,
                                       unsigned long long n) {
  __shared__ int s[block_size];
  const unsigned t = threadIdx.x;
  const unsigned B = block_size;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(n)) {
    s[threadIdx.x] = in[i];
  } else {
  }
  __syncthreads();
  for (size_t k = B / 2; k > 0; k /= 2) {
    if (t + k < B) {
      const int own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t == 0) {
    atomicAdd(out, s[0]);
  }
}
