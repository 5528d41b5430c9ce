// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Boxes of tensors in bulk copies: which of their bytes go where (PTX ISA 9.0, 5.5; CUDA driver
// API, cuTensorMapEncodeTiled).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "machine/engine/engine.hpp"
#include "machine/isa/decode.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::uint32_t chunk = 16;

/// A byte of shared memory of a tile whose 16-byte chunks are permuted, in each 8 rows of 128
/// bytes, 4 of 64 ... the same (cuTensorMapEncodeTiled).
std::uint64_t swizzled(std::uint64_t address, unsigned swizzle) {
  const std::uint64_t chunks = swizzle / chunk;
  return chunks == 0 ? address : address ^ ((address / 128 % chunks) * chunk);
}

}  // namespace

bool Engine::pieces_of_box(Access& a, std::uint32_t lane, const BulkOp& of, const TensorMap& map,
                           std::uint64_t shared, BulkCopy& copy) {
  const std::uint32_t element = size_of(map.number), row = map.copied(0) * element;
  if (map.dimensions != of.dimensions) {
    fault(a, FindingKind::misaligned, lane, {}, 0,
          fmt::format("the tensor has {} dimensions, and the copy names {}", map.dimensions,
                      of.dimensions));
    return false;
  }
  std::array<std::int64_t, TensorMap::most_dimensions> first{};
  for (unsigned d = 0; d < map.dimensions; ++d) {
    first[d] = static_cast<std::int32_t>(a.warp.source<std::uint32_t>(of.coordinates[d])[lane]);
  }
  std::array<std::uint32_t, TensorMap::most_dimensions> at{};
  const auto add = [&](std::uint64_t offset, std::uint64_t global, std::uint64_t bytes,
                       bool outside) {
    while (bytes != 0) {  // chunks stay together, or with those beside them
      const auto here = swizzled(shared + offset, map.swizzle);
      const auto n =
          map.swizzle == 0 ? bytes : std::min<std::uint64_t>(bytes, chunk - here % chunk);
      BulkPiece piece{of.to_shared ? global : here, of.to_shared ? here : global,
                      static_cast<std::uint32_t>(n), outside};
      if (!outside || of.to_shared) copy.pieces.push_back(piece);
      offset += n;
      global += n;
      bytes -= n;
    }
  };
  const std::int64_t beyond = std::int64_t{map.last[0]} + 1;
  for (std::uint64_t offset = 0;; offset += row) {
    std::uint64_t begin = map.base;
    bool inside = true;
    for (unsigned d = 1; d < map.dimensions; ++d) {
      const std::int64_t x = first[d] + std::int64_t{at[d]} * map.steps[d];
      inside &= x >= 0 && x <= map.last[d];
      begin += static_cast<std::uint64_t>(x) * map.strides[d];
    }
    const auto columns = static_cast<std::int64_t>(map.copied(0));
    const std::int64_t from = inside ? std::clamp<std::int64_t>(-first[0], 0, columns) : columns;
    const std::int64_t to =
        inside ? std::clamp<std::int64_t>(beyond - first[0], from, columns) : columns;
    const auto part = [&](std::int64_t some, std::int64_t all, bool outside) {
      add(offset + static_cast<std::uint64_t>(some) * element,
          begin + static_cast<std::uint64_t>(first[0] + some) * element,
          static_cast<std::uint64_t>(all - some) * element, outside);
    };
    part(0, from, true);
    part(from, to, false);
    part(to, columns, true);
    unsigned d = 1;
    while (d < map.dimensions && ++at[d] == map.copied(d)) at[d++] = 0;
    if (d >= map.dimensions) return true;
  }
}

std::optional<TensorMap> Engine::tensor_map(Access& a, std::uint32_t lane) {
  const auto address = a.address[lane];
  std::optional<TensorMap> map;
  const std::byte* from = nullptr;
  if (address - param_window < window_bytes) {
    const auto at = address - param_window;
    if (at + TensorMap::bytes <= config_.params.size()) from = config_.params.data() + at;
  } else if (const Allocation* const array = array_at(address);
             array != nullptr && !array->freed &&
             array->bytes - (address - array->base) >= TensorMap::bytes) {
    from = array->data + (address - array->base);
  }
  if (from != nullptr) map = TensorMap::read(from);
  if (!map) {
    fault(a, FindingKind::unallocated, lane, {}, 0,
          fmt::format("there is no tensor map at address 0x{:x}: cuTensorMapEncodeTiled makes one",
                      address));
  }
  return map;
}

}  // namespace gauntlet::simt
