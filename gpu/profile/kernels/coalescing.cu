// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 9: sectors of global memory. Thread i of the grid accesses element
// offset + i / alike * stride, if i < n, counted in elements of the access; the other array is
// accessed in order. `alike` threads in a row access the same element.

namespace {

struct Pattern {
  unsigned offset, alike, stride, n;
};

__device__ __forceinline__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ __forceinline__ unsigned element(unsigned i, const Pattern& p) {
  return p.offset + i / p.alike * p.stride;
}

}  // namespace

#define PATTERN unsigned offset, unsigned alike, unsigned stride, unsigned n
#define ENTER                                      \
  const Pattern pattern{offset, alike, stride, n}; \
  const unsigned i = thread();                     \
  if (i >= pattern.n) return;                      \
  const unsigned at = element(i, pattern)

#define LOAD(NAME, T)                                                    \
  extern "C" __global__ void load_##NAME(const T* in, PATTERN, T* out) { \
    ENTER;                                                               \
    out[i] = in[at];                                                     \
  }
LOAD(b8, unsigned char)
LOAD(b16, unsigned short)
LOAD(b32, unsigned)
LOAD(b64, double)
LOAD(b128, int4)

#define STORE(NAME, T)                                                    \
  extern "C" __global__ void store_##NAME(const T* in, PATTERN, T* out) { \
    ENTER;                                                                \
    out[at] = in[i];                                                      \
  }
STORE(b8, unsigned char)
STORE(b16, unsigned short)
STORE(b32, unsigned)
STORE(b64, double)
STORE(b128, int4)

/// The old value is not wanted: a reduction.
#define REDUCE(NAME, T)                                                    \
  extern "C" __global__ void reduce_##NAME(const T* in, PATTERN, T* out) { \
    ENTER;                                                                 \
    atomicAdd(out + at, in[i]);                                            \
  }
REDUCE(u32, unsigned)
REDUCE(f32, float)
REDUCE(u64, unsigned long long)

/// The old value goes to `old`.
#define ATOMIC(NAME, T)                                                            \
  extern "C" __global__ void atomic_##NAME(const T* in, PATTERN, T* out, T* old) { \
    ENTER;                                                                         \
    old[i] = atomicAdd(out + at, in[i]);                                           \
  }
ATOMIC(u32, unsigned)
ATOMIC(f32, float)
