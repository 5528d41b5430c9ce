// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 10: banks of shared memory. One warp; lane l of those in `mask` accesses element
// index[l], counted in elements of the access, so that any pattern of addresses can be asked for.
// Shared memory holds `words` words, filled in order by the warp, each with its own number.

namespace {

extern __shared__ uint4 shared_quads[];

__device__ __forceinline__ void fill(unsigned words) {
  unsigned* s = reinterpret_cast<unsigned*>(shared_quads);
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) s[i] = i;
  __syncthreads();
}

template <class T>
__device__ __forceinline__ T* elements() {
  return reinterpret_cast<T*>(shared_quads);
}

__device__ __forceinline__ bool takes_part(unsigned mask) { return (mask >> threadIdx.x & 1) != 0; }

template <class T>
__device__ __forceinline__ void load(const unsigned* index, unsigned mask, unsigned words, T* out) {
  fill(words);
  const unsigned at = index[threadIdx.x];
  if (takes_part(mask)) out[threadIdx.x] = elements<T>()[at];
}

/// `value` has as many elements as lanes.
template <class T>
__device__ __forceinline__ void store(const unsigned* index, unsigned mask, unsigned words,
                                      const T* value, unsigned* out) {
  fill(words);
  const unsigned at = index[threadIdx.x];
  const T x = value[threadIdx.x];
  if (takes_part(mask)) elements<T>()[at] = x;
  __syncthreads();
  out[threadIdx.x] = elements<unsigned>()[threadIdx.x];
}

}  // namespace

#define LOAD(NAME, T)                                                                          \
  extern "C" __global__ void load_##NAME(const unsigned* index, unsigned mask, unsigned words, \
                                         T* out) {                                             \
    load<T>(index, mask, words, out);                                                          \
  }
LOAD(b8, unsigned char)
LOAD(b16, unsigned short)
LOAD(b32, unsigned)
LOAD(b64, double)
LOAD(b128, int4)

#define STORE(NAME, T)                                                                          \
  extern "C" __global__ void store_##NAME(const unsigned* index, unsigned mask, unsigned words, \
                                          const T* value, unsigned* out) {                      \
    store<T>(index, mask, words, value, out);                                                   \
  }
STORE(b8, unsigned char)
STORE(b16, unsigned short)
STORE(b32, unsigned)
STORE(b64, double)
STORE(b128, int4)

/// The old value is kept, so that the operation cannot become a reduction.
#define ATOMIC(NAME, T, OPERATION)                                                               \
  extern "C" __global__ void atomic_##NAME(const unsigned* index, unsigned mask, unsigned words, \
                                           const T* value, T* out) {                             \
    fill(words);                                                                                 \
    const unsigned at = index[threadIdx.x];                                                      \
    const T x = value[threadIdx.x];                                                              \
    if (takes_part(mask)) out[threadIdx.x] = OPERATION(elements<T>() + at, x);                   \
  }
ATOMIC(add_u32, unsigned, atomicAdd)
ATOMIC(max_u32, unsigned, atomicMax)
ATOMIC(exch_u32, unsigned, atomicExch)
ATOMIC(add_u64, unsigned long long, atomicAdd)
ATOMIC(exch_u64, unsigned long long, atomicExch)

/// Nobody looks at the old value: a reduction.
extern "C" __global__ void reduce_add_u32(const unsigned* index, unsigned mask, unsigned words,
                                          const unsigned* value, unsigned* out) {
  fill(words);
  const unsigned at = index[threadIdx.x];
  const unsigned x = value[threadIdx.x];
  if (takes_part(mask)) atomicAdd(elements<unsigned>() + at, x);
  __syncthreads();
  out[threadIdx.x] = elements<unsigned>()[threadIdx.x];
}

/// A column of a two-dimensional array: lane l reads row l.
template <unsigned columns>
__device__ __forceinline__ void read_column(unsigned column, unsigned* out) {
  __shared__ unsigned tile[32][columns];
  for (unsigned row = 0; row < 32; ++row) tile[row][threadIdx.x] = row * columns + threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][column];
}
extern "C" __global__ void column_of_32(unsigned column, unsigned* out) {
  read_column<32>(column, out);
}
extern "C" __global__ void column_of_33(unsigned column, unsigned* out) {
  read_column<33>(column, out);
}
