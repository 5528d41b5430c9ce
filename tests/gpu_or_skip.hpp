// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Without a GPU the tests that need one are skipped, so that a plain `ctest` is green anywhere; with
// GAUNTLET_REQUIRE_GPU=1, as the lane with a GPU sets it, they run and fail.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace gauntlet::testing {

/// RUN_ALL_TESTS, or one line that ctest reads as "skipped".
inline int run_where_a_gpu_is() {
  const char* const required = std::getenv("GAUNTLET_REQUIRE_GPU");
  int count = 0;
  const bool here = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  const bool must = required != nullptr && std::string_view(required) == "1";
  if (here || must || ::testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  std::printf("[  SKIPPED ] no GPU that CUDA can use; GAUNTLET_REQUIRE_GPU=1 makes this a failure\n");
  return 0;
}

}  // namespace gauntlet::testing
