// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of cuBLAS that the programs here call. Declared here, since the toolkit need not
// have them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <library_types.h>

#include <complex>
#include <cstdint>

using C32 = std::complex<float>;
using C64 = std::complex<double>;

extern "C" {
int cublasCreate_v2(void** handle);
int cublasDestroy_v2(void* handle);
int cublasSetStream_v2(void* handle, cudaStream_t stream);
int cublasSetPointerMode_v2(void* handle, int mode);

#define GEMM(letter, T)                                                                            \
  int cublas##letter##gemmBatched(void*, int, int, int m, int n, int k, const T*, const T* const*, \
                                  int, const T* const*, int, const T*, T* const*, int, int batch); \
  int cublas##letter##gemmStridedBatched(void*, int, int, int m, int n, int k, const T*, const T*, \
                                         int, long long, const T*, int, long long, const T*, T*,   \
                                         int, long long, int batch);
#define BLAS(letter, T)                                                                           \
  GEMM(letter, T)                                                                                 \
  int cublas##letter##gemm_v2(void*, int, int, int m, int n, int k, const T*, const T*, int,      \
                              const T*, int, const T*, T*, int);                                  \
  int cublas##letter##gemm_v2_64(void*, int, int, std::int64_t m, std::int64_t n, std::int64_t k, \
                                 const T*, const T*, std::int64_t, const T*, std::int64_t,        \
                                 const T*, T*, std::int64_t);                                     \
  int cublas##letter##gemv_v2(void*, int, int m, int n, const T*, const T*, int, const T*, int,   \
                              const T*, T*, int);                                                 \
  int cublas##letter##gemvStridedBatched(void*, int, int m, int n, const T*, const T*, int,       \
                                         long long, const T*, int, long long, const T*, T*, int,  \
                                         long long, int batch);                                   \
  int cublas##letter##axpy_v2(void*, int n, const T*, const T*, int, T*, int);                    \
  int cublas##letter##scal_v2(void*, int n, const T*, T*, int);
BLAS(S, float)
BLAS(D, double)
BLAS(C, C32)
BLAS(Z, C64)
GEMM(H, __half)
#undef BLAS
#undef GEMM
int cublasHgemm(void*, int, int, int m, int n, int k, const __half*, const __half*, int,
                const __half*, int, const __half*, __half*, int);
int cublasGemmEx(void*, int, int, int m, int n, int k, const void*, const void*, cudaDataType, int,
                 const void*, cudaDataType, int, const void*, void*, cudaDataType, int, int compute,
                 int algorithm);
int cublasSdot_v2(void*, int n, const float*, int, const float*, int, float*);
int cublasDdot_v2(void*, int n, const double*, int, const double*, int, double*);
int cublasCdotu_v2(void*, int n, const C32*, int, const C32*, int, C32*);
int cublasZdotc_v2(void*, int n, const C64*, int, const C64*, int, C64*);
int cublasDotEx(void*, int n, const void*, cudaDataType, int, const void*, cudaDataType, int, void*,
                cudaDataType, cudaDataType execution);
int cublasSnrm2_v2(void*, int n, const float*, int, float*);
int cublasDznrm2_v2(void*, int n, const C64*, int, double*);
int cublasCsscal_v2(void*, int n, const float*, C32*, int);

int cublasLtCreate(void** handle);
int cublasLtDestroy(void* handle);
int cublasLtMatmulDescCreate(void** description, int compute, int scale);
int cublasLtMatmulDescSetAttribute(void* description, int which, const void*, std::size_t bytes);
int cublasLtMatmulDescDestroy(void* description);
int cublasLtMatrixLayoutCreate(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t distance);
int cublasLtMatrixLayoutSetAttribute(void* layout, int which, const void*, std::size_t bytes);
int cublasLtMatrixLayoutDestroy(void* layout);
int cublasLtMatmulPreferenceCreate(void** preference);
int cublasLtMatmulPreferenceDestroy(void* preference);
int cublasLtMatmulAlgoGetHeuristic(void* handle, void* description, void*, void*, void*, void*,
                                   void* preference, int wanted, void* results, int* count);
int cublasLtMatmul(void* handle, void* description, const void* alpha, const void* a, void*,
                   const void* b, void*, const void* beta, const void* c, void*, void* d, void*,
                   const void* algorithm, void* workspace, std::size_t bytes, cudaStream_t stream);
}
