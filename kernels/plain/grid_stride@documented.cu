#include <cooperative_groups.h>

extern "C" __global__ void grid_stride(const float* in, float* out,
                                       unsigned long long n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const int stride = static_cast<int>(gridDim.x * B);
  float y = 0.0f;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
       i < static_cast<int>(n); i += stride) {
    y = y + in[i];
  }
  s[t] = y;
  __syncthreads();
  unsigned k = B / 2;
  for (; k > 31; k /= 2) {
    if (t < k) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  y = s[t];
  const auto tile = cooperative_groups::tiled_partition<32>(
      cooperative_groups::this_thread_block());
  for (unsigned o = 32; o > 0; o /= 2) {
    y = y + tile.shfl_down(y, o);
  }
  if (t == 0) {
    out[blockIdx.x] = y;
  }
}
