// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cudaArrays: elements in rows, planes or layers, without gaps, in an array of the heap that has no
// address for the program.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/device.hpp"

namespace gauntlet::runtime {

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
