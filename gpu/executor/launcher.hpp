// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups of jobs on a GPU, for one thread at a time. What a group costs: one fill of all buffers,
// the jobs' own launches, one comparison, one collection of the outputs, one copy back, one
// synchronisation.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/fenced_memory.hpp"
#include "gpu/executor/job.hpp"
#include "gpu/executor/layout.hpp"
#include "gpu/executor/library.hpp"

namespace gauntlet::cuda {

// Memory for what goes to the device and back with every batch: pinned on the host and its mirror
// on the device. Kept, and grown when a batch needs more.

class Staging {
 public:
  Staging() = default;
  ~Staging() { release(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// At least that many bytes; what was there is lost. Throws DeviceLost.
  void reserve(std::size_t bytes) {
    if (bytes <= size_) return;
    release();
    const std::size_t size = std::max<std::size_t>(std::size_t{1} << 20, bytes + bytes / 2);
    check(cudaMallocHost(&host_, size));
    check(cudaMalloc(&device_, size));
    size_ = size;
  }
  [[nodiscard]] std::byte* host() const { return static_cast<std::byte*>(host_); }
  [[nodiscard]] std::byte* device() const { return static_cast<std::byte*>(device_); }

  void up(std::size_t bytes, cudaStream_t stream) const {
    check(cudaMemcpyAsync(device_, host_, bytes, cudaMemcpyHostToDevice, stream));
  }
  void down(std::size_t bytes, cudaStream_t stream) const {
    check(cudaMemcpyAsync(host_, device_, bytes, cudaMemcpyDeviceToHost, stream));
  }

 private:
  void release() {
    if (host_ != nullptr) (void)cudaFreeHost(host_);
    if (device_ != nullptr) (void)cudaFree(device_);
    host_ = device_ = nullptr;
    size_ = 0;
  }
  void* host_ = nullptr;
  void* device_ = nullptr;
  std::size_t size_ = 0;
};

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
  void call(const Placed& placed, cudaStream_t stream);
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
