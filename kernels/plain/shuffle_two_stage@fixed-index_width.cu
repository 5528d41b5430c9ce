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

// The same over the first `lanes` lanes: absent ones are neither named
// nor added.
__device__ float reduce_lanes(float v, unsigned lane, unsigned lanes) {
  const unsigned mask = mask_of_lanes(lanes);
#pragma unroll
  for (unsigned o = 16; o > 0; o /= 2) {
    const float other = __shfl_down_sync(mask, v, o);
    if (lane + o < lanes) {
      v = v + other;
    }
  }
  return v;
}

extern "C" __global__ void shuffle_two_stage(const float* in, float* out,
                                             unsigned long long n) {
  __shared__ float w[32];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned lanes = lanes_of_warp(t, B);
  const unsigned first = blockIdx.x * (2 * B);
  const float* tile = in + first;
  const unsigned end = static_cast<unsigned>(n);
  const float a = first + t < end ? tile[t] : 0.0f;
  const float b = first + t + B < end ? tile[t + B] : 0.0f;
  float v = a + b;
  v = reduce_lanes(v, t % 32, lanes);
  if (t % 32 == 0) {
    w[t / 32] = v;
  }
  __syncthreads();
  const unsigned warps = (B + 31) / 32;
  if (t < 32) {
    v = t < warps ? w[t] : 0.0f;
    v = reduce_lanes(v, t, lanes);
  }
  if (t == 0) {
    out[blockIdx.x] = v;
  }
}
