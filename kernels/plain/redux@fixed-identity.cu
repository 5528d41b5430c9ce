__device__ unsigned mask_of_lanes(unsigned lanes) {
  return lanes == 32 ? 0xffffffffu : (1u << lanes) - 1u;
}

extern "C" __global__ void redux(const int* in, int* out,
                                 unsigned long long n) {
  __shared__ int w[32];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned long long first =
      static_cast<unsigned long long>(blockIdx.x) * B + t;
  const unsigned long long stride =
      static_cast<unsigned long long>(gridDim.x) * B;
  int v = 0;
  for (unsigned long long i = first; i < n; i += stride) {
    v = min(v, in[i]);
  }
  v = __reduce_min_sync(0xffffffffu, v);
  if (t % 32 == 0) {
    w[t / 32] = v;
  }
  __syncthreads();
  const unsigned warps = (B + 31) / 32;
  if (t < warps) {
    v = __reduce_min_sync(mask_of_lanes(warps), w[t]);
    if (t == 0) {
      atomicMin(out, v);
    }
  }
}
