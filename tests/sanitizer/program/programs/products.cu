// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program that computes by cuBLAS and compares with sums of its own: whole numbers, so small that
// any order gives the same. "NAME: right" of each group of values, or how many are wrong.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "small_numbers.hpp"

namespace {

void* blas = nullptr;
int failed = 0;

/// The first status of a group that is none of success.
void done(int status) {
  if (failed == 0) failed = status;
}
void tell(const char* group) {
  if (failed != 0) std::printf("%s: status %d\n", group, failed);
  if (failed == 0 && wrong == 0) std::printf("%s: right\n", group);
  if (failed == 0 && wrong != 0) std::printf("%s: %d wrong\n", group, wrong);
  wrong = failed = 0;
}

template <class A, class C>
struct Product {
  int op_a, op_b, m, n, k;
  A* a;
  int lda, of_a;  ///< of a batch, how far it is to the next one
  A* b;
  int ldb, of_b;
  C* c;
  int ldc, of_c;
};
/// One product for each pair of ops, with gaps between the columns, and its batch.
template <class A, class C, class S, class F>
void products(const char* name, C64 alpha, C64 beta, int batch, const F& call) {
  S x, y;
  narrow(alpha, x);
  narrow(beta, y);
  const bool words = sizeof(A) == 1;  // of s8 cuBLAS takes four elements at once
  const int m = words ? 8 : 5, n = 4, k = words ? 12 : 7, gap = words ? 4 : 3;
  for (int op_a = 0; op_a < 3; ++op_a) {
    for (int op_b = 0; op_b < 3; ++op_b) {
      const int lda = (op_a == 0 ? m : k) + gap, ldb = (op_b == 0 ? k : n) + gap, ldc = m + gap;
      const int of_a = lda * (op_a == 0 ? k : m), of_b = ldb * (op_b == 0 ? n : k), of_c = ldc * n;
      Values<A> a(of_a * batch), b(of_b * batch);
      Values<C> c(of_c * batch);
      call(Product<A, C>{op_a, op_b, m, n, k, a.device, lda, of_a, b.device, ldb, of_b, c.device,
                         ldc, of_c},
           &x, &y);
      for (int one = 0; one < batch; ++one) {
        multiply(op_a, op_b, m, n, k, alpha, a.host.data() + one * of_a, lda,
                 b.host.data() + one * of_b, ldb, beta, c.host.data() + one * of_c, ldc);
      }
      c.compare();
    }
  }
  tell(name);
}

template <class T, class F>
void plain(const char* name, const F& gemm, C64 alpha, C64 beta) {
  products<T, T, T>(name, alpha, beta, 1, [&](const auto& p, const T* x, const T* y) {
    done(gemm(blas, p.op_a, p.op_b, p.m, p.n, p.k, x, p.a, p.lda, p.b, p.ldb, y, p.c, p.ldc));
  });
}

template <class T, class F>
void strided(const char* name, const F& gemm, C64 alpha, C64 beta) {
  products<T, T, T>(name, alpha, beta, 3, [&](const auto& p, const T* x, const T* y) {
    done(gemm(blas, p.op_a, p.op_b, p.m, p.n, p.k, x, p.a, p.lda, p.of_a, p.b, p.ldb, p.of_b, y,
              p.c, p.ldc, p.of_c, 3));
  });
}

template <class T, class F>
void listed(const char* name, const F& gemm, C64 alpha, C64 beta) {
  products<T, T, T>(name, alpha, beta, 3, [&](const auto& p, const T* x, const T* y) {
    T *lists[9], **device;
    for (int k = 0; k < 3; ++k) {
      lists[k] = p.a + k * p.of_a;
      lists[3 + k] = p.b + k * p.of_b;
      lists[6 + k] = p.c + k * p.of_c;
    }
    cudaMalloc(&device, sizeof lists);
    cudaMemcpy(device, lists, sizeof lists, cudaMemcpyHostToDevice);
    done(gemm(blas, p.op_a, p.op_b, p.m, p.n, p.k, x, device, p.lda, device + 3, p.ldb, y,
              device + 6, p.ldc, 3));
    cudaFree(device);
  });
}

template <class A, class C, class S>
void of_types(const char* name, cudaDataType of_a, cudaDataType of_c, int compute, S alpha,
              S beta) {
  products<A, C, S>(name, wide(alpha), wide(beta), 1, [&](const auto& p, const S* x, const S* y) {
    done(cublasGemmEx(blas, p.op_a, p.op_b, p.m, p.n, p.k, x, p.a, of_a, p.lda, p.b, of_a, p.ldb, y,
                      p.c, of_c, p.ldc, compute, -1));
  });
}

/// Products of s8 whose columns do not begin at words, and one whose columns do.
void narrow_words() {
  Values<std::int8_t> a(64), b(64);
  Values<std::int32_t> c(64);
  const int one = 1, zero = 0;
  const auto status = [&](int lda, int ldb, int shift) {
    return cublasGemmEx(blas, 0, 0, 4, 4, 4, &one, a.device + shift, CUDA_R_8I, lda, b.device,
                        CUDA_R_8I, ldb, &zero, c.device, CUDA_R_32I, 4, 72, -1);
  };
  std::printf("s8 in words and not: %d %d %d %d\n", status(4, 8, 4), status(5, 4, 0),
              status(4, 6, 0), status(4, 4, 1));
}

template <class T, class F>
void vectors(const char* name, const F& gemv, C64 alpha, C64 beta) {
  T x, y;
  narrow(alpha, x);
  narrow(beta, y);
  const int m = 6, n = 4, lda = 9;
  for (int op = 0; op < 3; ++op) {
    for (const int step : {1, 2, -3}) {
      const int in = op == 0 ? n : m, out = op == 0 ? m : n;
      Values<T> a(lda * n), from(in * std::abs(step)), to(out * 2);
      done(gemv(blas, op, m, n, &x, a.device, lda, from.device, step, &y, to.device, -2));
      for (int i = 0; i < out; ++i) {
        C64 sum = 0;
        for (int l = 0; l < in; ++l) {
          sum += at(a.host.data(), lda, op, i, l) * wide(element(from.host, in, step, l));
        }
        T& result = element(to.host, out, -2, i);
        narrow(alpha * sum + beta * wide(result), result);
      }
      to.compare();
    }
  }
  tell(name);
}

template <class T, class F>
void dot(const char* name, const F& call, bool conjugated) {
  const int n = 33;
  Values<T> x(n * 2), y(n * 3);
  C64 sum = 0;
  for (int k = 0; k < n; ++k) {
    const C64 left = wide(element(x.host, n, 2, k));
    sum += (conjugated ? std::conj(left) : left) * wide(element(y.host, n, -3, k));
  }
  T of_host, *of_device;
  cudaMalloc(&of_device, sizeof(T));
  done(call(blas, n, x.device, 2, y.device, -3, &of_host));
  expect(wide(of_host) == sum);
  done(cublasSetPointerMode_v2(blas, 1));
  done(call(blas, n, x.device, 2, y.device, -3, of_device));
  done(cublasSetPointerMode_v2(blas, 0));
  cudaMemcpy(&of_host, of_device, sizeof(T), cudaMemcpyDeviceToHost);
  expect(wide(of_host) == sum);
  cudaFree(of_device);
  tell(name);
}

template <class T, class F, class G>
void axpy_and_scal(const char* name, const F& axpy, const G& scal, C64 alpha) {
  T factor;
  narrow(alpha, factor);
  const int n = 21;
  Values<T> x(n * 2), y(n * 3);
  done(axpy(blas, n, &factor, x.device, -2, y.device, 3));
  done(scal(blas, n, &factor, x.device, 2));
  for (int k = 0; k < n; ++k) {
    T &to = element(y.host, n, 3, k), &from = element(x.host, n, -2, k);
    narrow(wide(to) + alpha * wide(from), to);
  }
  for (int k = 0; k < 2 * n; k += 2) narrow(alpha * wide(x.host[k]), x.host[k]);
  x.compare();
  y.compare();
  tell(name);
}

void norms() {
  float* x;
  C64* z;
  cudaMallocManaged(&x, 3 * sizeof *x);
  cudaMallocManaged(&z, 2 * sizeof *z);
  x[0] = 3, x[2] = -4;
  z[0] = {2, 4}, z[1] = {-5, 2};
  float of_x = 0, none = 1;
  double of_z = 0;
  done(cublasSnrm2_v2(blas, 2, x, 2, &of_x));
  done(cublasSnrm2_v2(blas, 0, nullptr, 1, &none));
  done(cublasDznrm2_v2(blas, 2, z, 1, &of_z));
  expect(of_x == 5 && none == 0 && of_z == 7);
  cudaFree(x);
  cudaFree(z);
  tell("norms");
}

/// Scalars of the device, what C holds where beta is 0, a captured product, memory of both.
void other_ways() {
  const float zero = 0, one = 1, two = 2;
  Values<float> a(4), b(4), c(4), scalars(2);
  cudaMemcpy(scalars.device, &two, sizeof two, cudaMemcpyHostToDevice);
  cudaMemcpy(scalars.device + 1, &one, sizeof one, cudaMemcpyHostToDevice);
  done(cublasSetPointerMode_v2(blas, 1));
  done(cublasSgemm_v2(blas, 0, 0, 2, 2, 2, scalars.device, a.device, 2, b.device, 2,
                      scalars.device + 1, c.device, 2));
  done(cublasSetPointerMode_v2(blas, 0));
  multiply(0, 0, 2, 2, 2, 2, a.host.data(), 2, b.host.data(), 2, 1, c.host.data(), 2);
  c.compare();
  tell("scalars of the device");

  const float not_numbers[4] = {NAN, NAN, NAN, NAN};
  cudaMemcpy(c.device, not_numbers, sizeof not_numbers, cudaMemcpyHostToDevice);
  done(cublasSgemm_v2(blas, 0, 0, 2, 2, 2, &one, a.device, 2, b.device, 2, &zero, c.device, 2));
  multiply(0, 0, 2, 2, 2, 1, a.host.data(), 2, b.host.data(), 2, 0, c.host.data(), 2);
  c.compare();
  done(cublasSgemm_v2(blas, 0, 0, 2, 2, 0, &one, a.device, 2, b.device, 2, &two, c.device, 2));
  for (float& value : c.host) value *= 2;
  c.compare();
  tell("beta of 0, no columns");

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamCreate(&stream);
  done(cublasSetStream_v2(blas, stream));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  done(cublasSgemm_v2(blas, 0, 1, 2, 2, 2, &one, a.device, 2, b.device, 2, &one, c.device, 2));
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  for (int k = 0; k < 2; ++k) {
    cudaGraphLaunch(ready, stream);
    multiply(0, 1, 2, 2, 2, 1, a.host.data(), 2, b.host.data(), 2, 1, c.host.data(), 2);
  }
  cudaStreamSynchronize(stream);
  done(cublasSetStream_v2(blas, nullptr));
  c.compare();
  tell("captured");
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);

  float *both, *pinned;
  cudaMallocManaged(&both, 8 * sizeof(float), 1);
  cudaMallocHost(&pinned, 4 * sizeof(float));
  for (int k = 0; k < 4; ++k) both[k] = pinned[k] = float(k);
  done(cublasSgemm_v2(blas, 0, 0, 2, 2, 2, &one, both, 2, pinned, 2, &zero, both + 4, 2));
  cudaDeviceSynchronize();
  const float expected[4] = {2, 3, 6, 11};
  for (int k = 0; k < 4; ++k) expect(both[4 + k] == expected[k]);
  tell("memory of both");
  cudaFree(both);
  cudaFreeHost(pinned);

  Values<C32> z(5);
  const float half = 0.5F;
  done(cublasCsscal_v2(blas, 5, &half, z.device, 1));
  for (C32& value : z.host) value *= half;
  z.compare();
  Values<__half> h(9);
  C64 sum = 0;
  for (const __half value : h.host) sum += wide(value) * wide(value);
  __half result;
  done(cublasDotEx(blas, 9, h.device, CUDA_R_16F, 1, h.device, CUDA_R_16F, 1, &result, CUDA_R_16F,
                   CUDA_R_32F));
  expect(wide(result) == sum);
  tell("mixed types of vectors");
}

/// D = activation(alpha A B + beta C + bias), B by rows, in a batch of two.
void light(const char* name, int epilogue, const std::function<double(double)>& activation) {
  const int m = 3, n = 4, k = 5, batch = 2, by_rows = 1;
  const float alpha = 2, beta = -1;
  Values<float> a(m * k * batch), b(k * n * batch), c(m * n * batch), d(m * n * batch), bias(m);
  void *lt, *product, *of_a, *of_b, *of_c, *preference;
  done(cublasLtCreate(&lt));
  done(cublasLtMatmulPreferenceCreate(&preference));
  done(cublasLtMatmulDescCreate(&product, 68, CUDA_R_32F));
  done(cublasLtMatmulDescSetAttribute(product, 7, &epilogue, sizeof epilogue));
  const bool adds = (epilogue & 4) != 0;
  if (adds) done(cublasLtMatmulDescSetAttribute(product, 8, &bias.device, sizeof bias.device));
  done(cublasLtMatrixLayoutCreate(&of_a, CUDA_R_32F, m, k, m));
  done(cublasLtMatrixLayoutCreate(&of_b, CUDA_R_32F, k, n, n));
  done(cublasLtMatrixLayoutSetAttribute(of_b, 1, &by_rows, sizeof by_rows));
  done(cublasLtMatrixLayoutCreate(&of_c, CUDA_R_32F, m, n, m));
  const std::int64_t strides[3] = {m * k, k * n, m * n};
  int index = 0;
  for (void* const layout : {of_a, of_b, of_c}) {
    done(cublasLtMatrixLayoutSetAttribute(layout, 5, &batch, sizeof batch));
    done(cublasLtMatrixLayoutSetAttribute(layout, 6, &strides[index++], sizeof strides[0]));
  }
  struct {
    std::uint64_t algorithm[8];
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
  } result;
  int count = 0;
  done(cublasLtMatmulAlgoGetHeuristic(lt, product, of_a, of_b, of_c, of_c, preference, 1, &result,
                                      &count));
  expect(cublasLtMatmulAlgoGetHeuristic(lt, product, of_a, of_b, of_c, of_c, nullptr, 1, &result,
                                        &index) == 7);
  done(cublasLtMatmulPreferenceDestroy(preference));
  expect(count == 1 && result.state == 0);
  const auto multiplied = [&] {
    return cublasLtMatmul(lt, product, &alpha, a.device, of_a, b.device, of_b, &beta, c.device,
                          of_c, d.device, of_c, result.algorithm, nullptr, 0, nullptr);
  };
  done(multiplied());
  d.host = c.host;
  for (int one = 0; one < batch; ++one) {
    multiply(0, 1, m, n, k, alpha, a.host.data() + one * m * k, m, b.host.data() + one * k * n, n,
             beta, d.host.data() + one * m * n, m);
  }
  for (std::size_t k = 0; k < d.host.size(); ++k) {
    d.host[k] = float(activation(d.host[k] + (adds ? bias.host[k % m] : 0)));
  }
  d.compare();
  if (!adds) {  // a bias that nothing adds
    done(cublasLtMatmulDescSetAttribute(product, 8, &bias.device, sizeof bias.device));
    expect(multiplied() == 7);
  }
  for (void* const layout : {of_a, of_b, of_c}) done(cublasLtMatrixLayoutDestroy(layout));
  done(cublasLtMatmulDescDestroy(product));
  done(cublasLtDestroy(lt));
  tell(name);
}

}  // namespace

int main() {
  done(cublasCreate_v2(&blas));
  plain<float>("Sgemm", cublasSgemm_v2, 2, -1);
  plain<double>("Dgemm", cublasDgemm_v2, -3, 2);
  plain<C32>("Cgemm", cublasCgemm_v2, {1, 2}, {0, -1});
  plain<C64>("Zgemm", cublasZgemm_v2, {2, -1}, {3, 1});
  plain<__half>("Hgemm", cublasHgemm, 2, 1);
  plain<float>("Sgemm_64", cublasSgemm_v2_64, 2, 1);
  listed<float>("SgemmBatched", cublasSgemmBatched, 2, 1);
  listed<C64>("ZgemmBatched", cublasZgemmBatched, {2, 1}, {0, 1});
  strided<double>("DgemmStridedBatched", cublasDgemmStridedBatched, 1, 0);
  strided<__half>("HgemmStridedBatched", cublasHgemmStridedBatched, 1, 1);
  of_types<__half, float>("f16 to f32", CUDA_R_16F, CUDA_R_32F, 68, 2.0F, 1.0F);
  of_types<__nv_bfloat16, __nv_bfloat16>("bf16", CUDA_R_16BF, CUDA_R_16BF, 68, 1.0F, 0.0F);
  of_types<std::int8_t, std::int32_t>("s8 to s32", CUDA_R_8I, CUDA_R_32I, 72, 1, 1);
  narrow_words();
  of_types<std::int8_t, float>("s8 to f32", CUDA_R_8I, CUDA_R_32F, 68, 0.5F, 1.0F);
  vectors<float>("Sgemv", cublasSgemv_v2, 2, 1);
  vectors<C64>("Zgemv", cublasZgemv_v2, {1, 1}, {2, 0});
  dot<float>("Sdot", cublasSdot_v2, false);
  dot<double>("Ddot", cublasDdot_v2, false);
  dot<C32>("Cdotu", cublasCdotu_v2, false);
  dot<C64>("Zdotc", cublasZdotc_v2, true);
  axpy_and_scal<float>("Saxpy, Sscal", cublasSaxpy_v2, cublasSscal_v2, 3);
  axpy_and_scal<C32>("Caxpy, Cscal", cublasCaxpy_v2, cublasCscal_v2, {2, -1});
  norms();
  other_ways();
  light("cublasLt, bias and ReLU", 2 | 4, [](double x) { return x > 0 ? x : 0; });
  light("cublasLt, no epilogue", 1, [](double x) { return x; });
  done(cublasDestroy_v2(blas));
}
