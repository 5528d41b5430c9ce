// First step of the halving tree: half the smallest power of two that is
// not below `threads`.
__device__ unsigned first_step(unsigned threads) {
  return threads < 2 ? 0u : 1u << (31 - __clz(static_cast<int>(threads - 1)));
}

extern "C" __global__ void wide_active(const int* in, int* out,
                                       unsigned long long n) {
  extern __shared__ int s[];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned long long i =
      static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) {
    s[threadIdx.x] = in[i];
  } else {
    s[threadIdx.x] = 0;
  }
  __syncthreads();
  for (unsigned k = first_step(B); k > 0; k /= 2) {
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
