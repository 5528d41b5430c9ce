// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that kernels allocate. With an argument: one mistake of that name.
#include <cstdio>
#include <string>

namespace {

struct Node {
  int value;
  Node* next;
  __device__ Node(int v, Node* n) : value(v), next(n) {}
};

__global__ void build(Node** lists) {
  Node* list = nullptr;
  for (int k = 0; k < 5; ++k) list = new Node(k * static_cast<int>(threadIdx.x), list);
  lists[threadIdx.x] = list;
}
__global__ void add_up(Node** lists, int* sums) {
  int sum = 0;
  for (Node* node = lists[threadIdx.x]; node != nullptr;) {
    Node* const next = node->next;
    sum += node->value;
    delete node;
    node = next;
  }
  sums[threadIdx.x] = sum;
}
__global__ void shared_by_block(int* out) {
  __shared__ int* array;
  if (threadIdx.x == 0) array = static_cast<int*>(malloc(blockDim.x * sizeof(int)));
  __syncthreads();
  array[threadIdx.x] = static_cast<int>(threadIdx.x * threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = array[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(array);
}

__global__ void overruns() {
  int* const array = static_cast<int*>(malloc(4 * sizeof(int)));
  array[4] = 1;
  free(array);
}
__global__ void uses_after_free(int* out) {
  int* const array = static_cast<int*>(malloc(sizeof(int)));
  *array = 1;
  free(array);
  *out = *static_cast<volatile int*>(array);
}
__global__ void frees_twice() {
  void* const array = malloc(8);
  free(array);
  free(array);
}
__global__ void frees_another(int* array) { free(array); }
__global__ void undefined(int* out) {
  const int* const array = static_cast<int*>(malloc(sizeof(int)));
  if (*array > 0) *out = 1;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int n = 40;
  const std::string fault = argc > 1 ? argv[1] : "";
  Node** lists = nullptr;
  int *ints = nullptr, host[n];
  cudaMalloc(&lists, n * sizeof(Node*));
  cudaMalloc(&ints, n * sizeof(int));
  if (fault == "overruns") overruns<<<1, 1>>>();
  if (fault == "uses_after_free") uses_after_free<<<1, 1>>>(ints);
  if (fault == "frees_twice") frees_twice<<<1, 1>>>();
  if (fault == "frees_another") frees_another<<<1, 1>>>(ints);
  if (fault == "undefined") undefined<<<1, 1>>>(ints);
  if (fault == "leaks") build<<<1, n>>>(lists);
  if (fault.empty()) {
    build<<<1, n>>>(lists);
    add_up<<<1, n>>>(lists, ints);
    cudaMemcpy(host, ints, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", host[1], host[n - 1]);
    shared_by_block<<<1, n>>>(ints);
    cudaMemcpy(host, ints, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", host[0], host[n - 1]);
  }
  cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaFree(lists);
  cudaFree(ints);
}
