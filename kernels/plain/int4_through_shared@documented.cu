constexpr unsigned block_size = 256;

struct alignas(16) Vector {
  int x[4];
};

// The thread's vector, or identities.
__device__ Vector own_vector(const int* in, unsigned long long n) {
  const unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * g < static_cast<unsigned>(n)) {
    const uint4 bits = reinterpret_cast<const uint4*>(in)[g];
    return *reinterpret_cast<const Vector*>(&bits);
  }
  Vector v;
#pragma unroll
  for (unsigned e = 0; e < 4; ++e) {
    v.x[e] = 0;
  }
  return v;
}

__device__ void halving_tree(int* s, unsigned t, unsigned B) {
  size_t k = static_cast<size_t>(B / 2);
  for (; k > 0; k /= 2) {
    if (t < k) {
      const int own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
}

extern "C" __global__ void int4_through_shared(const int* in, int* out,
                                               unsigned long long n) {
  const unsigned t = threadIdx.x;
  const unsigned B = block_size;
  __shared__ int s[4 * block_size];
  const Vector own = own_vector(in, n);
  reinterpret_cast<uint4*>(s)[t] = *reinterpret_cast<const uint4*>(&own);
  __syncthreads();
  int y = s[4 * t];
#pragma unroll
  for (unsigned e = 1; e < 4; ++e) {
    y = y + s[4 * t + e];
  }
  __syncthreads();
  s[t] = y;
  __syncthreads();
  halving_tree(s, t, B);
  if (t == 0) {
    atomicAdd(out, s[0]);
  }
}
