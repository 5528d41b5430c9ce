// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "kernels/images.hpp"

namespace gauntlet::kernels {
namespace {

enum class Load : std::uint8_t { one, two, vector, stride, batch_of_4, batch_of_8 };
enum class Shared : std::uint8_t { none, cell_per_thread, half_shared, vector_per_thread };
enum class Blocks : std::uint8_t { any, whole_warps };

struct Row {
  std::string_view id;
  Load load;
  Shared shared;
  Finish finish;
  Blocks blocks = Blocks::any;
};

using enum Finish;
constexpr std::array kRows{
    Row{"interleaved_bitmask", Load::one, Shared::cell_per_thread, partials},
    Row{"interleaved_modulo", Load::one, Shared::cell_per_thread, partials},
    Row{"interleaved_compacted", Load::one, Shared::cell_per_thread, partials},
    Row{"sequential", Load::one, Shared::cell_per_thread, partials},
    Row{"first_add_on_load", Load::two, Shared::cell_per_thread, partials},
    Row{"volatile_warp_tail", Load::two, Shared::cell_per_thread, partials},
    Row{"volatile_warp_tail_pointer", Load::two, Shared::cell_per_thread, partials},
    Row{"volatile_warp_tail_plain", Load::two, Shared::cell_per_thread, partials},
    Row{"full_unroll", Load::two, Shared::cell_per_thread, partials},
    Row{"shuffle_two_stage", Load::two, Shared::none, partials},
    Row{"shuffle_loop", Load::two, Shared::cell_per_thread, partials},
    Row{"two_pass", Load::stride, Shared::cell_per_thread, two_buffers},
    Row{"interleaved_atomic", Load::one, Shared::cell_per_thread, atomic},
    Row{"half_shared", Load::two, Shared::half_shared, atomic},
    Row{"half_shared_half_block", Load::two, Shared::cell_per_thread, atomic},
    Row{"wide_active", Load::one, Shared::cell_per_thread, atomic},
    Row{"int4_through_shared", Load::vector, Shared::vector_per_thread, atomic},
    Row{"int4_coarsened", Load::vector, Shared::cell_per_thread, atomic},
    Row{"int4_shuffle", Load::vector, Shared::cell_per_thread, atomic},
    Row{"syncwarp_tail", Load::one, Shared::cell_per_thread, atomic},
    Row{"syncwarp_unmasked", Load::one, Shared::cell_per_thread, atomic},
    Row{"syncwarp_printed_fix", Load::one, Shared::cell_per_thread, atomic},
    Row{"shuffle_down", Load::one, Shared::cell_per_thread, atomic},
    Row{"shuffle_xor", Load::one, Shared::cell_per_thread, atomic},
    Row{"cooperative_tile", Load::one, Shared::cell_per_thread, atomic},
    Row{"grid_stride", Load::stride, Shared::cell_per_thread, in_place},
    Row{"static_partials", Load::stride, Shared::cell_per_thread, device_array},
    Row{"global_inplace", Load::one, Shared::none, partials},
    Row{"shuffle_rows", Load::one, Shared::none, partials, Blocks::whole_warps},
    Row{"single_pass_ticket", Load::batch_of_8, Shared::none, ticket},
    Row{"redux", Load::stride, Shared::none, atomic},
    Row{"vector_batch", Load::batch_of_8, Shared::none, two_buffers},
    Row{"single_pass_slots", Load::batch_of_4, Shared::none, slots},
};

const Row& row_of(std::string_view id) {
  const auto* found = std::ranges::find(kRows, id, &Row::id);
  if (found == kRows.end()) throw std::logic_error(fmt::format("no launch shape for {}", id));
  return *found;
}

std::string refusal(Blocks rule, std::uint32_t block) {
  if (block == 0 || block > 1024) {
    return fmt::format("block={}: a block has 1 to 1024 threads", block);
  }
  switch (rule) {
    case Blocks::whole_warps:
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

std::uint32_t shared_bytes(const Row& row, const Form& form, const Case& c) {
  const auto cell = static_cast<std::uint32_t>(size_of(c.acc));
  switch (row.shared) {
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

std::uint64_t batch_of(std::string_view variant) {
  const auto* found = std::ranges::find(kRows, variant, &Row::id);
  if (found == kRows.end()) return 0;
  return found->load == Load::batch_of_4 ? 4 : found->load == Load::batch_of_8 ? 8 : 0;
}

std::string entry_stem(const Case& c, Type in) {
  std::string form = c.form;
  std::ranges::replace(form, '-', '_');
  return fmt::format("{}__{}__{}_{}_{}", c.variant, form, name(in), name(c.acc), name(c.op));
}

Shape shape_of(const Variant& variant, const Form& form, const Case& c) {
  const Row& row = row_of(variant.id);
  Shape shape;
  const std::vector<std::uint32_t>& compiled = compiled_blocks(entry_stem(c, c.in));
  shape.refusal = refusal(row.blocks, c.block);
  if (shape.refusal.empty()) shape.refusal = refusal(compiled, c.block);
  if (!shape.refusal.empty()) return shape;
  const std::uint64_t vector = 16 / size_of(c.in);
  const std::uint64_t elements = elements_per_thread(row.load, vector);
  shape.tile = elements * c.block;
  shape.load_height = elements - 1;
  shape.batch = batch_of(row.id);
  shape.grid_stride = row.load == Load::stride || shape.batch != 0;
  if (shape.batch != 0) shape.vector = vector;
  shape.tail_multiple = row.load == Load::vector ? vector : shape.tile;
  shape.finish = row.finish;
  shape.block = {c.block, 1, 1};
  if (row.id == "shuffle_rows") shape.block = {32, c.block / 32, 1};
  // The documents' kernels that have their block size as a constant have a static array.
  const bool is_static = form.name == "documented" && !compiled.empty();
  shape.shared_bytes = is_static ? 0 : shared_bytes(row, form, c);
  if (row.finish == two_buffers) shape.second_block = c.block;
  if (row.finish == in_place || row.finish == device_array) shape.second_block = 1024;
  shape.input_may_change = row.id == "global_inplace";
  return shape;
}

}  // namespace gauntlet::kernels
