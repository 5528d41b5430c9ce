constexpr unsigned block_size = 256;

extern "C" __global__ void half_shared(const int* in, int* out,
                                       unsigned long long n) {
  __shared__ int s[block_size / 2];
  const unsigned t = threadIdx.x;
  const unsigned threads = blockDim.x;
  const unsigned B = block_size;
  const unsigned apart = B;
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  const unsigned end = static_cast<unsigned>(n);
  int sum = i < end ? in[i] : 0;
  if (i + apart < end) {
    sum = sum + in[i + apart];
  }
  s[t] = sum;
  __syncthreads();
  const unsigned cells = B;
  int k = static_cast<int>(cells / 2);
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
