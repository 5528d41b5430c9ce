constexpr unsigned block_size = 256;

extern "C" __global__ void interleaved_atomic(const int* in, int* out,
                                              unsigned long long n) {
  __shared__ int s[block_size];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(n)) {
    s[threadIdx.x] = in[i];
  } else {
  }
  __syncthreads();
  for (size_t k = 1; k < block_size; k *= 2) {
    if (t % (2 * k) == 0 && t + k < block_size) {
      const int own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t == 0) {
    atomicAdd(out, s[0]);
  }
}
