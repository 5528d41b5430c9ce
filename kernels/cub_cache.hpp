// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Document E's cache of temporary storage for cub::DeviceReduce, as printed and repaired.
//
// The idea: register each size that will be reduced, which asks CUB how many bytes it needs and
// keeps the most; allocate once; then reduce without allocating. The order of registration does not
// matter. As printed,
//   - the allocation has `bytes * sizeof(int)` bytes, four times what CUB asked for (cache_bytes);
//   - nothing looks at what CUB answers (registered_size). A size that needs more than the largest
//     registered one is refused with an error code that nobody reads. With nothing registered
//     before the allocation the storage is null, so that the reduction becomes a query for a size:
//     no error, nothing launched. In both the output keeps its old content. A size registered after
//     the allocation raises what CUB is told, not what there is: CUB writes past the storage.
// A size that was never registered and needs no more than the largest one works in both forms.
// E has one stream. With several, which is ours, one buffer lets reductions under way at once write
// over each other's partial results (stream_buffer).
// This class models the host side only: it decides, it allocates nothing on a device.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "kernels/cub_dispatch.hpp"

namespace gauntlet::kernels {

/// Which of the three defects are repaired.
struct CubCacheFixes {
  bool cache_bytes = false;
  bool registered_size = false;  ///< what cannot work is an error that is told
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

  /// Asks CUB for the storage of n elements and keeps the most asked for so far. With
  /// registered_size repaired it throws CubCacheError when that is more than was allocated.
  void register_size(std::uint32_t n);

  /// Allocates one buffer for each stream.
  void allocate();

  /// Bytes of one buffer; 0 before `allocate`.
  [[nodiscard]] std::uint64_t buffer_bytes() const { return buffer_bytes_; }

  /// The buffer that a stream's reductions use.
  [[nodiscard]] std::uint32_t buffer_of(std::uint32_t stream) const;

  /// What a reduction of n elements launches. Where the storage is too small, or there is none:
  /// CUB's own answer, or, with registered_size repaired, a CubCacheError.
  [[nodiscard]] CubDispatch run(std::uint32_t n);

 private:
  [[nodiscard]] CubDispatch dispatch(std::uint32_t n,
                                     std::optional<std::uint64_t> storage_bytes) const;

  Type in_, acc_;
  Op op_;
  CubCacheFixes fixes_;
  CubDevice device_;
  std::uint64_t bytes_ = 0;  ///< the running maximum, which CUB is told
  std::uint64_t buffer_bytes_ = 0;
};

}  // namespace gauntlet::kernels
