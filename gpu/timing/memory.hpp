// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Device memory that is kept and grows, and the input in it: the same elements in several places,
// so that a graph of reductions finds none of them in the cache.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/executor/library.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::timing {

/// What is laid out in device memory begins at multiples of this.
inline constexpr std::uint64_t buffer_alignment = 256;
/// Each byte of an output before a run: no result.
inline constexpr int poison_byte = 0xA5;
inline void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

/// Plain device memory. Grows by giving up its content. Throws cuda::OutOfMemory.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void reserve(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t begin_ = 0, bytes_ = 0;
};

class InputSlots {
 public:
  /// Behind the elements of each slot lie this many bytes of dirty cells, which a form that reads
  /// too far would add.
  static constexpr std::uint64_t tail_bytes = 64 << 10;

  InputSlots(cuda::Library& library, cudaStream_t stream);

  /// Bytes from one slot to the next.
  [[nodiscard]] static std::uint64_t stride(Type in, std::uint64_t n);
  /// Memory for the largest use, once. Throws cuda::OutOfMemory.
  void reserve(std::uint64_t bytes) { memory_.reserve(bytes); }

  /// Makes the elements of the case, by index as everywhere, in `count` slots.
  void fill(const Case& c, unsigned count);
  [[nodiscard]] unsigned count() const { return count_; }
  /// Of all 32-bit words in the first `bytes` of slot 0, rounded up to 16, by the host.
  [[nodiscard]] std::uint32_t exclusive_or(std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t address(unsigned slot) const {
    return memory_.begin() + slot * stride_;
  }

 private:
  cudaStream_t stream_;
  cudaKernel_t fill_;
  DeviceMemory memory_, segment_;
  std::uint64_t stride_ = 0;
  unsigned count_ = 0;
};

}  // namespace gauntlet::timing
