// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A case's launches in this process and nothing beside them: memory by cudaMalloc, filled by
// copies, no fences, no kernels of ours. For a profiler, which then sees only what is to be
// counted.
#pragma once

#include <cstdint>
#include <memory>

#include "core/plan.hpp"
#include "cuda/library.hpp"

namespace gauntlet::cuda {

class PlainRunner {
 public:
  /// Throws Unavailable (cuda/executor.hpp) where there is no such GPU.
  explicit PlainRunner(int device);
  /// Returns how many launches there were: 0 where the plan refuses the case. Throws
  /// CaseError, Rejected, or DeviceLost, after which this process can use the GPU no more.
  std::uint32_t run(const Case& c, const Plan& plan);

 private:
  std::unique_ptr<Library> library_;
};

}  // namespace gauntlet::cuda
