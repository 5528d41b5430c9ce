// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups of jobs on a GPU, for one thread at a time. What a group costs: one fill of all buffers,
// the jobs' own launches, one comparison, one collection of the outputs, one copy back, one
// synchronisation.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/executor/fenced_memory.hpp"
#include "gpu/executor/job.hpp"
#include "gpu/executor/layout.hpp"
#include "gpu/executor/library.hpp"
#include "gpu/executor/staging.hpp"

namespace gauntlet::cuda {

/// What the executor itself runs on a GPU (gpu/executor/support.cu).
struct Support {
  cudaKernel_t fill{}, compare{}, collect{}, scribble{};
  int multiprocessors = 0;
  std::uint32_t most_shared = 0;  ///< bytes of dynamic shared memory that a block may have
};

/// A job, and where its result goes.
struct Placed {
  const Job* job = nullptr;
  Result* result = nullptr;
  std::size_t first_segment = 0;  ///< the input's
  std::size_t first_harvest = 0;
};

class Launcher {
 public:
  /// Streams that the launches of independent jobs are spread over.
  static constexpr std::size_t streams = 4;

  /// On the current device, as its run. What it is given must outlive it. Throws DeviceLost.
  Launcher(FencedMemory& memory, Library& library, const Support& support);
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// Runs the jobs together. Those that find no memory get the result too_big where nothing else
  /// holds any (`alone`, one job); else they have no result yet and are returned. Throws
  /// DeviceLost.
  [[nodiscard]] std::vector<Placed> run(std::span<Placed> group, bool alone);

 private:
  /// What a segment of Content::given holds before the run.
  struct Given {
    std::size_t segment = 0;
    std::span<const std::byte> content;
  };

  void place(Placed& placed);
  void observe(const Placed& placed);
  void upload();
  void fill();
  void launch_all(std::span<Placed> group);
  void launch(const Placed& placed, cudaStream_t stream);
  void compare_and_collect();
  void read_back(const Placed& placed);
  template <class... Args>
  void launch_support(cudaKernel_t kernel, std::size_t segments, std::uint64_t most, Args... args);

  FencedMemory& memory_;
  Library& library_;
  const Support& support_;
  cudaStream_t main_{};
  std::vector<cudaStream_t> side_;
  cudaEvent_t filled_{};
  std::vector<cudaEvent_t> finished_;
  std::uint32_t groups_ = 0;

  // Of the group that runs.
  std::vector<FencedMemory::Range> ranges_;
  std::vector<Segment> segments_;
  std::vector<Harvest> harvests_;
  std::vector<Given> given_;
  std::size_t changes_bytes_ = 0, harvest_bytes_ = 0;
  Staging up_, down_;
};

}  // namespace gauntlet::cuda
