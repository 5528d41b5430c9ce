// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Jobs on a real GPU. What a batch costs: one fill of all buffers, the jobs' own launches, one
// comparison, one collection of the outputs, one copy back, one synchronisation.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuda/fenced_memory.hpp"
#include "cuda/layout.hpp"
#include "cuda/library.hpp"
#include "cuda/staging.hpp"
#include "cuda/worker.hpp"

namespace gauntlet::cuda {

class Gpu final : public Device {
 public:
  /// Streams that the launches of independent jobs are spread over.
  static constexpr std::size_t streams = 4;
  /// Jobs with more memory than this, or with a __device__ variable, run by themselves.
  static constexpr std::uint64_t together_bytes = std::uint64_t{256} << 10;

  explicit Gpu(unsigned number) : number_(static_cast<int>(number)) {}
  ~Gpu() override;
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  [[nodiscard]] Hello hello() override;
  [[nodiscard]] std::vector<Result> run(std::span<const Job> jobs) override;

 private:
  struct Placed {
    const Job* job = nullptr;
    Result* result = nullptr;
    std::size_t first_segment = 0;  ///< the input's
    std::size_t first_harvest = 0;
  };

  /// What a segment of Content::given holds before the run.
  struct Given {
    std::size_t segment = 0;
    std::span<const std::byte> content;
  };

  void open();
  void run_group(std::span<Placed> group);
  [[nodiscard]] bool place(Placed& placed);
  void observe(const Placed& placed);
  void upload();
  void fill();
  void launch_all(std::span<Placed> group);
  void launch(const Placed& placed, cudaStream_t stream);
  void compare_and_collect();
  void read_back(const Placed& placed);
  template <class... Args>
  void launch_support(cudaKernel_t kernel, std::size_t segments, std::uint64_t most, Args... args);

  int number_;
  int multiprocessors_ = 0;
  std::uint32_t most_shared_ = 0;
  std::unique_ptr<FencedMemory> memory_;
  std::unique_ptr<Library> library_;
  cudaKernel_t fill_{}, compare_{}, collect_{}, scribble_{};
  cudaStream_t main_{};
  std::vector<cudaStream_t> side_;
  cudaEvent_t filled_{};
  std::vector<cudaEvent_t> finished_;
  std::uint32_t batches_ = 0;

  // Of the group that runs.
  std::vector<Segment> segments_;
  std::vector<Harvest> harvests_;
  std::vector<Given> given_;
  std::size_t changes_bytes_ = 0, harvest_bytes_ = 0;
  Staging up_, down_;
};

}  // namespace gauntlet::cuda
