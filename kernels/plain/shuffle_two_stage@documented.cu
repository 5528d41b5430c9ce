// Lanes that exist in the warp of thread t, in a one-dimensional block of
// `threads`.
__device__ unsigned lanes_of_warp(unsigned t, unsigned threads) {
  const unsigned first = t & ~31u;
  const unsigned left = threads - first;
  return left < 32 ? left : 32;
}

// The five steps as listed: lane 0 of a full warp ends with the warp's
// value.
__device__ float reduce_full_warp(float v) {
  v = v + __shfl_down_sync(0xffffffffu, v, 16);
  v = v + __shfl_down_sync(0xffffffffu, v, 8);
  v = v + __shfl_down_sync(0xffffffffu, v, 4);
  v = v + __shfl_down_sync(0xffffffffu, v, 2);
  v = v + __shfl_down_sync(0xffffffffu, v, 1);
  return v;
}

extern "C" __global__ void shuffle_two_stage(const float* in, float* out,
                                             unsigned long long n) {
  __shared__ float w[32];
  const int t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned lanes = lanes_of_warp(t, B);
  const unsigned first = blockIdx.x * (2 * B);
  const float* tile = in + first;
  const float a = tile[t];
  const float b = tile[t + B];
  float v = a + b;
  v = reduce_full_warp(v);
  if (t % 32 == 0) {
    w[t / 32] = v;
  }
  __syncthreads();
  const unsigned warps = B / 32;
  if (t < 32) {
    v = t < warps ? w[t] : 0.0f;
    v = reduce_full_warp(v);
  }
  if (t == 0) {
    out[blockIdx.x] = v;
  }
}
