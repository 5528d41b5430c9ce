// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the GPU tests share.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "gpu/executor/executor.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::cuda {

/// The GPU that ctest gave this test (CTEST_RESOURCE_GROUP_0_GPUS is "id:1,slots:1"), else 0.
inline unsigned gpu_number() {
  const char* const given = std::getenv("CTEST_RESOURCE_GROUP_0_GPUS");
  if (given == nullptr) return 0;
  const std::string text(given);
  return text.starts_with("id:") ? static_cast<unsigned>(std::atoi(text.c_str() + 3)) : 0;
}

inline ExecutorOptions gpu_options() {
  ExecutorOptions options;
  options.gpus = {gpu_number()};
  return options;
}

/// One executor for the tests of a process.
inline GpuExecutor& gpu() {
  static const auto executor = std::make_unique<GpuExecutor>(gpu_options());
  return *executor;
}

inline Case case_of(const std::string& line) {
  Case c = parse_case(line);
  if (c.grid == 0) c.grid = kernels::plan(c).grid;
  return c;
}

inline Observation run(const std::string& line) { return kernels::run(gpu(), case_of(line)); }

/// "out_of_bounds_read in", and so on, one after another.
inline std::string found(const Observation& observation) {
  std::string text = observation.refused.empty() ? "" : "refused: " + observation.refused;
  for (const Finding& finding : observation.findings) {
    if (!text.empty()) text += ", ";
    text += std::string(name(finding.kind));
    if (!finding.array.empty()) text += " " + finding.array;
  }
  return text;
}

/// A job of this case, to be changed.
inline Job job_of(const std::string& line) {
  const Case c = case_of(line);
  return make_job(c, kernels::plan(c));
}

inline PoolOptions pool_options(unsigned launchers = ExecutorOptions{}.launchers) {
  PoolOptions options;
  options.worker = {"/proc/self/exe", "worker",
                    "--gpu",          std::to_string(gpu_number()),
                    "--launchers",    std::to_string(launchers)};
  return options;
}

}  // namespace gauntlet::cuda
