// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

#include "tests/kernels/claims/runner.hpp"

namespace gauntlet::claims {

/// The GPU that ctest gave this test (CTEST_RESOURCE_GROUP_0_GPUS is "id:1,slots:1"), else 0.
const Runner& runner() {
  static const auto gpu = [] {
    const char* const given = std::getenv("CTEST_RESOURCE_GROUP_0_GPUS");
    const std::string text(given == nullptr ? "" : given);
    return cuda_runner(text.starts_with("id:") ? std::atoi(text.c_str() + 3) : 0);
  }();
  return gpu;
}

}  // namespace gauntlet::claims
