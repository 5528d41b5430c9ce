// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/executors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>

#include "base/spelling.hpp"
#include "gpu/executor/executor.hpp"
#include "interface/cli/built.hpp"
#include "interface/cli/usage.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::cli {

std::unique_ptr<Executor> make_executor(const std::string& name,
                                        const std::atomic<bool>& interrupted,
                                        const std::string& instead) {
  if (name == "simt") return simt::make_executor({.interrupted = &interrupted});
  if (name == "cuda") {
    if constexpr (has_gpu) {
      try {
        return std::make_unique<cuda::GpuExecutor>(cuda::ExecutorOptions{});
      } catch (const cuda::Unavailable& error) {
        throw NoExecutor(fmt::format("{}; {}", error.what(), instead));
      }
    }
    throw not_built("cuda", "CUDA");
  }
  constexpr std::array<std::string_view, 2> known{"simt", "cuda"};
  throw UsageError(unknown_word("executor", name, known));
}

unsigned default_jobs(const Executor& executor) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return executor.sees_everything() ? cores : std::clamp(8 * cores, 16U, 256U);
}

std::string executor_notes(const Executor& executor) {
  if constexpr (has_gpu) {
    const auto* gpu = dynamic_cast<const cuda::GpuExecutor*>(&executor);
    if (gpu == nullptr) return {};
    const cuda::PoolStats stats = gpu->stats();
    return fmt::format(
        "\n{}\n{} runs in {} batches by {} workers; {} faults ({:.2f} s each), {} "
        "hangs, {} crashes, {} reruns",
        gpu->devices() == 1
            ? cuda::describe(gpu->device())
            : fmt::format("{} GPUs, the first: {}", gpu->devices(), cuda::describe(gpu->device())),
        stats.jobs, stats.batches, stats.workers, stats.faults,
        stats.faults == 0 ? 0.0 : stats.fault_seconds / static_cast<double>(stats.faults),
        stats.hangs, stats.crashes, stats.reruns);
  }
  return {};
}

}  // namespace gauntlet::cli
