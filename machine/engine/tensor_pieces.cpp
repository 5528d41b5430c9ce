// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/tensor_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gauntlet::simt {
namespace {

constexpr std::uint32_t chunk = 16;

/// A byte of shared memory of a tile whose 16-byte chunks are permuted, in each 8 rows of 128
/// bytes, 4 of 64 ... the same (cuTensorMapEncodeTiled).
std::uint64_t swizzled(std::uint64_t address, unsigned swizzle) {
  const std::uint64_t chunks = swizzle / chunk;
  return chunks == 0 ? address : address ^ ((address / 128 % chunks) * chunk);
}

using Corner = std::array<std::int64_t, TensorMap::most_dimensions>;

/// The rows of a box, each by its first element.
template <class F>
void for_rows(const TensorMap& map, const Corner& first, F&& f) {
  std::array<std::uint32_t, TensorMap::most_dimensions> at{};
  for (unsigned d = 1; d < map.dimensions() || d == 1;) {
    Corner place = first;
    for (unsigned k = 1; k < map.dimensions(); ++k) {
      place[k] += std::int64_t{at[k]} * map.steps[k];
    }
    f(place);
    for (d = 1; d < map.dimensions() && ++at[d] == map.copied(d); ++d) at[d] = 0;
    if (d >= map.dimensions()) return;
  }
}

/// A column of pixels, each moved by the offsets: from the first one on those that the corners
/// leave, row by row, image by image (PTX ISA 9.0, 5.5.5).
template <class F>
void for_pixels(const TensorMap& map, Corner at, const Corner& offsets, F&& f) {
  const unsigned images = map.beyond_first;  // the last dimension has no corners
  for (unsigned pixel = 0; pixel < map.pixels; ++pixel) {
    Corner place = at;
    for (unsigned d = 1; d < images; ++d) place[d] += offsets[d];
    f(place);
    for (unsigned d = 1; d <= images; ++d) {
      at[d] += map.steps[d];
      if (d == images || at[d] <= std::int64_t{map.last(d)} + map.upper[d - 1]) break;
      at[d] = map.lower[d - 1];
    }
  }
}

/// Why a GPU stops a copy that begins at `first` as an illegal instruction; empty: it does not. PTX
/// does not say so: 730 copies of boxes and pixels on an H200 did (docs/limits.md).
std::string why_illegal(const TensorMap& map, const BulkOp& of, const Corner& first) {
  const auto mode = [](bool pixels) { return pixels ? "pixels (im2col)" : "boxes (tile)"; };
  if (map.dimensions() != of.dimensions || (map.pixels != 0) != of.pixels) {
    return fmt::format("the tensor map has {} dimensions, of {}, and the copy names {}, of {}",
                       map.dimensions(), mode(map.pixels != 0), of.dimensions, mode(of.pixels));
  }
  if (const auto byte = first[0] * std::int64_t{size_of(map.number)}; byte % chunk != 0) {
    return fmt::format(
        "the copy begins at byte {} of a row (coordinate {}), which is no multiple "
        "of {}",
        byte, first[0], chunk);
  }
  for (unsigned d = 0; d < map.dimensions(); ++d) {
    const auto which = [&] { return fmt::format("coordinate {} of dimension {}", first[d], d); };
    if (!of.to_shared && first[d] < 0) return which() + " of a copy to the tensor is negative";
    if (!of.pixels || d == 0 || d == map.beyond_first) continue;
    const std::int64_t lower = map.lower[d - 1], upper = map.upper[d - 1];
    const std::int64_t last = map.last(d) + upper;
    if (!of.to_shared && (lower < 0 || upper > 0)) {
      return "pixels are copied to the tensor by a map whose corners lie outside of it";
    }
    if (first[d] < lower || first[d] > last) {
      return fmt::format("{} is not between the map's corners, {} and {}", which(), lower, last);
    }
  }
  return {};
}

}  // namespace

std::string pieces_of_tensor(const Warp& w, std::uint32_t lane, const BulkOp& of,
                             const TensorMap& map, std::uint64_t shared,
                             std::vector<BulkPiece>& pieces) {
  Corner first{};
  for (unsigned d = 0; d < of.dimensions; ++d) {
    first[d] = static_cast<std::int32_t>(w.source<std::uint32_t>(of.coordinates[d])[lane]);
  }
  if (std::string why = why_illegal(map, of, first); !why.empty()) return why;
  const auto add = [&](std::uint64_t offset, std::uint64_t global, std::uint64_t bytes,
                       bool outside) {
    while (bytes != 0) {  // chunks stay together, or with those beside them
      const auto here = swizzled(shared + offset, map.swizzle);
      const auto n =
          map.swizzle == 0 ? bytes : std::min<std::uint64_t>(bytes, chunk - here % chunk);
      BulkPiece piece{of.to_shared ? global : here, of.to_shared ? here : global,
                      static_cast<std::uint32_t>(n), outside};
      if (!outside || of.to_shared) pieces.push_back(piece);
      offset += n;
      global += n;
      bytes -= n;
    }
  };
  const std::uint32_t element = size_of(map.number);
  const auto columns = static_cast<std::int64_t>(map.copied(0));
  const std::int64_t beyond = std::int64_t{map.last(0)} + 1;
  const auto add_row = [&](std::uint64_t offset, const Corner& at) {
    std::uint64_t begin = map.base;
    bool inside = true;
    for (unsigned d = 1; d < map.dimensions(); ++d) {
      inside &= at[d] >= 0 && at[d] <= map.last(d);
      begin += static_cast<std::uint64_t>(at[d]) * map.strides[d - 1];
    }
    const std::int64_t from = inside ? std::clamp<std::int64_t>(-at[0], 0, columns) : columns;
    const std::int64_t to =
        inside ? std::clamp<std::int64_t>(beyond - at[0], from, columns) : columns;
    const auto part = [&](std::int64_t some, std::int64_t all, bool outside) {
      add(offset + static_cast<std::uint64_t>(some) * element,
          begin + static_cast<std::uint64_t>(at[0] + some) * element,
          static_cast<std::uint64_t>(all - some) * element, outside);
    };
    part(0, from, true);
    part(from, to, false);
    part(to, columns, true);
  };
  Corner offsets{};
  for (unsigned d = 1; of.pixels && of.to_shared && d + 1 < map.dimensions(); ++d) {
    offsets[d] = w.source<std::uint32_t>(of.offsets[d - 1])[lane] & 0xFFFF;
  }
  const auto row = static_cast<std::uint64_t>(columns) * element;
  std::uint64_t offset = 0;
  if (of.pixels) {
    for_pixels(map, first, offsets,
               [&](const Corner& at) { add_row(std::exchange(offset, offset + row), at); });
  } else {
    for_rows(map, first,
             [&](const Corner& at) { add_row(std::exchange(offset, offset + row), at); });
  }
  return {};
}

}  // namespace gauntlet::simt
