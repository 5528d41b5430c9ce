// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that gives cuBLAS what it must not have; with `right` behind the name, what it may just
// have.
#include <cstdio>
#include <cstring>
#include <string>

#include "cublas.hpp"

namespace {

bool right = false;
void* blas = nullptr;
const float zero = 0, one = 1;

/// `count` elements, of which the first `defined` are defined.
float* array(int count, int defined = 1 << 30) {
  float* all = nullptr;
  cudaMalloc(&all, count * sizeof(float));
  cudaMemset(all, 0, (defined < count ? defined : count) * sizeof(float));
  return all;
}
int product(const float* a, const float* b, float* c, const float* beta = &zero, int lda = 4,
            int ldc = 4) {
  return cublasSgemm_v2(blas, 0, 0, 4, 4, 4, &one, a, lda, b, 4, beta, c, ldc);
}

// Three columns of distance 6 and one without the gap: 22.
int beyond_a() {
  float* const a = array(right ? 22 : 21);
  return product(a, array(16), array(16), &zero, 6);
}
int beyond_c() {
  float* const c = array(right ? 22 : 21);
  return product(array(16), array(16), c, &zero, 4, 6);
}
// What lies between the columns is not read.
int undefined_a() {
  float* const a = array(24, 0);
  cudaMemset2D(a, 6 * sizeof(float), 0, (right ? 4 : 3) * sizeof(float), 4);
  return product(a, array(16), array(16), &zero, 6);
}
int undefined_c() { return product(array(16), array(16), array(16, 0), right ? &zero : &one); }
int undefined_half() {
  const std::size_t bytes = 5 * sizeof(__half);
  void *x, *y, *result;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMemset(y, 0, bytes);
  cudaMalloc(&result, sizeof(__half));
  cudaMemset(x, 0, right ? bytes : bytes - sizeof(__half));
  cublasSetPointerMode_v2(blas, 1);
  return cublasDotEx(blas, 5, x, CUDA_R_16F, 1, y, CUDA_R_16F, 1, result, CUDA_R_16F, CUDA_R_32F);
}
int undefined_in_vector() {  // elements 0, 2, 4 and 6
  float result = 0;
  float* const x = array(7, 0);
  cudaMemset2D(x, 8, 0, right ? 4 : 8, 3);
  if (right) cudaMemset(x + 6, 0, 4);
  return cublasSnrm2_v2(blas, 4, x, 2, &result);
}
int undefined_by_kernel();
int freed() {
  float* const a = array(16);
  if (!right) cudaFree(a);
  const int status = product(a, array(16), array(16));
  if (right) cudaFree(a);
  return status;
}
int host_memory() {
  static float of_host[16];
  float* both = nullptr;
  cudaMallocManaged(&both, sizeof of_host);
  std::memset(both, 0, sizeof of_host);
  return product(right ? both : of_host, array(16), array(16));
}
int factor_of_device() {
  const float* const alpha = array(1);
  cublasSetPointerMode_v2(blas, right ? 1 : 0);
  return cublasSgemm_v2(blas, 0, 0, 4, 4, 4, alpha, array(16), 4, array(16), 4, array(1), array(16),
                        4);
}
int list_of_host() {
  float* const lists[3] = {array(16), array(16), array(16)};
  float** device = nullptr;
  cudaMalloc(&device, sizeof lists);
  cudaMemcpy(device, lists, sizeof lists, cudaMemcpyHostToDevice);
  float* const* const a = right ? device : lists;
  return cublasSgemmBatched(blas, 0, 0, 4, 4, 4, &one, a, 4, device + 1, 4, &zero, device + 2, 4,
                            1);
}
int second_of_batch_beyond() {
  return cublasSgemmStridedBatched(blas, 0, 0, 4, 4, 4, &one, array(right ? 36 : 35), 4, 20,
                                   array(16), 4, 0, &zero, array(32), 4, 16, 2);
}
int result_over_factor() {
  float* const all = array(48);
  return product(all, all + 16, right ? all + 32 : all + 28);
}
int results_of_batch() {
  return cublasSgemmStridedBatched(blas, 0, 0, 4, 4, 4, &one, array(16), 4, 0, array(16), 4, 0,
                                   &zero, array(32), 4, right ? 16 : 12, 2);
}

cudaStream_t stream() {
  cudaStream_t made = nullptr;
  cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
  return made;
}
void wait_for(cudaStream_t waits, cudaStream_t other) {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  cudaEventRecord(event, other);
  if (right) cudaStreamWaitEvent(waits, event, 0);
}
// A product beside what writes its operand, and beside what reads its result.
int operand_written_elsewhere() {
  float *const a = array(16), *const b = array(16), *const c = array(16);
  cudaDeviceSynchronize();
  const cudaStream_t first = stream(), second = stream();
  cudaMemsetAsync(a, 0, 64, first);
  wait_for(second, first);
  cublasSetStream_v2(blas, second);
  return product(a, b, c);
}
int two_products_one_result() {
  float *const a = array(16), *const b = array(16), *const c = array(32);
  cudaDeviceSynchronize();
  cublasSetStream_v2(blas, stream());
  const int status = product(a, b, c);
  cublasSetStream_v2(blas, stream());
  return status + product(a, b, right ? c + 16 : c + 15);
}
int read_too_early() {
  float *const a = array(16), *const b = array(16), *both = nullptr;
  cudaMallocManaged(&both, 64);
  cudaDeviceSynchronize();
  cublasSetStream_v2(blas, stream());
  const int status = product(a, b, both);
  if (right) cudaDeviceSynchronize();
  return status + (both[3] == 0 ? 0 : 1);
}

__global__ void copy_first(const float* from, float* to, int count) {
  if (threadIdx.x < count) to[threadIdx.x] = from[threadIdx.x];
}
int undefined_by_kernel() {
  float *const from = array(16, right ? 16 : 15), *const a = array(16);
  copy_first<<<1, 32>>>(from, a, 16);
  if (cudaGetLastError() != cudaSuccess) return 1;
  return product(a, array(16), array(16));
}

int status_of(const std::string& name) {
  if (name == "beyond_a") return beyond_a();
  if (name == "beyond_c") return beyond_c();
  if (name == "undefined_a") return undefined_a();
  if (name == "undefined_c") return undefined_c();
  if (name == "undefined_half") return undefined_half();
  if (name == "undefined_in_vector") return undefined_in_vector();
  if (name == "undefined_by_kernel") return undefined_by_kernel();
  if (name == "freed") return freed();
  if (name == "host_memory") return host_memory();
  if (name == "factor_of_device") return factor_of_device();
  if (name == "list_of_host") return list_of_host();
  if (name == "second_of_batch_beyond") return second_of_batch_beyond();
  if (name == "result_over_factor") return result_over_factor();
  if (name == "results_of_batch") return results_of_batch();
  if (name == "operand_written_elsewhere") return operand_written_elsewhere();
  if (name == "two_products_one_result") return two_products_one_result();
  if (name == "read_too_early") return read_too_early();
  return -1;
}

}  // namespace

int main(int, char** arguments) {
  right = arguments[2] != nullptr;
  cublasCreate_v2(&blas);
  std::printf("%d\n", status_of(arguments[1]));
  cudaDeviceSynchronize();
}
