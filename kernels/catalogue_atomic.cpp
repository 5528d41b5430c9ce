// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows 11 to 13: C's kernels with one element (or two) per thread and an atomic finish.
#include "kernels/catalogue_entry.hpp"

namespace gauntlet::kernels::detail {
namespace {

const TypePair i32_pair{Type::i32, Type::i32};

DefectEntry unwritten_cells() {
  return {"init_shared",
          "threads past n leave their s[t] unwritten, and the tree adds what happens to be there",
          {poison_out},
          {}};
}

DefectEntry unsigned_index_int_length() {
  return index_width(
      "the index is unsigned and n an int: from 2^32 elements on both wrap, so that most threads "
      "find themselves past n, and the others take the beginning of the input");
}

constexpr std::uint32_t half_thread_num[] = {4, 16};

}  // namespace

std::vector<Row> atomic_rows() {
  std::vector<Row> rows;
  rows.push_back(make_row({
      .row = 11,
      .id = "interleaved_atomic",
      .documents = "C naive",
      .claim = "the naive kernel; blocks add their sums to the result atomically",
      .idea = "interleaved tree with a test t + k < B, then one atomic per block",
      .mapping = {.load = Load::one, .shared = Shared::cell_per_thread, .finish = Finish::atomic},
      .contract = "blocks of 1 to 1024 threads, one element each; the grid covers n",
      .preconditions = {"out holds the identity before the launch"},
      .defects = {unwritten_cells(), unsigned_index_int_length()},
      .types = {i32_pair},
      // Where the index wraps, most blocks take in undefined cells: no sum is left to be wrong.
      .documented_rare = {wrong_output},
  }));
  const std::string claim =
      "cells with odd index are read only once, so half the shared memory is enough";
  const std::string idea = "two elements per thread, half the shared cells, a tree from B/2";
  rows.push_back(make_row({
      .row = 12,
      .id = "half_shared",
      .documents = "C v2, launched with blockDim = B",
      .claim = claim,
      .idea = idea,
      .mapping = {.load = Load::two, .shared = Shared::half_shared, .finish = Finish::atomic},
      .contract =
          "blocks of 1 to 1024 threads, two elements each; the grid covers n; s has B cells",
      .preconditions = {"out holds the identity before the launch"},
      .defects =
          {{"shared_size",
            "s has B/2 cells, but every one of the B threads stores s[t] and the first step "
            "reads s[t + B/2]: both run past the array",
            {past_shared, writes_past_shared},
            {}},
           {"block_stride",
            "block b starts at b*B although it covers 2B elements: neighbouring blocks count "
            "B elements twice and the end of the input is never read",
            {wrong_output},
            {}},
           loses_cells(),
           unsigned_index_int_length()},
      .types = {i32_pair},
      // Every block takes in undefined cells, so that no sum is left to be wrong.
      .documented_hides = {wrong_output},
  }));
  rows.push_back(make_row({
      .row = 12,
      .id = "half_shared_half_block",
      .documents = "C v2, launched with blockDim = B/2",
      .claim = claim,
      .idea = idea,
      // THREAD_NUM is twice the block in this reading of the launch.
      .mapping = {.load = Load::two,
                  .shared = Shared::cell_per_thread,
                  .finish = Finish::atomic,
                  .documented_blocks = half_thread_num},
      .contract = "blocks of 1 to 1024 threads, two elements each; the grid covers n; s has B/2 "
                  "cells, one per thread, which is enough",
      .preconditions = {"out holds the identity before the launch"},
      .defects = {{"shared_size",
                   "the stores fit, but the tree starts at k = B/2, which is now the number of "
                   "threads: every thread's first step reads past s",
                   {past_shared},
                   {}},
                  {"block_stride",
                   "block b adds two halves of a tile that lie B apart instead of B/2: blocks two "
                   "apart count the same elements twice",
                   {wrong_output},
                   {}},
                  loses_cells(),
                  unsigned_index_int_length()},
      .types = {i32_pair},
      // Every block takes in undefined cells, so that no sum is left to be wrong.
      .documented_hides = {wrong_output},
  }));
  rows.push_back(make_row({
      .row = 13,
      .id = "wide_active",
      .documents = "C \"divergence removed\"",
      .claim = "with a sequential tree the warps no longer diverge",
      .idea = "sequential tree, active where t + k < B, then one atomic per block",
      .mapping = {.load = Load::one, .shared = Shared::cell_per_thread, .finish = Finish::atomic},
      .contract = "blocks of 1 to 1024 threads, one element each; the grid covers n",
      .preconditions = {"out holds the identity before the launch"},
      .defects = {{"active_range",
                   "threads k to B-k-1 are active too: they write cells that lower threads still "
                   "read in the same step, inside a warp and, for B > 32, across warps",
                   {read_then_write, wrong_output},
                   {"high_lane_first", "warp_reversed"}},
                  unwritten_cells(),
                  loses_cells(),
                  unsigned_index_int_length()},
      .types = {i32_pair},
  }));
  return rows;
}

}  // namespace gauntlet::kernels::detail
