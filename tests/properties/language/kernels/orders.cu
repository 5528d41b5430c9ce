// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose output has the same bits in every schedule, and their neighbours, whose has not.

// --- every thread brings something to one word

struct FloatSum {
  static __device__ void to(float* y, float v) { atomicAdd(y, v); }
};
struct DoubleSum {
  static __device__ void to(double* y, float v) { atomicAdd(y, double(v)); }
};
struct WordSum {
  static __device__ void to(unsigned* y, float v) { atomicAdd(y, __float_as_uint(v)); }
};
template <bool most>
struct Swapped {
  static __device__ void to(float* y, float v) {
    auto* word = reinterpret_cast<int*>(y);
    int seen = 0, guess;
    do {
      guess = seen;
      const float held = __int_as_float(guess);
      seen = atomicCAS(word, guess, __float_as_int(most ? fmaxf(held, v) : held + v));
    } while (seen != guess);
  }
};
template <class How, class T>
__global__ void bring(const float* x, T* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) How::to(y, x[i]);
}
// The same of numbers that no data decide: 1, 10^8 and its negative.
template <class How, class T>
__global__ void bring_constants(T* y) {
  const float all[3] = {1.f, 1e8f, -1e8f};
  if (threadIdx.x == 0) How::to(y, all[blockIdx.x % 3]);
}
template __global__ void bring<FloatSum, float>(const float*, float*, unsigned);
template __global__ void bring<DoubleSum, double>(const float*, double*, unsigned);
template __global__ void bring<WordSum, unsigned>(const float*, unsigned*, unsigned);
template __global__ void bring<Swapped<false>, float>(const float*, float*, unsigned);
template __global__ void bring<Swapped<true>, float>(const float*, float*, unsigned);
template __global__ void bring_constants<FloatSum, float>(float*);
template __global__ void bring_constants<WordSum, unsigned>(unsigned*);
template __global__ void bring_constants<Swapped<false>, float>(float*);
template __global__ void bring_constants<Swapped<true>, float>(float*);

// --- the block that comes last does something with what all have left

enum class Last {
  in_order,   // adds from block 0 on
  from_own,   // adds from its own on
  its_own,    // stores its own
  number,     // stores its number
  place,      // stores at its number
  by_number,  // by another instruction where its number is odd
  settles     // one constant, whoever it is
};
template <Last last>
__global__ void finish(const float* x, float* y, float* partials, unsigned* ticket, unsigned n) {
  if (threadIdx.x != 0) return;
  const unsigned me = blockIdx.x, all = gridDim.x;
  float v = 0;
  for (unsigned i = me * blockDim.x; i < n && i < (me + 1) * blockDim.x; ++i) v += x[i];
  partials[me] = v;
  __threadfence();
  if (atomicInc(ticket, all - 1) != all - 1) return;
  __threadfence();
  v = 0;
  if (last == Last::in_order || last == Last::from_own) {
    for (unsigned b = 0; b < all; ++b) v += partials[last == Last::in_order ? b : (me + b) % all];
    *y = v;
  }
  if (last == Last::its_own) *y = partials[me];
  if (last == Last::number) *y = float(me);
  if (last == Last::place) y[me] = 1;
  if (last == Last::by_number) {
    unsigned bits = __float_as_uint(partials[0]);
    const unsigned more = __float_as_uint(partials[all - 1]);
    if (me % 2 == 0)
      asm("lop3.b32 %0, %0, %1, %1, 0xC0;" : "+r"(bits) : "r"(more));
    else
      asm("lop3.b32 %0, %0, %1, %1, 0xFC;" : "+r"(bits) : "r"(more));
    *y = __uint_as_float(bits);
  }
  if (last == Last::settles) *y = 7;
}
template __global__ void finish<Last::in_order>(const float*, float*, float*, unsigned*, unsigned);
template __global__ void finish<Last::from_own>(const float*, float*, float*, unsigned*, unsigned);
template __global__ void finish<Last::its_own>(const float*, float*, float*, unsigned*, unsigned);
template __global__ void finish<Last::number>(const float*, float*, float*, unsigned*, unsigned);
template __global__ void finish<Last::place>(const float*, float*, float*, unsigned*, unsigned);
template __global__ void finish<Last::by_number>(const float*, float*, float*, unsigned*, unsigned);
template __global__ void finish<Last::settles>(const float*, float*, float*, unsigned*, unsigned);

// --- a word that nobody wrote

// Elements beyond the limit are replaced by it; the others stay what they are.
template <bool by_data>
__global__ void replaced(const int* x, int* y, unsigned n) {
  __shared__ int unwritten[64];
  const unsigned i = threadIdx.x;
  if (i >= n) return;
  const int v = x[i], other = unwritten[i];
  int chosen;
  if (by_data)
    asm("{.reg .pred p; setp.gt.s32 p, %1, 1000000; selp.b32 %0, %2, %1, p;}"
        : "=r"(chosen)
        : "r"(v), "r"(other));
  else
    asm("{.reg .pred p; setp.gt.u32 p, %3, 1000000; selp.b32 %0, %2, %1, p;}"
        : "=r"(chosen)
        : "r"(v), "r"(other), "r"(i));
  y[i] = chosen;
}
template __global__ void replaced<true>(const int*, int*, unsigned);
template __global__ void replaced<false>(const int*, int*, unsigned);
