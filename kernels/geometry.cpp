// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/geometry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "kernels/images.hpp"
#include "kernels/written.hpp"

namespace gauntlet::kernels {
namespace {

std::string refusal(Blocks rule, std::uint32_t block) {
  if (block == 0 || block > 1024) {
    return fmt::format("block={}: a block has 1 to 1024 threads", block);
  }
  switch (rule) {
    case Blocks::rows_of_32:
      if (block % 32 != 0) {
        return fmt::format("block={}: the kernel works in whole warps; take a multiple of 32",
                           block);
      }
      break;
    case Blocks::any:
      break;
  }
  return {};
}

/// A block size that the kernel has as a constant must be one that it is compiled for.
std::string refusal(const std::vector<std::uint32_t>& compiled, std::uint32_t block) {
  if (compiled.empty() || std::ranges::binary_search(compiled, block)) return {};
  return fmt::format("block={}: the kernel has its block size as a constant; take one of {}", block,
                     fmt::join(compiled, ", "));
}

std::uint64_t elements_per_thread(Load load, std::uint64_t vector) {
  switch (load) {
    case Load::one:
    case Load::stride:
      break;
    case Load::two:
      return 2;
    case Load::vector:
      return vector;
    case Load::batch_of_4:
      return 4 * vector;
    case Load::batch_of_8:
      return 8 * vector;
  }
  return 1;
}

std::uint32_t shared_bytes(const Mapping& mapping, const Form& form, const Case& c) {
  const auto cell = static_cast<std::uint32_t>(size_of(c.acc));
  switch (mapping.shared.value) {
    case Shared::none:
      return 0;
    case Shared::vector_per_thread:
      return 16 * c.block;
    case Shared::half_shared: {
      const bool fixed = std::ranges::count(form.missing, "shared_size") == 0;
      return (fixed ? c.block : c.block / 2) * cell;
    }
    case Shared::cell_per_thread:
      break;
  }
  return c.block * cell;
}

}  // namespace

std::uint64_t tree_height(std::uint64_t cells) {
  return cells < 2 ? 0 : static_cast<std::uint64_t>(std::bit_width(cells - 1));
}

std::uint64_t batch_of(Load load) {
  return load == Load::batch_of_4 ? 4 : load == Load::batch_of_8 ? 8 : 0;
}

std::string entry_stem(const Case& c, Type in) {
  std::string stem;
  stem.reserve(80);
  stem.append(c.variant).append("__").append(c.form);
  std::replace(stem.end() - static_cast<std::ptrdiff_t>(c.form.size()), stem.end(), '-', '_');
  stem.append("__").append(name(in)).append("_").append(name(c.acc)).append("_");
  return stem.append(name(c.op));
}

std::string entry_name(const Case& c, Type in) {
  std::string entry = entry_stem(c, in);
  if (!compiled_blocks(entry).empty()) entry.append("__b").append(std::to_string(c.block));
  return entry;
}

Geometry geometry_of(Blocks blocks, const Case& c) {
  Geometry geometry;
  geometry.entry = entry_stem(c, c.in);
  const std::vector<std::uint32_t>& compiled = compiled_blocks(geometry.entry);
  geometry.constant_block = !compiled.empty();
  if (geometry.constant_block) geometry.entry.append("__b").append(std::to_string(c.block));
  geometry.refusal = refusal(blocks, c.block);
  if (geometry.refusal.empty()) geometry.refusal = refusal(compiled, c.block);
  geometry.block = {c.block, 1, 1};
  return geometry;
}

Geometry geometry_of(const Mapping& mapping, const Form& form, const Case& c) {
  Geometry geometry = geometry_of(mapping.blocks, c);
  if (!geometry.refusal.empty()) return geometry;
  const std::uint64_t vector = 16 / size_of(c.in);
  const std::uint64_t elements = elements_per_thread(mapping.load, vector);
  geometry.tile = elements * c.block;
  geometry.height = elements - 1 + tree_height(c.block);
  geometry.batch = batch_of(mapping.load);
  geometry.grid_stride = mapping.load == Load::stride || geometry.batch != 0;
  if (geometry.batch != 0) geometry.vector = vector;
  geometry.tail_multiple = mapping.load == Load::vector ? vector : geometry.tile;
  geometry.finish = mapping.finish;
  if (mapping.blocks == Blocks::rows_of_32) geometry.block = {32, c.block / 32, 1};
  // The documents' kernels that have their block size as a constant have a static array.
  const bool is_static = form.name == "documented" && geometry.constant_block;
  geometry.shared_bytes = is_static ? 0 : shared_bytes(mapping, form, c);
  if (mapping.finish == Finish::two_buffers) geometry.second_block = c.block;
  if (mapping.finish == Finish::in_place || mapping.finish == Finish::device_array)
    geometry.second_block = 1024;
  geometry.input_may_change = mapping.input_may_change;
  return geometry;
}

Geometry geometry_of(const Row& row, const Form& form, const Case& c) {
  return row.written != nullptr ? row.written->geometry(c)
                                : geometry_of(row.mapping.value(), form, c);
}

}  // namespace gauntlet::kernels
