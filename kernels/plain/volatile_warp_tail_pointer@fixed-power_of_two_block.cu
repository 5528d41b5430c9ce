// Lanes that exist in the warp of thread t, in a one-dimensional block of
// `threads`.
__device__ unsigned lanes_of_warp(unsigned t, unsigned threads) {
  const unsigned first = t & ~31u;
  const unsigned left = threads - first;
  return left < 32 ? left : 32;
}

__device__ unsigned mask_of_lanes(unsigned lanes) {
  return lanes == 32 ? 0xffffffffu : (1u << lanes) - 1u;
}

__device__ void tail_with_syncwarp(volatile float* s, unsigned t, unsigned B) {
  const unsigned mask = mask_of_lanes(lanes_of_warp(t, B));
#pragma unroll
  for (unsigned o = 32; o > 0; o /= 2) {
    float other = 0.0f;
    if (t + o < B) {
      other = s[t + o];
    }
    __syncwarp(mask);
    s[t] = s[t] + other;
    __syncwarp(mask);
  }
}

extern "C" __global__ void volatile_warp_tail_pointer(const float* in,
                                                      float* out,
                                                      unsigned long long n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned long long i =
      static_cast<unsigned long long>(blockIdx.x) * (2 * B) + threadIdx.x;
  const unsigned long long end = n;
  const float a = i < end ? in[i] : 0.0f;
  const float b = i + B < end ? in[i + B] : 0.0f;
  s[t] = a + b;
  __syncthreads();
  unsigned k = B / 2;
  for (; k > 32; k /= 2) {
    if (t < k) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  if (t < 32) {
    tail_with_syncwarp(reinterpret_cast<volatile float*>(s), t, B);
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}
