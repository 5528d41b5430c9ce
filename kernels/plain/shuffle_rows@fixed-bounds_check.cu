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

extern "C" __global__ void shuffle_rows(const float* in, float* out,
                                        unsigned long long n) {
  __shared__ float w[32];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned rows = blockDim.y;
  const unsigned long long i =
      static_cast<unsigned long long>(blockIdx.x) * (32 * rows) + 32 * y + x;
  float v;
  v = in[i];
  v = reduce_full_warp(v);
  if (x == 0) {
    w[y] = v;
  }
  __syncthreads();
  if (y == 0) {
    v = x < rows ? w[x] : 0.0f;
    v = reduce_full_warp(v);
    if (x == 0) {
      out[blockIdx.x] = v;
    }
  }
}
