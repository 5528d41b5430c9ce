struct alignas(16) Vector {
  int x[4];
};

// Vector g of the input, the identity where it has no element.
__device__ Vector vector_at(const int* in, unsigned long long g,
                            unsigned long long n) {
  const unsigned long long first = 4 * g;
  bool whole = true;
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

__device__ int combine_elements(const Vector& v) {
  int y = v.x[0];
#pragma unroll
  for (unsigned e = 1; e < 4; ++e) {
    y = y + v.x[e];
  }
  return y;
}

// The sum of its elements, or the identity.
__device__ int sum_of_own_vector(const int* in, unsigned long long n) {
  const unsigned long long g =
      static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (4 * g < n) {
    return combine_elements(vector_at(in, g, n));
  }
  return 0;
}

// First step of the halving tree: half the smallest power of two that is
// not below `threads`.
__device__ unsigned first_step(unsigned threads) {
  return threads < 2 ? 0u : 1u << (31 - __clz(static_cast<int>(threads - 1)));
}

extern "C" __global__ void int4_coarsened(const int* in, int* out,
                                          unsigned long long n) {
  extern __shared__ int s[];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  s[t] = sum_of_own_vector(in, n);
  __syncthreads();
  unsigned k = first_step(B);
  for (; k > 0; k /= 2) {
    if (t < k && t + k < B) {
      const int own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t == 0) {
    atomicAdd(out, s[0]);
  }
}
