// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A plan that gives the content of all its arrays, as a unit of work: kernels of a user.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/timing/work.hpp"

namespace gauntlet::timing {

class GivenWork final : public Work {
 public:
  /// The plan takes no input beside its arrays. Throws cuda::Rejected, cuda::OutOfMemory.
  GivenWork(cuda::Library& library, const Case& c, const Plan& plan, unsigned slots);
  /// Arrays that a kernel may change get their content again; what has none keeps what it holds.
  void restore(cudaStream_t stream) override;
  void enqueue(cudaStream_t stream, unsigned slot) override;
  /// What the last run in a slot left. Waits for the stream.
  [[nodiscard]] Observation read(cudaStream_t stream, unsigned slot) const;

  /// Device memory of one slot's arrays.
  [[nodiscard]] static std::uint64_t bytes_of(const Plan& plan);

 private:
  [[nodiscard]] std::uint64_t address(std::uint32_t buffer, unsigned slot) const {
    return memory_.begin() + stride_ * slot + offsets_.at(buffer);
  }

  cuda::Library& library_;
  const Case case_;
  const Plan plan_;
  const cuda::Job job_;
  const unsigned slots_;
  std::vector<std::uint64_t> offsets_;  ///< of each buffer in its slot
  std::uint64_t stride_ = 0;
  DeviceMemory memory_;  ///< behind the slots one more, which keeps the content
};

}  // namespace gauntlet::timing
