// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Run while the project is built: prints the names and texts of CUDA's errors, as the toolkit's own
// library spells them, as rows of a table.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

int main() {
  constexpr int most = 1000;  // cudaErrorUnknown is 999
  for (int k = 0; k < most; ++k) {
    const auto error = static_cast<cudaError_t>(k);
    const char* const name = cudaGetErrorName(error);
    if (std::strncmp(name, "cuda", 4) != 0) continue;
    std::printf("{%d, {\"%s\", \"%s\"}},\n", k, name, cudaGetErrorString(error));
  }
}
