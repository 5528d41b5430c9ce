// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Document E's cache of temporary storage for cub::DeviceReduce, as documented and repaired.
//
// The idea: ask CUB once for each size how many bytes it needs, largest size first, allocate once,
// then reduce without allocating. As documented,
//   - the allocation has `bytes * sizeof(int)` bytes, four times what CUB asked for (cache_bytes);
//   - a size that was never registered finds an entry of 0 bytes, CUB refuses it with an error code
//     that nobody reads, and the output keeps its old content (registered_size);
//   - there is one buffer, so that two streams write their partial results over each other's
//     (stream_buffer);
//   - the first registration decides the allocation, which is why the largest has to come first.
// This class models the host side only: it decides, it allocates nothing on a device.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>

#include "kernels/cub_dispatch.hpp"

namespace gauntlet::kernels {

/// Which of the three defects are repaired.
struct CubCacheFixes {
  bool cache_bytes = false;
  bool registered_size = false;  ///< also: the allocation fits every registered size, in any order
  bool stream_buffer = false;
};

/// what(): one line that says what is wrong and what to do.
struct CubCacheError : std::logic_error {
  using std::logic_error::logic_error;
};

class CubCache {
 public:
  /// Throws CubCacheError where CUB's kernels are not compiled for the types and operator.
  CubCache(Type in, Type acc, Op op, CubCacheFixes fixes, CubDevice device = {});

  /// Asks CUB for the storage of n elements and keeps the answer. With registered_size repaired it
  /// throws CubCacheError when the storage is in use already and too small for n.
  void register_size(std::uint32_t n);

  /// Bytes of one buffer; 0 as long as nothing is registered.
  [[nodiscard]] std::uint64_t buffer_bytes() const;

  /// The buffer that a stream's reductions use.
  [[nodiscard]] std::uint32_t buffer_of(std::uint32_t stream) const;

  /// What a reduction of n elements launches. A size that was never registered: CUB's own answer to
  /// 0 bytes of storage, or, with registered_size repaired, a CubCacheError.
  [[nodiscard]] CubDispatch run(std::uint32_t n);

 private:
  [[nodiscard]] CubDispatch dispatch(std::uint32_t n,
                                     std::optional<std::uint64_t> storage_bytes) const;

  Type in_, acc_;
  Op op_;
  CubCacheFixes fixes_;
  CubDevice device_;
  std::map<std::uint32_t, std::uint64_t> bytes_;  // per registered size
  std::uint64_t first_ = 0, largest_ = 0;         // bytes of the first and of the neediest size
  bool in_use_ = false;
};

}  // namespace gauntlet::kernels
