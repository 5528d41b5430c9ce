// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One include makes `gauntlet run` fail those tests of a GoogleTest program whose kernels are
// wrong, and no others. DIR is where gauntlet was installed:
//
//     nvcc -g -lineinfo -I DIR/include -o sums_test googletest.cu -lgtest -lgtest_main
//     gauntlet run -- ./sums_test
//
// On a GPU all tests pass. Here `Sums.of_neighbours` fails, with
//
//     error: race_write_read s[63], 4 bytes (64 times)
//       no barrier orders the write at googletest.cu:48 and the read at :49
//
// and with the copy of the value that a thread read too early.
#include <gauntlet/gtest.hpp>
#include <vector>

namespace {

constexpr int n = 64;

/// Runs a kernel on 1, 2, ... n.
template <class Kernel>
std::vector<int> result(Kernel kernel) {
  std::vector<int> values(n);
  for (int k = 0; k < n; ++k) values[k] = k + 1;
  int *in = nullptr, *out = nullptr;
  EXPECT_EQ(cudaMalloc(&in, n * sizeof(int)), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&out, n * sizeof(int)), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice), cudaSuccess);
  kernel<<<1, n>>>(in, out);
  EXPECT_EQ(cudaMemcpy(values.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaFree(in), cudaSuccess);
  EXPECT_EQ(cudaFree(out), cudaSuccess);
  return values;
}

__global__ void doubled(const int* in, int* out) {
  const unsigned t = threadIdx.x;
  out[t] = 2 * in[t];
}

/// Lacks a barrier between the two lines.
__global__ void sums_of_neighbours(const int* in, int* out) {
  __shared__ int s[n];
  const unsigned t = threadIdx.x;
  s[t] = in[t];
  out[t] = s[t] + s[(t + n - 1) % n];
}

__global__ void reversed(const int* in, int* out) {
  __shared__ int s[n];
  const unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  out[t] = s[n - 1 - t];
}

TEST(Sums, doubled) { EXPECT_EQ(result(doubled)[3], 8); }

TEST(Sums, of_neighbours) { EXPECT_EQ(result(sums_of_neighbours)[5], 11); }

TEST(Sums, reversed) { EXPECT_EQ(result(reversed)[0], n); }

}  // namespace
