// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cuBLAS's gemm and gemv with all their types and batches.
#include <algorithm>

#include "sanitizer/program/product.hpp"

namespace gauntlet::runtime {
namespace {

Matrix matrix(std::string_view role, const Given& of, std::int64_t rows, std::int64_t columns) {
  return {.role = role,
          .type = of.type,
          .rows = rows,
          .columns = columns,
          .distance = of.distance,
          .at = reinterpret_cast<Address>(of.at),
          .stride = of.stride,
          .listed = of.listed};
}

/// Products of s8 in s32 want words of four elements (cuBLAS, cublasGemmEx).
bool in_words(const Given& of) {
  constexpr std::int64_t word = 4;
  const bool aligned = of.listed || reinterpret_cast<Address>(of.at) % word == 0;
  return aligned && of.distance % word == 0 && of.stride % word == 0;
}

int gemm_entry(std::string_view call, void* handle, int op_a, int op_b, std::int64_t m,
               std::int64_t n, std::int64_t k, const void* alpha, const Given& a, const Given& b,
               const void* beta, const Given& c, std::int64_t batch, int compute) {
  return blas_call(call, handle, [&](State& s, const BlasSettings& set) -> int {
    const auto x = blas_op(op_a), y = blas_op(op_b);
    if (!x || !y || m < 0 || n < 0 || k < 0 || batch < 0) return cublas_status.invalid;
    const bool plain_a = *x == BlasOp::none, plain_b = *y == BlasOp::none;
    if (a.distance < std::max<std::int64_t>(1, plain_a ? m : k) ||
        b.distance < std::max<std::int64_t>(1, plain_b ? k : n) ||
        c.distance < std::max<std::int64_t>(1, m)) {
      return cublas_status.invalid;
    }
    const auto of_factors = scale_type(compute, a.type, b.type, c.type);
    if (!of_factors) refuse_types(s, call);
    if (m == 0 || n == 0 || batch == 0) return 0;
    if (*of_factors == CUDA_R_32I && !(in_words(a) && in_words(b)))
      return cublas_status.not_supported;
    Product p;
    p.call = call;
    p.op_a = *x;
    p.op_b = *y;
    p.m = m;
    p.n = n;
    p.k = k;
    p.batch = batch;
    p.scale = *of_factors;
    p.a = matrix("A", a, plain_a ? m : k, plain_a ? k : m);
    p.b = matrix("B", b, plain_b ? k : n, plain_b ? n : k);
    p.c = p.d = matrix("C", c, m, n);
    scale(s, p, set.on_device, alpha, beta);
    return put_product(s, set.stream, std::move(p));
  });
}

int gemv_entry(std::string_view call, void* handle, int op, std::int64_t m, std::int64_t n,
               const void* alpha, const Given& a, const Given& x, const void* beta, const Given& y,
               std::int64_t batch, int compute) {
  return blas_call(call, handle, [&](State& s, const BlasSettings& set) -> int {
    const auto of_a = blas_op(op);
    if (!of_a || m < 0 || n < 0 || batch < 0 || a.distance < std::max<std::int64_t>(1, m) ||
        x.distance == 0 || y.distance == 0) {
      return cublas_status.invalid;
    }
    const auto of_factors = scale_type(compute, a.type, x.type, y.type);
    if (!of_factors) refuse_types(s, call);
    const bool plain = *of_a == BlasOp::none;
    Product p;
    p.call = call;
    p.op_a = *of_a;
    p.m = plain ? m : n;
    p.n = 1;
    p.k = plain ? n : m;
    p.batch = batch;
    p.scale = *of_factors;
    if (m == 0 || n == 0 || batch == 0) return 0;
    p.a = matrix("A", a, m, n);
    p.b = vector("x", x, p.k);
    p.c = p.d = vector("y", y, p.m);
    scale(s, p, set.on_device, alpha, beta);
    return put_product(s, set.stream, std::move(p));
  });
}

constexpr int f16 = 64, f32 = 68, f64 = 70;  // of cublasComputeType_t

}  // namespace

extern "C" {

// `number`: of rows, columns and distances; `version`: of the name; `T`: what all are of.
#define GAUNTLET_GEMM(name, version, suffix, number, T, compute)                                   \
  int name##version##suffix(void* handle, int op_a, int op_b, number m, number n, number k,        \
                            const void* alpha, const void* a, number lda, const void* b,           \
                            number ldb, const void* beta, void* c, number ldc) {                   \
    return gemm_entry(#name #suffix, handle, op_a, op_b, m, n, k, alpha, {a, T, lda}, {b, T, ldb}, \
                      beta, {c, T, ldc}, 1, compute);                                              \
  }
#define GAUNTLET_GEMM_EX(name, suffix, number)                                                     \
  int name##suffix(void* handle, int op_a, int op_b, number m, number n, number k,                 \
                   const void* alpha, const void* a, cudaDataType of_a, number lda, const void* b, \
                   cudaDataType of_b, number ldb, const void* beta, void* c, cudaDataType of_c,    \
                   number ldc) {                                                                   \
    return gemm_entry(#name #suffix, handle, op_a, op_b, m, n, k, alpha, {a, of_a, lda},           \
                      {b, of_b, ldb}, beta, {c, of_c, ldc}, 1, f32);                               \
  }
#define GAUNTLET_BATCHED_GEMM(name, suffix, number, T, compute)                                    \
  int name##Batched##suffix(void* handle, int op_a, int op_b, number m, number n, number k,        \
                            const void* alpha, const void* a, number lda, const void* b,           \
                            number ldb, const void* beta, const void* c, number ldc,               \
                            number batch) {                                                        \
    return gemm_entry(#name "Batched" #suffix, handle, op_a, op_b, m, n, k, alpha,                 \
                      {a, T, lda, 0, true}, {b, T, ldb, 0, true}, beta, {c, T, ldc, 0, true},      \
                      batch, compute);                                                             \
  }                                                                                                \
  int name##StridedBatched##suffix(void* handle, int op_a, int op_b, number m, number n, number k, \
                                   const void* alpha, const void* a, number lda, long long to_a,   \
                                   const void* b, number ldb, long long to_b, const void* beta,    \
                                   void* c, number ldc, long long to_c, number batch) {            \
    return gemm_entry(#name "StridedBatched" #suffix, handle, op_a, op_b, m, n, k, alpha,          \
                      {a, T, lda, to_a}, {b, T, ldb, to_b}, beta, {c, T, ldc, to_c}, batch,        \
                      compute);                                                                    \
  }
#define GAUNTLET_GEMV(name, version, suffix, number, T, compute)                               \
  int name##version##suffix(void* handle, int op, number m, number n, const void* alpha,       \
                            const void* a, number lda, const void* x, number to_x,             \
                            const void* beta, void* y, number to_y) {                          \
    return gemv_entry(#name #suffix, handle, op, m, n, alpha, {a, T, lda}, {x, T, to_x}, beta, \
                      {y, T, to_y}, 1, compute);                                               \
  }
#define GAUNTLET_BATCHED_GEMV(name, suffix, number, T, U, compute)                              \
  int name##Batched##suffix(void* handle, int op, number m, number n, const void* alpha,        \
                            const void* a, number lda, const void* x, number to_x,              \
                            const void* beta, const void* y, number to_y, number batch) {       \
    return gemv_entry(#name "Batched" #suffix, handle, op, m, n, alpha, {a, T, lda, 0, true},   \
                      {x, T, to_x, 0, true}, beta, {y, U, to_y, 0, true}, batch, compute);      \
  }                                                                                             \
  int name##StridedBatched##suffix(void* handle, int op, number m, number n, const void* alpha, \
                                   const void* a, number lda, long long next_a, const void* x,  \
                                   number to_x, long long next_x, const void* beta, void* y,    \
                                   number to_y, long long next_y, number batch) {               \
    return gemv_entry(#name "StridedBatched" #suffix, handle, op, m, n, alpha,                  \
                      {a, T, lda, next_a}, {x, T, to_x, next_x}, beta, {y, U, to_y, next_y},    \
                      batch, compute);                                                          \
  }
#define GAUNTLET_OF_TYPE(letter, suffix, number, T, compute)              \
  GAUNTLET_GEMM(cublas##letter##gemm, _v2, suffix, number, T, compute)    \
  GAUNTLET_BATCHED_GEMM(cublas##letter##gemm, suffix, number, T, compute) \
  GAUNTLET_GEMV(cublas##letter##gemv, _v2, suffix, number, T, compute)    \
  GAUNTLET_BATCHED_GEMV(cublas##letter##gemv, suffix, number, T, T, compute)
#define GAUNTLET_OF_NUMBER(suffix, number)                                                         \
  GAUNTLET_OF_TYPE(S, suffix, number, CUDA_R_32F, f32)                                             \
  GAUNTLET_OF_TYPE(D, suffix, number, CUDA_R_64F, f64)                                             \
  GAUNTLET_OF_TYPE(C, suffix, number, CUDA_C_32F, f32)                                             \
  GAUNTLET_OF_TYPE(Z, suffix, number, CUDA_C_64F, f64)                                             \
  GAUNTLET_GEMM(cublasHgemm, , suffix, number, CUDA_R_16F, f16)                                    \
  GAUNTLET_BATCHED_GEMM(cublasHgemm, suffix, number, CUDA_R_16F, f16)                              \
  GAUNTLET_GEMM(cublasCgemm3m, , suffix, number, CUDA_C_32F, f32)                                  \
  GAUNTLET_GEMM(cublasZgemm3m, , suffix, number, CUDA_C_64F, f64)                                  \
  GAUNTLET_BATCHED_GEMM(cublasCgemm3m, suffix, number, CUDA_C_32F, f32)                            \
  GAUNTLET_BATCHED_GEMV(cublasHSHgemv, suffix, number, CUDA_R_16F, CUDA_R_16F, f32)                \
  GAUNTLET_BATCHED_GEMV(cublasHSSgemv, suffix, number, CUDA_R_16F, CUDA_R_32F, f32)                \
  GAUNTLET_BATCHED_GEMV(cublasTSTgemv, suffix, number, CUDA_R_16BF, CUDA_R_16BF, f32)              \
  GAUNTLET_BATCHED_GEMV(cublasTSSgemv, suffix, number, CUDA_R_16BF, CUDA_R_32F, f32)               \
  GAUNTLET_GEMM_EX(cublasSgemmEx, suffix, number)                                                  \
  GAUNTLET_GEMM_EX(cublasCgemmEx, suffix, number)                                                  \
  int cublasGemmEx##suffix(void* handle, int op_a, int op_b, number m, number n, number k,         \
                           const void* alpha, const void* a, cudaDataType of_a, number lda,        \
                           const void* b, cudaDataType of_b, number ldb, const void* beta,         \
                           void* c, cudaDataType of_c, number ldc, int compute, int) {             \
    return gemm_entry("cublasGemmEx" #suffix, handle, op_a, op_b, m, n, k, alpha, {a, of_a, lda},  \
                      {b, of_b, ldb}, beta, {c, of_c, ldc}, 1, compute);                           \
  }                                                                                                \
  int cublasGemmBatchedEx##suffix(void* handle, int op_a, int op_b, number m, number n, number k,  \
                                  const void* alpha, const void* a, cudaDataType of_a, number lda, \
                                  const void* b, cudaDataType of_b, number ldb, const void* beta,  \
                                  const void* c, cudaDataType of_c, number ldc, number batch,      \
                                  int compute, int) {                                              \
    return gemm_entry("cublasGemmBatchedEx" #suffix, handle, op_a, op_b, m, n, k, alpha,           \
                      {a, of_a, lda, 0, true}, {b, of_b, ldb, 0, true}, beta,                      \
                      {c, of_c, ldc, 0, true}, batch, compute);                                    \
  }                                                                                                \
  int cublasGemmStridedBatchedEx##suffix(                                                          \
      void* handle, int op_a, int op_b, number m, number n, number k, const void* alpha,           \
      const void* a, cudaDataType of_a, number lda, long long to_a, const void* b,                 \
      cudaDataType of_b, number ldb, long long to_b, const void* beta, void* c, cudaDataType of_c, \
      number ldc, long long to_c, number batch, int compute, int) {                                \
    return gemm_entry("cublasGemmStridedBatchedEx" #suffix, handle, op_a, op_b, m, n, k, alpha,    \
                      {a, of_a, lda, to_a}, {b, of_b, ldb, to_b}, beta, {c, of_c, ldc, to_c},      \
                      batch, compute);                                                             \
  }
GAUNTLET_OF_NUMBER(, int)
GAUNTLET_OF_NUMBER(_64, std::int64_t)
#undef GAUNTLET_OF_NUMBER
#undef GAUNTLET_OF_TYPE
#undef GAUNTLET_BATCHED_GEMV
#undef GAUNTLET_GEMV
#undef GAUNTLET_BATCHED_GEMM
#undef GAUNTLET_GEMM_EX
#undef GAUNTLET_GEMM

}  // extern "C"

}  // namespace gauntlet::runtime
