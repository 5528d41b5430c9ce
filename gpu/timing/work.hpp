// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is timed: one reduction of the input in a slot, as launches on a stream. Each slot has its
// own outputs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/executor/job.hpp"
#include "gpu/executor/library.hpp"
#include "gpu/timing/limit.hpp"
#include "gpu/timing/memory.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet::timing {

class Work {
 public:
  virtual ~Work() = default;
  /// Before the launches are made anew: what must be zero is set to zero. Not timed.
  virtual void restore(cudaStream_t stream) { (void)stream; }
  virtual void enqueue(cudaStream_t stream, unsigned slot) = 0;
};

/// Waits for the stream.
[[nodiscard]] ObservedBuffer read_cells(cudaStream_t stream, const std::string& name, Type type,
                                        std::uint64_t address, std::uint64_t cells);

/// Memory of the outputs, used by one Work after the other.
struct Scratch {
  DeviceMemory zeroed;  ///< buffers that a plan starts at zero (the identity of a sum)
  DeviceMemory other;
};

/// The launches of a plan (kernels/plan.hpp). Each slot has an output of its own; what lies between
/// (partial results, tickets, CUB's temporary storage) is one for all slots, as a program that
/// reduces again and again allocates it once.
class PlanWork final : public Work {
 public:
  /// For slots [0, slots) of `input`, which must outlive it. Throws cuda::Rejected,
  /// cuda::OutOfMemory.
  PlanWork(cuda::Library& library, const Case& c, const Plan& plan, const InputSlots& input,
           Scratch& scratch);
  void restore(cudaStream_t stream) override;
  void enqueue(cudaStream_t stream, unsigned slot) override;
  /// Gives all outputs a content that is no result.
  void poison(cudaStream_t stream);
  /// What the last reduction in a slot left. Waits for the stream.
  [[nodiscard]] Observation read(cudaStream_t stream, unsigned slot) const;

 private:
  struct Place {
    bool zeroed = false;
    bool shared = false;       ///< by all slots
    std::uint64_t offset = 0;  ///< within the slot's part, or the shared one behind all slots
  };
  /// Bytes of a slot, and of what slots share.
  struct Part {
    std::uint64_t stride = 0, shared = 0;
  };
  [[nodiscard]] std::uint64_t bytes(const Part& part) const;
  [[nodiscard]] std::uint64_t address(std::uint32_t buffer, unsigned slot) const;

  cuda::Library& library_;
  const InputSlots& input_;
  Scratch& scratch_;
  const Case case_;
  const Plan plan_;
  const cuda::Job job_;
  std::vector<Place> places_;
  Part zeroed_, other_;
};

/// cub::DeviceReduce by its own interface.
class CubWork final : public Work {
 public:
  CubWork(const Case& c, const InputSlots& input, Scratch& scratch);
  void enqueue(cudaStream_t stream, unsigned slot) override;
  [[nodiscard]] Observation read(cudaStream_t stream, unsigned slot) const;

 private:
  [[nodiscard]] std::uint64_t output(unsigned slot) const;

  const InputSlots& input_;
  Scratch& scratch_;
  const Case case_;
  std::size_t temporary_bytes_ = 0;
};

class LimitWork final : public Work {
 public:
  LimitWork(LimitShape shape, std::uint64_t bytes, const InputSlots& input, Scratch& scratch);
  void enqueue(cudaStream_t stream, unsigned slot) override;
  /// The exclusive or of all words that were read in slot 0. Waits for the stream.
  [[nodiscard]] std::uint32_t read(cudaStream_t stream) const;
  [[nodiscard]] std::uint64_t vectors() const { return vectors_; }

 private:
  const LimitShape shape_;
  const std::uint64_t vectors_;
  const InputSlots& input_;
  Scratch& scratch_;
};

}  // namespace gauntlet::timing
