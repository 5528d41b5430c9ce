// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A project's tests of its kernels, of which one has a defect that its own test does not see.
#include <gtest/gtest.h>

#include <vector>

namespace {

__global__ void scale(float* x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

/// The last warp's steps lack __syncwarp: mostly right on a GPU.
__global__ void warp_tail_sum(const int* in, int* out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0) *out = s[0];
}

class Device : public testing::Test {
 protected:
  void TearDown() override {
    for (void* p : arrays_) EXPECT_EQ(cudaFree(p), cudaSuccess);
  }
  template <class T>
  T* array(const std::vector<T>& content) {
    void* at = nullptr;
    EXPECT_EQ(cudaMalloc(&at, content.size() * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(at, content.data(), content.size() * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
    arrays_.push_back(at);
    return static_cast<T*>(at);
  }

 private:
  std::vector<void*> arrays_;
};

TEST_F(Device, scales) {
  for (const int n : {1, 31, 1000}) {
    std::vector<float> x(n, 3.0F);
    float* at = array(x);
    scale<<<(n + 127) / 128, 128>>>(at, 2.0F, n);
    ASSERT_EQ(cudaMemcpy(x.data(), at, n * sizeof(float), cudaMemcpyDeviceToHost), cudaSuccess);
    for (const float value : x) EXPECT_EQ(value, 6.0F);
  }
}

TEST_F(Device, sums) {
  std::vector<int> ones(64, 1);
  int *in = array(ones), *out = array(std::vector<int>{0}), sum = 0;
  warp_tail_sum<<<1, 64>>>(in, out);
  ASSERT_EQ(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(sum, 64);
}

}  // namespace
