// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What nvcc puts into a program for the device: a fat binary, which holds one image for each
// architecture that was compiled for, PTX or machine code, compressed or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gauntlet::runtime {

/// The first word of one.
inline constexpr std::uint32_t fat_binary_magic = 0xBA55ED50;

struct Image {
  bool ptx = false;        ///< else machine code, which only a GPU can execute
  std::uint32_t arch = 0;  ///< 75 of compute_75 or sm_75
  std::span<const std::byte> payload;
  enum class Packing : std::uint8_t { none, lz4, zstd } packing = Packing::none;
  std::uint64_t unpacked_bytes = 0;
};

/// The images of the fat binary that begins at `data`, in its order. Its length stands in its head.
/// Throws std::runtime_error where it is none.
[[nodiscard]] std::vector<Image> images(const std::byte* data);

/// The text of a PTX image. Throws std::runtime_error, in a few words, where it cannot be unpacked.
[[nodiscard]] std::string ptx_of(const Image& image);

/// The PTX that a device of compute capability `arch` would be given: of the highest architecture
/// up to it; else of the lowest there is. nullptr: there is no PTX.
[[nodiscard]] const Image* best_ptx(const std::vector<Image>& images, std::uint32_t arch);

/// LZ4's block format (lz4_Block_format.md of the LZ4 project). Throws std::runtime_error.
[[nodiscard]] std::string unpack_lz4(std::span<const std::byte> packed, std::uint64_t bytes);

}  // namespace gauntlet::runtime
