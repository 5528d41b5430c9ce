extern "C" __global__ void interleaved_atomic(const int* in, int* out,
                                              unsigned long long n) {
  extern __shared__ int s[];
  const unsigned t = threadIdx.x;
  const unsigned long long i =
      static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) {
    s[threadIdx.x] = in[i];
  } else {
  }
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    if (t % (2 * k) == 0 && t + k < blockDim.x) {
      const int own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t == 0) {
    atomicAdd(out, s[0]);
  }
}
