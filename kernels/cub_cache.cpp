// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cub_cache.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gauntlet::kernels {

CubCache::CubCache(Type in, Type acc, Op op, CubCacheFixes fixes, CubDevice device)
    : in_(in), acc_(acc), op_(op), fixes_(fixes), device_(device) {
  (void)dispatch(0, std::nullopt);
}

CubDispatch CubCache::dispatch(std::uint32_t n, std::optional<std::uint64_t> storage_bytes) const {
  auto result = cub_dispatch(in_, acc_, op_, n, storage_bytes, device_);
  if (!result) {
    throw CubCacheError(
        fmt::format("cub_device is not compiled for {}->{} {}", name(in_), name(acc_), name(op_)));
  }
  return *std::move(result);
}

void CubCache::register_size(std::uint32_t n) {
  const std::uint64_t bytes = dispatch(n, std::nullopt).storage_bytes;
  if (fixes_.registered_size && buffer_bytes_ != 0 && bytes > bytes_) {
    throw CubCacheError(
        fmt::format("cub_device: {} elements need {} bytes of storage, {} are allocated already; "
                    "register every size before the allocation",
                    n, bytes, bytes_));
  }
  bytes_ = std::max(bytes_, bytes);
}

void CubCache::allocate() { buffer_bytes_ = fixes_.cache_bytes ? bytes_ : bytes_ * sizeof(int); }

std::uint32_t CubCache::buffer_of(std::uint32_t stream) const {
  return fixes_.stream_buffer ? stream : 0;
}

CubDispatch CubCache::run(std::uint32_t n) {
  if (buffer_bytes_ == 0) {
    if (fixes_.registered_size) {
      throw CubCacheError(
          "cub_device: there is no temporary storage; register every size, then allocate");
    }
    // A null pointer asks for the size, and CUB's answer goes where the maximum is kept.
    CubDispatch query = dispatch(n, std::nullopt);
    bytes_ = query.storage_bytes;
    return query;
  }
  CubDispatch result = dispatch(n, bytes_);
  if (fixes_.registered_size && result.error != 0) {
    throw CubCacheError(
        fmt::format("cub_device: {} elements need more than the {} bytes of the largest registered "
                    "size; register that size before the allocation",
                    n, bytes_));
  }
  return result;
}

}  // namespace gauntlet::kernels
