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
  if (fixes_.registered_size && in_use_ && bytes > largest_) {
    throw CubCacheError(
        fmt::format("cub_device: {} elements need {} bytes of storage, {} are in use already; "
                    "register every size before the first reduction",
                    n, bytes, largest_));
  }
  if (bytes_.empty()) first_ = bytes;
  largest_ = std::max(largest_, bytes);
  bytes_[n] = bytes;
}

std::uint64_t CubCache::buffer_bytes() const {
  const std::uint64_t bytes = fixes_.registered_size ? largest_ : first_;
  return fixes_.cache_bytes ? bytes : bytes * sizeof(int);
}

std::uint32_t CubCache::buffer_of(std::uint32_t stream) const {
  return fixes_.stream_buffer ? stream : 0;
}

CubDispatch CubCache::run(std::uint32_t n) {
  const auto found = bytes_.find(n);
  if (found == bytes_.end() && fixes_.registered_size) {
    throw CubCacheError(
        fmt::format("cub_device: {} elements were never registered with the cache of temporary "
                    "storage; register that size before the first reduction",
                    n));
  }
  in_use_ = true;
  return dispatch(n, found == bytes_.end() ? 0 : found->second);
}

}  // namespace gauntlet::kernels
