// Steps of `__shfl_down_sync` over the warp of thread t from a first
// shift on. As printed the mask is full, whatever lanes the warp has.
__device__ float shuffle_steps(float y, unsigned t, unsigned first) {
  for (unsigned o = first; o > 0; o /= 2) {
    const float other = __shfl_down_sync(0xffffffffu, y, o);
    y = y + other;
  }
  return y;
}

extern "C" __global__ void shuffle_down(const float* in, float* out,
                                        unsigned long long n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  s[t] = i < static_cast<int>(n) ? in[i] : 0.0f;
  __syncthreads();
  unsigned k = blockDim.x / 2;
  for (; k > 31; k /= 2) {
    if (t < k) {
      const float own = s[t];
      s[t] = own + s[t + k];
    }
    __syncthreads();
  }
  const float y = shuffle_steps(s[t], t, 16);
  if (t == 0) {
    atomicAdd(out, y);
  }
}
