// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "gpu/executor/executor.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::cuda {

/// All that was seen, in the order of the cases.
inline std::vector<Observation> run_all(GpuExecutor& gpu, std::span<const Case> cases,
                                        unsigned jobs = 1) {
  std::vector<Observation> observations(cases.size());
  gpu.run_each(
      cases, kernels::plan,
      [&](std::size_t i, const Plan&, Observation seen) { observations[i] = std::move(seen); },
      jobs);
  return observations;
}

}  // namespace gauntlet::cuda
