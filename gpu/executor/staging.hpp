// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for what goes to the device and back with every batch: pinned on the host and its mirror
// on the device. Kept, and grown when a batch needs more.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpu/executor/cuda_error.hpp"

namespace gauntlet::cuda {

class Staging {
 public:
  Staging() = default;
  ~Staging() { release(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// At least that many bytes; what was there is lost. Throws DeviceLost.
  void reserve(std::size_t bytes) {
    if (bytes <= size_) return;
    release();
    const std::size_t size = std::max<std::size_t>(std::size_t{1} << 20, bytes + bytes / 2);
    check(cudaMallocHost(&host_, size));
    check(cudaMalloc(&device_, size));
    size_ = size;
  }
  [[nodiscard]] std::byte* host() const { return static_cast<std::byte*>(host_); }
  [[nodiscard]] std::byte* device() const { return static_cast<std::byte*>(device_); }

  void up(std::size_t bytes, cudaStream_t stream) const {
    check(cudaMemcpyAsync(device_, host_, bytes, cudaMemcpyHostToDevice, stream));
  }
  void down(std::size_t bytes, cudaStream_t stream) const {
    check(cudaMemcpyAsync(host_, device_, bytes, cudaMemcpyDeviceToHost, stream));
  }

 private:
  void release() {
    if (host_ != nullptr) (void)cudaFreeHost(host_);
    if (device_ != nullptr) (void)cudaFree(device_);
    host_ = device_ = nullptr;
    size_ = 0;
  }
  void* host_ = nullptr;
  void* device_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gauntlet::cuda
