// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Without a GPU the tests that need one are skipped, so that a plain `ctest` is green anywhere;
// with GAUNTLET_REQUIRE_GPU=1, as the lane with a GPU sets it, they run and fail.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace gauntlet {

inline bool gpu_is_required() {
  const char* const required = std::getenv("GAUNTLET_REQUIRE_GPU");
  return required != nullptr && std::string_view(required) == "1";
}

/// RUN_ALL_TESTS, or one line that ctest reads as "skipped".
inline int run_where_a_gpu_is() {
  int count = 0;
  const bool here = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  if (here || gpu_is_required() || testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  std::printf(
      "[  SKIPPED ] no GPU that CUDA can use; GAUNTLET_REQUIRE_GPU=1 makes this a failure\n");
  return 0;
}

}  // namespace gauntlet
