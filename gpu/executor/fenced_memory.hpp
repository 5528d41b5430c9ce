// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Device memory with nothing mapped behind it. An access past the end of a range faults at full
// speed, without any tool. Made with CUDA's virtual memory management, whose pages are 2 MiB.
//
// Mapping costs tens of microseconds, so ranges are kept and used again. May be used by several
// threads at once.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace gauntlet::cuda {

class FencedMemory {
 public:
  /// Bytes behind a range in which nothing is mapped.
  static constexpr std::uint64_t fence = std::uint64_t{32} << 20;

  struct Range {
    std::uint64_t begin = 0;  ///< device address
    std::uint64_t bytes = 0;  ///< mapped; the fence follows
    CUmemGenericAllocationHandle handle = 0;
    [[nodiscard]] std::uint64_t end() const { return begin + bytes; }
  };

  /// On the current device. Throws DeviceLost where it cannot map memory.
  explicit FencedMemory(int device);
  ~FencedMemory();
  FencedMemory(const FencedMemory&) = delete;
  FencedMemory& operator=(const FencedMemory&) = delete;

  /// A range of at least that many bytes, in use until it is given back. Its content is whatever it
  /// was. Throws OutOfMemory.
  [[nodiscard]] Range take(std::uint64_t bytes);
  /// These may be taken again. Ranges of more than 256 MiB go back to the device.
  void give_back(std::vector<Range>& ranges);

 private:
  struct Driver;

  [[nodiscard]] Range make(std::uint64_t bytes);
  void unmap(const Range& range);
  void unmap_free();

  const Driver* driver_;
  CUmemAllocationProp properties_{};
  CUmemAccessDesc access_{};
  std::uint64_t page_ = 0;
  std::mutex mutex_;  // guards what follows
  std::uint64_t mapped_ = 0;
  std::map<std::uint64_t, std::vector<Range>> free_;  // by mapped bytes
};

}  // namespace gauntlet::cuda
