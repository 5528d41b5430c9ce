// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that sets up the mathematical libraries; with an argument, one that computes by them
// too, or that looks them up itself. Declared here, since the toolkit need not have them.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <string>

extern "C" {
int cublasCreate_v2(void** handle);
int cublasDestroy_v2(void* handle);
int cublasSetStream_v2(void* handle, cudaStream_t stream);
int cublasGetStream_v2(void* handle, cudaStream_t* stream);
int cublasSetWorkspace_v2(void* handle, void* at, std::size_t bytes);
int cublasSetMathMode(void* handle, int mode);
int cublasGetMathMode(void* handle, int* mode);
int cublasGetVersion_v2(void* handle, int* version);
const char* cublasGetStatusName(int status);
int cublasSetVector(int n, int element, const void* from, int from_step, void* to, int to_step);
int cublasGetMatrix(int rows, int columns, int element, const void* from, int from_distance,
                    void* to, int to_distance);
int cublasStrsm_v2(void* handle, int, int, int, int, int m, int n, const float*, const float*, int,
                   float*, int);
int cublasLtCreate(void** handle);
int cublasLtMatmulDescCreate(void** description, int compute, int scale);
int cublasLtMatmulDescSetAttribute(void* description, int which, const void*, std::size_t bytes);
int cublasLtMatmulDescDestroy(void* description);
int cublasLtDestroy(void* handle);
int curandCreateGenerator(void** generator, int kind);
int curandSetPseudoRandomGeneratorSeed(void* generator, unsigned long long seed);
int curandGenerateUniform(void* generator, float* out, std::size_t count);
int curandDestroyGenerator(void* generator);
int cufftPlan1d(int* plan, int n, int kind, int batch);
int cufftSetStream(int plan, cudaStream_t stream);
int cufftExecC2C(int plan, void* in, void* out, int direction);
int cufftDestroy(int plan);
int cusolverDnCreate(void** handle);
int cusolverDnSetStream(void* handle, cudaStream_t stream);
int cusolverDnSpotrf(void* handle, int, int n, float*, int, float*, int, int* info);
int cusolverDnDestroy(void* handle);
int cusparseCreate(void** handle);
int cusparseCreateMatDescr(void** description);
int cusparseSetMatIndexBase(void* description, int base);
int cusparseGetMatIndexBase(void* description);
int cusparseDestroyMatDescr(void* description);
int cusparseSpMV(void* handle, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseDestroy(void* handle);
}

namespace {

void* blas = nullptr;
void *lt = nullptr, *random_numbers = nullptr, *solver = nullptr, *sparse = nullptr;
int plan = 0;

/// The sum of the calls' statuses.
void tell(const char* library, int statuses) { std::printf("%s: %d\n", library, statuses); }

void set_up() {
  cudaStream_t stream = nullptr, same = nullptr;
  cudaStreamCreate(&stream);
  int mode = 0, version = 0;
  tell("cublas", cublasCreate_v2(&blas) + cublasSetStream_v2(blas, stream) +
                     cublasSetWorkspace_v2(blas, nullptr, 0) + cublasSetMathMode(blas, 3) +
                     cublasGetMathMode(blas, &mode) + cublasGetStream_v2(blas, &same) +
                     cublasGetVersion_v2(blas, &version));
  std::printf("mode %d, %s stream, %s\n", mode, same == stream ? "the same" : "another",
              version >= 120000 ? "a version" : "no version");
  void* product = nullptr;
  tell("cublasLt", cublasLtCreate(&lt) + cublasLtMatmulDescCreate(&product, 68, 0) +
                       cublasLtMatmulDescSetAttribute(product, 3, &mode, sizeof mode) +
                       cublasLtMatmulDescDestroy(product));
  tell("curand", curandCreateGenerator(&random_numbers, 100) +
                     curandSetPseudoRandomGeneratorSeed(random_numbers, 1234));
  tell("cufft", cufftPlan1d(&plan, 64, 0x29, 1) + cufftSetStream(plan, stream));
  tell("cusolver", cusolverDnCreate(&solver) + cusolverDnSetStream(solver, stream));
  void* matrix = nullptr;
  tell("cusparse", cusparseCreate(&sparse) + cusparseCreateMatDescr(&matrix) +
                       cusparseSetMatIndexBase(matrix, 1));
  std::printf("index base %d\n", cusparseGetMatIndexBase(matrix));
  tell("matrix", cusparseDestroyMatDescr(matrix));
  cudaStreamDestroy(stream);
}

void copies() {
  const float host[4] = {1, 2, 3, 4};
  float back[4] = {}, *device = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&device), sizeof host);
  tell("copies", cublasSetVector(2, sizeof(float), host, 2, device, 1) +
                     cublasSetVector(2, sizeof(float), host + 1, 2, device + 2, 1) +
                     cublasGetMatrix(2, 2, sizeof(float), device, 2, back, 2));
  std::printf("%g %g %g %g\n", back[0], back[1], back[2], back[3]);
  cudaFree(device);
}

void compute() {
  const float one = 1;
  for (int k = 0; k < 2; ++k) {
    const int status = cublasStrsm_v2(blas, 0, 0, 0, 0, 1, 1, &one, nullptr, 1, nullptr, 1);
    std::printf("solution: %d, %s\n", status, cublasGetStatusName(status));
  }
  tell("uniform", curandGenerateUniform(random_numbers, nullptr, 1));
  tell("transform", cufftExecC2C(plan, nullptr, nullptr, -1));
  tell("factors", cusolverDnSpotrf(solver, 0, 1, nullptr, 1, nullptr, 1, nullptr));
  tell("sparse product",
       cusparseSpMV(sparse, 0, &one, nullptr, nullptr, &one, nullptr, 0, 0, nullptr));
}

void destroy() {
  tell("destroyed", cublasDestroy_v2(blas) + cublasLtDestroy(lt) +
                        curandDestroyGenerator(random_numbers) + cufftDestroy(plan) +
                        cusolverDnDestroy(solver) + cusparseDestroy(sparse));
  tell("again", cublasDestroy_v2(blas));
}

void look_up(const char* library, const char* entry) {
  void* const found = dlopen(library, RTLD_NOW);
  std::printf("%s: %s\n", library,
              found == nullptr                 ? dlerror()
              : dlsym(found, entry) == nullptr ? "without it"
                                               : "found");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string wanted = count > 1 ? arguments[1] : "";
  if (wanted == "look_up") {
    look_up("/nowhere/at/all/libcublas.so.12", "cublasCreate_v2");
    look_up("libcusolver.so", "cusolverDnCreate");
    look_up("/nowhere/at/all/libcublas.so.9", "cublasCreate_v2");
    return 0;
  }
  set_up();
  copies();
  if (wanted == "compute") compute();
  destroy();
}
