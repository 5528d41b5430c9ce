struct alignas(16) Vector {
  int x[4];
};

// Vector g of the input, the identity where it has no element.
__device__ Vector vector_at(const int* in, unsigned long long g,
                            unsigned long long n) {
  const unsigned long long first = 4 * g;
  bool whole = true;
  whole = first + 4 <= n;
  whole = whole && reinterpret_cast<unsigned long long>(in) % 16 == 0;
  if (whole) {
    const uint4 bits = reinterpret_cast<const uint4*>(in)[g];
    return *reinterpret_cast<const Vector*>(&bits);
  }
  Vector v;
#pragma unroll
  for (unsigned e = 0; e < 4; ++e) {
    v.x[e] = first + e < n ? in[first + e] : 0;
  }
  return v;
}

// The thread's vector, or identities.
__device__ Vector own_vector(const int* in, unsigned long long n) {
  const unsigned long long g =
      static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (4 * g < n) {
    return vector_at(in, g, n);
  }
  Vector v;
#pragma unroll
  for (unsigned e = 0; e < 4; ++e) {
    v.x[e] = 0;
  }
  return v;
}

// First step of the halving tree: half the smallest power of two that is
// not below `threads`.
__device__ unsigned first_step(unsigned threads) {
  return threads < 2 ? 0u : 1u << (31 - __clz(static_cast<int>(threads - 1)));
}

__device__ void halving_tree(int* s, unsigned t, unsigned B) {
  unsigned k = first_step(B);
  for (; k > 0; k /= 2) {
    if (t < k && t + k < B) {
      const int own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
}

extern "C" __global__ void int4_through_shared(const int* in, int* out,
                                               unsigned long long n) {
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  extern __shared__ int s[];
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
