// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows 23 to 26: D's grid-stride kernels, A's tree in global memory, B's rows.
#include "kernels/catalogue_entry.hpp"

namespace gauntlet::kernels::detail {
namespace {

constexpr BlockGrid launch_of_d{128, 10240};

Row grid_stride(int row, std::string id, std::string documents, std::string claim, std::string idea,
                Mapping mapping, std::string contract, std::vector<std::string> preconditions,
                const std::vector<Expected>& wrong, std::vector<Expected> undefined) {
  return make_row({
      .row = row,
      .id = std::move(id),
      .documents = std::move(documents),
      .claim = std::move(claim),
      .idea = std::move(idea),
      .mapping = mapping,
      .contract = std::move(contract),
      .preconditions = std::move(preconditions),
      .defects = {{"first_offset",
                   "the tile's loop starts with a shift of 32, which in a tile of 32 returns the "
                   "lane's own value: each launch doubles the sum",
                   wrong,
                   {}},
                  half_the_block(wrong),
                  full_mask(std::move(undefined)),
                  {"index_width",
                   "index, stride and count are int: from n = 2^31 on the count is negative and "
                   "nothing is added (less than a grid below it the index wraps and the loop "
                   "reads before the input without an end)",
                   {wrong.back()},
                   {}}},
      .types = {{Type::f32, Type::f32}, {Type::f64, Type::f64}},
  });
}

}  // namespace

std::vector<Row> other_rows() {
  const TypePair f32{Type::f32, Type::f32};
  std::vector<Row> rows;
  rows.push_back(
      grid_stride(23, "grid_stride", "D reduce1",
                  "threads that add many elements a grid apart are faster and more accurate",
                  "grid-stride sums, shared tree, tile shuffles, a second launch in place",
                  {.load = Load::stride,
                   .shared = Shared::cell_per_thread,
                   .finish = Finish::in_place,
                   .documented = launch_of_d,
                   .swept = true},
                  "blocks of 1 to 1024 threads, any grid; the second launch is one block of 1024",
                  {}, {wrong_output}, {poison_out}));
  rows.push_back(grid_stride(24, "static_partials", "D, static memory",
                             "a static array for the partials saves an allocation per call",
                             "as grid_stride, the partials in a __device__ array",
                             {.load = Load::stride,
                              .shared = Shared::cell_per_thread,
                              .finish = Finish::device_array,
                              .documented = launch_of_d},
                             "as grid_stride, at most 10240 blocks (the array's size)",
                             {"one reduction at a time: two at once share the array"},
                             {wrong_output, {FindingKind::wrong_result, "partials"}},
                             {poison_out}));
  rows.push_back(make_row({
      .row = 25,
      .id = "global_inplace",
      .origin = Origin::described,
      .documents = "A \"reduction 1: global memory\"",
      .claim = "named as the slow way that shared memory replaces",
      .idea = "the interleaved tree runs in the input array",
      .mapping = {.load = Load::one,
                  .shared = Shared::none,
                  .finish = Finish::partials,
                  .input_may_change = true},
      .contract = "blocks of 1 to 1024 threads, one element each; the grid covers n",
      .preconditions = {"the input may be destroyed",
                        "the accumulator is the input's own type: its array holds the sums"},
      .defects = {{"bounds_check",
                   "no thread compares its index with n or with the end of its tile, so the last "
                   "block reads and writes past the input, and where B is no power of two a block "
                   "reads cells that the next one writes",
                   {reads_past_input,
                    {FindingKind::out_of_bounds_write, "in"},
                    poison_out,
                    {FindingKind::race_read_write, "in"},
                    wrong_output},
                   {}}},
      .types = {f32},
  }));
  rows.push_back(make_row({
      .row = 26,
      .id = "shuffle_rows",
      .origin = Origin::described,
      .documents = "B",
      .claim = "shuffles suit a two-dimensional block",
      .idea = "blockDim = (32, R): one shuffle reduction per row, then one over the rows",
      .mapping = {.load = Load::one,
                  .shared = Shared::none,
                  .finish = Finish::partials,
                  .blocks = Blocks::rows_of_32},
      .contract = "blocks of 32, 64, 96, ... 1024 threads, one element each; the grid covers n",
      .defects = {no_bounds_check(
          "no thread compares its index with n, so the last block loads past the input")},
      .types = {f32},
  }));
  return rows;
}

}  // namespace gauntlet::kernels::detail
