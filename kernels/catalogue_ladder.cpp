// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows 3 and 4: two of the first steps of A's ladder, which E shares.
#include "kernels/catalogue_entry.hpp"

namespace gauntlet::kernels::detail {
namespace {

DefectEntry reads_past_shared() {
  return {"power_of_two_block",
          "the tree takes for granted that B is a power of two: any other block adds s[B] and "
          "beyond, past the array",
          {past_shared},
          {}};
}

/// Printed by A with an int, by E with an unsigned index.
DefectEntry int_or_unsigned_index() {
  return int_index_width(
      "A's index is an int, which turns negative from 2^31 elements on: the load lies before the "
      "input; E's is unsigned and wraps at 2^32, to the beginning of the input");
}

const std::string any_block_contract =
    "blocks of 1 to 1024 threads, one element each; the grid covers n";

}  // namespace

std::vector<Row> ladder_rows() {
  const TypePair f32{Type::f32, Type::f32}, i32{Type::i32, Type::i32};
  const auto unchecked = no_bounds_check(
      "no thread compares its index with n, so the last block loads past the input");
  std::vector<Row> rows;
  rows.push_back(make_row({
      .row = 3,
      .id = "interleaved_compacted",
      .documents = "A v1, E reduce2",
      .claim =
          "no divergence while whole warps retire, at the price of bank conflicts; E prints it "
          "with an empty parameter list, which does not compile",
      .idea = "interleaved addressing, thread t works on cell 2kt",
      .mapping = {.load = Load::one, .shared = Shared::cell_per_thread, .finish = Finish::partials},
      .contract = any_block_contract,
      .defects = {unchecked, reads_past_shared(), int_or_unsigned_index()},
      .types = {f32, i32},
  }));
  rows.push_back(make_row({
      .row = 4,
      .id = "sequential",
      .documents = "A v2, E reduce3",
      .claim = "consecutive threads touch consecutive cells, so there are no bank conflicts; E "
               "prints it with an empty parameter list, which does not compile",
      .idea = "the tree halves its step, thread t adds cell t + k",
      .mapping = {.load = Load::one, .shared = Shared::cell_per_thread, .finish = Finish::partials},
      .contract = any_block_contract,
      .defects = {unchecked, loses_cells(), int_or_unsigned_index()},
      .types = {f32, i32},
  }));
  return rows;
}

}  // namespace gauntlet::kernels::detail
