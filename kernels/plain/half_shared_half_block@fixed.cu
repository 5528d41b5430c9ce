// First step of the halving tree: half the smallest power of two that is
// not below `threads`.
__device__ unsigned first_step(unsigned threads) {
  return threads < 2 ? 0u : 1u << (31 - __clz(static_cast<int>(threads - 1)));
}

extern "C" __global__ void half_shared_half_block(const int* in, int* out,
                                                  unsigned long long n) {
  extern __shared__ int s[];
  const unsigned t = threadIdx.x;
  const unsigned threads = blockDim.x;
  const unsigned apart = threads;
  const unsigned long long i =
      static_cast<unsigned long long>(blockIdx.x) * (2 * threads) + threadIdx.x;
  const unsigned long long end = n;
  int sum = i < end ? in[i] : 0;
  if (i + apart < end) {
    sum = sum + in[i + apart];
  }
  s[t] = sum;
  __syncthreads();
  const unsigned cells = threads;
  unsigned k = first_step(cells);
  for (; k > 0; k /= 2) {
    if (t < k && t + k < cells) {
      const int own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t == 0) {
    atomicAdd(out, s[0]);
  }
}
