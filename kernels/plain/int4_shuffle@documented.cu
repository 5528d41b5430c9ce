constexpr unsigned block_size = 256;

struct alignas(16) Vector {
  int x[4];
};

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
  const unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * g < static_cast<unsigned>(n)) {
    const uint4 bits = reinterpret_cast<const uint4*>(in)[g];
    return combine_elements(*reinterpret_cast<const Vector*>(&bits));
  }
  return 0;
}

extern "C" __global__ void int4_shuffle(const int* in, int* out,
                                        unsigned long long n) {
  __shared__ int s[block_size];
  const unsigned t = threadIdx.x;
  const unsigned B = block_size;
  s[t] = sum_of_own_vector(in, n);
  __syncthreads();
  size_t k = static_cast<size_t>(B / 2);
  for (; k > 32; k /= 2) {
    if (t < k) {
      const int own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t < 32) {
    int y = s[t];
    if (t + 32 < B) {
      y = y + s[t + 32];
    }
#pragma unroll
    for (unsigned o = 16; o > 0; o /= 2) {
      const int other = __shfl_down_sync(0xffffffffu, y, o);
      y = y + other;
    }
    if (t == 0) {
      atomicAdd(out, y);
    }
  }
}
