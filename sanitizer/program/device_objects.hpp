// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the memory of streams comes from (cudaMallocAsync): all of it is the device's, and goes
// back at once, so that a pool is what a program asks about it. And cudaArrays: elements in rows,
// planes or layers, without gaps, in an array of the heap that has no address for the program.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "base/device.hpp"
#include "base/numbers.hpp"

namespace gauntlet::runtime {

struct Pool {
  std::array<int, 3> reuse{1, 1, 1};  ///< by cudaMemPoolAttr, from 1 on
  std::uint64_t release_threshold = 0;
  std::uint64_t used = 0, most_used = 0;  ///< bytes
};

/// What a device says of the memory of graphs. It gives them whole pieces and keeps these until
/// cudaDeviceGraphMemTrim, also where a graph has freed them or is destroyed; the two highest
/// values, of what is used and of what is reserved, are set to 0 apart (as an H200 answers).
class GraphMemory {
 public:
  void look(const Pool& pool) {
    constexpr std::uint64_t piece = 32ULL << 20;
    kept_ = ceil_div(pool.most_used, piece) * piece;
    for (std::uint64_t& high : high_) high = std::max(high, kept_);
  }
  void trim(Pool& pool) {
    look(pool);
    pool.most_used = pool.used;
    look(pool);
  }
  void reset(bool reserved) { high_[reserved ? 1 : 0] = 0; }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] std::uint64_t high(bool reserved) const { return high_[reserved ? 1 : 0]; }

 private:
  std::uint64_t kept_ = 0;
  std::array<std::uint64_t, 2> high_{};
};

/// Nothing is limited by them: what was set is what is said.
struct Limits {
  std::map<cudaLimit, std::size_t> known{{cudaLimitStackSize, 1024},
                                         {cudaLimitPrintfFifoSize, 8 << 20},
                                         {cudaLimitMallocHeapSize, 8 << 20},
                                         {cudaLimitDevRuntimePendingLaunchCount, 2048}};
};

class Pools {
 public:
  /// nullptr: there is none.
  [[nodiscard]] Pool* find(const void* handle) {
    const auto found = pools_.find(handle);
    return found == pools_.end() ? nullptr : &found->second;
  }
  void add(const void* handle) { pools_.try_emplace(handle); }
  bool drop(const void* handle) {
    if (current_ == handle) current_ = nullptr;
    return pools_.erase(handle) == 1;
  }
  void clear() {
    pools_.clear();
    taken_.clear();
    current_ = nullptr;
  }
  /// That the device takes memory from where a call names none; nullptr: the usual one.
  [[nodiscard]] const void* current() const { return current_; }
  void set_current(const void* handle) { current_ = handle; }

  void took(const void* handle, Address at, std::uint64_t bytes) {
    Pool* const pool = find(handle);
    if (pool == nullptr) return;
    pool->used += bytes;
    pool->most_used = std::max(pool->most_used, pool->used);
    taken_[at] = {handle, bytes};
  }
  /// Of other memory nothing.
  void gave_back(Address at) {
    const auto found = taken_.find(at);
    if (found == taken_.end()) return;
    if (Pool* const pool = find(found->second.from)) pool->used -= found->second.bytes;
    taken_.erase(found);
  }

 private:
  struct Taken {
    const void* from = nullptr;
    std::uint64_t bytes = 0;
  };
  std::map<const void*, Pool> pools_;
  std::map<Address, Taken> taken_;
  const void* current_ = nullptr;
};

struct DeviceArray {
  gauntlet::Address base = 0;
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  ///< as it was asked for: 0 where there is no such dimension
  unsigned flags = 0;
  std::uint64_t row_bytes = 0, plane_bytes = 0;

  /// Row `y` from byte `x` on.
  [[nodiscard]] std::byte* at(std::size_t x, std::size_t y) const {
    return reinterpret_cast<std::byte*>(base) + y * row_bytes + x;
  }
};

/// What the program has of these, by handles.
struct Textures {
  std::map<const void*, DeviceArray> arrays;
  std::map<std::uint64_t, cudaResourceDesc> resources;  ///< of texture and surface objects
  std::map<std::uint64_t, cudaTextureDesc> descriptions;
  std::uint64_t last_object = 0;
  [[nodiscard]] const DeviceArray* array(const void* handle) const {
    const auto found = arrays.find(handle);
    return found == arrays.end() ? nullptr : &found->second;
  }
  void clear() {
    arrays.clear();
    resources.clear();
    descriptions.clear();
  }
};

/// Bytes of an element; 0: no such format.
[[nodiscard]] unsigned element_bytes(const cudaChannelFormatDesc& format);

}  // namespace gauntlet::runtime
