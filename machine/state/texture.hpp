// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Textures and surfaces: which elements of global memory a fetch reads, and with which weights
// (CUDA C++ Programming Guide, texture fetching). The elements of a cudaArray lie in an allocation
// like any other, row behind row.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/device.hpp"

namespace gauntlet::simt {

using gauntlet::Address;

/// As cudaTextureAddressMode numbers them.
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

struct Texture {
  Address base = 0;
  unsigned dimensions = 1;  ///< 1 to 3
  std::array<std::uint32_t, 3> size{1, 1, 1};
  std::uint32_t layers = 0;       ///< 0: it has none
  bool cube = false;              ///< a direction is fetched from; each layer is six planes
  std::uint64_t row_bytes = 0;    ///< from a row to the next one
  std::uint64_t plane_bytes = 0;  ///< from a plane or a layer to the next one
  unsigned channels = 1, channel_bytes = 4;
  enum class Number : std::uint8_t { integer, natural, floating } number = Number::natural;
  bool surface = false;        ///< accessed by suld and sust alone
  bool linear_memory = false;  ///< fetched from by index alone, zeros outside
  bool filtered = false;       ///< linear filtering
  bool normalised = false;     ///< coordinates from 0 to 1
  bool as_fractions = false;   ///< whole numbers are read as fractions of the largest one
  std::array<AddressMode, 3> mode{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  std::array<float, 4> border{};

  [[nodiscard]] unsigned element_bytes() const { return channels * channel_bytes; }
  [[nodiscard]] Address at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return base + static_cast<std::uint64_t>(x) * element_bytes() +
           static_cast<std::uint64_t>(y) * row_bytes + static_cast<std::uint64_t>(z) * plane_bytes;
  }
};

/// The elements that one fetch reads.
struct Texels {
  struct One {
    bool inside;  ///< false: the border's colour
    Address at;
    unsigned weight;       ///< of 256
    bool of_second_plane;  ///< of the two that linear filtering reads in three dimensions
  };
  unsigned count = 0;
  std::array<One, 8> one;  ///< so many of them
};
/// Where a fetch reads. `coordinates`: of a cube map a direction. `whole`: they are indices.
/// `gathered`: the four elements that linear filtering would read, in the order of tld4's result.
[[nodiscard]] Texels texels_at(const Texture& texture, const std::array<double, 3>& coordinates,
                               std::uint32_t layer, bool whole, bool gathered);

/// What a fetch gives of a channel whose bits are `raw`: bits of f32, or of a whole number.
[[nodiscard]] std::uint32_t channel_value(const Texture& texture, std::uint32_t raw);
/// What linear filtering makes of one channel: bits of f32. `raw`: of each of the elements.
/// The programming guide tells weights of 8 bits and nothing of how products are added; this is
/// what an H200 does. Floating elements lose what lies four bits below the last one of the
/// greatest, and their sum is rounded to their type, halves away from zero; whole numbers become
/// 16 bits wide.
[[nodiscard]] std::uint32_t filtered_value(const Texture& texture, const Texels& elements,
                                           std::span<const std::uint32_t> raw);
/// The border's colour as an element would hold it.
[[nodiscard]] std::uint32_t border_of(const Texture& texture, unsigned channel);
/// It gives f32.
[[nodiscard]] bool gives_floats(const Texture& texture);

}  // namespace gauntlet::simt
