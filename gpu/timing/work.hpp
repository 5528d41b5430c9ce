// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is timed: one reduction of the input in a slot, as launches on a stream. Each slot has its
// own outputs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

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

/// Memory of a plan's buffers, used by one Work after the other.
struct Scratch {
  DeviceMemory zeroed;  ///< what starts at zero (the identity of a sum)
  DeviceMemory given;   ///< what starts with a content; behind the slots one that keeps it
  DeviceMemory other;
};

/// The launches of a plan. Where it takes an input beside its buffers each slot has an output of
/// its own, and what lies between (partial results, tickets, CUB's temporary storage) is one for
/// all slots, as a program that reduces again and again allocates it once; else each has all
/// buffers.
class PlanWork final : public Work {
 public:
  /// For slots [0, slots), those of `input` if it takes one; `input` must outlive it. Throws
  /// cuda::Rejected, cuda::OutOfMemory.
  PlanWork(cuda::Library& library, const Case& c, const Plan& plan, const InputSlots& input,
           unsigned slots, Scratch& scratch);
  /// What a run is taken to read: the input; without one, all buffers.
  [[nodiscard]] static std::uint64_t bytes_of(const Case& c, const Plan& plan);
  void restore(cudaStream_t stream) override;
  void enqueue(cudaStream_t stream, unsigned slot) override;
  /// Gives all outputs a content that is no result.
  void poison(cudaStream_t stream);
  /// What the last reduction in a slot left. Waits for the stream.
  [[nodiscard]] Observation read(cudaStream_t stream, unsigned slot) const;

 private:
  /// Bytes of a slot, and of what slots share.
  struct Part {
    DeviceMemory& memory;
    std::uint64_t stride = 0, shared = 0;
  };
  struct Place {
    const Part* part = nullptr;
    bool shared = false;       ///< by all slots
    std::uint64_t offset = 0;  ///< within the slot's part, or the shared one behind all slots
  };
  [[nodiscard]] std::uint64_t bytes(const Part& part) const {
    return part.stride * slots_ + part.shared;
  }
  [[nodiscard]] std::uint64_t address(std::uint32_t buffer, unsigned slot) const;
  [[nodiscard]] Part& part_of(const Buffer& buffer);
  void give_content();

  cuda::Library& library_;
  const InputSlots& input_;
  const unsigned slots_;
  const Case case_;
  const Plan plan_;
  Part zeroed_, given_, other_;
  std::vector<Place> places_;
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

 private:
  const LimitShape shape_;
  const std::uint64_t vectors_;
  const InputSlots& input_;
  Scratch& scratch_;
};

}  // namespace gauntlet::timing
