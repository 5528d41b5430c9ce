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
  unsigned k = B / 2;
  for (; k > 0; k /= 2) {
    if (t < k) {
      const int own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t == 0) {
    atomicAdd(out, s[0]);
  }
}
