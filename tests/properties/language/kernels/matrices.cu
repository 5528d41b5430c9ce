// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices by tensor cores: each with a template argument that plants a defect.
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

/// What a product does wrong: it takes w for its transpose, leaves the last step out, adds each
/// step twice, begins with what the registers hold, reads rows of another length.
enum { nothing, transposed, last_step, twice, no_start, stride };

/// y = x w, of 16 x `length` and `length` x 16 elements, one warp.
template <class Sum, int wrong>
__device__ void of_tiles(const __half* x, const __half* w, Sum* y, int length) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> by_columns;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum;
  if (wrong != no_start) wmma::fill_fragment(sum, Sum(0.f));
  const int end = wrong == last_step ? length - 16 : length;
  for (int k = 0; k < end; k += 16) {
    wmma::load_matrix_sync(a, x + k, wrong == stride ? 16 : length);
    wmma::load_matrix_sync(b, w + k * 16, 16);
    wmma::load_matrix_sync(by_columns, w + k * 16, 16);
    for (int times = wrong == twice ? 2 : 1; times > 0; --times) {
      if (wrong == transposed) {
        wmma::mma_sync(sum, a, by_columns, sum);
      } else {
        wmma::mma_sync(sum, a, b, sum);
      }
    }
  }
  wmma::store_matrix_sync(y, sum, 16, wmma::mem_row_major);
}

template <bool right>
__global__ void tile_product(const __half* x, const __half* w, float* y, int length) {
  of_tiles<float, right ? nothing : transposed>(x, w, y, length);
}
template <int wrong>
__global__ void tile_defect(const __half* x, const __half* w, float* y, int length) {
  of_tiles<float, wrong>(x, w, y, length);
}
template <int wrong>
__global__ void half_product(const __half* x, const __half* w, __half* y, int length) {
  of_tiles<__half, wrong>(x, w, y, length);
}

/// The same of 16 x `length` and `length` x 8 elements by mma.sync; w is stored by columns. A
/// thread has two rows of x, 8 apart.
template <bool right>
__global__ void mma_product(const __half* x, const __half* w, float* y, int length) {
  const int group = threadIdx.x / 4, inside = threadIdx.x % 4;
  const auto pair = [&](const __half* row) {
    return *reinterpret_cast<const unsigned*>(row + 2 * inside);
  };
  const __half *upper = x + group * length, *lower = upper + 8 * length;
  float d[4] = {};
  for (int k = 0; k < length; k += 8) {
    const unsigned a0 = pair((right ? upper : lower) + k), a1 = pair((right ? lower : upper) + k);
    const unsigned b0 = pair(w + group * length + k);
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(b0));
  }
  for (int k = 0; k < 4; ++k) y[(group + k / 2 * 8) * 8 + 2 * inside + k % 2] = d[k];
}

/// Bytes: y = x w of whole numbers, w by columns.
template <bool right>
__global__ void byte_product(const signed char* x, const signed char* w, int* y, int length) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::fill_fragment(sum, right ? 0 : 1);
  for (int k = 0; k < length; k += 16) {
    wmma::load_matrix_sync(a, x + k, length);
    wmma::load_matrix_sync(b, w + k, length);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(y, sum, 16, wmma::mem_row_major);
}

/// y = x w, an element a thread.
template <bool right>
__global__ void plain_product(const __half* x, const __half* w, float* y, int length) {
  const int row = threadIdx.x / 16, column = threadIdx.x % 16;
  float sum = 0;
  for (int k = right ? 0 : 1; k < length; ++k) {
    sum += __half2float(x[row * length + k]) * __half2float(w[k * 16 + column]);
  }
  y[row * 16 + column] = sum;
}

#define OF_HALVES(kernel, ...) \
  template __global__ void kernel<__VA_ARGS__>(const __half*, const __half*, float*, int);
OF_HALVES(tile_product, true)
OF_HALVES(tile_product, false)
OF_HALVES(tile_defect, last_step)
OF_HALVES(tile_defect, twice)
OF_HALVES(tile_defect, no_start)
OF_HALVES(tile_defect, stride)
OF_HALVES(mma_product, true)
OF_HALVES(mma_product, false)
OF_HALVES(plain_product, true)
OF_HALVES(plain_product, false)
template __global__ void half_product<nothing>(const __half*, const __half*, __half*, int);
template __global__ void half_product<twice>(const __half*, const __half*, __half*, int);
template __global__ void byte_product<true>(const signed char*, const signed char*, int*, int);
template __global__ void byte_product<false>(const signed char*, const signed char*, int*, int);
