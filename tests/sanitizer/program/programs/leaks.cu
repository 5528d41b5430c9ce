// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays that are not freed: of a loop, of one line, of a function with two callers. With the
// argument "frees" all are.
#include <string>
#include <vector>

namespace {

char* made(std::size_t bytes) {
  char* at = nullptr;
  cudaMalloc(&at, bytes);
  return at;
}

}  // namespace

int main(int count, char** arguments) {
  const bool frees = count > 1 && std::string(arguments[1]) == "frees";
  std::vector<char*> all(12);
  for (int k = 0; k < 3; ++k) cudaMalloc(&all[k], 100 << k);
  // clang-format off
  cudaMalloc(&all[3], 1); cudaMalloc(&all[4], 2); cudaMalloc(&all[5], 4); cudaMalloc(&all[6], 8); cudaMalloc(&all[7], 16);
  // clang-format on
  all[8] = made(32);
  all[9] = made(64);
  cudaMallocManaged(&all[10], 1000);
  cudaMallocHost(&all[11], 2000);
  cudaFree(made(5000));  // of the same line as all[8], and freed
  for (int k = 0; frees && k < 11; ++k) cudaFree(all[k]);
  if (frees) cudaFreeHost(all[11]);
}
