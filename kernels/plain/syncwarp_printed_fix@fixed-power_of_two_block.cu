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

// Whether lane t's step stays inside its own warp's cells, and inside s.
__device__ bool step_stays_inside(unsigned t, unsigned o, unsigned B) {
  return t % 32 + o < 32 && t + o < B;
}

extern "C" __global__ void syncwarp_printed_fix(const float* in, float* out,
                                                unsigned long long n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned long long i =
      static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  unsigned k = blockDim.x / 2;
  for (; k > 31; k /= 2) {
    if (t < k) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  const unsigned mask = mask_of_lanes(lanes_of_warp(t, B));
  for (unsigned o = 16; o > 0; o /= 2) {
    float other = 0.0f;
    if (step_stays_inside(t, o, B)) {
      other = s[t + o];
    }
    __syncwarp(mask);
    s[t] = s[t] + other;
    __syncwarp(mask);
  }
  if (t == 0) {
    atomicAdd(out, s[0]);
  }
}
