// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Jobs on a real GPU, by several threads at once: what limits the rate of small cases is a thread
// that launches (docs/gpu.md).
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "gpu/executor/fenced_memory.hpp"
#include "gpu/executor/launcher.hpp"
#include "gpu/executor/library.hpp"
#include "gpu/executor/worker.hpp"

namespace gauntlet::cuda {

class Gpu final : public Device {
 public:
  /// Jobs with more memory than this, or with a __device__ variable, run by themselves.
  static constexpr std::uint64_t together_bytes = std::uint64_t{256} << 10;

  /// `launchers`: threads that are in run() at once.
  explicit Gpu(unsigned number, unsigned launchers = 1)
      : number_(static_cast<int>(number)), launcher_count_(launchers) {}

  [[nodiscard]] Hello hello() override;
  [[nodiscard]] std::vector<Result> run(std::span<const Job> jobs) override;

 private:
  class Borrowed;

  void open();

  int number_;
  unsigned launcher_count_;
  std::unique_ptr<FencedMemory> memory_;
  std::unique_ptr<Library> library_;
  Support support_;
  std::mutex idle_mutex_;                        // guards idle_
  std::vector<std::unique_ptr<Launcher>> idle_;  // those that no thread uses
  std::shared_mutex alone_;                      // held alone by who runs a job by itself
  std::mutex turn_;                              // whoever waits for alone_ is next
};

}  // namespace gauntlet::cuda
